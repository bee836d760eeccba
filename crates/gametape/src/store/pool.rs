//! A connection pool for one database: connections are opened on demand, reused, and closed when broken.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::connection::{Connection, Database, in_transaction};
use super::error::StoreError;
use super::schema;

/// Maximum number of connections. More would only queue inside the database.
const MOST: usize = 8;

/// Maximum wait for a free connection: the other threads may be waiting for a database that does not respond.
const PATIENCE: Duration = Duration::from_secs(10);

/// Maximum number of attempts of a transaction that fails with a serialization conflict.
const ATTEMPTS: u32 = 8;

/// A connection pool.
pub(super) struct Pool {
    database: Box<dyn Database>,
    state: Mutex<State>,
    returned: Condvar,
    /// Maximum wait for a free connection.
    patience: Duration,
}

#[derive(Default)]
struct State {
    idle: Vec<Box<dyn Connection>>,
    /// Number of connections, idle or in use.
    open: usize,
    /// Whether the schema has been checked since the last connection broke.
    checked: bool,
}

impl Pool {
    /// Connects to the database and migrates its schema.
    pub(super) fn open(database: Box<dyn Database>) -> Result<Self, StoreError> {
        let pool = Self::new(database);
        pool.with(|_| Ok(()))?;
        Ok(pool)
    }

    /// Creates a pool without connecting.
    pub(super) fn new(database: Box<dyn Database>) -> Self {
        Self { database, state: Mutex::default(), returned: Condvar::new(), patience: PATIENCE }
    }

    pub(super) fn name(&self) -> String {
        self.database.name()
    }

    /// Runs `work` with a connection.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&mut dyn Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut lease = self.lease()?;
        match lease.connection.as_mut() {
            Some(connection) => work(connection.as_mut()),
            None => Err(StoreError::Open { store: self.name(), reason: "no connection".to_owned() }),
        }
    }

    /// Runs `work` in a write transaction: all or nothing, durable when this returns. Retries after a serialization conflict.
    pub(super) fn write<T>(
        &self,
        work: impl Fn(&mut dyn Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with(|db| {
            let begin = db.dialect().begin();
            let mut attempt = 1;
            loop {
                let done = in_transaction(db, begin, |db| {
                    let before = db.changed();
                    let done = work(db)?;
                    // Done last, to hold the lock on this row as briefly as possible.
                    if db.changed() != before {
                        db.execute("UPDATE changes SET n = n + 1", &[])?;
                    }
                    Ok(done)
                });
                if !db.was_in_the_way() || done.is_ok() || attempt == ATTEMPTS {
                    return done;
                }
                // Back off, so that conflicting transactions do not start again at the same moment.
                std::thread::sleep(attempt * Duration::from_millis(10));
                attempt += 1;
            }
        })
    }

    /// Returns whether the database responded to the last request.
    pub(super) fn is_connected(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).checked
    }

    /// Runs several queries on the same snapshot.
    pub(super) fn snapshot<T>(
        &self,
        work: impl FnOnce(&mut dyn Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with(|db| {
            let begin = db.dialect().begin_snapshot();
            in_transaction(db, begin, work)
        })
    }

    fn lease(&self) -> Result<Lease<'_>, StoreError> {
        let until = Instant::now() + self.patience;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(connection) = state.idle.pop() {
                return Ok(Lease { pool: self, connection: Some(connection) });
            }
            if state.open < MOST {
                break;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let reason = format!("all {MOST} connections have been in use for {} s", self.patience.as_secs());
                return Err(StoreError::Unreachable { store: self.name(), reason });
            }
            state = self.returned.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.open += 1;
        let checked = state.checked;
        drop(state);
        // From here on, dropping the lease releases the slot.
        let mut lease = Lease { pool: self, connection: None };
        let mut connection = self.database.connect()?;
        if !checked {
            schema::bring_up_to_date(connection.as_mut(), &self.name())?;
            self.state.lock().unwrap_or_else(PoisonError::into_inner).checked = true;
        }
        lease.connection = Some(connection);
        Ok(lease)
    }
}

/// A connection in use.
struct Lease<'a> {
    pool: &'a Pool,
    connection: Option<Box<dyn Connection>>,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.connection.take().filter(|connection| connection.is_usable()) {
            Some(connection) => state.idle.push(connection),
            None => {
                // The server may be a different one when it comes back, so the idle connections are closed too.
                state.open -= 1 + state.idle.len();
                state.idle.clear();
                state.checked = false;
            }
        }
        drop(state);
        self.pool.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::super::postgres_server::PostgresServer;
    use super::super::sqlite::SqliteFile;
    use super::super::value::Value;
    use super::*;

    /// Panics within a transaction, then commits another one: only the second may be in the database.
    fn a_panic_leaves_nothing_behind(pool: &Pool) {
        let note = |name: &str| {
            let sql = "INSERT INTO tokens (id, name, scope, hash, created_us) VALUES (?1, ?2, 'read', ?1, 0)";
            let values = [Value::Bytes(name.as_bytes().to_vec()), Value::from(name)];
            move |db: &mut dyn Connection| db.execute(sql, &values)
        };
        pool.with(|_| Ok(())).unwrap();
        let (half, other) = (note("half"), note("other"));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            pool.write(|db| -> Result<(), StoreError> {
                half(db)?;
                panic!("in the middle of a transaction")
            })
        }));
        assert!(panicked.is_err());
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            pool.snapshot(|_| -> Result<(), StoreError> { panic!("in the middle of a snapshot") })
        }));
        assert!(panicked.is_err());
        pool.write(|db| other(db)).unwrap();
        let names = pool.with(|db| db.all("SELECT name FROM tokens ORDER BY name", &[], |mut row| row.text("a name")));
        assert_eq!(names.unwrap(), [Some("other".to_owned())]);
        let open = pool.state.lock().unwrap().open;
        assert!(open <= 1, "{open} connections are open");
    }

    #[test]
    fn a_panic_in_a_transaction_of_sqlite_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        a_panic_leaves_nothing_behind(&Pool::new(Box::new(SqliteFile { path: folder.path().join("laps.sqlite") })));
    }

    #[test]
    fn a_panic_in_a_transaction_of_postgres_leaves_nothing_behind() {
        let Ok(url) = std::env::var("GAMETAPE_POSTGRES") else {
            // Not `eprintln!`: the test harness would capture it.
            std::io::stderr().write_all(b"SKIPPED store_on_postgres: GAMETAPE_POSTGRES is not set\n").unwrap();
            if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
                let mut log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
                log.write_all(b"store_on_postgres\n").unwrap();
            }
            return;
        };
        let schema = format!("panic_{}", std::process::id());
        let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        client.batch_execute(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}")).unwrap();
        let mark = if url.contains('?') { '&' } else { '?' };
        let server = PostgresServer::new(&format!("{url}{mark}options=-csearch_path%3D{schema}")).unwrap();
        a_panic_leaves_nothing_behind(&Pool::new(Box::new(server)));
        client.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).unwrap();
    }

    #[test]
    fn an_exhausted_pool_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut pool = Pool::new(Box::new(SqliteFile { path: folder.path().join("laps.sqlite") }));
        pool.patience = Duration::from_millis(50);
        let leases: Vec<_> = (0..MOST).map(|_| pool.lease().unwrap()).collect();
        let error = pool.with(|_| Ok(())).unwrap_err();
        assert!(error.is_unreachable() && error.to_string().contains("in use"), "{error}");
        drop(leases);
        pool.with(|_| Ok(())).unwrap();
    }
}
