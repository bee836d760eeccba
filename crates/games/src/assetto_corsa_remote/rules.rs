//! Game state from the newest messages.
use super::decode::RemoteDecoder;
use super::laps::RemoteLaps;
use super::requests::HandshakeProtocol;
use super::{CAR, HANDSHAKE, LAP};
use crate::assetto_corsa::family::Fnv;
use crate::bytes::i32_at;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::requests::RequestProtocol;
use crate::sample::Decode;
use crate::text::utf16le_text;

/// Text fields of the answer to a handshake.
pub(super) const CAR_NAME: usize = 0;
pub(super) const DRIVER_NAME: usize = 100;
pub(super) const TRACK_NAME: usize = 208;
pub(super) const TRACK_CONFIG: usize = 308;
/// Length of all text fields.
const TEXT_BYTES: usize = 100;
/// Identifier of the game in the answer to a handshake.
pub(super) const GAME_IDENTIFIER: i32 = 4242;

#[derive(Debug)]
pub(crate) struct RemoteRules;

impl Rules for RemoteRules {
    /// There is no sign for pauses, replays or menus. Without a session, the game sends nothing.
    fn presence(&self, seen: Seen<'_>) -> Presence {
        let is_driving = seen.stream(CAR).is_some_and(|frame| is_car(frame.bytes));
        if is_driving { Presence::Live } else { Presence::Off }
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        (!seen.0.is_empty()).then_some(true)
    }

    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        match datagram.len() {
            328 if is_car(datagram) => Some(CAR),
            408 if is_handshake(datagram) => Some(HANDSHAKE),
            212 if is_lap(datagram) => Some(LAP),
            _ => None,
        }
    }

    fn requests(&self) -> Option<&dyn RequestProtocol> {
        Some(&HandshakeProtocol)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let names = seen.stream(HANDSHAKE).filter(|_| self.presence(seen) != Presence::Off)?.bytes;
        let [car, track, config] = [CAR_NAME, TRACK_NAME, TRACK_CONFIG].map(|at| units(names, at));
        (!car.is_empty() && !track.is_empty()).then(|| Fnv::of(&[car, track, config]))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let name = |at| seen.stream(HANDSHAKE).and_then(|frame| text(frame.bytes, at));
        About { car: name(CAR_NAME), track: name(TRACK_NAME), track_layout: name(TRACK_CONFIG), ..About::default() }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(RemoteDecoder)
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(RemoteLaps::default())
    }
}

/// Returns whether the bytes are an update of the car. They begin with a letter and their length.
pub(super) fn is_car(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'a') && i32_at(bytes, 4) == Some(328)
}

fn is_handshake(bytes: &[u8]) -> bool {
    let texts = [CAR_NAME, DRIVER_NAME, TRACK_NAME, TRACK_CONFIG];
    i32_at(bytes, 200) == Some(GAME_IDENTIFIER) && texts.iter().all(|at| is_text(bytes, *at))
}

fn is_lap(bytes: &[u8]) -> bool {
    let within = |at, most: i32| i32_at(bytes, at).is_some_and(|number| (0..=most).contains(&number));
    let names = [8, 108].iter().all(|at| is_text(bytes, *at) && !units(bytes, *at).is_empty());
    within(0, 10_000) && within(4, 100_000) && within(208, i32::MAX) && names
}

/// Returns the bytes of a text: up to NUL or `%`.
fn units(bytes: &[u8], at: usize) -> &[u8] {
    let field = bytes.get(at..at + TEXT_BYTES).unwrap_or_default();
    let used = field.as_chunks::<2>().0.iter().take_while(|unit| !matches!(**unit, [0 | b'%', 0])).count();
    field.get(..used * 2).unwrap_or_default()
}

/// Returns whether a field has the end of a text, and no control characters before it.
fn is_text(bytes: &[u8], at: usize) -> bool {
    let text = units(bytes, at);
    text.len() < TEXT_BYTES && text.as_chunks::<2>().0.iter().all(|unit| u16::from_le_bytes(*unit) >= 0x20)
}

pub(super) fn text(bytes: &[u8], at: usize) -> Option<String> {
    Some(utf16le_text(units(bytes, at)).trim().to_owned()).filter(|text| !text.is_empty())
}
