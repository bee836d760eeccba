//! The validity latch: a lap that was invalid once stays invalid, whatever the game reports later. Games report it only while the lap
//! runs.

use gametape_games::{LapFrame, Validity};

use super::model::Reason;
use super::words::{ReasonCode, ReasonSource};

/// What was observed of a lap's validity.
#[derive(Debug, Clone, Default)]
pub(super) struct Latch {
    said: bool,
    invalid: Option<Occurrence>,
    off_track: Option<Occurrence>,
    incidents: Option<i32>,
}

/// Where and when something happened.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    sector: Option<u8>,
    fraction: Option<f32>,
    at_ns: u64,
}

impl Latch {
    /// Adds a frame of the lap; `sector` counts from 0.
    pub(super) fn look(&mut self, time_ns: u64, frame: &LapFrame, sector: Option<u8>) {
        let here = || Occurrence {
            sector: sector.map(|sector| sector.saturating_add(1)),
            fraction: frame.position,
            at_ns: time_ns,
        };
        self.said |= frame.valid.is_some();
        if frame.valid == Some(false) {
            self.invalid.get_or_insert_with(here);
        }
        let more = matches!((self.incidents, frame.incidents), (Some(before), Some(now)) if now > before);
        self.incidents = frame.incidents.or(self.incidents);
        if more || frame.off_track == Some(true) {
            self.off_track.get_or_insert_with(here);
        }
    }

    /// Merges what was observed after a line crossing that turned out not to be one.
    pub(super) fn merge(&mut self, later: &Self) {
        self.said |= later.said;
        self.invalid = self.invalid.or(later.invalid);
        self.off_track = self.off_track.or(later.off_track);
        self.incidents = later.incidents.or(self.incidents);
    }

    /// Returns whether the car left the track, as far as the game reports it.
    pub(super) fn left_track(&self) -> bool {
        self.off_track.is_some()
    }

    /// Returns the validity and, if the lap is invalid, the reason. `official`: the game reported a lap time; `None` while that is pending.
    pub(super) fn verdict(&self, by: Validity, official: Option<bool>) -> (Option<bool>, Option<Reason>) {
        let reason = |code, place: Occurrence| Reason {
            code,
            source: ReasonSource::Game,
            at_sector: place.sector,
            at_fraction: place.fraction,
            at_ns: Some(place.at_ns),
        };
        match by {
            Validity::Unknown => (None, None),
            Validity::Flag => match self.invalid {
                Some(place) => (Some(false), Some(reason(ReasonCode::GameInvalid, place))),
                None => (self.said.then_some(true), None),
            },
            Validity::OfficialTime => match (official, self.off_track) {
                (Some(true), _) => (Some(true), None),
                (Some(false), Some(place)) => (Some(false), Some(reason(ReasonCode::TrackLimits, place))),
                _ => (None, None),
            },
        }
    }
}
