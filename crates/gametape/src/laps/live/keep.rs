//! Into the store first, and only then announced: who hears of a lap can rely on it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use gametape_format::TapeId;

use super::{LapSink, LiveTape};
use crate::laps::{Event, TRACKER_ID, TRACKER_VERSION};
use crate::store::{Change, Origin, Store, StoreError, Tracker, Write};

/// What is announced.
#[derive(Debug, Clone, Copy)]
pub enum Announced<'a> {
    /// It happened, and what is to be kept of it is in the store; `kept` says whether anything of this tape is.
    Happened {
        /// What.
        event: &'a Event,
        /// `false` for recordings of a playback, unless that was asked for.
        kept: bool,
    },
    /// It happened and could not be stored. The tape has it, and is tracked again when it is closed: see [`Announced::Ended`].
    NotStored {
        /// What could not be stored.
        events: &'a [Event],
        /// Why.
        error: &'a StoreError,
    },
    /// The tape has got its last frame. Its file may not be closed yet.
    Ended {
        /// All that is to be kept is in the store. `false` if frames were skipped or something could not be stored: the tape is to be
        /// tracked again once its file is closed, and catching up does that too.
        whole: bool,
    },
}

/// Stores laps, then announces them.
pub struct KeepLaps<A> {
    store: Arc<dyn Store>,
    announce: A,
    keep_replays: bool,
    /// Tapes of which something could not be stored.
    lacking: Mutex<HashSet<TapeId>>,
}

impl<A: Fn(&LiveTape, Announced<'_>) + Send + Sync> KeepLaps<A> {
    /// `announce` is called on the tracking thread.
    pub fn new(store: Arc<dyn Store>, keep_replays: bool, announce: A) -> Self {
        Self { store, announce, keep_replays, lacking: Mutex::default() }
    }

    fn origin(&self, tape: &LiveTape) -> Origin {
        let tracker = Tracker { id: TRACKER_ID.into(), version: TRACKER_VERSION };
        Origin { replay_of: tape.replay_of.clone(), keep_replays: self.keep_replays, ..Origin::new(tape.id, tracker) }
    }
}

/// What of an event is to be kept. A lap that is still driven is not: it has no result.
fn write_of(event: &Event) -> Option<Write> {
    match event {
        Event::SessionOpened(session) | Event::SessionChanged(session) | Event::SessionClosed(session) => {
            Some(Write::Session(session.clone()))
        }
        Event::StintOpened { session, stint } | Event::StintClosed { session, stint } => {
            Some(Write::Stint(*session, stint.clone()))
        }
        Event::LapProvisional(lap) | Event::LapFinal(lap) | Event::LapAborted(lap) | Event::LapAmended(lap) => {
            Some(Write::Lap(lap.clone()))
        }
        Event::TrackLearned(facts) => Some(Write::Track(facts.clone())),
        Event::LapOpened(_)
        | Event::SectorClosed { .. }
        | Event::BestChanged { .. }
        | Event::ConditionsChanged { .. } => None,
    }
}

impl<A: Fn(&LiveTape, Announced<'_>) + Send + Sync> LapSink for KeepLaps<A> {
    fn events(&self, tape: &LiveTape, events: Vec<Event>) {
        let writes: Vec<Write> = events.iter().filter_map(write_of).collect();
        let stored = if writes.is_empty() { Ok(Vec::new()) } else { self.store.write(&self.origin(tape), &writes) };
        match stored {
            Ok(changes) => {
                let kept = !self.origin(tape).is_left_out() && !changes.contains(&Change::LeftOut);
                events.iter().for_each(|event| (self.announce)(tape, Announced::Happened { event, kept }));
            }
            Err(error) => {
                self.lacking.lock().unwrap_or_else(PoisonError::into_inner).insert(tape.id);
                (self.announce)(tape, Announced::NotStored { events: &events, error: &error });
            }
        }
    }

    fn end(&self, tape: &LiveTape, skipped: u64) {
        let lacking = self.lacking.lock().unwrap_or_else(PoisonError::into_inner).remove(&tape.id);
        let mut whole = skipped == 0 && !lacking;
        // Until this is noted, whoever looks through tapes finds that nobody has seen all of this one.
        if whole && let Err(error) = self.store.tracked(&self.origin(tape)) {
            whole = false;
            (self.announce)(tape, Announced::NotStored { events: &[], error: &error });
        }
        (self.announce)(tape, Announced::Ended { whole });
    }
}
