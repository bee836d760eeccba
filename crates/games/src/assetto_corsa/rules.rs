//! Game state from the pages.
use super::decode::AcDecoder;
use super::family::{self, Member};
use super::laps::AcLaps;
use super::unnamed;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;

#[derive(Debug)]
pub(crate) struct AcRules;

impl Rules for AcRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        family::presence(seen)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        family::which(seen).map(|member| member == Member::AssettoCorsa)
    }

    fn stream_of(&self, _section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        unnamed::stream_of(front)
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        family::counter(seen)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        family::session_key(seen, 0)
    }

    fn about(&self, seen: Seen<'_>) -> About {
        family::about(seen)
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(AcDecoder::default())
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(AcLaps::default())
    }
}
