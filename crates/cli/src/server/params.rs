//! Parameters of queries. What is not known is an error that says what is: a misspelt filter must not look like an answer to it.

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use gametape::format::TapeId;
use gametape::laps::{Phase, SessionKind};
use gametape::store::{Cursor, Filter, LARGEST_PAGE, LONGEST_NAME, LapSort, Validity};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::error::ApiError;
use super::reading::id_of;
use super::times;

/// The longest message about a parameter.
const LONGEST: usize = 1000;

/// Parameters of a query, checked.
pub(super) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(params)) => Ok(Self(params)),
            Err(error) => {
                let reason = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
                Err(ApiError::bad_request(reason.chars().take(LONGEST).collect::<String>()))
            }
        }
    }
}

/// The part of the path that names a thing. One that is no text names nothing, and that is said as all errors are.
pub(super) struct Named(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(error) => Err(ApiError::bad_request(error.to_string())),
        }
    }
}

/// No parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParams {}

/// A lap or a session that was deleted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct OneParams {
    /// Even if it was deleted
    pub(super) deleted: Option<bool>,
}

/// Which sessions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SessionParams {
    /// Id of the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Kind of session: practice, qualifying, race, …
    #[param(pattern = "^(unknown|practice|qualifying|superpole|race|hotlap|hotstint|time_trial|drift|drag|test)$")]
    pub(super) r#type: Option<String>,
    /// Track, in the game's words
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Layout of the track
    #[param(min_length = 1, max_length = 200)]
    pub(super) layout: Option<String>,
    /// Car, in the game's words
    #[param(min_length = 1, max_length = 200)]
    pub(super) car: Option<String>,
    /// Driver of the session or of one of its laps
    #[param(min_length = 1, max_length = 200)]
    pub(super) driver: Option<String>,
    /// Only with a lap that is `true`, `false` or `unknown`
    #[param(pattern = "^(true|false|unknown)$")]
    pub(super) valid: Option<String>,
    /// Only with a lap of this phase: flying, out, in, pit, grid_start, formation
    #[param(pattern = "^(flying|out|in|pit|grid_start|formation)$")]
    pub(super) phase: Option<String>,
    /// Began at this moment or later: 2026-03-01 or 2026-03-01T12:00:00Z
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Began before this moment
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// A tag of the session
    #[param(min_length = 1, max_length = 200)]
    pub(super) tag: Option<String>,
    /// Words that are in what a session is called, whatever the case: game, track, car, driver, type, name, note, tags; at most 8
    #[param(min_length = 1, max_length = 200)]
    pub(super) q: Option<String>,
    /// Only with this many laps that were driven to their end: 1 hides empty sessions
    #[param(minimum = 0, maximum = 100000)]
    pub(super) min_laps: Option<u32>,
    /// Id of the tape that they are on
    #[param(pattern = "^[0-9a-f]{32}$")]
    pub(super) tape: Option<String>,
    /// Deleted ones instead
    pub(super) deleted: Option<bool>,
    /// With stints and laps
    pub(super) laps: Option<bool>,
    /// How many, 1 to 500; 20 if left out
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the page before
    pub(super) cursor: Option<String>,
}

/// Which laps.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LapParams {
    /// Id of the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Kind of session
    #[param(pattern = "^(unknown|practice|qualifying|superpole|race|hotlap|hotstint|time_trial|drift|drag|test)$")]
    pub(super) r#type: Option<String>,
    /// Track, in the game's words
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Layout of the track
    #[param(min_length = 1, max_length = 200)]
    pub(super) layout: Option<String>,
    /// Car, in the game's words
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
    /// Began at this moment or later
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Began before this moment
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// A tag of the lap
    #[param(min_length = 1, max_length = 200)]
    pub(super) tag: Option<String>,
    /// Deleted ones instead
    pub(super) deleted: Option<bool>,
    /// newest, oldest, fastest or slowest; the last two leave out laps without a time
    #[param(pattern = "^(newest|oldest|fastest|slowest)$")]
    pub(super) sort: Option<String>,
    /// How many, 1 to 500; 20 if left out
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the page before
    pub(super) cursor: Option<String>,
}

/// Which bests, tracks, cars, drivers, tapes.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListParams {
    /// Id of the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Track, in the game's words
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Layout of the track
    #[param(min_length = 1, max_length = 200)]
    pub(super) layout: Option<String>,
    /// Car, in the game's words
    #[param(min_length = 1, max_length = 200)]
    pub(super) car: Option<String>,
    /// Driver
    #[param(min_length = 1, max_length = 200)]
    pub(super) driver: Option<String>,
    /// Driven at this moment or later
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Driven before this moment
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// How many, 1 to 500; 20 if left out
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the page before
    pub(super) cursor: Option<String>,
}

/// Which days.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ProgressParams {
    /// Id of the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Track, in the game's words
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Layout of the track
    #[param(min_length = 1, max_length = 200)]
    pub(super) layout: Option<String>,
    /// Car, in the game's words
    #[param(min_length = 1, max_length = 200)]
    pub(super) car: Option<String>,
    /// Driver
    #[param(min_length = 1, max_length = 200)]
    pub(super) driver: Option<String>,
    /// Driven at this moment or later
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Driven before this moment
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// When a day begins: minutes east of UTC
    #[param(minimum = -840, maximum = 840)]
    pub(super) utc_offset_min: Option<i32>,
    /// How many, 1 to 500; 20 if left out
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the page before
    pub(super) cursor: Option<String>,
}

/// Which tapes.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TapeParams {
    /// Id of the game
    #[param(min_length = 1, max_length = 200)]
    pub(super) game: Option<String>,
    /// Track, as the recorder noted it
    #[param(min_length = 1, max_length = 200)]
    pub(super) track: Option<String>,
    /// Car, as the recorder noted it
    #[param(min_length = 1, max_length = 200)]
    pub(super) car: Option<String>,
    /// Recorded at this moment or later
    #[param(format = DateTime)]
    pub(super) from: Option<String>,
    /// Recorded before this moment
    #[param(format = DateTime)]
    pub(super) to: Option<String>,
    /// How many, 1 to 500; 20 if left out
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// `next` of the page before
    pub(super) cursor: Option<String>,
}

/// A word out of a list.
fn word<T>(
    name: &str,
    text: Option<&String>,
    all: &[&str],
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || ApiError::bad_request(format!("{name} is none of {}", all.join(", ")));
    parse(text).map(Some).ok_or_else(wrong)
}

fn moment(name: &str, text: Option<&String>) -> Result<Option<i64>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || ApiError::bad_request(format!("{name} is no moment like 2026-03-01 or 2026-03-01T12:00:00Z"));
    times::parse(text).map(Some).ok_or_else(wrong)
}

pub(super) fn text(name: &str, text: Option<String>) -> Result<Option<String>, ApiError> {
    match text {
        Some(text) if text.is_empty() => Err(ApiError::bad_request(format!("{name} is empty: leave it out"))),
        Some(text) if text.chars().count() > LONGEST_NAME => {
            Err(ApiError::bad_request(format!("{name} has more than {LONGEST_NAME} characters")))
        }
        text => Ok(text),
    }
}

/// Words that are looked for at once.
const MOST_WORDS: usize = 8;

fn words(q: Option<String>) -> Result<Vec<String>, ApiError> {
    let words: Vec<String> =
        text("q", q)?.map(|q| q.split_whitespace().map(str::to_owned).collect()).unwrap_or_default();
    match words.len() > MOST_WORDS {
        true => Err(ApiError::bad_request(format!("q has {} words, at most {MOST_WORDS}", words.len()))),
        false => Ok(words),
    }
}

/// More laps than a session has.
const MOST_LAPS: u32 = 100_000;

fn min_laps(min_laps: Option<u32>) -> Result<u32, ApiError> {
    match min_laps.unwrap_or_default() {
        laps if laps <= MOST_LAPS => Ok(laps),
        _ => Err(ApiError::bad_request(format!("min_laps is not in 0 to {MOST_LAPS}"))),
    }
}

pub(super) fn limit(limit: Option<u32>) -> Result<u32, ApiError> {
    match limit {
        None => Ok(0),
        Some(limit) if (1..=LARGEST_PAGE).contains(&limit) => Ok(limit),
        Some(_) => Err(ApiError::bad_request(format!("limit is not in 1 to {LARGEST_PAGE}"))),
    }
}

pub(super) fn cursor(cursor: Option<&String>) -> Result<Option<Cursor>, ApiError> {
    let Some(text) = cursor else { return Ok(None) };
    Cursor::parse(text).map(Some).ok_or_else(ApiError::no_such_page)
}

pub(super) fn sort(sort: Option<&String>) -> Result<LapSort, ApiError> {
    let all: Vec<_> = LapSort::ALL.iter().map(|sort| sort.as_str()).collect();
    Ok(word("sort", sort, &all, LapSort::parse)?.unwrap_or_default())
}

fn phase(phase: Option<&String>) -> Result<Option<Phase>, ApiError> {
    let all: Vec<_> = Phase::ALL.iter().map(|phase| phase.as_str()).collect();
    word("phase", phase, &all, Phase::parse)
}

fn kind(kind: Option<&String>) -> Result<Option<SessionKind>, ApiError> {
    let all: Vec<_> = SessionKind::ALL.iter().map(|kind| kind.as_str()).collect();
    word("type", kind, &all, SessionKind::parse)
}

fn validity(valid: Option<&String>) -> Result<Option<Validity>, ApiError> {
    word("valid", valid, &["true", "false", "unknown"], |text| match text {
        "true" => Some(Validity::Valid),
        "false" => Some(Validity::Invalid),
        "unknown" => Some(Validity::Unknown),
        _ => None,
    })
}

impl SessionParams {
    pub(super) fn filter(self) -> Result<Filter, ApiError> {
        Ok(Filter {
            game: text("game", self.game)?,
            kind: kind(self.r#type.as_ref())?,
            track: text("track", self.track)?,
            layout: text("layout", self.layout)?,
            car: text("car", self.car)?,
            driver: text("driver", self.driver)?,
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
