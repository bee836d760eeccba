//! A connection to PostgreSQL on its own thread, so that a server that stops responding during a statement does not block callers.
//!
//! ```text
//! caller ──Order──▶ worker thread: PostgresConnection ──▶ server
//!        ◀──Reply──
//! ```
//! The library has no timeout for responses. TCP does not help: the kernel of a server that hangs still acknowledges packets. If no
//! response arrives within [`SILENCE`], a second connection is tried. If the server responds to it, it is only slow, and its own
//! statement timeout applies. Otherwise the caller gets [`StoreError::Unreachable`], and the worker is abandoned until its socket breaks.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

use super::connection::{Connection, Each};
use super::dialect::Dialect;
use super::error::StoreError;
use super::postgres::PostgresConnection;
use super::value::{Row, Value};

/// How long a response may take before the server is probed. The time doubles after each probe.
const SILENCE: Duration = Duration::from_secs(1);
/// Maximum time between two probes.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);
/// Capacity of the channel for rows.
const ROWS: usize = 256;

/// Returns whether the server responds to a new connection.
pub(super) type Probe = Arc<dyn Fn() -> bool + Send + Sync>;

/// A request to the worker.
pub(super) struct Order {
    what: What,
    sql: String,
    values: Vec<Value>,
    reply: SyncSender<Reply>,
}

enum What {
    Execute,
    Query,
    Script,
}

enum Reply {
    Row(Row),
    Done { result: Result<u64, StoreError>, in_the_way: bool, usable: bool },
}

/// Runs requests until all senders are dropped.
pub(super) fn serve(mut db: PostgresConnection, orders: &Receiver<Order>) {
    for Order { what, sql, values, reply } in orders {
        let result = match what {
            What::Execute => db.execute(&sql, &values),
            What::Script => db.script(&sql).map(|()| 0),
            What::Query => db
                .each(&sql, &values, &mut |row| {
                    let nobody =
                        |_| StoreError::Refused { store: String::new(), reason: "the caller has disconnected".into() };
                    reply.send(Reply::Row(row)).map_err(nobody)
                })
                .map(|()| 0),
        };
        let done = Reply::Done { result, in_the_way: db.was_in_the_way(), usable: db.is_usable() };
        // The caller may have disconnected.
        let _ = reply.send(done);
    }
}

/// The caller's side of the connection.
pub(super) struct WorkerConnection {
    store: String,
    orders: Sender<Order>,
    probe: Probe,
    changed: u64,
    in_the_way: bool,
    usable: bool,
}

impl WorkerConnection {
    /// Returns the caller's side, and the receiver of requests for [`serve`].
    pub(super) fn new(store: String, probe: Probe) -> (Self, Receiver<Order>) {
        let (orders, taken) = channel();
        (Self { store, orders, probe, changed: 0, in_the_way: false, usable: true }, taken)
    }

    fn run(&mut self, what: What, sql: &str, values: &[Value], each: &mut Each<'_>) -> Result<u64, StoreError> {
        let (reply, replies) = sync_channel(ROWS);
        let order = Order { what, sql: sql.to_owned(), values: values.to_vec(), reply };
        if self.orders.send(order).is_err() {
            return Err(self.lost("the connection was closed"));
        }
        loop {
            match self.next(&replies)? {
                Reply::Row(row) => each(row)?,
                Reply::Done { result, in_the_way, usable } => {
                    self.in_the_way |= in_the_way;
                    self.usable &= usable;
                    return result;
                }
            }
        }
    }

    fn next(&mut self, replies: &Receiver<Reply>) -> Result<Reply, StoreError> {
        let mut silence = SILENCE;
        loop {
            match replies.recv_timeout(silence) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost("the connection was closed")),
                Err(RecvTimeoutError::Timeout) if (self.probe)() => silence = (silence * 2).min(LONGEST_SILENCE),
                Err(RecvTimeoutError::Timeout) => return Err(self.lost("it accepts connections but does not respond")),
            }
        }
    }

    fn lost(&mut self, reason: &str) -> StoreError {
        self.usable = false;
        StoreError::Unreachable { store: self.store.clone(), reason: reason.to_owned() }
    }
}

impl Connection for WorkerConnection {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let changed = self.run(What::Execute, sql, values, &mut |_| Ok(()))?;
        self.changed += changed;
        Ok(changed)
    }

    fn each(&mut self, sql: &str, values: &[Value], each: &mut Each<'_>) -> Result<(), StoreError> {
        self.run(What::Query, sql, values, each).map(drop)
    }

    fn script(&mut self, sql: &str) -> Result<(), StoreError> {
        self.run(What::Script, sql, &[], &mut |_| Ok(())).map(drop)
    }

    fn changed(&self) -> u64 {
        self.changed
    }

    fn was_in_the_way(&mut self) -> bool {
        std::mem::take(&mut self.in_the_way)
    }

    fn discard(&mut self) {
        self.usable = false;
    }

    fn is_usable(&self) -> bool {
        self.usable
    }
}
