//! Game state from the newest frames of rFactor 2.
use super::cars::Cars;
use super::decode::Decoder;
use super::extended::{SESSION_TICKS_AT, VERSION};
use super::interface::{RFACTOR_2, SCORING, TELEMETRY};
use super::laps::Laps;
use super::scoring::Info;
use super::vehicle::text_at;
use super::{SCORING_PAGE_BYTES, TELEMETRY_PAGE_BYTES};
use crate::assetto_corsa::family::{Fnv, is_zero};
use crate::bytes::{array_at, i32_at};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;
use crate::standings::ReadStandings;

/// Sections consist of whole memory pages.
const MEMORY_PAGE: u32 = 4096;
const MOST_VEHICLES: i32 = 128;

#[derive(Debug)]
pub(crate) struct RFactor2Rules;

impl Rules for RFactor2Rules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        RFACTOR_2.presence(seen)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        // No other game uses these section names.
        let is_written = |stream| seen.stream(stream).is_some_and(|frame| !is_zero(frame.bytes));
        (is_written(SCORING) || is_written(TELEMETRY)).then_some(true)
    }

    fn stream_of(&self, section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        let is = |bytes: u32| section_bytes == u64::from(bytes.next_multiple_of(MEMORY_PAGE));
        // While the plugin writes, the first number is ahead by one.
        let [begin, end] = [0, 4].map(|at| array_at(front, at).map(u32::from_le_bytes));
        let ahead = begin?.wrapping_sub(end?);
        if ahead > 1 || begin == Some(0) {
            return None;
        }
        let counts = |at: usize| i32_at(front, at).is_some_and(|count| (0..=MOST_VEHICLES).contains(&count));
        if is(TELEMETRY_PAGE_BYTES) && counts(12) {
            return Some(TELEMETRY);
        }
        let is_session = Info::at(front, RFACTOR_2.info_at).is_some_and(|info| info.is_plausible());
        (is(SCORING_PAGE_BYTES) && is_session).then_some(SCORING)
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        let telemetry = seen.stream(TELEMETRY)?;
        array_at(telemetry.bytes, 0).map(u32::from_le_bytes).map(i64::from)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let info = RFACTOR_2.info(seen).filter(|info| info.is_session())?;
        let [track, session, end] = info.key();
        let extended = seen.stream("extended").map_or(&[][..], |frame| frame.bytes);
        let ticks = extended.get(SESSION_TICKS_AT..SESSION_TICKS_AT + 8).unwrap_or_default();
        Some(Fnv::of(&[track, session, end, ticks]))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let (info, player) = (RFACTOR_2.info(seen), RFACTOR_2.player(seen));
        let extended = seen.stream("extended").and_then(|frame| plugin_version(frame.bytes));
        About {
            game_version: extended,
            car: player.and_then(|player| player.vehicle()),
            track: info.and_then(|info| info.text(0, 64)),
            track_layout: None,
            session: info.filter(|info| info.is_session()).and_then(|info| info.name()).map(str::to_owned),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(Decoder::new(RFACTOR_2))
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(Laps::new(RFACTOR_2))
    }

    fn standings(&self) -> Option<Box<dyn ReadStandings>> {
        Some(Box::new(Cars::new(RFACTOR_2)))
    }
}

/// Returns the version of the plugin from a frame of the extended section.
pub(super) fn plugin_version(frame: &[u8]) -> Option<String> {
    let (at, bytes) = VERSION;
    text_at(frame, at, bytes).map(|version| format!("plugin {version}"))
}
