//! Game state from the pages or, without them, from broadcast messages. A source passes frames of one of the two.
use super::broadcast::{self, BroadcastProtocol, BroadcastStandings};
use super::decode::AccDecoder;
use super::laps::AccLaps;
use crate::ac::{Member, family, unnamed};
use crate::bytes::i32_at;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::requests::RequestProtocol;
use crate::sample::Decode;
use crate::standings::ReadStandings;

/// Offset of `sessionIndex` in the graphics page. The index increases with each session of a weekend.
const SESSION_INDEX: usize = 1320;

#[derive(Debug)]
pub(crate) struct AccRules;

impl Rules for AccRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        if broadcast::is_broadcast(seen) { broadcast::presence(seen) } else { family::presence(seen) }
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        family::which(seen).map(|member| member == Member::Competizione)
    }

    fn stream_of(&self, _section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        unnamed::stream_of(front)
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        if broadcast::is_broadcast(seen) { broadcast::counter(seen) } else { family::counter(seen) }
    }

    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        broadcast::stream_of(datagram)
    }

    fn requests(&self) -> Option<&dyn RequestProtocol> {
        Some(&BroadcastProtocol)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        if broadcast::is_broadcast(seen) {
            return broadcast::session_key(seen);
        }
        let index = i32_at(family::page(seen, "graphics"), SESSION_INDEX).unwrap_or_default();
        family::session_key(seen, index)
    }

    fn about(&self, seen: Seen<'_>) -> About {
        if broadcast::is_broadcast(seen) { broadcast::about(seen) } else { family::about(seen) }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(AccDecoder)
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(AccLaps::default())
    }

    fn standings(&self) -> Option<Box<dyn ReadStandings>> {
        Some(Box::<BroadcastStandings>::default())
    }
}
