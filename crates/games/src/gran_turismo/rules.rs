//! Game state from the newest packet.
use super::cipher;
use super::decode::GranTurismoDecoder;
use super::laps::GranTurismoLaps;
use super::packet::Packet;
use super::requests::HeartbeatProtocol;
use crate::assetto_corsa::family::Fnv;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::requests::RequestProtocol;
use crate::sample::Decode;

/// The [`Rules`] of a game with these requests and packet kinds.
#[derive(Debug)]
pub(super) struct GranTurismoRules {
    pub(super) requests: HeartbeatProtocol,
}

impl Rules for GranTurismoRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        Packet::newest(seen).map_or(Presence::Off, Packet::presence)
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        Packet::newest(seen)?.id().map(i64::from)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        // No other game's datagrams can be decrypted.
        Packet::newest(seen).map(|_| true)
    }

    fn datagram(&self, datagram: &[u8], plain: &mut Vec<u8>) -> Option<&'static str> {
        cipher::decrypt(self.requests.kinds, datagram, plain)
    }

    fn sent_datagram(&self, stream: &str, frame: &[u8], datagram: &mut Vec<u8>) {
        if let Some(kind) = self.requests.kinds.iter().find(|kind| kind.stream == stream) {
            datagram.extend_from_slice(frame);
            kind.apply(datagram);
        }
    }

    fn requests(&self) -> Option<&dyn RequestProtocol> {
        Some(&self.requests)
    }

    /// There is no session id. Sessions that follow each other usually differ in the car or in the number of laps; if they do not, the gap while
    /// the game loads separates them.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let packet = Packet::newest(seen)?;
        if !matches!(packet.presence(), Presence::Live | Presence::Paused) || packet.lap().is_none() {
            return None;
        }
        let (car, laps) = (packet.car_code()?, packet.total_laps().unwrap_or(0));
        Some(Fnv::of(&[&car.to_le_bytes(), &laps.to_le_bytes()]))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let packet = Packet::newest(seen).filter(|packet| packet.presence() != Presence::Off);
        About { car: packet.and_then(Packet::car_code).map(car_name), ..About::default() }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(GranTurismoDecoder)
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(GranTurismoLaps::default())
    }
}

/// Names a car by its code: the game sends no names.
pub(super) fn car_name(code: i32) -> String {
    format!("car {code}")
}
