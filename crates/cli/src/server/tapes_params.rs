//! Parameters of questions about one tape, checked.

use std::ops::Range;

use gametape::export::RowFormat;
use serde::Deserialize;
use utoipa::IntoParams;

use super::error::ApiError;
use crate::report_page::{NO_PAGE, ReportPage};

/// Stretches of time, unless another number is asked for.
const POINTS: u32 = 1000;
const MOST_POINTS: u32 = 4000;
/// Channels of one question.
const MOST_CHANNELS: usize = 16;
/// Channels of one table.
const MOST_IN_TABLE: usize = 64;

/// Which channels of a tape, and when.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct OverviewParams {
    /// Names with commas between them: `gear,physics/speedKmh,physics/wheelSlip.1`; at most 16. Without it: those that `usual` of the tape names
    #[param(min_length = 1, max_length = 4000)]
    channels: Option<String>,
    /// Nanoseconds since the beginning of the tape; its beginning if left out
    #[param(maximum = 9_000_000_000_000_000_000_u64)]
    from_ns: Option<u64>,
    /// Before this moment; the end of the tape if left out
    #[param(minimum = 1, maximum = 9_000_000_000_000_000_000_u64)]
    to_ns: Option<u64>,
    /// How many stretches of time, 10 to 4000; 1000 if left out
    #[param(minimum = 10, maximum = 4000)]
    points: Option<u32>,
}

/// What is asked for.
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
        return Err(ApiError::bad_request("channels has an empty name: leave it out"));
    }
    match names.len() > most {
        true => Err(ApiError::bad_request(format!("channels names {} channels, at most {most}", names.len()))),
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
            return Err(ApiError::bad_request(format!("points is not in 10 to {MOST_POINTS}")));
        }
        Ok(AskedOverview { names: names_of(self.channels, MOST_CHANNELS)?, times, points: points as usize })
    }
}

/// What a table has.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ExportParams {
    /// csv or jsonl: a table. html: a page that a browser opens from disk, with laps, traces, map and comparison
    #[param(pattern = "^(csv|jsonl|html)$")]
    format: String,
    /// Names with commas between them: `gear,physics/speedKmh,physics/wheelSlip.1`; at most 64. Without it: all
    #[param(min_length = 1, max_length = 8000)]
    channels: Option<String>,
    /// Only the lap with this number on the tape; not of a page, which has all laps
    #[param(minimum = 1)]
    lap: Option<u32>,
}

/// What is made of a tape.
#[derive(Clone, Copy)]
pub(super) enum ExportKind {
    Rows(RowFormat),
    /// A page for browsers.
    Page(ReportPage),
}

impl ExportKind {
    /// The ending of its file, and what it is called in HTTP.
    pub(super) fn ending(self) -> (&'static str, &'static str) {
        match self {
            Self::Rows(RowFormat::Csv) => ("csv", "text/csv; charset=utf-8"),
            Self::Rows(RowFormat::Jsonl) => ("jsonl", "application/jsonl"),
            Self::Page(_) => ("html", "text/html; charset=utf-8"),
        }
    }
}

impl ExportParams {
    /// The kind, the names of channels, and the lap.
    pub(super) fn checked(self) -> Result<(ExportKind, Vec<String>, Option<u32>), ApiError> {
        let kind = match self.format.as_str() {
            "csv" => ExportKind::Rows(RowFormat::Csv),
            "jsonl" => ExportKind::Rows(RowFormat::Jsonl),
            "html" if self.lap.is_some() => return Err(ApiError::bad_request("a page has all laps: leave lap out")),
            "html" => {
                let page = ReportPage::embedded().ok_or_else(|| ApiError::not_there("no_report_page", NO_PAGE))?;
                ExportKind::Page(page)
            }
            _ => return Err(ApiError::bad_request("format is none of csv, jsonl, html")),
        };
        Ok((kind, names_of(self.channels, MOST_IN_TABLE)?, self.lap))
    }
}
