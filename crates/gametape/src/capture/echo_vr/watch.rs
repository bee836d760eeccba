//! What answers to `/session` say one after the other: which match, since when, and what happens in it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_games::Presence;
use gametape_games::echo_vr::{EventDetector, SessionFacts, State, session_id, session_key};

use super::hand_over::{Told, What};

/// What a match is called may be said a little later: it is looked up this often.
const FACTS_EVERY: Duration = Duration::from_secs(1);

/// Remembers the match.
#[derive(Default)]
pub(super) struct MatchWatch {
    id: Vec<u8>,
    hint: usize,
    told: Arc<Told>,
    read_facts: Option<Instant>,
    state: State,
    detector: EventDetector,
}

impl MatchWatch {
    /// Takes an answer of a match.
    pub(super) fn see(&mut self, body: Vec<u8>, played: Option<String>, at: Instant) -> What {
        let id = session_id(&body, &mut self.hint).unwrap_or_default();
        if id != self.id {
            self.id = id.to_vec();
            self.begin_anew();
        }
        let facts_are_old = |read: Instant| at.saturating_duration_since(read) >= FACTS_EVERY;
        if self.read_facts.is_none_or(facts_are_old) || played != self.told.played {
            self.read_facts = Some(at);
            let told = Told { facts: SessionFacts::read(&body), played };
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

    /// What comes next begins a tape: where things stand then is no event.
    pub(super) fn begin_anew(&mut self) {
        self.detector = EventDetector::default();
        self.read_facts = None;
    }
}
