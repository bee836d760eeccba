//! State of a lap file: it is being driven wherever it has rows.
use super::about::LapFileAbout;
use super::decode::LapFileDecoder;
use super::laps::LapFileLaps;
use super::row::LapFileRow;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;

#[derive(Debug)]
pub(crate) struct LapFileRules;

/// Returns the newest row.
fn row(seen: Seen<'_>) -> Option<LapFileRow> {
    LapFileRow::parse(seen.stream(super::LAPS.name)?.bytes)
}

impl Rules for LapFileRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        if row(seen).is_some() { Presence::Live } else { Presence::Off }
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        seen.stream(super::LAPS.name).map(|_| true)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        row(seen).map(|_| 1)
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let Some(text) = seen.stream(super::ABOUT.name) else { return About::default() };
        let LapFileAbout { format, track, car, session, .. } = LapFileAbout::parse(text.bytes);
        About { game_version: format, car, track, track_layout: None, session }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(LapFileDecoder::default())
    }

    /// The times of the rows are those of the file, and exact.
    fn lap_timer_is_estimate(&self) -> bool {
        true
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(LapFileLaps::default())
    }
}
