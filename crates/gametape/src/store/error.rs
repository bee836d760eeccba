//! Errors of the store.

use crate::laps::Id;

/// Why an operation of a store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file or the server exists but cannot be used.
    #[error("the store {store} cannot be opened: {reason}")]
    Open {
        /// The store, without passwords.
        store: String,
        /// The error message of the database.
        reason: String,
    },
    /// The store was written by a newer program.
    #[error(
        "the store {store} has schema {found}; this gametape supports schemas up to {known}: use the newer gametape that wrote it"
    )]
    Newer {
        /// The store.
        store: String,
        /// The schema version of the store.
        found: i64,
        /// The newest schema version that this program supports.
        known: i64,
    },
    /// The database belongs to another program.
    #[error("{store} holds tables of another program ({table}): give gametape a file or a database of its own")]
    NotAStore {
        /// The store.
        store: String,
        /// One of its tables.
        table: String,
    },
    /// The server does not respond. The operation may be retried: writes are idempotent.
    #[error("the store {store} does not respond: {reason}")]
    Unreachable {
        /// The store.
        store: String,
        /// What happened.
        reason: String,
    },
    /// The database rejected a statement.
    #[error("the store {store} rejected a statement: {reason}")]
    Refused {
        /// The store.
        store: String,
        /// The error message of the database.
        reason: String,
    },
    /// The store contains a value that this program does not write.
    #[error(
        "the store holds {found:?} where {expected} is expected: the store is damaged or was changed by another program"
    )]
    Damaged {
        /// The expected value.
        expected: &'static str,
        /// The value found.
        found: String,
    },
    /// A number exceeds the range of the database.
    #[error("{what} is {found}, which exceeds the range of the store")]
    TooLarge {
        /// The name of the number.
        what: &'static str,
        /// Its value.
        found: u64,
    },
    /// A lap or a stint was written before its session.
    #[error("session {session} is not in the store: write it before its stints and laps")]
    NoSession {
        /// The session.
        session: Id,
    },
    /// There is no item with this id, or the caller may not see it.
    #[error("there is no {what} {id}")]
    NotFound {
        /// The kind of item: lap, session, tape or token.
        what: &'static str,
        /// The requested id.
        id: String,
    },
    /// The cursor was not issued by this query.
    #[error("the cursor was not issued by this query: start again without a cursor")]
    BadCursor,
    /// A text or a list from the user is too long.
    #[error("{what} is too long: {found}, at most {most} are allowed")]
    TooLong {
        /// Name, note, tag or list of tags.
        what: &'static str,
        /// Its length: characters of a text, entries of a list.
        found: usize,
        /// The maximum length.
        most: usize,
    },
}

impl StoreError {
    /// Returns whether a retry may succeed.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}
