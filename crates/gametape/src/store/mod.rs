//! The store: sessions and laps, user edits, and the catalogue of tapes.
//!
//! ```text
//! Tracker ──▶ Write ──▶ Store::write ──▶ SQLite | PostgreSQL ──▶ pages of sessions, laps, bests ──▶ commands, server
//! a tape, tracked again ──▶ Store::replace_tape ──┘      ▲
//!                                        Edit: user edits┘
//! ```
//!
//! Laps are derived from tapes and can be computed again. User edits cannot: they are stored separately, with the time range of the tape
//! that they apply to. [`catalogue`] scans for tapes. [`QueuedStore`] writes to a server that may be unreachable. [`open`] opens a store
//! in an SQLite file or, given a URL, in PostgreSQL. All SQL is written once; `dialect` translates it.

#![cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "the outbox and the other dialect are for servers"))]

mod attach;
mod bests;
mod cars;
pub mod catalogue;
mod catch_up;
mod columns;
mod combination;
mod connection;
mod contract;
mod cursor;
mod derived;
mod dialect;
mod edits;
mod error;
mod fuzz;
pub mod incoming;
#[cfg(feature = "import")]
pub mod incoming_file;
mod lists;
mod matches;
mod name_filter;
mod outbox;
mod packed;
mod people;
mod pool;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_server;
#[cfg(feature = "postgres")]
mod postgres_worker;
mod progress;
mod query;
mod query_cache;
#[cfg(feature = "postgres")]
mod queue_thread;
#[cfg(feature = "postgres")]
mod queued_calls;
#[cfg(feature = "postgres")]
mod queued_store;
mod read_laps;
mod read_sessions;
mod replace;
mod schema;
mod session_upload;
mod sql_store;
mod sqlite;
mod stored;
mod summary;
mod tapes;
mod tokens;
mod track_facts;
mod upsert;
mod value;
mod writing;

pub use catch_up::{Added, CatchUp, CaughtUp, OnTape, Skipped, TapeLaps, add_tape, catch_up, track_again};
pub use contract::Store;
pub use cursor::Cursor;
pub use edits::{Edit, LONGEST_NAME, LONGEST_NOTE, MOST_TAGS};
pub use error::StoreError;
#[doc(hidden)]
pub use fuzz::fuzz_store_texts;
pub use matches::{MatchQuery, StoredMatch};
pub use name_filter::NameFilter;
pub use people::DriverEdit;
pub use query::{
    Audience, Filter, LARGEST_PAGE, LapQuery, LapSort, ListQuery, PAGE, Page, ProgressQuery, Validity, Visibility,
};
#[cfg(feature = "postgres")]
pub use queued_store::{Pauses, QueuedStore, Waiting};
pub use session_upload::SessionUpload;
pub use sql_store::SqlStore;
pub use stored::{
    Best, Change, Combination, Driven, Driver, Origin, Progress, Remarks, Replaced, SessionDetail, StoredCar,
    StoredLap, StoredSession, TrackedSession, TrackerVersion, Write,
};
pub use tapes::CataloguedTape;
pub use tokens::{Scope, Token};

/// Returns whether a store is named by a server URL, and not by a file path.
#[must_use]
pub fn is_server(place: &str) -> bool {
    place.starts_with("postgres://") || place.starts_with("postgresql://")
}

#[cfg(feature = "postgres")]
/// Returns the file name of the outbox for a server. Each server and database has its own outbox, so that laps queued for one are never
/// sent to another. The name contains neither users nor passwords.
pub fn outbox_name(url: &str) -> Result<String, StoreError> {
    Ok(format!("outbox-{}.sqlite", postgres_server::server_key(url)?))
}

/// Opens a store: a server by its URL (`postgres://…`), or a file by its path. The file is created if it does not exist.
pub fn open(place: &str) -> Result<SqlStore, StoreError> {
    #[cfg(feature = "postgres")]
    if is_server(place) {
        return SqlStore::postgres(place);
    }
    if is_server(place) {
        // The URL may contain a password.
        let reason = "gametape was built without the feature `postgres`".to_owned();
        return Err(StoreError::Open { store: "on a PostgreSQL server".to_owned(), reason });
    }
    SqlStore::sqlite(place)
}
