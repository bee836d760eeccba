//! PostgreSQL: a server, named by a URL (`postgres://user@host/database`).
//!
//! Tables are made in the schema that comes first in the search path. A server that has gone away is noticed within seconds, so that a
//! caller is never held for long.

use std::collections::HashMap;
use std::error::Error as _;
use std::str::FromStr;
use std::time::Duration;

use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, NoTls, Statement};

use super::connection::{Connection, Database, Each};
use super::dialect::Dialect;
use super::error::StoreError;
use super::value::{Row, Value};

/// How long a server may take to answer the first word, and to take what was sent to it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Statements that a connection keeps ready.
const KEPT_STATEMENTS: usize = 128;

/// A server.
pub(super) struct PostgresServer {
    config: Config,
    name: String,
}

impl PostgresServer {
    /// Reads a URL. Nothing is opened.
    pub(super) fn new(url: &str) -> Result<Self, StoreError> {
        let name = without_password(url);
        let mut config = Config::from_str(url)
            .map_err(|error| StoreError::Open { store: name.clone(), reason: reason_of(&error) })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        config.tcp_user_timeout(PATIENCE);
        if config.get_application_name().is_none() {
            config.application_name("gametape");
        }
        Ok(Self { config, name })
    }
}

/// A URL as it may be shown.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "postgres".to_owned() };
    let (place, _) = rest.split_once('?').unwrap_or((rest, ""));
    match place.rsplit_once('@') {
        Some((user, place)) => format!("{scheme}://{}@{place}", user.split(':').next().unwrap_or_default()),
        None => format!("{scheme}://{place}"),
    }
}

/// What an error says, with what is behind it: the outer text alone is "db error".
fn reason_of(error: &postgres::Error) -> String {
    if let Some(db) = error.as_db_error() {
        return db.detail().map_or_else(|| db.message().to_owned(), |detail| format!("{} ({detail})", db.message()));
    }
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

impl Database for PostgresServer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn connect(&self) -> Result<Box<dyn Connection>, StoreError> {
        let client = self.config.connect(NoTls).map_err(|error| told(&self.name, &error))?;
        Ok(Box::new(PostgresConnection {
            client,
            store: self.name.clone(),
            ready: HashMap::new(),
            broken: false,
            changed: 0,
        }))
    }
}

/// Whether it was the server that spoke, and of what: a server that shuts down or is full answers, and is not there.
fn told(store: &str, error: &postgres::Error) -> StoreError {
    let (store, reason) = (store.to_owned(), reason_of(error));
    match error.code().map(postgres::error::SqlState::code) {
        // Connection exceptions, operator intervention, too many connections.
        Some(code) if code.starts_with("08") || code.starts_with("57P") || code.starts_with("53") => {
            StoreError::Unreachable { store, reason }
        }
        Some(code) if code.starts_with("28") || code.starts_with("3D") => StoreError::Open { store, reason },
        Some(_) => StoreError::Refused { store, reason },
        None => StoreError::Unreachable { store, reason },
    }
}

struct PostgresConnection {
    client: Client,
    store: String,
    ready: HashMap<String, Statement>,
    broken: bool,
    changed: u64,
}

impl PostgresConnection {
    fn failed(&mut self, error: &postgres::Error) -> StoreError {
        let error = told(&self.store, error);
        self.broken |= error.is_unreachable();
        error
    }

    fn statement(&mut self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.ready.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(&Dialect::Postgres.translate(sql)).map_err(|error| self.failed(&error))?;
        if self.ready.len() >= KEPT_STATEMENTS {
            self.ready.clear();
        }
        self.ready.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Connection for PostgresConnection {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let statement = self.statement(sql)?;
        let values: Vec<_> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let changed = self.client.execute(&statement, &values).map_err(|error| self.failed(&error))?;
        self.changed += changed;
        Ok(changed)
    }

    fn each(&mut self, sql: &str, values: &[Value], each: &mut Each<'_>) -> Result<(), StoreError> {
        let statement = self.statement(sql)?;
        let store = self.store.clone();
        let failure = match self.client.query_raw(&statement, values) {
            Ok(mut rows) => loop {
                match rows.next() {
                    Ok(Some(row)) => each(read(&row, &store)?)?,
                    Ok(None) => return Ok(()),
                    Err(error) => break error,
                }
            },
            Err(error) => error,
        };
        Err(self.failed(&failure))
    }

    fn script(&mut self, sql: &str) -> Result<(), StoreError> {
        let done = self.client.batch_execute(sql).map_err(|error| self.failed(&error));
        // A transaction that could not be ended would go into the next use.
        self.broken |= done.is_err() && sql == "ROLLBACK";
        done
    }

    fn changed(&self) -> u64 {
        self.changed
    }

    fn is_usable(&self) -> bool {
        !self.broken && !self.client.is_closed()
    }
}

fn read(row: &postgres::Row, store: &str) -> Result<Row, StoreError> {
    let mut values = Vec::with_capacity(row.len());
    for (at, column) in row.columns().iter().enumerate() {
        let value = match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(at).map(Value::from),
            Type::INT4 => row.try_get::<_, Option<i32>>(at).map(Value::from),
            Type::FLOAT8 => row.try_get::<_, Option<f64>>(at).map(|value| value.map_or(Value::Null, Value::Real)),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(at).map(|value| value.map_or(Value::Null, Value::Bytes)),
            _ => row.try_get::<_, Option<String>>(at).map(|value| value.map_or(Value::Null, Value::Text)),
        };
        let refused =
            |error: postgres::Error| StoreError::Refused { store: store.to_owned(), reason: reason_of(&error) };
        values.push(value.map_err(refused)?);
    }
    Ok(Row::new(values))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) if *kind == Type::INT4 => i32::try_from(*number)?.to_sql(kind, out),
            Self::Int(number) if *kind == Type::FLOAT8 => (*number as f64).to_sql(kind, out),
            Self::Int(number) => number.to_sql(kind, out),
            Self::Real(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_servers_show_no_password() {
        for (url, shown) in [
            ("postgres://me:secret@host:5432/laps?sslmode=disable&password=x", "postgres://me@host:5432/laps"),
            ("postgresql://host/laps", "postgresql://host/laps"),
            ("postgres://me:a@b@host/laps", "postgres://me@host/laps"),
            ("host=x password=secret", "postgres"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
