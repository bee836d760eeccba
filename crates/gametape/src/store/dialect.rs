//! Where the two databases differ. All SQL is written once, with `?1`, `?2`, … for values and the words below for what has two names;
//! this file turns it into what a database understands.
//!
//! | written | SQLite | PostgreSQL |
//! |---|---|---|
//! | `?1` | `?1` | `$1` |
//! | `{bytes}` | `BLOB` | `BYTEA` |
//! | `{text}` | `TEXT` | `TEXT COLLATE "C"`: sorted by bytes, as SQLite does |
//! | `{letters}` | nothing | `COLLATE "default"`, behind a text whose letters are looked at: "C" knows those of English alone |
//! | `{locked}` | nothing: one writer at a time | `FOR UPDATE` |

/// Which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// A statement in the words of this database.
    pub(super) fn translate(self, sql: &str) -> String {
        match self {
            Self::Sqlite => sql
                .replace("{bytes}", "BLOB")
                .replace("{text}", "TEXT")
                .replace("{locked}", "")
                .replace("{letters}", ""),
            Self::Postgres => sql
                .replace("{bytes}", "BYTEA")
                .replace("{text}", "TEXT COLLATE \"C\"")
                .replace("{locked}", "FOR UPDATE")
                .replace("{letters}", "COLLATE \"default\"")
                .replace('?', "$"),
        }
    }

    /// Begins a transaction that writes. SQLite takes the right to write at once: taking it later can fail half-way.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }

    /// Begins a transaction in which all queries see the same state.
    pub(super) fn begin_snapshot(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// Keeps other programs from changing the schema until the transaction ends. The number stands for nothing: it is only ours.
    pub(super) fn lock_schema(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some(
                // Steps may take long, and others wait for them.
                "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(7223005)",
            ),
        }
    }

    /// Keeps who may see a driver as it is until the transaction ends; or, to change it, waits for all who rely on it.
    pub(super) fn lock_driver(self, to_change: bool) -> Option<&'static str> {
        match (self, to_change) {
            (Self::Sqlite, _) => None,
            (Self::Postgres, false) => Some("SELECT count(pg_advisory_xact_lock_shared(7223006, hashtext(?1))::text)"),
            (Self::Postgres, true) => Some("SELECT count(pg_advisory_xact_lock(7223006, hashtext(?1))::text)"),
        }
    }

    /// The names of all tables.
    pub(super) fn tables(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"
            }
            Self::Postgres => {
                "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
            }
        }
    }
}
