//! A store on a server that may be away or slow: what cannot be written there at once waits in a file (the outbox), and a thread sends it later.
//!
//! ```text
//! write ──▶ thread ──▶ server answers within a moment
//!       └─▶ otherwise: file (durable) ──thread, with growing pauses──▶ server ──▶ removed from the file
//! ```
//! Each lap arrives once, however often it was sent: ids make a second writing the same as the first. What is newer never overtakes: while
//! anything waits, everything goes through the file, and one thread does all the writing. What the server refuses waits too, and holds up nothing else.
//! A writer waits for that thread for [`ANSWER`] at most. While the server is away, nobody but the thread asks it.

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

/// Sessions that are remembered: a lap that has to wait brings its session with it.
const REMEMBERED: usize = 32;

/// How long a writer waits for the server. Then what it writes goes into the file.
const ANSWER: Duration = Duration::from_secs(2);

/// How long the end waits for the thread, which may be waiting for the server.
const ENDING: Duration = Duration::from_secs(3);

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
    pub(super) file: SqlStore,
    pub(super) pauses: Pauses,
    pub(super) state: Mutex<State>,
    pub(super) changed: Condvar,
    /// Held while something is written, so that nothing overtakes.
    pub(super) order: Mutex<VecDeque<Session>>,
    /// Held while something of the file is on its way. Who needs both takes this one first.
    pub(super) sending: Mutex<()>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) waiting: bool,
    pub(super) stop: bool,
    pub(super) problem: Option<String>,
    /// Something came into the file since the thread looked.
    pub(super) fresh: bool,
    /// When the server was last seen to be away. It stays away until the thread has had an answer.
    pub(super) away: Option<Instant>,
    /// Something to write at once, past the file.
    pub(super) direct: Option<Direct>,
    /// The thread has ended.
    pub(super) ended: bool,
}

/// Something that the thread writes to the server while its writer waits for the answer.
pub(super) struct Direct {
    pub(super) origin: Origin,
    /// `None`: all of the tape was written.
    pub(super) writes: Option<Vec<Write>>,
    pub(super) reply: Sender<Result<Vec<Change>, StoreError>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether what failed may succeed later. What is wrong with the laps themselves stays wrong.
fn may_wait(error: &StoreError) -> bool {
    !matches!(error, StoreError::NoSession { .. } | StoreError::TooLarge { .. } | StoreError::Damaged { .. })
}

impl QueuedStore {
    /// Takes the server's URL and the path of the file. The server need not be there.
    pub fn open(url: &str, file: impl AsRef<Path>, pauses: Pauses) -> Result<Self, StoreError> {
        let server = SqlStore::postgres_later(url)?;
        let file = SqlStore::sqlite(file)?;
        let waiting = file.next_parcel(Turn::FIRST)?.is_some();
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

    /// How it stands with what waits.
    pub fn waiting(&self) -> Result<Waiting, StoreError> {
        let sessions = self.inner.file.waiting()?;
        Ok(Waiting { sessions, problem: lock(&self.inner.state).problem.clone() })
    }

    /// The name of the server.
    pub(super) fn server_name(&self) -> String {
        self.inner.server.name()
    }

    /// Asks the server something, on the caller's thread. Fails at once while the server is away.
    pub(super) fn ask<T>(&self, ask: impl FnOnce(&SqlStore) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.inner.ask(ask)
    }

    pub(super) fn write_or_queue(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
        self.inner.write(origin, writes)
    }

    pub(super) fn tracked_or_queue(&self, origin: &Origin) -> Result<(), StoreError> {
        self.inner.tracked(origin)
    }

    /// What waits of the tape is let go: it was tracked before the tape was seen as a whole, and would come over what is newer.
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
        // What waits is in the file: the next start sends it. A thread that waits for the server is left behind.
        let running = |state: &mut State| !state.ended;
        let state = lock(&self.inner.state);
        let (state, _) =
            self.inner.changed.wait_timeout_while(state, ENDING, running).unwrap_or_else(PoisonError::into_inner);
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
            let reason = state.problem.clone().unwrap_or_else(|| "it was away a moment ago".to_owned());
            return Err(StoreError::Unreachable { store: self.server.name(), reason });
        }
        drop(state);
        let done = ask(&self.server);
        self.note_whether_away(done.as_ref().err());
        done
    }

    /// A server that is there and busy with these rows is not away.
    pub(super) fn note_whether_away(&self, error: Option<&StoreError>) {
        let away = error.is_some_and(StoreError::is_unreachable) && !self.server.is_connected();
        let mut state = lock(&self.state);
        if away {
            state.problem = error.map(StoreError::to_string);
            // The thread tries from now on.
            self.changed.notify_all();
        } else if state.away.is_some() && !state.waiting {
            state.problem = None;
        }
        state.away = away.then(Instant::now);
    }

    /// Something came into the file.
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
        if let Some(done) = self.unless_it_must_wait(origin, Some(writes)) {
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
        if let Some(done) = self.unless_it_must_wait(origin, None) {
            return done.map(drop);
        }
        self.file.queue_tracked(origin)?;
        self.queued();
        Ok(())
    }

    /// What the server did; `None` if it could not within [`ANSWER`], or if something waits that came before. `order` must be held.
    fn unless_it_must_wait(
        &self,
        origin: &Origin,
        writes: Option<&[Write]>,
    ) -> Option<Result<Vec<Change>, StoreError>> {
        let (reply, answer) = channel();
        let mut state = lock(&self.state);
        if state.waiting || state.away.is_some() || state.stop {
            return None;
        }
        state.direct = Some(Direct { origin: origin.clone(), writes: writes.map(<[Write]>::to_vec), reply });
        self.changed.notify_all();
        drop(state);
        let problem = match answer.recv_timeout(ANSWER) {
            Ok(Err(error)) if may_wait(&error) => error.to_string(),
            Ok(done) => return Some(done),
            Err(_) => {
                // If the thread has it already, it arrives twice: that is the same as once.
                let mut state = lock(&self.state);
                state.direct = None;
                state.away = Some(Instant::now());
                format!("the store {} gave no answer within {} s", self.server.name(), ANSWER.as_secs())
            }
        };
        lock(&self.state).problem = Some(problem);
        None
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
