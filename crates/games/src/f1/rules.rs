//! What the packets reveal about the game. Cars and laps are not decoded yet.
use crate::bytes::array_at;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::{NoLaps, ReadLaps};
use crate::sample::{Decode, NoSamples};

/// The [`Rules`] of one packet format.
#[derive(Debug)]
pub(super) struct F1Rules {
    pub(super) format: u16,
}

impl Rules for F1Rules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        if self.session_key(seen).is_none() {
            return Presence::Off;
        }
        let paused = seen.stream("session").and_then(|frame| frame.integer("gamePaused"));
        if paused == Some(1) { Presence::Paused } else { Presence::Live }
    }

    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        let (format, id) = super::format_and_packet_id(datagram)?;
        let layout = super::packet_layout(format, id).filter(|_| format == self.format)?;
        (layout.frame_bytes() as usize == datagram.len()).then(|| super::packet_name(id)).flatten()
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        let format = seen.0.iter().find_map(|frame| array_at(frame.bytes, 0))?;
        Some(u16::from_le_bytes(format) == self.format)
    }

    /// The session UID, which is 0 in the menus.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let uid = |frame: &crate::SeenFrame<'_>| {
            let at = frame.layout.channel("sessionUID")?.offset;
            array_at(frame.bytes, at as usize).map(u64::from_le_bytes)
        };
        seen.0.iter().filter_map(uid).find(|uid| *uid != 0)
    }

    fn about(&self, _: Seen<'_>) -> About {
        About::default()
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(NoSamples)
    }

    fn has_laps(&self) -> bool {
        false
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::<NoLaps>::default()
    }
}
