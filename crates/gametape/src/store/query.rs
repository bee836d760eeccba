//! What can be asked of a store, and how answers come in pages.

use gametape_format::TapeId;

use super::connection::Connection;
use super::cursor::Cursor;
use super::error::StoreError;
use super::name_filter::NameFilter;
use super::value::Value;
use crate::laps::{Phase, SessionKind};

/// Entries of a page unless another number is asked for.
pub const PAGE: u32 = 20;
/// Entries of a page at most.
pub const LARGEST_PAGE: u32 = 500;

/// Who asks. Drivers can be hidden: unlisted ones are seen by those who ask for them by name or id, private ones by the owner alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The owner of the store: sees all.
    Owner,
    /// Anybody.
    Public,
}

/// Who may see a driver. The order is that of hiding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// Those who ask for the driver by name, or for a lap or a session by its id.
    Unlisted,
    /// The owner alone: absent from all public answers, counts and bests too.
    Private,
}

impl Visibility {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Public, Self::Unlisted, Self::Private];

    /// Its name in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
            Self::Private => "private",
        }
    }

    /// The one with this name.
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
    /// The most hidden that is shown in lists. Who names an unlisted driver sees it; naming one that is public shows nobody else.
    pub(super) fn sees(self, db: &mut dyn Connection, filter: &Filter) -> Result<i64, StoreError> {
        let driver = match (self, &filter.driver) {
            (Self::Owner, _) => return Ok(Visibility::Private.number()),
            // Part of a name names nobody.
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

    /// The most hidden that is shown to who knows an id.
    pub(super) fn sees_by_id(self) -> i64 {
        match self {
            Self::Owner => Visibility::Private.number(),
            Self::Public => Visibility::Unlisted.number(),
        }
    }
}

/// Whether a game counts a lap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// It does.
    Valid,
    /// It does not.
    Invalid,
    /// It does not say.
    Unknown,
}

/// Which sessions or laps. The id of the game is compared exactly, names as [`NameFilter`] says; a session is found by the validity and the phase of any of its
/// laps.
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
    /// What kind of lap.
    pub phase: Option<Phase>,
    /// Began at this moment or later; UTC, microseconds since 1970.
    pub from_us: Option<i64>,
    /// Began before this moment.
    pub to_us: Option<i64>,
    /// A tag of the session, or of the lap.
    pub tag: Option<String>,
    /// Sessions that are on this tape. Only sessions are asked for by it.
    pub tape: Option<TapeId>,
    /// Sessions that have all of these words in what they are called, whatever the case. Only sessions are asked for by it.
    pub words: Vec<String>,
    /// Sessions with this many laps that were driven to their end; 0 is all, also the empty ones. Only sessions are asked for by it.
    pub min_laps: u32,
    /// Deleted ones instead of those that are there: for undoing.
    pub deleted: bool,
}

/// Asks for sessions, newest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionQuery {
    /// Which.
    pub filter: Filter,
    /// How many; 0 is [`PAGE`].
    pub limit: u32,
    /// Where the page before ended.
    pub after: Option<Cursor>,
}

/// The order of laps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LapSort {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// Fastest first; laps without a time are left out.
    Fastest,
    /// Slowest first; laps without a time are left out.
    Slowest,
}

impl LapSort {
    /// All of them.
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

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Asks for laps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LapQuery {
    /// Which.
    pub filter: Filter,
    /// In which order.
    pub sort: LapSort,
    /// How many; 0 is [`PAGE`].
    pub limit: u32,
    /// Where the page before ended.
    pub after: Option<Cursor>,
}

/// Asks for bests, tracks, cars, drivers or tapes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListQuery {
    /// Which. Validity and phase mean nothing here.
    pub filter: Filter,
    /// How many; 0 is [`PAGE`].
    pub limit: u32,
    /// Where the page before ended.
    pub after: Option<Cursor>,
}

/// Asks how times went on, day by day.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProgressQuery {
    /// Which laps.
    pub filter: Filter,
    /// When a day begins: minutes east of UTC.
    pub utc_offset_min: i32,
    /// How many; 0 is [`PAGE`].
    pub limit: u32,
    /// Where the page before ended.
    pub after: Option<Cursor>,
}

/// A page of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next page begins; `None` if this is the last.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// A page of what was read: one more than asked for was, to know whether there is more.
    pub(super) fn of(mut items: Vec<T>, limit: u32, cursor: impl FnOnce(&T) -> Cursor) -> Self {
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next = items.last().filter(|_| more).map(cursor);
        Self { items, next }
    }
}

/// How many entries a page has when this many were asked for.
pub(super) fn page_size(limit: u32) -> u32 {
    match limit {
        0 => PAGE,
        limit => limit.min(LARGEST_PAGE),
    }
}

/// The values of a cursor that a query of this kind gave; `pattern` says of which types they are.
pub(super) fn values_of(after: Option<&Cursor>, kind: &str, pattern: &str) -> Result<Option<Vec<Value>>, StoreError> {
    after.map(|cursor| cursor.values(kind, pattern).ok_or(StoreError::BadCursor)).transpose()
}
