//! Game state from the newest packets.
use super::channels::DEFAULT_BYTES;
use super::decode::WrcDecoder;
use super::laps::WrcLaps;
use super::settings::{WrcSettings, is_packet};
use super::values::{Ids, uid};
use super::{GAME, SESSION_END, SESSION_PAUSE, SESSION_RESUME, SESSION_START, SESSION_UPDATE};
use crate::bytes::{array_at, f32_at, f64_at};
use crate::capture::{About, Presence, Rules, Seen, SeenFrame};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;
use crate::user_settings::SettingsFiles;

/// Upper limit for the length of a stage in a valid datagram.
pub(super) const LONGEST_STAGE_M: f64 = 100_000.0;

#[derive(Debug)]
pub(crate) struct WrcRules;

/// Returns the packet that was sent last: that with the highest number, or the first one if a structure has no numbers.
fn newest(seen: Seen<'_>) -> Option<SeenFrame<'_>> {
    let own = || seen.0.iter().copied().filter(|frame| GAME.stream(frame.stream).is_some());
    match own().all(|frame| uid(frame).is_some()) {
        true => own().max_by_key(|frame| uid(*frame)),
        false => own().next(),
    }
}

/// Returns the newest packet that describes the stage.
fn described(seen: Seen<'_>) -> Option<SeenFrame<'_>> {
    seen.stream(SESSION_UPDATE.name).or_else(|| seen.stream(SESSION_START.name))
}

impl Rules for WrcRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        match newest(seen).map(|frame| frame.stream) {
            None => Presence::Off,
            Some(stream) if stream == SESSION_END.name => Presence::Off,
            Some(stream) if stream == SESSION_PAUSE.name => Presence::Paused,
            Some(_) => Presence::Live,
        }
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        newest(seen).and_then(uid).map(u64::cast_signed)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        let frame = newest(seen)?;
        Some(stream_of(frame.bytes) == Some(frame.stream) || is_packet(frame.stream, frame.layout, frame.bytes))
    }

    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        stream_of(datagram)
    }

    fn settings_files(&self) -> Option<&'static dyn SettingsFiles> {
        Some(&WrcSettings)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        described(seen).filter(|_| self.presence(seen) != Presence::Off).and_then(|frame| Ids::of(frame).key())
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let ids = described(seen).map(Ids::of).unwrap_or_default();
        About { car: ids.car(), track: ids.track(), ..About::default() }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(WrcDecoder)
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(WrcLaps::default())
    }
}

/// Returns the stream of a datagram that begins with a 4CC or has the game's own structure.
fn stream_of(datagram: &[u8]) -> Option<&'static str> {
    match datagram.first_chunk()? {
        b"SESS" => Some(SESSION_START.name),
        b"SESU" => Some(SESSION_UPDATE.name),
        b"SESP" => Some(SESSION_PAUSE.name),
        b"SESR" => Some(SESSION_RESUME.name),
        b"SESE" => Some(SESSION_END.name),
        _ => is_default(datagram).then_some(SESSION_UPDATE.name),
    }
}

/// Returns whether this is certainly an update in the game's own structure. An F1 packet has the same length and default port.
fn is_default(datagram: &[u8]) -> bool {
    let number = |at: usize, from: f32, to: f32| f32_at(datagram, at).is_some_and(|value| (from..=to).contains(&value));
    let stage_m = f64_at(datagram, 229);
    // Left, forward and up.
    let are_units = [85, 97, 109].into_iter().all(|at| {
        let axes = [0, 4, 8].map(|axis| f32_at(datagram, at + axis).unwrap_or_default());
        (axes.iter().map(|axis| axis * axis).sum::<f32>() - 1.0).abs() < 0.02
    });
    // A packet counter. The header of an F1 packet, read as a number, is far larger.
    let counts = array_at(datagram, 0).map(u64::from_le_bytes).is_some_and(|count| count < 1 << 40);
    datagram.len() == DEFAULT_BYTES
        && counts
        && stage_m.is_some_and(|metres| metres > 0.0 && metres < LONGEST_STAGE_M)
        && are_units
        && array_at(datagram, 36).is_some_and(|[valid]: [u8; 1]| valid <= 1)
        && [197, 201, 205, 213].into_iter().all(|pedal| number(pedal, -0.01, 1.01))
        && number(209, -1.01, 1.01)
        && number(217, 0.0, 1e6)
        && [185, 189, 193].into_iter().all(|rpm| number(rpm, 0.0, 100_000.0))
}
