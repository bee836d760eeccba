//! The store: sessions and laps that are kept, what users said about them, and where the tapes are.
//!
//! ```text
//! Tracker ──▶ Write ──▶ Store::write ──▶ SQLite | PostgreSQL ──▶ pages of sessions, laps, bests ──▶ commands, server
//! a tape, tracked again ──▶ Store::replace_tape ──┘      ▲
//!                                    Edit: what users say┘
//! ```
//!
//! Laps are made from tapes and can be made again. What users said cannot: it is kept apart, with the stretch of tape that it is about.
//! [`catalogue`] looks where the tapes are. [`QueuedStore`] is for a server that may be away.
//! [`open`] gives a store in a file of SQLite or, for a URL, in PostgreSQL. All SQL is written once; `dialect` is where the two differ.

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

/// Whether a text names a server and not a file.
#[must_use]
pub fn is_server(place: &str) -> bool {
    place.starts_with("postgres://") || place.starts_with("postgresql://")
}

/// The name of the file in which laps wait for a server: each server and database has its own, so that what waits for one never goes to
/// another. Passwords and users are not in it.
pub fn outbox_name(url: &str) -> Result<String, StoreError> {
    Ok(format!("outbox-{}.sqlite", postgres_server::server_key(url)?))
}

/// Opens a store: a server by its URL (`postgres://…`), anything else is the path of a file, which is made if there is none.
pub fn open(place: &str) -> Result<SqlStore, StoreError> {
    if is_server(place) { SqlStore::postgres(place) } else { SqlStore::sqlite(place) }
}
