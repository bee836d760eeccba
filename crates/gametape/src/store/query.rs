//! Queries, filters and pages.

use gametape_format::TapeId;

use super::connection::Connection;
use super::cursor::Cursor;
use super::error::StoreError;
use super::name_filter::NameFilter;
use super::value::Value;
use crate::laps::{Phase, SessionKind};

/// Default number of entries per page.
pub const PAGE: u32 = 20;
/// Maximum number of entries per page.
pub const LARGEST_PAGE: u32 = 500;

/// The client of a query. Drivers can be hidden: unlisted drivers are visible to clients that request them by name or id, private drivers
/// only to the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The owner of the store, who sees everything.
    Owner,
    /// Any other client.
    Public,
}

/// Who may see a driver, ordered from least to most hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Visibility {
    /// Everyone.
    #[default]
    Public,
    /// Clients that request the driver by name, or a lap or session by its id.
    Unlisted,
    /// Only the owner. Private drivers are absent from all public responses, including counts and bests.
    Private,
}

impl Visibility {
    /// All visibilities.
    pub const ALL: &'static [Self] = &[Self::Public, Self::Unlisted, Self::Private];

    /// Its name in responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
            Self::Private => "private",
        }
    }

    /// Returns the visibility with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }

    pub(super) fn number(self) -> i64 {
        self as i64
    }

    pub(super) fn of_number(number: i64) -> Self {
        match number {
            0 => Self::Public,
            1 => Self::Unlisted,
            _ => Self::Private,
        }
    }
}

impl Audience {
    /// Returns the most hidden visibility that lists may show. Naming an unlisted driver makes that driver visible; naming a public
    /// driver reveals no one else.
    pub(super) fn sees(self, db: &mut dyn Connection, filter: &Filter) -> Result<i64, StoreError> {
        let driver = match (self, &filter.driver) {
            (Self::Owner, _) => return Ok(Visibility::Private.number()),
            // Part of a name does not count as naming a driver.
            (Self::Public, None | Some(NameFilter::Contains(_))) => return Ok(Visibility::Public.number()),
            (Self::Public, Some(NameFilter::Is(driver))) => driver,
        };
        let sql = "SELECT visibility FROM drivers WHERE driver = ?1";
        let named = db.first(sql, &[Value::from(driver)], |mut row| row.number("a visibility"))?.flatten();
        Ok(match named.map(Visibility::of_number) {
            Some(Visibility::Unlisted) => Visibility::Unlisted.number(),
            _ => Visibility::Public.number(),
        })
    }

    /// Returns the most hidden visibility that a client may see if it knows an id.
    pub(super) fn sees_by_id(self) -> i64 {
        match self {
            Self::Owner => Visibility::Private.number(),
            Self::Public => Visibility::Unlisted.number(),
        }
    }
}

/// Whether the game counts a lap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// The game counts the lap.
    Valid,
    /// The game does not count the lap.
    Invalid,
    /// The game does not say.
    Unknown,
}

/// A filter for sessions or laps. The game id is compared exactly, names according to [`NameFilter`]. A session matches a validity or a
/// phase if any of its laps does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Id of the game.
    pub game: Option<String>,
    /// Kind of session.
    pub kind: Option<SessionKind>,
    /// Track.
    pub track: Option<NameFilter>,
    /// Layout of the track.
    pub layout: Option<NameFilter>,
    /// Car.
    pub car: Option<NameFilter>,
    /// Driver of the session or of one of its laps.
    pub driver: Option<NameFilter>,
    /// Whether the game counts the lap.
    pub valid: Option<Validity>,
    /// Kind of lap.
    pub phase: Option<Phase>,
    /// Started at this time or later; UTC, microseconds since 1970.
    pub from_us: Option<i64>,
    /// Started before this time.
    pub to_us: Option<i64>,
    /// A tag of the session or of the lap.
    pub tag: Option<String>,
    /// The tape of the session. Applies to sessions only.
    pub tape: Option<TapeId>,
    /// Words that must all occur in the game, kind, track, layout, car, driver, name, note or tags of the session, ignoring case. Applies to
    /// sessions only.
    pub words: Vec<String>,
    /// Minimum number of completed laps; 0 includes empty sessions. Applies to sessions only.
    pub min_laps: u32,
    /// Return deleted items instead of existing ones, for undo.
    pub deleted: bool,
}

/// The sort order of laps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LapSort {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// Fastest first. Laps without a time are left out.
    Fastest,
    /// Slowest first. Laps without a time are left out.
    Slowest,
}

impl LapSort {
    /// All sort orders.
    pub const ALL: &'static [Self] = &[Self::Newest, Self::Oldest, Self::Fastest, Self::Slowest];

    /// Its name in queries.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Fastest => "fastest",
            Self::Slowest => "slowest",
        }
    }

    /// Returns the sort order with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// A query for laps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LapQuery {
    /// The filter.
    pub filter: Filter,
    /// The sort order.
    pub sort: LapSort,
    /// Number of entries; 0 means [`PAGE`].
    pub limit: u32,
    /// The end of the previous page.
    pub after: Option<Cursor>,
}

/// A query for sessions, bests, tracks, cars, drivers or tapes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListQuery {
    /// The filter. Validity and phase only apply to sessions.
    pub filter: Filter,
    /// Number of entries; 0 means [`PAGE`].
    pub limit: u32,
    /// The end of the previous page.
    pub after: Option<Cursor>,
}

/// A query for the progress of lap times by day.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProgressQuery {
    /// The filter.
    pub filter: Filter,
    /// The UTC offset of the days, in minutes east of UTC.
    pub utc_offset_min: i32,
    /// Number of entries; 0 means [`PAGE`].
    pub limit: u32,
    /// The end of the previous page.
    pub after: Option<Cursor>,
}

/// A page of results.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// The entries.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Makes a page of rows that were read with a limit of one more than requested, which shows whether a next page exists.
    pub(super) fn of(mut items: Vec<T>, limit: u32, cursor: impl FnOnce(&T) -> Cursor) -> Self {
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next = items.last().filter(|_| more).map(cursor);
        Self { items, next }
    }
}

/// Returns the page size for a requested limit.
pub(super) fn page_size(limit: u32) -> u32 {
    match limit {
        0 => PAGE,
        limit => limit.min(LARGEST_PAGE),
    }
}

/// Returns the values of a cursor. `pattern` has one type letter per value. Fails if a query of another kind issued the cursor.
pub(super) fn values_of(after: Option<&Cursor>, kind: &str, pattern: &str) -> Result<Option<Vec<Value>>, StoreError> {
    after.map(|cursor| cursor.values(kind, pattern).ok_or(StoreError::BadCursor)).transpose()
}
