//! Where the store of `api` is: a file, or a schema of its own in a PostgreSQL. Gone when this is dropped.

use std::path::Path;

use anyhow::{Context as _, Result};
use gametape::store::{SqlStore, open};
use postgres::{Client, NoTls};

/// Environment variable that names the server.
pub(super) const POSTGRES: &str = "GAMETAPE_POSTGRES";

/// A place for a store.
pub(super) enum Place {
    /// A file.
    Sqlite(String),
    /// A schema.
    Postgres { server: String, schema: String },
}

impl Place {
    /// A file in a folder.
    pub(super) fn sqlite(folder: &Path) -> Self {
        Self::Sqlite(folder.join("laps.sqlite").display().to_string())
    }

    /// A schema that nobody else uses.
    pub(super) fn postgres(url: &str) -> Result<Self> {
        let place = Self::Postgres { server: url.to_owned(), schema: format!("gametape_bench_{}", std::process::id()) };
        place.run(|schema| format!("CREATE SCHEMA {schema}"))?;
        Ok(place)
    }

    /// Its name in the table.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::Postgres { .. } => "PostgreSQL",
        }
    }

    /// What `gametape serve --store` takes.
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

    /// How many may write at once.
    pub(super) fn writers(&self) -> usize {
        match self {
            Self::Sqlite(_) => 1,
            Self::Postgres { .. } => 4,
        }
    }

    /// What a server does by itself within minutes after so much was written: it looks at what is in the tables, and writes it to its files.
    pub(super) fn settle(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres { .. } => {
                let url = self.url();
                let mut client = Client::connect(&url, NoTls)?;
                // Each alone: VACUUM cannot stand in a transaction.
                ["VACUUM ANALYZE", "CHECKPOINT"].into_iter().try_for_each(|sql| client.batch_execute(sql).context(sql))
            }
        }
    }

    fn run(&self, sql: impl FnOnce(&str) -> String) -> Result<()> {
        let Self::Postgres { server, schema } = self else { return Ok(()) };
        let mut client = Client::connect(server, NoTls).context("no connection to PostgreSQL")?;
        Ok(client.batch_execute(&sql(schema))?)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Err(error) = self.run(|schema| format!("DROP SCHEMA {schema} CASCADE")) {
            eprintln!("the schema of this run is still in PostgreSQL: {error:#}");
        }
    }
}
