//! Game state from the newest frames of Le Mans Ultimate.
use super::PAGE_BYTES;
use crate::assetto_corsa::family::{Fnv, is_zero};
use crate::bytes::{f64_at, i32_at};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::rfactor_2::cars::Cars;
use crate::rfactor_2::decode::Decoder;
use crate::rfactor_2::interface::{LE_MANS_ULTIMATE, SCORING};
use crate::rfactor_2::laps::Laps;
use crate::rfactor_2::scoring::Info;
use crate::sample::Decode;
use crate::standings::ReadStandings;

/// Sections consist of whole memory pages.
const MEMORY_PAGE: u32 = 4096;
/// The events of an update, which are numbers of no more than a few.
const EVENT_WORDS: std::ops::Range<usize> = 0..16;
const MOST_EVENTS: i32 = 0x00FF_FFFF;

#[derive(Debug)]
pub(crate) struct LmuRules;

impl Rules for LmuRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        LE_MANS_ULTIMATE.presence(seen)
    }

    /// Tools make the section and leave it zero. Before the first session, the game has only written the header.
    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        let header = seen.stream("header")?.bytes;
        let info = LE_MANS_ULTIMATE.info(seen)?;
        let is_session = info.is_plausible();
        let is_empty = seen.stream(SCORING).is_some_and(|frame| is_zero(frame.bytes));
        (is_session || (is_empty && !is_zero(header) && are_events(header))).then_some(true)
    }

    fn stream_of(&self, section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        let is_length = section_bytes == u64::from(PAGE_BYTES.next_multiple_of(MEMORY_PAGE));
        let is_session = Info::at(front, super::SCORING_AT as usize).is_some_and(|info| info.is_plausible());
        (is_length && are_events(front) && is_session).then_some("header")
    }

    /// The section has no counter: the session clock of the first vehicle stands for it.
    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        let seconds = f64_at(seen.stream("telemetry_cars_0_25")?.bytes, 12)?;
        (0.0..1e9).contains(&seconds).then_some((seconds * 1000.0) as i64)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let info = LE_MANS_ULTIMATE.info(seen).filter(|info| info.is_session())?;
        Some(Fnv::of(&info.key()))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let (info, player) = (LE_MANS_ULTIMATE.info(seen), LE_MANS_ULTIMATE.player(seen));
        let version = seen.stream("header").and_then(|frame| i32_at(frame.bytes, 64)).filter(|version| *version != 0);
        About {
            game_version: version.map(|version| version.to_string()),
            car: player.and_then(|player| player.vehicle()),
            track: info.and_then(|info| info.text(0, 64)),
            track_layout: None,
            session: info.filter(|info| info.is_session()).and_then(|info| info.name()).map(str::to_owned),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(Decoder::new(LE_MANS_ULTIMATE))
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(Laps::new(LE_MANS_ULTIMATE))
    }

    fn standings(&self) -> Option<Box<dyn ReadStandings>> {
        Some(Box::new(Cars::new(LE_MANS_ULTIMATE)))
    }
}

fn are_events(header: &[u8]) -> bool {
    EVENT_WORDS.into_iter().all(|word| i32_at(header, word * 4).is_some_and(|count| (0..=MOST_EVENTS).contains(&count)))
}
