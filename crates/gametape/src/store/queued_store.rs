//! A store on a server that may be unreachable or slow. Writes that fail are queued in a file (the outbox), and a thread retries them.
//!
//! ```text
//! write ──▶ thread ──▶ server responds within WRITE_TIMEOUT
//!       └─▶ otherwise: file (durable) ──thread, with exponential backoff──▶ server ──▶ removed from the file
//! ```
//! Delivery is idempotent: a lap that is sent twice is stored once, because its id is derived from the tape and its start time. Order is
//! preserved: while the outbox is not empty, every write goes through it, and a single thread does all the writing. Entries that the
//! server refuses stay queued and do not block the others. A caller waits for the thread at most [`WRITE_TIMEOUT`]. While the server is
//! unreachable, only the thread contacts it.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::contract::Store;
use super::error::StoreError;
use super::outbox::Turn;
use super::sql_store::SqlStore;
use super::stored::{Change, Origin, Replaced, Write};
use crate::laps::{Id, Session, TrackedSession};

/// Number of recent sessions to remember: when a lap is queued, its session is queued with it.
const REMEMBERED: usize = 32;

/// Timeout of a direct write. After that, the write is queued in the outbox.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum wait for the thread on drop, which may be waiting for the server.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// Backoff between attempts to send the outbox.
#[derive(Debug, Clone, Copy)]
pub struct Pauses {
    /// Pause after the first failure.
    pub first: Duration,
    /// Maximum pause. Each pause is twice as long as the one before.
    pub longest: Duration,
}

impl Default for Pauses {
    fn default() -> Self {
        Self { first: Duration::from_millis(500), longest: Duration::from_secs(60) }
    }
}

/// The state of the outbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Number of sessions that have not been delivered completely.
    pub sessions: u32,
    /// Why the last attempt failed; `None` if it succeeded.
    pub problem: Option<String>,
}

/// A store on a server, with an outbox for the time in which the server is unreachable.
pub struct QueuedStore {
    inner: Arc<Inner>,
    thread: Option<JoinHandle<()>>,
}

pub(super) struct Inner {
    pub(super) server: SqlStore,
    pub(super) file: SqlStore,
    pub(super) pauses: Pauses,
    pub(super) state: Mutex<State>,
    pub(super) changed: Condvar,
    /// Held during a write, to preserve the order of writes.
    pub(super) order: Mutex<VecDeque<Session>>,
    /// Held while an entry of the outbox is being sent. Lock order: `sending` before `order`.
    pub(super) sending: Mutex<()>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) waiting: bool,
    pub(super) stop: bool,
    pub(super) problem: Option<String>,
    /// Whether a write was queued since the thread last checked.
    pub(super) fresh: bool,
    /// When the server was last found unreachable. Reset when the thread gets a response.
    pub(super) away: Option<Instant>,
    /// A direct write, which bypasses the outbox.
    pub(super) direct: Option<Direct>,
    /// Whether the thread has ended.
    pub(super) ended: bool,
}

/// A write that the thread performs while the caller waits for the result.
pub(super) struct Direct {
    pub(super) origin: Origin,
    /// `None`: the tape was written as a whole.
    pub(super) writes: Option<Vec<Write>>,
    pub(super) reply: Sender<Result<Vec<Change>, StoreError>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether a retry may succeed. Errors in the laps themselves are permanent.
fn is_retryable(error: &StoreError) -> bool {
    !matches!(error, StoreError::NoSession { .. } | StoreError::TooLarge { .. } | StoreError::Damaged { .. })
}

impl QueuedStore {
    /// Opens the outbox and starts the thread. The server need not be reachable.
    pub fn open(url: &str, file: impl AsRef<Path>, pauses: Pauses) -> Result<Self, StoreError> {
        let server = SqlStore::postgres_later(url)?;
        let file = SqlStore::sqlite(file)?;
        let waiting = file.next_entry(Turn::FIRST)?.is_some();
        let state = State { waiting, ..State::default() };
        let inner = Arc::new(Inner {
            server,
            file,
            pauses,
            state: Mutex::new(state),
            changed: Condvar::new(),
            order: Mutex::default(),
            sending: Mutex::default(),
        });
        let of_thread = Arc::clone(&inner);
        let thread = std::thread::Builder::new().name("store-outbox".to_owned()).spawn(move || of_thread.run());
        let failed = |error: std::io::Error| StoreError::Open { store: inner.server.name(), reason: error.to_string() };
        let thread = Some(thread.map_err(failed)?);
        Ok(Self { inner, thread })
    }

    /// Returns the state of the outbox.
    pub fn waiting(&self) -> Result<Waiting, StoreError> {
        let sessions = self.inner.file.waiting()?;
        Ok(Waiting { sessions, problem: lock(&self.inner.state).problem.clone() })
    }

    /// Returns the name of the server.
    pub(super) fn server_name(&self) -> String {
        self.inner.server.name()
    }

    /// Sends a request to the server on the caller's thread. Fails immediately while the server is unreachable.
    pub(super) fn ask<T>(&self, ask: impl FnOnce(&SqlStore) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.inner.ask(ask)
    }

    pub(super) fn write_or_queue(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
        self.inner.write(origin, writes)
    }

    pub(super) fn tracked_or_queue(&self, origin: &Origin) -> Result<(), StoreError> {
        self.inner.tracked(origin)
    }

    /// Replaces the laps of a tape and removes its entries from the outbox: they come from a partial tape and would overwrite newer data.
    pub(super) fn replace(&self, origin: &Origin, sessions: &[TrackedSession]) -> Result<Replaced, StoreError> {
        let _sending = lock(&self.inner.sending);
        let replaced = self.inner.ask(|server| server.replace_tape(origin, sessions))?;
        if !replaced.left_out {
            self.inner.file.forget_tape(origin.tape)?;
        }
        Ok(replaced)
    }
}

impl Drop for QueuedStore {
    fn drop(&mut self) {
        lock(&self.inner.state).stop = true;
        self.inner.changed.notify_all();
        // The outbox is durable and is sent after the next start. A thread that is still waiting for the server is abandoned.
        let running = |state: &mut State| !state.ended;
        let state = lock(&self.inner.state);
        let (state, _) =
            self.inner.changed.wait_timeout_while(state, STOP_TIMEOUT, running).unwrap_or_else(PoisonError::into_inner);
        let ended = state.ended;
        drop(state);
        if let Some(thread) = self.thread.take().filter(|_| ended) {
            let _ = thread.join();
        }
    }
}

impl Inner {
    fn ask<T>(&self, ask: impl FnOnce(&SqlStore) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let state = lock(&self.state);
        if state.away.is_some() {
            let reason = state.problem.clone().unwrap_or_else(|| "it was unreachable a moment ago".to_owned());
            return Err(StoreError::Unreachable { store: self.server.name(), reason });
        }
        drop(state);
        let done = ask(&self.server);
        self.note_whether_away(done.as_ref().err());
        done
    }

    /// Updates whether the server is unreachable. A reachable server that is busy with these rows does not count.
    pub(super) fn note_whether_away(&self, error: Option<&StoreError>) {
        let away = error.is_some_and(StoreError::is_unreachable) && !self.server.is_connected();
        let mut state = lock(&self.state);
        if away {
            state.problem = error.map(StoreError::to_string);
            // Wakes the thread, which probes the server from now on.
            self.changed.notify_all();
        } else if state.away.is_some() && !state.waiting {
            state.problem = None;
        }
        state.away = away.then(Instant::now);
    }

    /// Wakes the thread after a write was queued.
    fn queued(&self) {
        let mut state = lock(&self.state);
        (state.waiting, state.fresh) = (true, true);
        self.changed.notify_all();
    }

    fn write(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
        if origin.is_left_out() {
            return Ok(vec![Change::LeftOut; writes.len()]);
        }
        let mut remembered = lock(&self.order);
        if let Some(done) = self.try_direct_write(origin, Some(writes)) {
            remember(&mut remembered, writes);
            return done;
        }
        let mut queued = sessions_of(&remembered, writes);
        let brought = queued.len();
        queued.extend(writes.iter().cloned());
        let mut changes = self.file.queue(origin, &queued)?;
        remember(&mut remembered, writes);
        self.queued();
        Ok(changes.split_off(brought))
    }

    fn tracked(&self, origin: &Origin) -> Result<(), StoreError> {
        if origin.is_left_out() {
            return Ok(());
        }
        let _order = lock(&self.order);
        if let Some(done) = self.try_direct_write(origin, None) {
            return done.map(drop);
        }
        self.file.queue_tracked(origin)?;
        self.queued();
        Ok(())
    }

    /// Performs a direct write. Returns `None` if the write must be queued: earlier writes are queued, the server is unreachable, or it
    /// did not respond within [`WRITE_TIMEOUT`]. The caller must hold `order`.
    fn try_direct_write(&self, origin: &Origin, writes: Option<&[Write]>) -> Option<Result<Vec<Change>, StoreError>> {
        let (reply, answer) = channel();
        let mut state = lock(&self.state);
        if state.waiting || state.away.is_some() || state.stop {
            return None;
        }
        state.direct = Some(Direct { origin: origin.clone(), writes: writes.map(<[Write]>::to_vec), reply });
        self.changed.notify_all();
        drop(state);
        let problem = match answer.recv_timeout(WRITE_TIMEOUT) {
            Ok(Err(error)) if is_retryable(&error) => error.to_string(),
            Ok(done) => return Some(done),
            Err(_) => {
                // If the thread has already taken the write, it is delivered twice, which is harmless.
                let mut state = lock(&self.state);
                state.direct = None;
                state.away = Some(Instant::now());
                format!("the store {} did not respond within {} s", self.server.name(), WRITE_TIMEOUT.as_secs())
            }
        };
        lock(&self.state).problem = Some(problem);
        None
    }
}

/// Returns the remembered sessions that these stints and laps refer to and that are not among the writes.
fn sessions_of(remembered: &VecDeque<Session>, writes: &[Write]) -> Vec<Write> {
    let brought = |id: Id| writes.iter().any(|write| matches!(write, Write::Session(session) if session.id == id));
    let needed = |id: Id| {
        writes.iter().any(|write| match write {
            Write::Session(_) | Write::Track(_) => false,
            Write::Stint(session, _) | Write::Cars(session, _) => *session == id,
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
