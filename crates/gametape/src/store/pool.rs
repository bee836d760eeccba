//! Connections of one database, handed out to threads: opened when they are needed, kept, thrown away when they broke.

use std::sync::{Condvar, Mutex, PoisonError};

use super::connection::{Connection, Database, in_transaction};
use super::error::StoreError;
use super::schema;

/// Connections at most. More would only queue inside the database.
const MOST: usize = 8;

/// Opens connections, and takes them back.
pub(super) struct Pool {
    database: Box<dyn Database>,
    state: Mutex<State>,
    returned: Condvar,
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
        Self { database, state: Mutex::default(), returned: Condvar::new() }
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

    /// Does something that writes: all or nothing, durable when this returns.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&mut dyn Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with(|db| {
            let begin = db.dialect().begin();
            in_transaction(db, begin, |db| {
                let before = db.changed();
                let done = work(db)?;
                // Last, so that others who write wait for this row as short as can be.
                if db.changed() != before {
                    db.execute("UPDATE changes SET n = n + 1", &[])?;
                }
                Ok(done)
            })
        })
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
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(connection) = state.idle.pop() {
                return Ok(Lease { pool: self, connection: Some(connection) });
            }
            if state.open < MOST {
                break;
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
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
