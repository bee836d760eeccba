//! Game state from the newest datagram.
use super::decode::ForzaDecoder;
use super::laps::ForzaLaps;
use super::names::{car_text, track_name};
use super::packet::Packet;
use super::{DATA_OUT, Series};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;

/// The [`Rules`] of one series.
#[derive(Debug)]
pub(super) struct ForzaRules {
    pub(super) series: Series,
}

impl ForzaRules {
    fn packet<'a>(&self, seen: Seen<'a>) -> Option<Packet<'a>> {
        Packet::of(self.series, seen.stream(DATA_OUT)?.bytes)
    }
}

impl Rules for ForzaRules {
    /// A frame with `IsRaceOn` 0 is a pause: in the menus the games mostly send nothing.
    fn presence(&self, seen: Seen<'_>) -> Presence {
        match self.packet(seen).map(Packet::is_race_on) {
            Some(true) => Presence::Live,
            Some(false) => Presence::Paused,
            None => Presence::Off,
        }
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        self.packet(seen).map(|packet| packet.timestamp_ms().into())
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        seen.stream(DATA_OUT).map(|frame| Packet::of(self.series, frame.bytes).is_some_and(Packet::is_certain))
    }

    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        Packet::of(self.series, datagram).filter(|packet| packet.is_certain()).map(|_| DATA_OUT)
    }

    /// Car and track: the game has no session id. `None` outside events and in pause frames, which have no values.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let packet = self.packet(seen).filter(|packet| packet.is_race_on() && packet.is_event())?;
        let (car, track) = (packet.car()?, packet.track().unwrap_or(-1));
        let key = [car.ordinal, car.class, car.performance, track];
        Some(key.into_iter().fold(0, |key, part| {
            (key ^ u64::from(part.cast_unsigned())).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
        }))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let Some(packet) = self.packet(seen) else { return About::default() };
        let number = packet.track();
        let name = number.and_then(track_name);
        About {
            car: packet.car().map(|car| car_text(self.series, car)),
            track: name.map(|name| name.track.to_owned()).or(number.map(|number| format!("track {number}"))),
            track_layout: name.map(|name| name.layout.to_owned()),
            ..About::default()
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(ForzaDecoder::new(self.series))
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(ForzaLaps::new(self.series))
    }
}
