//! What can go wrong with a store.

use crate::laps::Id;

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file or the server is there and cannot be used.
    #[error("the store {store} cannot be opened: {reason}")]
    Open {
        /// Which store, without passwords.
        store: String,
        /// What the database says.
        reason: String,
    },
    /// A later program has written it.
    #[error(
        "the store {store} has schema {found}, this gametape knows schemas up to {known}: use the newer gametape that wrote it"
    )]
    Newer {
        /// Which store.
        store: String,
        /// The schema it has.
        found: i64,
        /// The newest schema that this program knows.
        known: i64,
    },
    /// A database that is in use for something else.
    #[error("{store} holds tables of another program ({table}): name a file or a database of its own for gametape")]
    NotAStore {
        /// Which store.
        store: String,
        /// One of the tables.
        table: String,
    },
    /// The server does not answer. What was to be written may be tried again: writing twice is the same as writing once.
    #[error("the store {store} does not answer: {reason}")]
    Unreachable {
        /// Which store.
        store: String,
        /// What was seen.
        reason: String,
    },
    /// The database refused a statement.
    #[error("the store {store} refused a statement: {reason}")]
    Refused {
        /// Which store.
        store: String,
        /// What the database says.
        reason: String,
    },
    /// A value in the store is none that this program writes.
    #[error("the store holds {found:?} where {expected} should be: it was changed by another program, or is damaged")]
    Damaged {
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A number that a database cannot hold.
    #[error("{what} is {found}, more than a store can hold")]
    TooLarge {
        /// Which number.
        what: &'static str,
        /// The number.
        found: u64,
    },
    /// A lap or a stint came before its session.
    #[error("session {session} is not in the store, so nothing can be added to it: write the session first")]
    NoSession {
        /// The session.
        session: Id,
    },
    /// There is nothing with this id, or it may not be seen.
    #[error("there is no {what} {id}")]
    NotFound {
        /// A lap, a session, a tape, a token.
        what: &'static str,
        /// The id that was asked for.
        id: String,
    },
    /// A cursor that this query did not give.
    #[error("this cursor is none that this query gave: begin again without it")]
    BadCursor,
    /// A text or a list of the user that is too long.
    #[error("{what} has {found} characters, at most {most} are kept")]
    TooLong {
        /// Name, note or tag.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The longest that is kept.
        most: usize,
    },
}

impl StoreError {
    /// Whether trying again later may help.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}
