//! The database of `api`: a file, or a separate schema in PostgreSQL. Removed on drop.

use std::path::Path;

use anyhow::{Context as _, Result};
use gametape::store::{SqlStore, open};
use postgres::{Client, NoTls};

/// Environment variable with the URL of the PostgreSQL server.
pub(super) const POSTGRES: &str = "GAMETAPE_POSTGRES";

/// A database for a store.
pub(super) enum Database {
    /// A SQLite file.
    Sqlite(String),
    /// A PostgreSQL schema.
    Postgres { server: String, schema: String },
}

impl Database {
    /// Uses a file in a folder.
    pub(super) fn sqlite(folder: &Path) -> Self {
        Self::Sqlite(folder.join("laps.sqlite").display().to_string())
    }

    /// Creates a schema with a unique name.
    pub(super) fn postgres(url: &str) -> Result<Self> {
        let database =
            Self::Postgres { server: url.to_owned(), schema: format!("gametape_bench_{}", std::process::id()) };
        database.run(|schema| format!("CREATE SCHEMA {schema}"))?;
        Ok(database)
    }

    /// Returns its name in the table.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::Postgres { .. } => "PostgreSQL",
        }
    }

    /// Returns the argument of `gametape serve --store`.
    pub(super) fn url(&self) -> String {
        match self {
            Self::Sqlite(path) => path.clone(),
            Self::Postgres { server, schema } => {
                let mark = if server.contains('?') { '&' } else { '?' };
                format!("{server}{mark}options=-csearch_path%3D{schema}")
            }
        }
    }

    pub(super) fn open(&self) -> Result<SqlStore> {
        Ok(open(&self.url())?)
    }

    /// Returns the number of concurrent writers.
    pub(super) fn writers(&self) -> usize {
        match self {
            Self::Sqlite(_) => 1,
            Self::Postgres { .. } => 4,
        }
    }

    /// Does what a server does by itself within minutes after so many writes: analyzes the tables and writes a
    /// checkpoint.
    pub(super) fn settle(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres { .. } => {
                let url = self.url();
                let mut client = Client::connect(&url, NoTls)?;
                // Separately: VACUUM cannot run inside a transaction.
                ["VACUUM ANALYZE", "CHECKPOINT"].into_iter().try_for_each(|sql| client.batch_execute(sql).context(sql))
            }
        }
    }

    fn run(&self, sql: impl FnOnce(&str) -> String) -> Result<()> {
        let Self::Postgres { server, schema } = self else { return Ok(()) };
        let mut client = Client::connect(server, NoTls).context("connecting to PostgreSQL")?;
        Ok(client.batch_execute(&sql(schema))?)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Err(error) = self.run(|schema| format!("DROP SCHEMA {schema} CASCADE")) {
            eprintln!("the schema of this run could not be removed from PostgreSQL: {error:#}");
        }
    }
}
