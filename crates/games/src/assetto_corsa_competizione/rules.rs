//! Game state from the pages.
use super::decode::AccDecoder;
use super::laps::AccLaps;
use crate::ac::{Member, family, unnamed};
use crate::bytes::i32_at;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;

/// Offset of `sessionIndex` in the graphics page. The index increases with each session of a weekend.
const SESSION_INDEX: usize = 1320;

#[derive(Debug)]
pub(super) struct AccRules;

impl Rules for AccRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        family::presence(seen)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        family::which(seen).map(|member| member == Member::Competizione)
    }

    fn stream_of(&self, _section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        unnamed::stream_of(front)
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        family::counter(seen)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let index = i32_at(family::page(seen, "graphics"), SESSION_INDEX).unwrap_or_default();
        family::session_key(seen, index)
    }

    fn about(&self, seen: Seen<'_>) -> About {
        family::about(seen)
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(AccDecoder)
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(AccLaps::default())
    }
}
