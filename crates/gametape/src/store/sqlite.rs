//! SQLite: one file, made by itself.
//!
//! Write-ahead logging, so that readers do not wait for the writer; each commit is synced, so that what was written is there after a
//! power cut.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use rusqlite::{ErrorCode, OpenFlags, params_from_iter};

use super::connection::{Connection, Database, Each};
use super::dialect::Dialect;
use super::error::StoreError;
use super::value::{Row, Value};

/// How long a writer waits for another program that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Statements that a connection keeps ready.
const KEPT_STATEMENTS: usize = 128;

/// A file.
#[derive(Debug)]
pub(super) struct SqliteFile {
    pub(super) path: PathBuf,
}

impl Database for SqliteFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn connect(&self) -> Result<Box<dyn Connection>, StoreError> {
        let failed = |reason: String| StoreError::Open { store: self.name(), reason };
        if let Some(folder) = self.path.parent().filter(|folder| *folder != Path::new("")) {
            std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
        }
        // Connections are used by one thread at a time, so SQLite need not lock for itself.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let refused = |error: rusqlite::Error| failed(error.to_string());
        let db = rusqlite::Connection::open_with_flags(&self.path, flags).map_err(refused)?;
        db.busy_timeout(PATIENCE).map_err(refused)?;
        db.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384;")
            .map_err(refused)?;
        lower_all_letters(&db).map_err(refused)?;
        Ok(Box::new(SqliteConnection { db, store: self.name(), changed: 0 }))
    }
}

/// SQLite's own `lower` knows the letters of English alone, so that a search for Ö would find neither Ö nor ö.
fn lower_all_letters(db: &rusqlite::Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    db.create_scalar_function("lower", 1, flags, |call| {
        Ok(call.get::<Option<String>>(0)?.map(|text| text.to_lowercase()))
    })
}

struct SqliteConnection {
    db: rusqlite::Connection,
    store: String,
    changed: u64,
}

impl SqliteConnection {
    fn refused(&self, error: &rusqlite::Error) -> StoreError {
        let reason = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => {
                format!("another program has been writing for {} s", PATIENCE.as_secs())
            }
            _ => error.to_string(),
        };
        StoreError::Refused { store: self.store.clone(), reason }
    }
}

impl Connection for SqliteConnection {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let sql = Dialect::Sqlite.translate(sql);
        let changed =
            self.db.prepare_cached(&sql).and_then(|mut statement| statement.execute(params_from_iter(values)));
        let changed = changed.map(|rows| rows as u64).map_err(|error| self.refused(&error))?;
        self.changed += changed;
        Ok(changed)
    }

    fn each(&mut self, sql: &str, values: &[Value], each: &mut Each<'_>) -> Result<(), StoreError> {
        let sql = Dialect::Sqlite.translate(sql);
        let mut statement = self.db.prepare_cached(&sql).map_err(|error| self.refused(&error))?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(values)).map_err(|error| self.refused(&error))?;
        while let Some(row) = rows.next().map_err(|error| self.refused(&error))? {
            let mut read = Vec::with_capacity(columns);
            for column in 0..columns {
                let value: SqliteValue = row.get(column).map_err(|error| self.refused(&error))?;
                read.push(match value {
                    SqliteValue::Null => Value::Null,
                    SqliteValue::Integer(number) => Value::Int(number),
                    SqliteValue::Real(number) => Value::Real(number),
                    SqliteValue::Text(text) => Value::Text(text),
                    SqliteValue::Blob(bytes) => Value::Bytes(bytes),
                });
            }
            each(Row::new(read))?;
        }
        Ok(())
    }

    fn script(&mut self, sql: &str) -> Result<(), StoreError> {
        self.db.execute_batch(sql).map_err(|error| self.refused(&error))
    }

    fn changed(&self) -> u64 {
        self.changed
    }

    fn is_usable(&self) -> bool {
        // One that could not end its transaction would carry it into the next use.
        self.db.is_autocommit()
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
