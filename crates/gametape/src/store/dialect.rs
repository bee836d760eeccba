//! The differences between the two databases. All SQL is written once, with `?1`, `?2`, … as parameters and the placeholders below; this
//! module translates it to the SQL of one database.
//!
//! | written | SQLite | PostgreSQL |
//! |---|---|---|
//! | `?1` | `?1` | `$1` |
//! | `{bytes}` | `BLOB` | `BYTEA` |
//! | `{text}` | `TEXT` | `TEXT COLLATE "C"`: sorted by bytes, as SQLite does |
//! | `{letters}` | nothing | `COLLATE "default"`, after a text whose case is converted: "C" converts only ASCII letters |
//! | `{locked}` | nothing: single writer | `FOR UPDATE` |

/// The database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Translates a statement to the SQL of this database.
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

    /// Begins a write transaction. SQLite takes the write lock immediately: upgrading from a read lock later can fail.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }

    /// Begins a transaction in which all queries see the same snapshot.
    pub(super) fn begin_snapshot(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// Keeps other programs from migrating the schema until the transaction ends. The number is an arbitrary lock key.
    pub(super) fn lock_schema(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some(
                // Migrations may take long, and other programs wait for them.
                "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(7223005)",
            ),
        }
    }

    /// Locks the visibility of a driver until the transaction ends: shared for readers, exclusive to change it.
    pub(super) fn lock_driver(self, to_change: bool) -> Option<&'static str> {
        match (self, to_change) {
            (Self::Sqlite, _) => None,
            (Self::Postgres, false) => Some("SELECT count(pg_advisory_xact_lock_shared(7223006, hashtext(?1))::text)"),
            (Self::Postgres, true) => Some("SELECT count(pg_advisory_xact_lock(7223006, hashtext(?1))::text)"),
        }
    }

    /// Lists the names of all tables.
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
