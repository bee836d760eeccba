//! Validated query parameters for lap telemetry.

use gametape::laps::columns::MOST_COLUMNS;
use gametape::laps::compare::MOST_LAPS;
use gametape::laps::{ColumnsError, Id, neutral_channels};
use serde::Deserialize;
use utoipa::IntoParams;

use super::error::ApiError;
use super::params::text;
use super::reading::id_of;

/// Default grid distance in metres.
const STEP_M: f64 = 5.0;

/// Selects channels of a lap and its rows.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ChannelsParams {
    /// Channel names, separated by commas: `speed_kmh,brake,physics/tyreWear.0`; at most 32. Default: the normalized channels
    #[param(min_length = 1, max_length = 4000)]
    channels: Option<String>,
    /// Rows at track positions this many metres apart
    #[param(minimum = 0.5, maximum = 500.0)]
    step_m: Option<f64>,
    /// Rows at this many per second
    #[param(minimum = 1.0, maximum = 1000.0)]
    hz: Option<f64>,
}

/// Selects laps and their channels.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct CompareParams {
    /// Ids of two to eight laps, separated by commas; the first one is the reference
    #[param(pattern = "^[0-9a-f]{32}(,[0-9a-f]{32}){1,7}$")]
    laps: String,
    /// Channel names, separated by commas; at most 32. Default: the normalized channels
    #[param(min_length = 1, max_length = 4000)]
    channels: Option<String>,
    /// Distance between rows in metres. Default: 5
    #[param(minimum = 0.5, maximum = 500.0)]
    step_m: Option<f64>,
}

/// Selects a track.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct OutlineParams {
    /// Game id
    #[param(min_length = 1, max_length = 200)]
    game: String,
    /// Track, as named by the game
    #[param(min_length = 1, max_length = 200)]
    track: String,
    /// Layout of the track
    #[param(min_length = 1, max_length = 200)]
    layout: Option<String>,
}

fn names_of(channels: Option<String>) -> Result<Vec<String>, ApiError> {
    let Some(channels) = channels else { return Ok(Vec::new()) };
    let names: Vec<String> = channels.split(',').map(|name| name.trim().to_owned()).collect();
    if names.iter().any(String::is_empty) {
        return Err(ApiError::bad_request("channels contains an empty name; remove it"));
    }
    if names.len() > MOST_COLUMNS {
        return Err(ApiError::from(ColumnsError::TooManyColumns { found: names.len() }));
    }
    Ok(names)
}

/// The rows of a response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rows {
    Recorded,
    Metres(f64),
    Hertz(f64),
}

impl ChannelsParams {
    /// Returns the channel names and the rows.
    pub(super) fn checked(self) -> Result<(Vec<String>, Rows), ApiError> {
        let names = names_of(self.channels)?;
        let rows = match (self.step_m, self.hz) {
            (None, None) => Rows::Recorded,
            (Some(step_m), None) => Rows::Metres(within("step_m", step_m, 0.5, 500.0)?),
            (None, Some(hz)) => Rows::Hertz(within("hz", hz, 1.0, 1000.0)?),
            (Some(_), Some(_)) => {
                let message = "rows are either by distance (step_m) or by time (hz); use only one of them";
                return Err(ApiError::bad_request(message));
            }
        };
        Ok((names, rows))
    }
}

impl CompareParams {
    /// Returns the laps, the channel names, and the step.
    pub(super) fn checked(self) -> Result<(Vec<Id>, Vec<String>, f64), ApiError> {
        let ids = ids_of(&self.laps)?;
        let mut names = names_of(self.channels)?;
        if names.is_empty() {
            names = neutral_channels().map(str::to_owned).collect();
        }
        Ok((ids, names, within("step_m", self.step_m.unwrap_or(STEP_M), 0.5, 500.0)?))
    }
}

impl OutlineParams {
    /// Returns game, track and layout.
    pub(super) fn checked(self) -> Result<(String, String, Option<String>), ApiError> {
        let game = text("game", Some(self.game))?.unwrap_or_default();
        let track = text("track", Some(self.track))?.unwrap_or_default();
        Ok((game, track, text("layout", self.layout)?))
    }
}

fn within(name: &str, number: f64, least: f64, most: f64) -> Result<f64, ApiError> {
    match (least..=most).contains(&number) {
        true => Ok(number),
        false => Err(ApiError::bad_request(format!("{name} must be between {least} and {most}"))),
    }
}

fn ids_of(laps: &str) -> Result<Vec<Id>, ApiError> {
    let ids = laps.split(',').map(|id| id_of(id.trim())).collect::<Result<Vec<_>, _>>()?;
    if !(2..=MOST_LAPS).contains(&ids.len()) {
        return Err(ApiError::bad_request(format!("laps has {} ids, expected 2 to {MOST_LAPS}", ids.len())));
    }
    Ok(ids)
}
