//! The thread of a [`super::QueuedStore`]: sends what waits in the file, in the order in which it came.

use std::sync::PoisonError;

use super::contract::Store;
use super::error::StoreError;
use super::outbox::{Parcel, Turn};
use super::queued_store::{Inner, State, lock};

impl Inner {
    /// The thread's work: sends what waits until it is told to stop.
    pub(super) fn send_all(&self) {
        let mut pause = self.pauses.first;
        loop {
            let mut state = lock(&self.state);
            while !state.waiting && !state.stop {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.stop {
                return;
            }
            state.fresh = false;
            drop(state);
            match self.send_what_waits() {
                Ok(()) => {
                    pause = self.pauses.first;
                    lock(&self.state).problem = None;
                }
                Err(error) => {
                    let mut state = lock(&self.state);
                    state.problem = Some(error.to_string());
                    // New laps do not shorten the pause, except for a server that answers and refuses something else.
                    let until = |state: &mut State| !state.stop && (error.is_unreachable() || !state.fresh);
                    let _ = self.changed.wait_timeout_while(state, pause, until);
                    pause = (pause * 2).min(self.pauses.longest);
                }
            }
        }
    }

    /// Sends all that waits. What the server refuses stays, and holds up nothing else.
    fn send_what_waits(&self) -> Result<(), StoreError> {
        let (mut turn, mut refused) = (Turn::FIRST, None);
        while !lock(&self.state).stop {
            let sending = lock(&self.sending);
            let Some(parcel) = self.file.next_parcel(turn)? else { break };
            let sent = match &parcel {
                Parcel::Session { origin, writes, .. } => self.server.write(origin, writes).map(drop),
                Parcel::Tracked(origin) => self.server.tracked(origin),
            };
            self.note_whether_away(sent.as_ref().err());
            turn = parcel.turn();
            match sent {
                Ok(()) => {
                    if refused.is_none() {
                        lock(&self.state).problem = None;
                    }
                    self.file.arrived(&parcel)?;
                }
                Err(error) if error.is_unreachable() && !self.server.is_connected() => return Err(error),
                Err(error) => refused = Some(error),
            }
            if refused.is_none() && matches!(parcel, Parcel::Tracked(_)) {
                turn = Turn::FIRST;
            }
            drop(sending);
        }
        // Nobody writes while this is looked at, so nothing can come between.
        let _order = lock(&self.order);
        let waiting = self.file.next_parcel(Turn::FIRST)?.is_some();
        lock(&self.state).waiting = waiting;
        refused.map_or(Ok(()), Err)
    }
}
