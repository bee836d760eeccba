//! A connection to PostgreSQL. `postgres_server` opens it, `postgres_worker` runs it.

use std::collections::HashMap;
use std::error::Error as _;

use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Statement};

use super::connection::{Connection, Each};
use super::dialect::Dialect;
use super::error::StoreError;
use super::value::{Row, Value};

/// Maximum number of cached prepared statements per connection.
const KEPT_STATEMENTS: usize = 128;

/// Returns the message of an error with its cause: the outer text alone is "db error".
pub(super) fn reason_of(error: &postgres::Error) -> String {
    if let Some(db) = error.as_db_error() {
        return db.detail().map_or_else(|| db.message().to_owned(), |detail| format!("{} ({detail})", db.message()));
    }
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

/// Returns whether an SQLSTATE is transient (conflict or timeout). The connection remains usable.
fn is_transient(code: &str) -> bool {
    is_conflict(code) || matches!(code, "55P03" | "57014")
}

/// Returns whether an SQLSTATE is a serialization failure or a deadlock.
fn is_conflict(code: &str) -> bool {
    matches!(code, "40001" | "40P01")
}

/// Maps an error to a [`StoreError`]. A server that is shutting down or out of connections responds, but counts as unreachable.
pub(super) fn told(store: &str, error: &postgres::Error) -> StoreError {
    let (store, reason) = (store.to_owned(), reason_of(error));
    match error.code().map(postgres::error::SqlState::code) {
        Some(code) if is_transient(code) => StoreError::Unreachable { store, reason },
        // Connection exceptions, operator intervention, too many connections.
        Some(code) if code.starts_with("08") || code.starts_with("57P") || code.starts_with("53") => {
            StoreError::Unreachable { store, reason }
        }
        Some(code) if code.starts_with("28") || code.starts_with("3D") => StoreError::Open { store, reason },
        Some(_) => StoreError::Refused { store, reason },
        None => StoreError::Unreachable { store, reason },
    }
}

pub(super) struct PostgresConnection {
    client: Client,
    store: String,
    ready: HashMap<String, Statement>,
    broken: bool,
    changed: u64,
    in_the_way: bool,
}

impl PostgresConnection {
    pub(super) fn new(client: Client, store: String) -> Self {
        Self { client, store, ready: HashMap::new(), broken: false, changed: 0, in_the_way: false }
    }

    fn failed(&mut self, error: &postgres::Error) -> StoreError {
        let code = error.code().map(postgres::error::SqlState::code).unwrap_or_default();
        self.in_the_way |= is_conflict(code);
        let passing = is_transient(code);
        let error = told(&self.store, error);
        self.broken |= error.is_unreachable() && !passing;
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
        // A transaction that could not be rolled back would leak into the next use.
        self.broken |= done.is_err() && sql == "ROLLBACK";
        done
    }

    fn changed(&self) -> u64 {
        self.changed
    }

    fn was_in_the_way(&mut self) -> bool {
        std::mem::take(&mut self.in_the_way)
    }

    fn discard(&mut self) {
        self.broken = true;
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
