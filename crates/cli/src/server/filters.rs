//! Query parameters of lists of sessions, laps, bests, days and tapes, as filters of the store.

use gametape::format::TapeId;
use gametape::store::{Filter, NameFilter};
use serde::Deserialize;
use utoipa::IntoParams;

use super::error::ApiError;
use super::params::{kind, min_laps, moment, phase, text, validity, words};
use super::reading::id_of;

/// Selects a lap or a session that may be deleted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct OneParams {
    /// Return it even if it is deleted
    pub(super) deleted: Option<bool>,
}

/// Selects what is returned of the cars of a session.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct StandingsParams {
    /// Include the laps of each car
    pub(super) laps: Option<bool>,
}

/// Selects sessions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SessionParams {
    /// Game id
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Session type: practice, qualifying, race, …
    #[param(pattern = "^(unknown|practice|qualifying|superpole|race|hotlap|hotstint|time_trial|drift|drag|test)$")]
    pub(super) r#type: Option<String>,
    /// Track, as named by the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Layout of the track
    #[param(min_length = 1, max_length = 200)]
    pub(super) layout: Option<String>,
    /// Car, as named by the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) car: Option<String>,
    /// Driver of the session or of one of its laps
    #[param(min_length = 1, max_length = 200)]
    pub(super) driver: Option<String>,
    /// Only sessions with a lap whose validity is `true`, `false` or `unknown`
    #[param(pattern = "^(true|false|unknown)$")]
    pub(super) valid: Option<String>,
    /// Only sessions with a lap of this phase: flying, out, in, pit, grid_start, formation
    #[param(pattern = "^(flying|out|in|pit|grid_start|formation)$")]
    pub(super) phase: Option<String>,
    /// Started at this time or later: 2026-03-01 or 2026-03-01T12:00:00Z
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Started before this time
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// A tag of the session
    #[param(min_length = 1, max_length = 200)]
    pub(super) tag: Option<String>,
    /// Words to find in game, track, car, driver, type, name, note or tags, ignoring case; at most 8
    #[param(min_length = 1, max_length = 200)]
    pub(super) q: Option<String>,
    /// Only sessions with at least this many completed laps: 1 hides empty sessions
    #[param(minimum = 0, maximum = 100000)]
    pub(super) min_laps: Option<u32>,
    /// Id of their tape
    #[param(pattern = "^[0-9a-f]{32}$")]
    pub(super) tape: Option<String>,
    /// Return deleted ones instead
    pub(super) deleted: Option<bool>,
    /// Include stints and laps
    pub(super) laps: Option<bool>,
    /// Page size, 1 to 500. Default: 20
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the previous page
    pub(super) cursor: Option<String>,
}

/// Selects laps.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LapParams {
    /// Game id
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Session type
    #[param(pattern = "^(unknown|practice|qualifying|superpole|race|hotlap|hotstint|time_trial|drift|drag|test)$")]
    pub(super) r#type: Option<String>,
    /// Track, as named by the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Layout of the track
    #[param(min_length = 1, max_length = 200)]
    pub(super) layout: Option<String>,
    /// Car, as named by the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) car: Option<String>,
    /// Driver
    #[param(min_length = 1, max_length = 200)]
    pub(super) driver: Option<String>,
    /// `true`, `false` or `unknown`
    #[param(pattern = "^(true|false|unknown)$")]
    pub(super) valid: Option<String>,
    /// flying, out, in, pit, grid_start, formation
    #[param(pattern = "^(flying|out|in|pit|grid_start|formation)$")]
    pub(super) phase: Option<String>,
    /// Started at this time or later
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Started before this time
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// A tag of the lap
    #[param(min_length = 1, max_length = 200)]
    pub(super) tag: Option<String>,
    /// Return deleted ones instead
    pub(super) deleted: Option<bool>,
    /// newest, oldest, fastest or slowest; the last two skip laps without a time
    #[param(pattern = "^(newest|oldest|fastest|slowest)$")]
    pub(super) sort: Option<String>,
    /// Page size, 1 to 500. Default: 20
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the previous page
    pub(super) cursor: Option<String>,
}

/// Selects bests, tracks, cars, drivers or tapes.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListParams {
    /// Game id
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Track, as named by the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Layout of the track
    #[param(min_length = 1, max_length = 200)]
    pub(super) layout: Option<String>,
    /// Car, as named by the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) car: Option<String>,
    /// Driver
    #[param(min_length = 1, max_length = 200)]
    pub(super) driver: Option<String>,
    /// Driven at this time or later
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Driven before this time
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// Page size, 1 to 500. Default: 20
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the previous page
    pub(super) cursor: Option<String>,
}

/// Selects days.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ProgressParams {
    /// Game id
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Track, as named by the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Layout of the track
    #[param(min_length = 1, max_length = 200)]
    pub(super) layout: Option<String>,
    /// Car, as named by the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) car: Option<String>,
    /// Driver
    #[param(min_length = 1, max_length = 200)]
    pub(super) driver: Option<String>,
    /// Driven at this time or later
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Driven before this time
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// Time zone that determines when a day begins: minutes east of UTC
    #[param(minimum = -840, maximum = 840)]
    pub(super) utc_offset_min: Option<i32>,
    /// Page size, 1 to 500. Default: 20
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the previous page
    pub(super) cursor: Option<String>,
}

/// Selects tapes.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TapeParams {
    /// Game id
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Track, as noted by the recorder
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Car, as noted by the recorder
    #[param(min_length = 1, max_length = 200)]
    pub(super) car: Option<String>,
    /// Recorded at this time or later
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Recorded before this time
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// Page size, 1 to 500. Default: 20
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the previous page
    pub(super) cursor: Option<String>,
}

impl SessionParams {
    pub(super) fn filter(self) -> Result<Filter, ApiError> {
        Ok(Filter {
            game: text("game", self.game)?,
            kind: kind(self.r#type.as_ref())?,
            track: text("track", self.track)?.map(NameFilter::Contains),
            layout: text("layout", self.layout)?.map(NameFilter::Contains),
            car: text("car", self.car)?.map(NameFilter::Contains),
            driver: text("driver", self.driver)?.map(NameFilter::Contains),
            valid: validity(self.valid.as_ref())?,
            phase: phase(self.phase.as_ref())?,
            from_us: moment("from", self.from.as_ref())?,
            to_us: moment("to", self.to.as_ref())?,
            tag: text("tag", self.tag)?,
            tape: self.tape.as_deref().map(|id| id_of(id).map(|id| TapeId(id.0))).transpose()?,
            words: words(self.q)?,
            min_laps: min_laps(self.min_laps)?,
            deleted: self.deleted.unwrap_or_default(),
        })
    }
}

impl LapParams {
    pub(super) fn filter(self) -> Result<Filter, ApiError> {
        let Self { game, r#type, track, layout, car, driver, valid, phase, from, to, tag, deleted, .. } = self;
        let same = SessionParams {
            game,
            r#type,
            track,
            layout,
            car,
            driver,
            valid,
            phase,
            from,
            to,
            tag,
            deleted,
            ..Default::default()
        };
        same.filter()
    }
}

impl ListParams {
    pub(super) fn filter(self) -> Result<Filter, ApiError> {
        let Self { game, track, layout, car, driver, from, to, .. } = self;
        SessionParams { game, track, layout, car, driver, from, to, ..Default::default() }.filter()
    }
}

impl ProgressParams {
    pub(super) fn filter(self) -> Result<Filter, ApiError> {
        let Self { game, track, layout, car, driver, from, to, .. } = self;
        SessionParams { game, track, layout, car, driver, from, to, ..Default::default() }.filter()
    }
}

impl TapeParams {
    pub(super) fn filter(self) -> Result<Filter, ApiError> {
        let Self { game, track, car, from, to, .. } = self;
        SessionParams { game, track, car, from, to, ..Default::default() }.filter()
    }
}
