//! SQLite: one file, created on demand.
//!
//! Uses write-ahead logging, so that readers do not wait for the writer. Each commit is synced, so that it survives a power loss. A file
//! that is not a store of this program is rejected before anything is written to it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gametape_format::write::new_private;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use rusqlite::{ErrorCode, OpenFlags, params_from_iter};

use super::connection::{Connection, Database, Each};
use super::dialect::Dialect;
use super::error::StoreError;
use super::schema;
use super::value::{Row, Value};
use crate::paths::create_private_folder;

/// Busy timeout: maximum wait for another program that is writing.
const PATIENCE: Duration = Duration::from_secs(10);

/// Maximum number of cached prepared statements per connection.
const KEPT_STATEMENTS: usize = 128;

/// An SQLite database file.
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
            create_private_folder(folder).map_err(|error| failed(error.to_string()))?;
        }
        self.check_untouched()?;
        // SQLite would create the file readable for all users. Its log and shared-memory file inherit the file's mode. If creation fails,
        // SQLite reports the reason.
        drop(new_private().write(true).open(&self.path));
        // Each connection is used by one thread at a time, so SQLite needs no mutex.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let refused = |error: rusqlite::Error| failed(error.to_string());
        let db = rusqlite::Connection::open_with_flags(&self.path, flags).map_err(refused)?;
        db.busy_timeout(PATIENCE).map_err(refused)?;
        db.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
        let mut connection = SqliteConnection { db, store: self.name(), changed: 0, discarded: false };
        if has_bytes(&self.log()) {
            // Part of the content is in the log. Without this setting, closing a rejected database would checkpoint the log into the
            // file.
            let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            connection.db.set_db_config(keep_log, true).map_err(refused)?;
            schema::check(&mut connection, &self.name())?;
            connection.db.set_db_config(keep_log, false).map_err(refused)?;
        }
        connection.db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384;")
            .map_err(refused)?;
        override_lower(&connection.db).map_err(refused)?;
        Ok(Box::new(connection))
    }
}

impl SqliteFile {
    /// Returns the path of the write-ahead log.
    fn log(&self) -> PathBuf {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        log.into()
    }

    /// Rejects a database of another or a newer program without modifying it. `immutable` opens it without locks, log or other files.
    /// This is correct only while there is no log; a database with a log is checked after it has been opened.
    fn check_untouched(&self) -> Result<(), StoreError> {
        if !has_bytes(&self.path) || has_bytes(&self.log()) {
            return Ok(());
        }
        let Some(uri) = immutable_uri(&self.path) else { return Ok(()) };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let Ok(db) = rusqlite::Connection::open_with_flags(uri, flags) else { return Ok(()) };
        let mut connection = SqliteConnection { db, store: self.name(), changed: 0, discarded: false };
        match schema::check(&mut connection, &self.name()) {
            // Another program may be writing at the moment. Opening the file with locks reports what is wrong with it.
            Err(StoreError::Refused { .. } | StoreError::Damaged { .. }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn has_bytes(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
}

/// Returns the path as a URI that opens the file read-only and without locks; `None` if it cannot be expressed as a URI.
fn immutable_uri(path: &Path) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    let mut uri = "file://".to_owned();
    if cfg!(windows) {
        uri.push('/');
    }
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b':' => uri.push(char::from(*byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    Some(uri)
}

/// Replaces SQLite's `lower`, which converts only ASCII letters: a search for Ö would find neither Ö nor ö.
fn override_lower(db: &rusqlite::Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    db.create_scalar_function("lower", 1, flags, |call| {
        Ok(call.get::<Option<String>>(0)?.map(|text| text.to_lowercase()))
    })
}

struct SqliteConnection {
    db: rusqlite::Connection,
    store: String,
    changed: u64,
    discarded: bool,
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

    fn discard(&mut self) {
        self.discarded = true;
    }

    fn is_usable(&self) -> bool {
        // An open transaction would leak into the next use.
        !self.discarded && self.db.is_autocommit()
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

#[cfg(test)]
mod tests {
    use super::super::sql_store::SqlStore;
    use super::*;

    /// Returns all files of a folder with their contents.
    fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut all: Vec<_> = paths.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
        all.sort();
        all
    }

    #[test]
    fn a_refused_database_is_as_it_was() {
        // A name with characters that are special in URIs.
        let name = "other 100%?mode=rwc#1.sqlite";
        for (journal, newer) in [("DELETE", false), ("DELETE", true), ("WAL", false), ("WAL", true)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(if cfg!(windows) { "other 100%.sqlite" } else { name });
            if newer {
                drop(SqlStore::sqlite(&path).unwrap());
            }
            let db = rusqlite::Connection::open(&path).unwrap();
            db.execute_batch(&format!("PRAGMA journal_mode = {journal}")).unwrap();
            db.execute_batch(match newer {
                true => "UPDATE gametape_schema SET version = 1000",
                false => "CREATE TABLE recipes (cake TEXT); INSERT INTO recipes VALUES ('plum')",
            })
            .unwrap();
            drop(db);
            let before = files(folder.path());
            assert_eq!(before.len(), 1, "{journal} {newer}");
            let error = SqlStore::sqlite(&path).err().unwrap();
            assert!(matches!(error, StoreError::NotAStore { .. } | StoreError::Newer { .. }), "{error}");
            assert!(files(folder.path()) == before, "{journal} {newer}: something was written");
        }
    }

    #[test]
    fn a_refused_database_that_another_program_writes_to_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.sqlite");
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE recipes (cake TEXT)").unwrap();
        let data = |files: Vec<(PathBuf, Vec<u8>)>| -> Vec<_> {
            // Readers register themselves in the shared-memory file.
            files.into_iter().filter(|(path, _)| !path.to_string_lossy().ends_with("-shm")).collect()
        };
        let before = data(files(folder.path()));
        assert_eq!(before.len(), 2, "the file and its log");
        let error = SqlStore::sqlite(&path).err().unwrap();
        assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
        assert!(data(files(folder.path())) == before);
        drop(db);
    }

    #[test]
    fn a_refused_database_keeps_the_log_that_a_killed_program_left() {
        let (folder, left) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let db = rusqlite::Connection::open(folder.path().join("other.sqlite")).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE recipes (cake TEXT)").unwrap();
        // What a kill at this moment would leave: nobody has the files open, and the table is in the log alone.
        for name in ["other.sqlite", "other.sqlite-wal"] {
            std::fs::copy(folder.path().join(name), left.path().join(name)).unwrap();
        }
        drop(db);
        let data = || -> Vec<_> {
            let all = files(left.path()).into_iter();
            all.filter(|(path, _)| !path.to_string_lossy().ends_with("-shm")).collect()
        };
        let before = data();
        let error = SqlStore::sqlite(left.path().join("other.sqlite")).err().unwrap();
        assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
        assert!(data() == before, "the log was written to the file");
    }
}
