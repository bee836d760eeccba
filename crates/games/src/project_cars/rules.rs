//! Game state from the newest packets.
use super::cars::ProjectCarsCars;
use super::decode::ProjectCarsDecoder;
use super::laps::ProjectCarsLaps;
use super::states::{are_texts, session_name, session_of, text};
use super::telemetry::{MOST_PARTICIPANTS, Telemetry};
use super::{MORE_PARTICIPANTS, PARTICIPANTS, TELEMETRY};
use crate::assetto_corsa::family::Fnv;
use crate::automobilista_2::memory::{self, SHARED_MEMORY, beside_packets};
use crate::bytes::array_at;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;
use crate::standings::ReadStandings;
use crate::text::chars;

/// Text fields of the participants packet, each of 64 bytes.
pub(super) const CAR: std::ops::Range<usize> = 3..67;
pub(super) const CAR_CLASS: std::ops::Range<usize> = 67..131;
pub(super) const TRACK: std::ops::Range<usize> = 131..195;
pub(super) const TRACK_VARIATION: std::ops::Range<usize> = 195..259;

#[derive(Debug)]
pub(crate) struct ProjectCarsRules;

/// Returns whether the frames are those of shared memory. A source passes either these or datagrams.
fn is_memory(seen: Seen<'_>) -> bool {
    seen.stream(SHARED_MEMORY).is_some()
}

impl Rules for ProjectCarsRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        if is_memory(seen) {
            return memory::presence(seen);
        }
        Telemetry::newest(seen).map_or(Presence::Off, Telemetry::presence)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        if is_memory(seen) {
            return memory::is_it(seen);
        }
        Telemetry::newest(seen).map(|_| true)
    }

    fn stream_of(&self, section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        memory::first_game_stream(section_bytes, front)
    }

    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        // F1 2019 sends 1347 bytes whose third byte is also 1: the contents have to be plausible, too.
        match (datagram.len(), datagram.get(2)? & 0x3) {
            (1367, 0) if is_telemetry(Telemetry(datagram)) => Some(TELEMETRY),
            (1347, 1) if are_texts(datagram.get(3..1283), 64) => Some(PARTICIPANTS),
            (1028, 2) if are_texts(datagram.get(4..1028), 64) => Some(MORE_PARTICIPANTS),
            _ => None,
        }
    }

    /// There is no session id: sessions of a weekend differ in their kind, and others in car or track.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        if is_memory(seen) {
            return memory::session_key(seen);
        }
        let telemetry = Telemetry::newest(seen).filter(|telemetry| telemetry.presence() != Presence::Off)?;
        let session = telemetry.session_state().and_then(session_of)?;
        let names = seen.stream(PARTICIPANTS)?.bytes;
        let [car, track, variation] = [CAR, TRACK, TRACK_VARIATION].map(|at| chars(names.get(at).unwrap_or_default()));
        (!track.is_empty()).then(|| Fnv::of(&[&[session], car, track, variation]))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        if is_memory(seen) {
            return memory::about(seen);
        }
        let telemetry = Telemetry::newest(seen);
        let running = telemetry.filter(|telemetry| telemetry.presence() != Presence::Off);
        let names = seen.stream(PARTICIPANTS).filter(|_| running.is_some());
        let name = |at| names.and_then(|frame| text(frame.bytes.get(at)));
        About {
            game_version: telemetry.and_then(build),
            car: name(CAR),
            track: name(TRACK),
            track_layout: name(TRACK_VARIATION),
            session: running.and_then(Telemetry::session_state).and_then(session_name).map(str::to_owned),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(beside_packets::decoder(ProjectCarsDecoder))
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(beside_packets::laps(ProjectCarsLaps::default()))
    }

    fn standings(&self) -> Option<Box<dyn ReadStandings>> {
        Some(Box::new(beside_packets::standings(ProjectCarsCars::default())))
    }
}

/// Returns the build number as text.
pub(super) fn build(telemetry: Telemetry<'_>) -> Option<String> {
    array_at(telemetry.0, 0).map(|bytes| format!("build {}", u16::from_le_bytes(bytes)))
}

/// Returns whether the values that have a narrow range are in it.
fn is_telemetry(packet: Telemetry<'_>) -> bool {
    let most = i8::try_from(MOST_PARTICIPANTS).unwrap_or(i8::MAX);
    let count = packet.u8(5).map_or(i8::MAX, u8::cast_signed);
    let viewed = packet.u8(4).map_or(i8::MAX, u8::cast_signed);
    let within =
        |at, range: std::ops::RangeInclusive<f32>| packet.f32(at).is_some_and(|number| range.contains(&number));
    (-1..=most).contains(&count)
        && (-1..most).contains(&viewed)
        && within(116, -1.0..=1.5)
        && within(120, -1.0..=1_000.0)
        && within(1360, -1.0..=1_000_000.0)
}
