//! The thread of a [`super::QueuedStore`]: performs direct writes, and sends the entries of the outbox in order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::contract::Store;
use super::error::StoreError;
use super::outbox::{OutboxEntry, Turn};
use super::queued_store::{Direct, Inner, State, lock};
use crate::sys::panic_message;

/// How often an unreachable server is probed when nothing is queued for it.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// The next step of the thread.
enum Next {
    /// A direct write that a caller waits for.
    Direct(Direct),
    /// Send the outbox.
    File,
    /// Probe whether the server is reachable again.
    Probe,
    Stop,
}

/// Backoff after a failed attempt to send the outbox.
#[derive(Clone, Copy)]
struct Pause {
    /// Time of the next attempt.
    until: Instant,
    /// Whether the server responded and refused: new laps may be accepted before `until`.
    refused: bool,
}

impl Inner {
    /// The thread's main loop: sends the outbox until it is stopped. A panic is reported as the problem, and the loop restarts after a
    /// pause.
    pub(super) fn run(&self) {
        while let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.send_all())) {
            let mut state = lock(&self.state);
            state.problem = Some(format!("the outbox failed: {}", panic_message(&*panic)));
            let waits = |state: &mut State| !state.stop;
            let waited = self.changed.wait_timeout_while(state, self.pauses.longest, waits);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
        lock(&self.state).ended = true;
        self.changed.notify_all();
    }

    fn send_all(&self) {
        let (mut length, mut pause) = (self.pauses.first, None);
        loop {
            match self.next(pause) {
                Next::Stop => break,
                Next::Probe => {
                    let ready = self.server.ready();
                    self.note_whether_away(ready.as_ref().err());
                }
                Next::Direct(Direct { origin, writes, reply }) => {
                    let done = match writes {
                        Some(writes) => self.server.write(&origin, &writes),
                        None => self.server.tracked(&origin).map(|()| Vec::new()),
                    };
                    self.note_whether_away(done.as_ref().err());
                    // The caller may have timed out. It has then queued the write in the outbox.
                    let _ = reply.send(done);
                }
                Next::File => match self.send_outbox() {
                    Ok(()) => {
                        (length, pause) = (self.pauses.first, None);
                        lock(&self.state).problem = None;
                    }
                    Err(error) => {
                        lock(&self.state).problem = Some(error.to_string());
                        pause = Some(Pause { until: Instant::now() + length, refused: !error.is_unreachable() });
                        length = (length * 2).min(self.pauses.longest);
                    }
                },
            }
        }
    }

    /// Waits for the next step.
    fn next(&self, pause: Option<Pause>) -> Next {
        let mut state = lock(&self.state);
        loop {
            if state.stop {
                return Next::Stop;
            }
            if let Some(direct) = state.direct.take() {
                return Next::Direct(direct);
            }
            let now = Instant::now();
            // New laps do not shorten the backoff, unless the server responds and has refused other entries.
            let send_at = pause.filter(|pause| !(pause.refused && state.fresh)).map_or(now, |pause| pause.until);
            if state.waiting && send_at <= now {
                state.fresh = false;
                return Next::File;
            }
            let probe_at = state.away.map(|since| since + TRY_AGAIN);
            if probe_at.is_some_and(|at| at <= now) {
                return Next::Probe;
            }
            let due = state.waiting.then_some(send_at).into_iter().chain(probe_at).min();
            state = match due {
                Some(due) => self.changed.wait_timeout(state, due - now).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Sends all entries of the outbox. Entries that the server refuses stay, and do not block the others.
    fn send_outbox(&self) -> Result<(), StoreError> {
        let (mut turn, mut refused) = (Turn::FIRST, None);
        while !lock(&self.state).stop {
            let sending = lock(&self.sending);
            let Some(entry) = self.file.next_entry(turn)? else { break };
            let sent = match &entry {
                OutboxEntry::Session { origin, writes, .. } => self.server.write(origin, writes).map(drop),
                OutboxEntry::Tracked(origin) => self.server.tracked(origin),
            };
            self.note_whether_away(sent.as_ref().err());
            turn = entry.turn();
            match sent {
                Ok(()) => {
                    if refused.is_none() {
                        lock(&self.state).problem = None;
                    }
                    self.file.arrived(&entry)?;
                }
                Err(error) if error.is_unreachable() && !self.server.is_connected() => return Err(error),
                Err(error) => refused = Some(error),
            }
            if refused.is_none() && matches!(entry, OutboxEntry::Tracked(_)) {
                turn = Turn::FIRST;
            }
            drop(sending);
        }
        // Holding `order` keeps writers from queueing between this check and the update of the state.
        let _order = lock(&self.order);
        let waiting = self.file.next_entry(Turn::FIRST)?.is_some();
        lock(&self.state).waiting = waiting;
        refused.map_or(Ok(()), Err)
    }
}
