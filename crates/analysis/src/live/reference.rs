//! A reference lap: the lap time at each track position, by the game's own timer.
//!
//! Position and timer come from the same page of the game, so they match to the millisecond. Capture times of frames do not.

use gametape_format::read::ReadError;
use gametape_games::Sample;

use crate::decoding::Decoding;
use crate::laps::{Lap, ReasonCode};
use crate::recording::Recording;

/// Points further apart than this lap fraction are not interpolated.
const WIDEST_SHARE: f32 = 0.02;
/// A timer that is ahead of the time since the line by more than this still shows the previous lap.
const TIMER_AHEAD_MS: u32 = 1_000;
/// Maximum number of points: more than a lap of an hour has at 60 Hz.
const MOST_POINTS: usize = 300_000;

/// A reference lap.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reference {
    /// Lap time.
    pub time_ms: Option<u32>,
    /// Lap distance fraction, 0 to 1, and lap time there, both ascending.
    points: Vec<(f32, u32)>,
}

impl Reference {
    /// Reads a reference lap from its tape. Returns `None` if the tape holds too little of the lap, or if the game reports no track
    /// position.
    #[must_use]
    pub fn of(tape: &dyn Recording, lap: &Lap) -> Option<Self> {
        let mut decoding = Decoding::new(&tape.game(), tape.streams().into_iter())?;
        let (end_ns, mut frames) = (lap.end_ns?, tape.frames_from(lap.start_ns).ok()?);
        let mut reference = Self { time_ms: lap.time_ms, points: Vec::new() };
        let from_line = !lap.has(ReasonCode::PartialStart);
        loop {
            match frames.next() {
                Ok(Some(frame)) if frame.time_ns < end_ns => {
                    if let Some(sample) = decoding.frame(frame.stream, frame.bytes) {
                        reference.add(sample, from_line.then(|| frame.time_ns.saturating_sub(lap.start_ns)));
                    }
                }
                Ok(_) => break,
                Err(ReadError::Damaged(_)) => {}
                Err(_) => return None,
            }
        }
        (reference.points.len() > 1).then_some(reference)
    }

    /// Adds the car's position. `since_line_ns` is the time since the line crossing, if known. Positions behind the last point are
    /// ignored.
    pub fn add(&mut self, sample: &Sample, since_line_ns: Option<u64>) {
        let Some((share, time_ms)) = position_and_time(sample, since_line_ns) else { return };
        let forward = match self.points.last() {
            // Some games report a position just before the line for a moment after the car has crossed it.
            None => share < 0.5,
            Some((last, last_ms)) => share > *last && time_ms >= *last_ms && share - last < 0.5,
        };
        if forward && self.points.len() < MOST_POINTS {
            self.points.push((share, time_ms));
        }
    }

    /// Returns the lap time at a lap fraction, interpolated.
    pub(super) fn at(&self, share: f32) -> Option<f64> {
        let after = self.points.partition_point(|(place, _)| *place <= share);
        let (from, from_ms) = self.points.get(after.checked_sub(1)?)?;
        let (to, to_ms) = self.points.get(after)?;
        let part = f64::from((share - from) / (to - from));
        (to - from <= WIDEST_SHARE).then(|| f64::from(*from_ms) + f64::from(to_ms.saturating_sub(*from_ms)) * part)
    }

    /// Returns the delta to this lap at the car's current position; positive is slower.
    #[must_use]
    pub fn delta_ms(&self, sample: &Sample, since_line_ns: Option<u64>) -> Option<i32> {
        let (share, time_ms) = position_and_time(sample, since_line_ns)?;
        Some((f64::from(time_ms) - self.at(share)?).round() as i32)
    }
}

fn position_and_time(sample: &Sample, since_line_ns: Option<u64>) -> Option<(f32, u32)> {
    let share = sample.track_position.filter(|share| (0.0..=1.0).contains(share))?;
    let measured = since_line_ns.and_then(|since_ns| u32::try_from(since_ns / 1_000_000).ok());
    // A timer may restart late: iRacing's shows the old lap for a second or two. It lags behind after a pause, but is never ahead.
    let is_old = |timer: &u32| measured.is_some_and(|measured| *timer > measured.saturating_add(TIMER_AHEAD_MS));
    Some((share, sample.lap_time_ms.filter(|timer| !is_old(timer)).or(measured)?))
}
