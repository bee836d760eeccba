//! Game state from the newest datagram.
use super::TELEMETRY;
use super::decode::DirtDecoder;
use super::laps::DirtLaps;
use super::packet::{Packet, TOTAL_TIME};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;

#[derive(Debug)]
pub(crate) struct DirtRules;

fn packet(seen: Seen<'_>) -> Option<Packet<'_>> {
    Packet::of(seen.stream(TELEMETRY.name)?.bytes)
}

impl Rules for DirtRules {
    /// A pause can only be detected by comparison with earlier packets, so it is reported as live here.
    fn presence(&self, seen: Seen<'_>) -> Presence {
        if packet(seen).is_some_and(Packet::is_race) { Presence::Live } else { Presence::Off }
    }

    /// The time since the stage was loaded, which also advances while the game is paused.
    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        packet(seen)?.get(TOTAL_TIME).map(|seconds| (f64::from(seconds) * 1000.0) as i64)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        seen.stream(TELEMETRY.name).map(|frame| Packet::of(frame.bytes).is_some_and(Packet::is_certain))
    }

    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        Packet::of(datagram).filter(|packet| packet.is_certain()).map(|_| TELEMETRY.name)
    }

    /// Track and car. Another run over the same stage has the same key: nothing in a packet distinguishes them.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let packet = packet(seen).filter(|packet| packet.is_race())?;
        let [highest, idle, gears] = packet.car().unwrap_or_default();
        let parts = [packet.track_m().unwrap_or_default(), highest, idle, gears];
        Some(
            parts.into_iter().fold(0, |key, part| {
                (key ^ u64::from(part.to_bits())).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
            }),
        )
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let Some(packet) = packet(seen).filter(|packet| packet.is_race()) else { return About::default() };
        About { car: packet.car().map(car_text), track: packet.track_m().map(track_text), ..About::default() }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(DirtDecoder::default())
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(DirtLaps::default())
    }
}

/// Returns a description of the car: the games report no name.
pub(super) fn car_text([highest, idle, gears]: [f32; 3]) -> String {
    format!("{highest:.0} rpm, idle {idle:.0} rpm, {gears:.0} gears")
}

/// Returns a description of the track: its length, because the games report no name.
pub(super) fn track_text(metres: f32) -> String {
    format!("{metres:.2} m")
}
