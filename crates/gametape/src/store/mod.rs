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

mod attach;
mod bests;
pub mod catalogue;
mod catch_up;
mod columns;
mod combination;
mod connection;
mod contract;
mod cursor;
mod dialect;
mod edits;
mod error;
mod fuzz;
pub mod incoming;
mod kept_answers;
mod lists;
mod name_filter;
mod outbox;
mod packed;
mod parcel;
mod people;
mod pool;
mod postgres;
mod postgres_server;
mod postgres_worker;
mod progress;
mod pushed;
mod put;
mod query;
mod queue_thread;
mod queued_calls;
mod queued_store;
mod read_laps;
mod read_sessions;
mod replace;
mod schema;
mod settle;
mod sql_store;
mod sqlite;
mod stored;
mod summary;
mod tapes;
mod tokens;
mod track_facts;
mod value;
mod writing;

pub use catch_up::{Added, CatchUp, CaughtUp, OnTape, Skipped, TapeLaps, add_tape, catch_up, track_again};
pub use contract::Store;
pub use cursor::Cursor;
pub use edits::{Edit, LONGEST_NAME, LONGEST_NOTE, MOST_TAGS};
pub use error::StoreError;
#[doc(hidden)]
pub use fuzz::fuzz_store_texts;
pub use name_filter::NameFilter;
pub use parcel::Parcel;
pub use people::DriverEdit;
pub use query::{
    Audience, Filter, LARGEST_PAGE, LapQuery, LapSort, ListQuery, PAGE, Page, ProgressQuery, SessionQuery, Validity,
    Visibility,
};
pub use queued_store::{Pauses, QueuedStore, Waiting};
pub use sql_store::SqlStore;
pub use stored::{
    Best, Change, Combination, Driven, Driver, Origin, Progress, Remarks, Replaced, SessionDetail, StoredLap,
    StoredSession, TrackedSession, Tracker, Write,
};
pub use tapes::CataloguedTape;
pub use tokens::{Scope, Token};

/// Returns whether a store is named by a server URL, and not by a file path.
#[must_use]
pub fn is_server(place: &str) -> bool {
    place.starts_with("postgres://") || place.starts_with("postgresql://")
}

/// Returns the file name of the outbox for a server. Each server and database has its own outbox, so that laps queued for one are never
/// sent to another. The name contains neither users nor passwords.
pub fn outbox_name(url: &str) -> Result<String, StoreError> {
    Ok(format!("outbox-{}.sqlite", postgres_server::server_key(url)?))
}

/// Opens a store: a server by its URL (`postgres://…`), or a file by its path. The file is created if it does not exist.
pub fn open(place: &str) -> Result<SqlStore, StoreError> {
    if is_server(place) { SqlStore::postgres(place) } else { SqlStore::sqlite(place) }
}
