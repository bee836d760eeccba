//! The interface between the store and a database: statements in, rows out. Implemented for SQLite and for PostgreSQL.

use super::dialect::Dialect;
use super::error::StoreError;
use super::value::{Row, Statement, Value};

/// Callback for each row.
pub(super) type Each<'a> = dyn FnMut(Row) -> Result<(), StoreError> + 'a;

/// A connection to a database, used by one thread at a time.
pub(super) trait Connection: Send {
    /// The SQL dialect of this database.
    fn dialect(&self) -> Dialect;

    /// Runs a statement, written in the common dialect. Returns the number of rows changed.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError>;

    /// Runs a query, written in the common dialect, and passes each row to `each` as it arrives.
    fn each(&mut self, sql: &str, values: &[Value], each: &mut Each<'_>) -> Result<(), StoreError>;

    /// Runs statements without parameters, in the SQL of this database.
    fn script(&mut self, sql: &str) -> Result<(), StoreError>;

    /// Returns the total number of rows changed over this connection.
    fn changed(&self) -> u64;

    /// Returns whether the last transaction failed with a serialization conflict or a deadlock, so that a retry may succeed.
    fn was_in_the_way(&mut self) -> bool {
        false
    }

    /// Marks the connection as unusable: the pool closes it instead of handing it out again. Closing it rolls back an open transaction.
    fn discard(&mut self);

    /// Returns whether the connection can still be used. The pool closes it otherwise.
    fn is_usable(&self) -> bool;
}

/// A factory for connections to one database.
pub(super) trait Database: Send + Sync {
    /// The name of the database for messages, without passwords.
    fn name(&self) -> String;

    /// Opens a connection. The schema is checked elsewhere.
    fn connect(&self) -> Result<Box<dyn Connection>, StoreError>;
}

impl dyn Connection + '_ {
    /// Maps all rows of a query.
    pub(super) fn all<T>(
        &mut self,
        sql: &str,
        values: &[Value],
        mut make: impl FnMut(Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut all = Vec::new();
        self.each(sql, values, &mut |row| {
            all.push(make(row)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// Maps the first row of a query.
    pub(super) fn first<T>(
        &mut self,
        sql: &str,
        values: &[Value],
        make: impl FnMut(Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.all(sql, values, make)?.into_iter().next())
    }

    /// Maps all rows of an assembled statement.
    pub(super) fn all_of<T>(
        &mut self,
        statement: &Statement,
        make: impl FnMut(Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.all(&statement.text, &statement.values, make)
    }
}

/// Runs `work` in a transaction: commits if it succeeds, rolls back if it fails. If it panics, the connection is discarded, so that the
/// next user of the pool does not continue the unfinished transaction.
pub(super) fn in_transaction<T>(
    db: &mut dyn Connection,
    begin: &str,
    work: impl FnOnce(&mut dyn Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    db.script(begin)?;
    let mut open = OpenTransaction { db, ended: false };
    let done = work(open.db).and_then(|done| open.db.script("COMMIT").map(|()| done));
    if done.is_err() {
        // The first error is the one to report. If the rollback fails, the connection reports itself as unusable.
        let _ = open.db.script("ROLLBACK");
    }
    open.ended = true;
    done
}

/// An open transaction. Dropping it before it has ended discards the connection. Drop sends no statement: the thread is unwinding, and a
/// second panic would abort the process.
struct OpenTransaction<'a> {
    db: &'a mut dyn Connection,
    ended: bool,
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.db.discard();
        }
    }
}
