//! Stores laps before announcing them, so that a client that is notified of a lap finds it in the store.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use gametape_format::TapeId;

use super::{LapSink, LiveTape};
use crate::laps::{Event, TRACKER_ID, TRACKER_VERSION};
use crate::store::{Change, Origin, Store, StoreError, TrackerVersion, Write};

/// An announcement.
#[derive(Debug, Clone, Copy)]
pub enum Announced<'a> {
    /// An event happened, and whatever is stored of it is in the store.
    Happened {
        /// The event.
        event: &'a Event,
        /// Whether results of this tape are stored: `false` for recordings of a playback, unless they were requested.
        kept: bool,
    },
    /// Events happened that could not be stored. They are in the tape, which is tracked again when it is closed: see
    /// [`Announced::Ended`].
    NotStored {
        /// The events that could not be stored.
        events: &'a [Event],
        /// Why.
        error: &'a StoreError,
    },
    /// The tape has received its last frame. Its file may not be closed yet.
    Ended {
        /// Whether all results are in the store. `false` if frames were dropped or something could not be stored: the tape must be tracked
        /// again once its file is closed. Catching up does that too.
        whole: bool,
    },
}

/// Stores laps, then announces them.
pub struct KeepLaps<A> {
    store: Arc<dyn Store>,
    announce: A,
    keep_replays: bool,
    /// Tapes with events that could not be stored.
    lacking: Mutex<HashSet<TapeId>>,
}

impl<A: Fn(&LiveTape, Announced<'_>) + Send + Sync> KeepLaps<A> {
    /// Creates a sink that stores laps and then calls `announce`, on the thread that delivers events.
    pub fn new(store: Arc<dyn Store>, keep_replays: bool, announce: A) -> Self {
        Self { store, announce, keep_replays, lacking: Mutex::default() }
    }

    fn origin(&self, tape: &LiveTape) -> Origin {
        let tracker = TrackerVersion { id: TRACKER_ID.into(), version: TRACKER_VERSION };
        Origin { replay_of: tape.replay_of.clone(), keep_replays: self.keep_replays, ..Origin::new(tape.id, tracker) }
    }
}

/// Returns what to store for an event. A lap in progress is not stored: it has no result yet.
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
        Event::Standings { session, cars } => Some(Write::Cars(*session, cars.clone())),
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
        // Until this is stored, catching up treats the tape as not fully tracked.
        if whole && let Err(error) = self.store.tracked(&self.origin(tape)) {
            whole = false;
            (self.announce)(tape, Announced::NotStored { events: &[], error: &error });
        }
        (self.announce)(tape, Announced::Ended { whole });
    }
}
