//! Validated query parameters for a tape.

use std::ops::Range;

use gametape::export::{Content, Exporter};
use serde::Deserialize;
use utoipa::IntoParams;

use super::error::ApiError;
use crate::report_page::exporters;

/// Default number of time buckets.
const POINTS: u32 = 1000;
const MOST_POINTS: u32 = 4000;
/// The largest number of channels per request.
const MOST_CHANNELS: usize = 16;
/// The largest number of channels per table.
const MOST_IN_TABLE: usize = 64;

/// Selects channels and a time range of a tape.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct OverviewParams {
    /// Channel names, separated by commas: `gear,physics/speedKmh,physics/wheelSlip.1`; at most 16. Default: `usual` of the tape
    #[param(min_length = 1, max_length = 4000)]
    channels: Option<String>,
    /// Start in nanoseconds since the start of the tape. Default: the start of the tape
    #[param(maximum = 9_000_000_000_000_000_000_u64)]
    from_ns: Option<u64>,
    /// End, exclusive. Default: the end of the tape
    #[param(minimum = 1, maximum = 9_000_000_000_000_000_000_u64)]
    to_ns: Option<u64>,
    /// Number of time buckets, 10 to 4000. Default: 1000
    #[param(minimum = 10, maximum = 4000)]
    points: Option<u32>,
}

/// A validated request.
#[derive(Debug)]
pub(super) struct AskedOverview {
    pub(super) names: Vec<String>,
    pub(super) times: Range<u64>,
    pub(super) points: usize,
}

fn names_of(channels: Option<String>, most: usize) -> Result<Vec<String>, ApiError> {
    let Some(channels) = channels else { return Ok(Vec::new()) };
    let names: Vec<String> = channels.split(',').map(|name| name.trim().to_owned()).collect();
    if names.iter().any(String::is_empty) {
        return Err(ApiError::bad_request("channels contains an empty name; remove it"));
    }
    match names.len() > most {
        true => Err(ApiError::bad_request(format!("channels has {} names, at most {most} are allowed", names.len()))),
        false => Ok(names),
    }
}

impl OverviewParams {
    pub(super) fn checked(self) -> Result<AskedOverview, ApiError> {
        let times = self.from_ns.unwrap_or(0)..self.to_ns.unwrap_or(u64::MAX);
        if times.is_empty() {
            return Err(ApiError::bad_request("to_ns must be later than from_ns"));
        }
        let points = self.points.unwrap_or(POINTS);
        if !(10..=MOST_POINTS).contains(&points) {
            return Err(ApiError::bad_request(format!("points must be between 10 and {MOST_POINTS}")));
        }
        Ok(AskedOverview { names: names_of(self.channels, MOST_CHANNELS)?, times, points: points as usize })
    }
}

/// Selects the format and the content of an export.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ExportParams {
    /// csv or jsonl: a table. parquet: a table of one stream, for data engines. motec: a zip archive with a MoTeC log (.ld) and its laps (.ldx).
    /// mcap: for Foxglove and alike. html: a report that a browser opens from disk, with laps, traces, map and comparison
    #[param(pattern = "^(csv|jsonl|parquet|motec|mcap|html)$")]
    format: String,
    /// Channel names, separated by commas: `gear,physics/speedKmh,physics/wheelSlip.1`; at most 64. Default: all; for parquet, all but arrays
    /// with a value for each car
    #[param(min_length = 1, max_length = 8000)]
    channels: Option<String>,
    /// Only the lap with this number on the tape; not for html, which has all laps
    #[param(minimum = 1)]
    lap: Option<u32>,
    /// parquet: only the channels of this stream; required if the channels are in several streams
    #[param(min_length = 1, max_length = 1000)]
    stream: Option<String>,
}

/// A validated request.
pub(super) struct CheckedExport {
    pub(super) format: &'static dyn Exporter,
    pub(super) names: Vec<String>,
    pub(super) lap: Option<u32>,
    pub(super) stream: Option<String>,
}

impl ExportParams {
    /// Returns the format, the channel names, the lap and the stream.
    pub(super) fn checked(self) -> Result<CheckedExport, ApiError> {
        let mut formats = exporters().filter(|format| format.content() != Content::Recording);
        let Some(format) = formats.find(|format| format.name() == self.format) else {
            return Err(ApiError::bad_request("format must be csv, jsonl, parquet, motec, mcap or html"));
        };
        if self.lap.is_some() && format.content() == Content::Report {
            return Err(ApiError::bad_request(format!("{} has all laps; omit lap", format.name())));
        }
        if self.stream.is_some() && !format.is_columnar() {
            return Err(ApiError::bad_request(format!("{} joins streams; omit stream", format.name())));
        }
        if let Some(why) = format.unavailable() {
            return Err(ApiError::not_there("no_report_page", why));
        }
        let names = names_of(self.channels, MOST_IN_TABLE)?;
        Ok(CheckedExport { format, names, lap: self.lap, stream: self.stream })
    }
}
