//! Game state from the pages, of which the game only fills one.
use super::decode::RallyDecoder;
use super::laps::RallyLaps;
use crate::ac::{family, unnamed};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;

/// Longer than any known game of the family takes from its first physics step to its first graphics page.
const BELIEVED_AFTER_NS: u64 = 2_000_000_000;

#[derive(Debug)]
pub(crate) struct RallyRules;

impl Rules for RallyRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        if family::physics_only(seen) == Some(true) { Presence::Live } else { Presence::Off }
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        family::physics_only(seen)
    }

    fn believed_after_ns(&self) -> u64 {
        BELIEVED_AFTER_NS
    }

    fn stream_of(&self, _section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        unnamed::stream_of(front)
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        family::counter(seen)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        family::names_key(seen).filter(|_| self.presence(seen) != Presence::Off)
    }

    fn about(&self, seen: Seen<'_>) -> About {
        // The session type would be the zero of an unwritten page.
        About { session: None, ..family::about(seen) }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(RallyDecoder)
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(RallyLaps::default())
    }
}
