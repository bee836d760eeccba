//! The location of a store under test: a file, or a schema in the server that `GAMETAPE_POSTGRES` names.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use gametape::store::{SqlStore, open};

pub enum Place {
    Sqlite(tempfile::TempDir),
    Postgres(String),
}

impl Place {
    pub fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    /// Creates a schema for this test only. Skips the test with a message if there is no server.
    pub fn postgres() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let Ok(url) = std::env::var("GAMETAPE_POSTGRES") else {
            skip("store_on_postgres", "GAMETAPE_POSTGRES is not set");
            return None;
        };
        let schema = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        client.batch_execute(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}")).unwrap();
        let mark = if url.contains('?') { '&' } else { '?' };
        Some(Self::Postgres(format!("{url}{mark}options=-csearch_path%3D{schema}")))
    }

    /// Returns the argument for `open`.
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => folder.path().join("laps.sqlite").display().to_string(),
            Self::Postgres(url) => url.clone(),
        }
    }

    pub fn open(&self) -> SqlStore {
        open(&self.url()).unwrap()
    }

    /// Runs SQL directly, in the dialect of the database.
    pub fn run(&self, sql: &str) {
        match self {
            Self::Sqlite(_) => rusqlite::Connection::open(self.url()).unwrap().execute_batch(sql).unwrap(),
            Self::Postgres(url) => {
                postgres::Client::connect(url, postgres::NoTls).unwrap().batch_execute(sql).unwrap();
            }
        }
    }

    /// Blocks all other writers of tapes until the result is dropped.
    pub fn hold(&self) -> Box<dyn std::any::Any> {
        match self {
            Self::Sqlite(_) => {
                let db = rusqlite::Connection::open(self.url()).unwrap();
                db.execute_batch("BEGIN IMMEDIATE").unwrap();
                Box::new(db)
            }
            Self::Postgres(url) => {
                let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
                client.batch_execute("BEGIN; SELECT * FROM tracked FOR UPDATE").unwrap();
                Box::new(client)
            }
        }
    }

    /// Replaces the placeholders with the SQL of this database.
    pub fn translate(&self, sql: &str) -> String {
        match self {
            Self::Sqlite(_) => sql.replace("{bytes}", "BLOB").replace("{text}", "TEXT").replace("X'", "x'"),
            Self::Postgres(_) => {
                sql.replace("{bytes}", "BYTEA").replace("{text}", "TEXT COLLATE \"C\"").replace("X'", "'\\x")
            }
        }
    }

    /// Returns all tables with their columns.
    pub fn columns(&self) -> Vec<String> {
        let sql = match self {
            Self::Sqlite(_) => {
                "SELECT m.name || '.' || c.name || ' ' || c.type || c.\"notnull\" || c.pk FROM sqlite_master m, \
                 pragma_table_info(m.name) c WHERE m.type IN ('table', 'index') UNION ALL \
                 SELECT name || ' ' || tbl_name FROM sqlite_master WHERE type = 'index' ORDER BY 1"
            }
            Self::Postgres(_) => {
                "SELECT table_name || '.' || column_name || ' ' || data_type || is_nullable \
                 FROM information_schema.columns WHERE table_schema = current_schema() UNION ALL \
                 SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1"
            }
        };
        self.texts(sql)
    }

    /// Drops all tables.
    pub fn clear(&self) {
        match self {
            Self::Sqlite(folder) => {
                for file in std::fs::read_dir(folder.path()).unwrap() {
                    std::fs::remove_file(file.unwrap().path()).unwrap();
                }
            }
            Self::Postgres(url) => {
                let schema = url.rsplit_once("%3D").unwrap().1;
                self.run(&format!("DROP SCHEMA {schema} CASCADE; CREATE SCHEMA {schema}"));
            }
        }
    }

    fn texts(&self, sql: &str) -> Vec<String> {
        match self {
            Self::Sqlite(_) => {
                let db = rusqlite::Connection::open(self.url()).unwrap();
                let mut statement = db.prepare(sql).unwrap();
                let rows: Vec<String> =
                    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
                rows
            }
            Self::Postgres(url) => {
                let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
                client.query(sql, &[]).unwrap().iter().map(|row| row.get::<_, String>(0)).collect()
            }
        }
    }

    /// Returns the contents of a table as text, to detect changes.
    pub fn dump(&self, table: &str) -> Vec<String> {
        let mut rows = match self {
            Self::Sqlite(_) => {
                let db = rusqlite::Connection::open(self.url()).unwrap();
                let mut statement = db.prepare(&format!("SELECT * FROM {table}")).unwrap();
                let columns = statement.column_count();
                let row = |row: &rusqlite::Row<'_>| {
                    Ok((0..columns).map(|at| format!("{:?}", row.get_ref(at).unwrap())).collect::<Vec<_>>().join(" "))
                };
                let rows: Vec<String> = statement.query_map([], row).unwrap().map(Result::unwrap).collect();
                rows
            }
            Self::Postgres(url) => {
                let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
                let rows = client.query(&format!("SELECT t::text FROM {table} t"), &[]).unwrap();
                rows.iter().map(|row| row.get::<_, String>(0)).collect()
            }
        };
        rows.sort();
        rows
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Self::Postgres(url) = self
            && let Some((_, schema)) = url.rsplit_once("%3D")
            && let Ok(mut client) = postgres::Client::connect(url, postgres::NoTls)
        {
            let _ = client.batch_execute(&format!("DROP SCHEMA {schema} CASCADE"));
        }
    }
}

/// Reports that a test is skipped.
pub fn skip(test: &str, why: &str) {
    // Not `eprintln!`: the test harness would capture it.
    std::io::stderr().write_all(format!("SKIPPED {test}: {why}\n").as_bytes()).unwrap();
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        log.write_all(format!("{test}\n").as_bytes()).unwrap();
    }
}
