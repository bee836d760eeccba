//! Follows consecutive responses of `/session`: which match it is, its facts, and the events in it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_games::Presence;
use gametape_games::echo_vr::{EventDetector, SessionFacts, State, session_id, session_key};

use super::hand_over::{MatchFacts, What};

/// Interval at which the facts of a match are read. The game may report them a little late.
const FACTS_EVERY: Duration = Duration::from_secs(1);

/// The state of the current match.
#[derive(Default)]
pub(super) struct MatchWatch {
    id: Vec<u8>,
    hint: usize,
    told: Arc<MatchFacts>,
    read_facts: Option<Instant>,
    state: State,
    detector: EventDetector,
}

impl MatchWatch {
    /// Handles a response of a match.
    pub(super) fn see(&mut self, body: Vec<u8>, played: Option<String>, at: Instant) -> What {
        let id = session_id(&body, &mut self.hint).unwrap_or_default();
        if id != self.id {
            self.id = id.to_vec();
            self.begin_anew();
        }
        let facts_are_old = |read: Instant| at.saturating_duration_since(read) >= FACTS_EVERY;
        if self.read_facts.is_none_or(facts_are_old) || played != self.told.played {
            self.read_facts = Some(at);
            let told = MatchFacts { facts: SessionFacts::read(&body), played };
            if told != *self.told {
                self.told = Arc::new(told);
            }
        }
        let mut events = Vec::new();
        let mut presence = Presence::Live;
        if self.state.read(&body) {
            if self.state.is_paused() {
                presence = Presence::Paused;
            }
            self.detector.see(&mut self.state, &mut events);
        }
        What::Match { body, key: session_key(&self.id), presence, told: Arc::clone(&self.told), events }
    }

    /// Starts over because a new tape begins. The initial state is not an event.
    pub(super) fn begin_anew(&mut self) {
        self.detector = EventDetector::default();
        self.read_facts = None;
    }
}
