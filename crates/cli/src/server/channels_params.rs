//! Parameters of questions about the inside of laps, checked.

use gametape::laps::columns::MOST_COLUMNS;
use gametape::laps::compare::MOST_LAPS;
use gametape::laps::{ColumnsError, Id, neutral_channels};
use serde::Deserialize;
use utoipa::IntoParams;

use super::error::ApiError;
use super::params::text;
use super::reading::id_of;

/// Metres from place to place, unless another step is asked for.
const STEP_M: f64 = 5.0;

/// Which channels of a lap, and where.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ChannelsParams {
    /// Names with commas between them: `speed_kmh,brake,physics/tyreWear.0`; at most 32. Without it: the neutral ones
    #[param(min_length = 1, max_length = 4000)]
    channels: Option<String>,
    /// Rows at places this many metres apart
    #[param(minimum = 0.5, maximum = 500.0)]
    step_m: Option<f64>,
    /// Rows at moments, this many a second
    #[param(minimum = 1.0, maximum = 1000.0)]
    hz: Option<f64>,
}

/// Which laps, and which of their channels.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct CompareParams {
    /// Ids of two to eight laps with commas between them; the first one is the reference
    #[param(pattern = "^[0-9a-f]{32}(,[0-9a-f]{32}){1,7}$")]
    laps: String,
    /// Names with commas between them; at most 32. Without it: the neutral ones
    #[param(min_length = 1, max_length = 4000)]
    channels: Option<String>,
    /// Metres from place to place; 5 if left out
    #[param(minimum = 0.5, maximum = 500.0)]
    step_m: Option<f64>,
}

/// Which track.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct OutlineParams {
    /// Id of the game
    #[param(min_length = 1, max_length = 200)]
    game: String,
    /// Track, in the game's words
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
        return Err(ApiError::bad_request("channels has an empty name: leave it out"));
    }
    if names.len() > MOST_COLUMNS {
        return Err(ApiError::from(ColumnsError::TooManyColumns { found: names.len() }));
    }
    Ok(names)
}

/// Where the rows are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rows {
    Recorded,
    Metres(f64),
    Hertz(f64),
}

impl ChannelsParams {
    /// The names of channels, and where the rows are.
    pub(super) fn checked(self) -> Result<(Vec<String>, Rows), ApiError> {
        let names = names_of(self.channels)?;
        let rows = match (self.step_m, self.hz) {
            (None, None) => Rows::Recorded,
            (Some(step_m), None) => Rows::Metres(within("step_m", step_m, 0.5, 500.0)?),
            (None, Some(hz)) => Rows::Hertz(within("hz", hz, 1.0, 1000.0)?),
            (Some(_), Some(_)) => {
                let message = "rows are either at places (step_m) or at moments (hz): leave one out";
                return Err(ApiError::bad_request(message));
            }
        };
        Ok((names, rows))
    }
}

impl CompareParams {
    /// The laps, the names of channels, and the step.
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
    /// Game, track and layout.
    pub(super) fn checked(self) -> Result<(String, String, Option<String>), ApiError> {
        let game = text("game", Some(self.game))?.unwrap_or_default();
        let track = text("track", Some(self.track))?.unwrap_or_default();
        Ok((game, track, text("layout", self.layout)?))
    }
}

fn within(name: &str, number: f64, least: f64, most: f64) -> Result<f64, ApiError> {
    match (least..=most).contains(&number) {
        true => Ok(number),
        false => Err(ApiError::bad_request(format!("{name} is not in {least} to {most}"))),
    }
}

fn ids_of(laps: &str) -> Result<Vec<Id>, ApiError> {
    let ids = laps.split(',').map(|id| id_of(id.trim())).collect::<Result<Vec<_>, _>>()?;
    if !(2..=MOST_LAPS).contains(&ids.len()) {
        return Err(ApiError::bad_request(format!("laps names {} laps, not 2 to {MOST_LAPS}", ids.len())));
    }
    Ok(ids)
}
