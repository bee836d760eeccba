//! Connections of one database, handed out to threads: opened when they are needed, kept, thrown away when they broke.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::connection::{Connection, Database, in_transaction};
use super::error::StoreError;
use super::schema;

/// Connections at most. More would only queue inside the database.
const MOST: usize = 8;

/// How long somebody waits for a connection that others have: they may wait for a database that says nothing.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often something is tried that others are in the way of.
const ATTEMPTS: u32 = 8;

/// Opens connections, and takes them back.
pub(super) struct Pool {
    database: Box<dyn Database>,
    state: Mutex<State>,
    returned: Condvar,
    /// How long somebody waits for a connection.
    patience: Duration,
}

#[derive(Default)]
struct State {
    idle: Vec<Box<dyn Connection>>,
    /// Idle ones and those that are in use.
    open: usize,
    /// The schema was looked at since the last connection broke.
    checked: bool,
}

impl Pool {
    /// Opens the database and brings its schema up to date.
    pub(super) fn open(database: Box<dyn Database>) -> Result<Self, StoreError> {
        let pool = Self::new(database);
        pool.with(|_| Ok(()))?;
        Ok(pool)
    }

    /// Opens nothing yet.
    pub(super) fn new(database: Box<dyn Database>) -> Self {
        Self { database, state: Mutex::default(), returned: Condvar::new(), patience: PATIENCE }
    }

    pub(super) fn name(&self) -> String {
        self.database.name()
    }

    /// Does something with a connection.
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

    /// Does something that writes: all or nothing, durable when this returns. It is done again if others were in its way.
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
                    // Last, so that others who write wait for this row as short as can be.
                    if db.changed() != before {
                        db.execute("UPDATE changes SET n = n + 1", &[])?;
                    }
                    Ok(done)
                });
                if !db.was_in_the_way() || done.is_ok() || attempt == ATTEMPTS {
                    return done;
                }
                // Those who were in each other's way do not begin again at the same moment.
                std::thread::sleep(attempt * Duration::from_millis(10));
                attempt += 1;
            }
        })
    }

    /// Whether the database answered when it was last asked.
    pub(super) fn is_connected(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).checked
    }

    /// Does several queries that see the same state.
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
        // From here on the place is given back by the lease, whatever happens.
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
                // A server that comes back may be another one: idle connections to it are of no use either.
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

    /// A panic in the middle of a transaction, then another transaction: only the second one is in the database.
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
        assert!(open <= 1, "{open} places are taken");
    }

    #[test]
    fn a_panic_in_a_transaction_of_sqlite_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        a_panic_leaves_nothing_behind(&Pool::new(Box::new(SqliteFile { path: folder.path().join("laps.sqlite") })));
    }

    #[test]
    fn a_panic_in_a_transaction_of_postgres_leaves_nothing_behind() {
        let Ok(url) = std::env::var("GAMETAPE_POSTGRES") else {
            // Not eprintln: the test harness would swallow it.
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
    fn who_gets_no_connection_is_told_so() {
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
