//! Game state from the newest packets.
use super::cars::Automobilista2Cars;
use super::decode::Automobilista2Decoder;
use super::laps::Automobilista2Laps;
use super::memory::{self, SHARED_MEMORY, beside_packets};
use super::stats::Names;
use super::telemetry::Telemetry;
use super::timings::{GameState, Timings, presence};
use super::{GAME_STATE, PARTICIPANTS, RACE_DEFINITION, TELEMETRY, TIME_STATS, TIMINGS, VEHICLE_CLASSES, VEHICLES};
use crate::assetto_corsa::family::Fnv;
use crate::bytes::{array_at, f32_at};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::project_cars::states::{are_texts, session_name, session_of, text};
use crate::sample::Decode;
use crate::standings::ReadStandings;
use crate::text::chars;

/// Text fields of the race definition.
pub(super) const TRACK: std::ops::Range<usize> = 48..112;
pub(super) const TRACK_VARIATION: std::ops::Range<usize> = 112..176;

#[derive(Debug)]
pub(crate) struct Automobilista2Rules;

/// Returns whether the frames are those of shared memory. A source passes either these or datagrams.
fn is_memory(seen: Seen<'_>) -> bool {
    seen.stream(SHARED_MEMORY).is_some()
}

impl Rules for Automobilista2Rules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        if is_memory(seen) {
            return memory::presence(seen);
        }
        presence(GameState::newest(seen), Timings::newest(seen))
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        if is_memory(seen) {
            return memory::counter(seen);
        }
        let numbers = seen.0.iter().filter_map(|frame| array_at(frame.bytes, 0).map(u32::from_le_bytes));
        numbers.max().map(i64::from)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        if is_memory(seen) {
            return memory::is_it(seen);
        }
        (!seen.0.is_empty()).then_some(true)
    }

    fn frame_bytes(&self, stream: &str, page: &[u8]) -> Option<u32> {
        (stream == SHARED_MEMORY).then(|| memory::frame_bytes(page)).flatten()
    }

    fn stream_of(&self, section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        memory::stream_of(section_bytes, front)
    }

    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        let [index, parts, packet_type, _version] = array_at(datagram, 8)?;
        if index == 0 || index > parts {
            return None;
        }
        // Other games send datagrams of the same lengths: the contents have to be plausible, too.
        match (packet_type, datagram.len()) {
            (0, 538 | 555 | 556 | 559) if is_telemetry(datagram) => Some(TELEMETRY),
            (1, 308) if is_time(datagram, 44) && are_texts(datagram.get(48..304), 64) => Some(RACE_DEFINITION),
            (2, 1136) if are_texts(datagram.get(16..1040), 64) => Some(PARTICIPANTS),
            (3, 1059 | 1063) if is_count(datagram) && is_time(datagram, 17) => Some(TIMINGS),
            (4, 24) if is_game_state(datagram) => Some(GAME_STATE),
            (7, 1040) if [16, 20, 24, 28, 32, 36].iter().all(|at| is_time(datagram, *at)) => Some(TIME_STATS),
            (8, 1164) if Names::is_vehicles(datagram) => Some(VEHICLES),
            (8, 1452) if Names::is_classes(datagram) => Some(VEHICLE_CLASSES),
            _ => None,
        }
    }

    /// There is no session id: sessions of a weekend differ in their kind, and others in the track.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        if is_memory(seen) {
            return memory::session_key(seen);
        }
        let session = GameState::newest(seen).and_then(GameState::session).and_then(session_of)?;
        let definition = seen.stream(RACE_DEFINITION).filter(|_| self.presence(seen) != Presence::Off)?.bytes;
        let [track, variation] = [TRACK, TRACK_VARIATION].map(|at| chars(definition.get(at).unwrap_or_default()));
        (!track.is_empty()).then(|| Fnv::of(&[&[session], track, variation]))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        if is_memory(seen) {
            return memory::about(seen);
        }
        let state = GameState::newest(seen);
        let running = self.presence(seen) != Presence::Off;
        let definition = seen.stream(RACE_DEFINITION).filter(|_| running);
        let session = state.filter(|_| running).and_then(GameState::session).and_then(session_name);
        About {
            game_version: state.and_then(GameState::build).map(build_name),
            car: own_car(seen).filter(|_| running),
            track: definition.and_then(|frame| text(frame.bytes.get(TRACK))),
            track_layout: definition.and_then(|frame| text(frame.bytes.get(TRACK_VARIATION))),
            session: session.map(str::to_owned),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(beside_packets::decoder(Automobilista2Decoder::default()))
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(beside_packets::laps(Automobilista2Laps::default()))
    }

    fn standings(&self) -> Option<Box<dyn ReadStandings>> {
        Some(Box::new(beside_packets::standings(Automobilista2Cars::default())))
    }
}

/// Names a version of the game.
pub(super) fn build_name(build: u16) -> String {
    format!("build {build}")
}

/// Returns the name of the player's car.
fn own_car(seen: Seen<'_>) -> Option<String> {
    let mut names = Names::default();
    names.vehicles(seen.stream(VEHICLES)?.bytes);
    let viewed = seen.stream(TELEMETRY).and_then(|frame| Telemetry(frame.bytes).viewed());
    let (_, timing) = Timings::newest(seen)?.local(viewed)?;
    names.car(timing.participant()?, timing.car_index()).0
}

/// Returns whether a number may be a time, a length or a sentinel.
fn is_time(datagram: &[u8], at: usize) -> bool {
    f32_at(datagram, at).is_some_and(|number| (-1_000.0..1_000_000.0).contains(&number))
}

fn is_count(datagram: &[u8]) -> bool {
    datagram.get(12).is_some_and(|count| (-1..=32).contains(&count.cast_signed()))
}

fn is_telemetry(datagram: &[u8]) -> bool {
    let packet = Telemetry(datagram);
    let within =
        |at, range: std::ops::RangeInclusive<f32>| packet.f32(at).is_some_and(|number| range.contains(&number));
    packet.u8(12).is_some_and(|viewed| (-1..64).contains(&viewed.cast_signed()))
        && within(32, -1.0..=1.5)
        && within(36, -1.0..=1_000.0)
        && are_texts(datagram.get(378..538), 40)
}

fn is_game_state(datagram: &[u8]) -> bool {
    let state = GameState(datagram);
    let within = |celsius: Option<f32>| celsius.is_some_and(|celsius| (-60.0..=100.0).contains(&celsius));
    // The third bit is used by neither state.
    let states = datagram.get(14).is_some_and(|states| states & 0x8 == 0 && states >> 4 <= 7);
    states && within(state.air_celsius()) && within(state.track_celsius())
}
