//! A store on a server that may be away: what cannot be written there waits in a file, and a thread sends it later.
//!
//! ```text
//! write ──▶ the server answers, nothing waits ──▶ server
//!       └─▶ otherwise: file (durable) ──thread, with growing pauses──▶ server ──▶ let go from the file
//! ```
//! Each lap arrives once, however often it was sent: ids make a second writing the same as the first. What is newer never overtakes: while
//! anything waits, everything goes through the file. Only the thread waits for the server.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::contract::Store;
use super::error::StoreError;
use super::sql_store::SqlStore;
use super::stored::{Change, Origin, Write};
use crate::laps::{Id, Session};

/// Sessions that are remembered: a lap that has to wait brings its session with it.
const REMEMBERED: usize = 32;

/// How long the thread waits before it tries again.
#[derive(Debug, Clone, Copy)]
pub struct Pauses {
    /// After the first failure.
    pub first: Duration,
    /// At most; each pause is twice the one before.
    pub longest: Duration,
}

impl Default for Pauses {
    fn default() -> Self {
        Self { first: Duration::from_millis(500), longest: Duration::from_secs(60) }
    }
}

/// How it stands with what waits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Sessions of which something has not arrived.
    pub sessions: u32,
    /// Why the last attempt failed; `None` after one that did not.
    pub problem: Option<String>,
}

/// A store on a server, and a file for the time in which it does not answer.
pub struct QueuedStore {
    inner: Arc<Inner>,
    thread: Option<JoinHandle<()>>,
}

pub(super) struct Inner {
    pub(super) server: SqlStore,
    file: SqlStore,
    pauses: Pauses,
    state: Mutex<State>,
    changed: Condvar,
    /// Held while something is written, so that nothing overtakes.
    order: Mutex<VecDeque<Session>>,
}

#[derive(Default)]
struct State {
    waiting: bool,
    stop: bool,
    problem: Option<String>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl QueuedStore {
    /// Takes the server's URL and the path of the file. The server need not be there.
    pub fn open(url: &str, file: impl AsRef<Path>, pauses: Pauses) -> Result<Self, StoreError> {
        let server = SqlStore::postgres_later(url)?;
        let file = SqlStore::sqlite(file)?;
        let waiting = file.waiting()? > 0;
        let state = State { waiting, ..State::default() };
        let inner = Arc::new(Inner {
            server,
            file,
            pauses,
            state: Mutex::new(state),
            changed: Condvar::new(),
            order: Mutex::default(),
        });
        let of_thread = Arc::clone(&inner);
        let thread = std::thread::Builder::new().name("store-outbox".to_owned()).spawn(move || of_thread.send_all());
        let failed = |error: std::io::Error| StoreError::Open { store: inner.server.name(), reason: error.to_string() };
        let thread = Some(thread.map_err(failed)?);
        Ok(Self { inner, thread })
    }

    /// How it stands with what waits.
    pub fn waiting(&self) -> Result<Waiting, StoreError> {
        let sessions = self.inner.file.waiting()?;
        Ok(Waiting { sessions, problem: lock(&self.inner.state).problem.clone() })
    }

    pub(super) fn server(&self) -> &SqlStore {
        &self.inner.server
    }

    pub(super) fn write_or_queue(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
        self.inner.write(origin, writes)
    }
}

impl Drop for QueuedStore {
    fn drop(&mut self) {
        lock(&self.inner.state).stop = true;
        self.inner.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // What waits is in the file: the next start sends it.
            let _ = thread.join();
        }
    }
}

impl Inner {
    fn write(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
        if origin.is_left_out() {
            return Ok(vec![Change::LeftOut; writes.len()]);
        }
        let mut remembered = lock(&self.order);
        if !lock(&self.state).waiting {
            match self.server.write(origin, writes) {
                Err(error) if error.is_unreachable() => lock(&self.state).problem = Some(error.to_string()),
                done => {
                    remember(&mut remembered, writes);
                    return done;
                }
            }
        }
        let mut queued = sessions_of(&remembered, writes);
        let brought = queued.len();
        queued.extend(writes.iter().cloned());
        let mut changes = self.file.queue(origin, &queued)?;
        remember(&mut remembered, writes);
        lock(&self.state).waiting = true;
        self.changed.notify_all();
        Ok(changes.split_off(brought))
    }

    /// The thread's work: sends what waits until it is told to stop.
    fn send_all(&self) {
        let mut pause = self.pauses.first;
        loop {
            let mut state = lock(&self.state);
            while !state.waiting && !state.stop {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.stop {
                return;
            }
            drop(state);
            match self.send_one() {
                Ok(()) => {
                    pause = self.pauses.first;
                    lock(&self.state).problem = None;
                }
                Err(error) => {
                    let mut state = lock(&self.state);
                    state.problem = Some(error.to_string());
                    // New laps wake it too, and do not shorten the pause.
                    let until = |state: &mut State| !state.stop;
                    let _ = self.changed.wait_timeout_while(state, pause, until);
                    pause = (pause * 2).min(self.pauses.longest);
                }
            }
        }
    }

    fn send_one(&self) -> Result<(), StoreError> {
        if let Some(parcel) = self.file.next_parcel()? {
            self.server.write(&parcel.origin, &parcel.writes)?;
            return self.file.arrived(parcel.session, parcel.stamp);
        }
        // Nobody writes while this is looked at, so nothing can come between.
        let _order = lock(&self.order);
        let waiting = self.file.waiting()? > 0;
        lock(&self.state).waiting = waiting;
        Ok(())
    }
}

/// The sessions that these laps need and do not bring.
fn sessions_of(remembered: &VecDeque<Session>, writes: &[Write]) -> Vec<Write> {
    let brought = |id: Id| writes.iter().any(|write| matches!(write, Write::Session(session) if session.id == id));
    let needed = |id: Id| {
        writes.iter().any(|write| match write {
            Write::Session(_) | Write::Track(_) => false,
            Write::Stint(session, _) => *session == id,
            Write::Lap(lap) => lap.session == id,
        })
    };
    let sessions = remembered.iter().filter(|session| needed(session.id) && !brought(session.id));
    sessions.cloned().map(Write::Session).collect()
}

fn remember(remembered: &mut VecDeque<Session>, writes: &[Write]) {
    for write in writes {
        if let Write::Session(session) = write {
            remembered.retain(|known| known.id != session.id);
            remembered.push_back(session.clone());
            if remembered.len() > REMEMBERED {
                remembered.pop_front();
            }
        }
    }
}
