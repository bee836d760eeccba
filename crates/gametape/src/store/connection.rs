//! What the store needs of a database: statements in, rows out. Two files implement it, everything else is above it.

use super::dialect::Dialect;
use super::error::StoreError;
use super::value::{Row, Statement, Value};

/// What is done with each row.
pub(super) type Each<'a> = dyn FnMut(Row) -> Result<(), StoreError> + 'a;

/// A connection to a database. It is used by one thread at a time.
pub(super) trait Connection: Send {
    /// Which words it understands.
    fn dialect(&self) -> Dialect;

    /// Runs a statement, in words of both databases; gives how many rows it changed.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError>;

    /// Runs a query, in words of both databases, and hands over each row as it comes.
    fn each(&mut self, sql: &str, values: &[Value], each: &mut Each<'_>) -> Result<(), StoreError>;

    /// Runs statements without values, in the words of this database.
    fn script(&mut self, sql: &str) -> Result<(), StoreError>;

    /// How many rows were changed over it so far.
    fn changed(&self) -> u64;

    /// Whether the last transaction failed only because others wanted the same: it may succeed when it is done again.
    fn was_in_the_way(&mut self) -> bool {
        false
    }

    /// Marks the connection as unusable: the pool closes it instead of handing it out again. Closing it rolls back an open transaction.
    fn discard(&mut self);

    /// Whether it can still be used; one that cannot is thrown away.
    fn is_usable(&self) -> bool;
}

/// What opens connections to one database.
pub(super) trait Database: Send + Sync {
    /// Its name for messages, without passwords.
    fn name(&self) -> String;

    /// Opens a connection. The schema is looked after elsewhere.
    fn connect(&self) -> Result<Box<dyn Connection>, StoreError>;
}

impl dyn Connection + '_ {
    /// All rows of a query, each made into something.
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

    /// The first row of a query.
    pub(super) fn first<T>(
        &mut self,
        sql: &str,
        values: &[Value],
        make: impl FnMut(Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.all(sql, values, make)?.into_iter().next())
    }

    /// All rows of a statement that was put together.
    pub(super) fn all_of<T>(
        &mut self,
        statement: &Statement,
        make: impl FnMut(Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.all(&statement.text, &statement.values, make)
    }
}

/// Runs `work` in a transaction: commits if it succeeds, rolls back if it fails. If it panics, the connection is discarded, so that the next
/// user of the pool does not continue the half-done transaction.
pub(super) fn in_transaction<T>(
    db: &mut dyn Connection,
    begin: &str,
    work: impl FnOnce(&mut dyn Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    db.script(begin)?;
    let mut open = OpenTransaction { db, ended: false };
    let done = work(open.db).and_then(|done| open.db.script("COMMIT").map(|()| done));
    if done.is_err() {
        // The first error is the one to tell. A connection on which this fails says that it is not usable.
        let _ = open.db.script("ROLLBACK");
    }
    open.ended = true;
    done
}

/// A transaction that has begun. Dropping it before it has ended discards the connection. No statement is sent here: the thread unwinds, and
/// a second panic would end the process.
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
