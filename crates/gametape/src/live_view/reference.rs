//! A lap for comparison: the time at each track position, by the game's own timer.
//!
//! Position and time come from the same page of the game, so they match to the millisecond, unlike the times of frames.

use gametape_format::read::{ReadError, Tape};

use crate::games::Sample;
use crate::laps::{Lap, ReasonCode};
use crate::library::Decoding;

/// Maximum distance of two points, as a fraction of the lap, for interpolation between them.
const WIDEST_SHARE: f32 = 0.02;
/// A timer that is further ahead of the time since the start line still shows the previous lap.
const TIMER_AHEAD_MS: u32 = 1_000;
/// An upper bound: a lap of an hour at 60 Hz has fewer points.
const MOST_POINTS: usize = 300_000;

/// A lap for comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reference {
    /// Lap time.
    pub time_ms: Option<u32>,
    /// Track positions from 0 to 1 and the times there. Both increase.
    points: Vec<(f32, u32)>,
}

impl Reference {
    /// Reads a lap from its tape. Returns `None` if the tape has too little of it, or the game does not report positions.
    #[must_use]
    pub fn of(tape: &Tape, lap: &Lap) -> Option<Self> {
        let of_game = || tape.streams().filter(|stream| !stream.spec().role.is_system());
        let game = of_game().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty())?;
        let mut decoding = Decoding::new(game, of_game().map(|stream| stream.spec()))?;
        let places: Vec<_> = of_game().map(|stream| stream.id()).collect();
        let (end_ns, mut frames) = (lap.end_ns?, tape.merged(of_game()));
        match frames.seek_time(lap.start_ns) {
            Err(ReadError::Damaged(_)) | Ok(()) => {}
            Err(_) => return None,
        }
        let mut reference = Self { time_ms: lap.time_ms, points: Vec::new() };
        let from_line = !lap.has(ReasonCode::PartialStart);
        loop {
            match frames.next() {
                Ok(Some(frame)) if frame.time_ns < end_ns => {
                    let place = places.iter().position(|place| *place == frame.stream);
                    if let Some(sample) = place.and_then(|place| decoding.frame(place, frame.data)) {
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

    /// Adds the position of the car and the time since the start line, if it is known. Backward movement is skipped.
    pub(super) fn add(&mut self, sample: &Sample, since_line_ns: Option<u64>) {
        let Some((share, time_ms)) = place_and_time(sample, since_line_ns) else { return };
        let forward = match self.points.last() {
            // Some games report the position just before the line for a moment after it.
            None => share < 0.5,
            Some((last, last_ms)) => share > *last && time_ms >= *last_ms && share - last < 0.5,
        };
        if forward && self.points.len() < MOST_POINTS {
            self.points.push((share, time_ms));
        }
    }

    /// Returns the time at this position, by linear interpolation.
    pub(super) fn at(&self, share: f32) -> Option<f64> {
        let after = self.points.partition_point(|(place, _)| *place <= share);
        let (from, from_ms) = self.points.get(after.checked_sub(1)?)?;
        let (to, to_ms) = self.points.get(after)?;
        let part = f64::from((share - from) / (to - from));
        (to - from <= WIDEST_SHARE).then(|| f64::from(*from_ms) + f64::from(to_ms.saturating_sub(*from_ms)) * part)
    }

    /// Returns the time difference to this lap at the same position; positive is slower.
    pub(super) fn delta_ms(&self, sample: &Sample, since_line_ns: Option<u64>) -> Option<i32> {
        let (share, time_ms) = place_and_time(sample, since_line_ns)?;
        Some((f64::from(time_ms) - self.at(share)?).round() as i32)
    }
}

fn place_and_time(sample: &Sample, since_line_ns: Option<u64>) -> Option<(f32, u32)> {
    let share = sample.track_position.filter(|share| (0.0..=1.0).contains(share))?;
    let measured = since_line_ns.and_then(|since_ns| u32::try_from(since_ns / 1_000_000).ok());
    // A timer may restart late: iRacing's shows the previous lap for a second or two. It may lag in a pause, but is never ahead.
    let is_old = |timer: &u32| measured.is_some_and(|measured| *timer > measured.saturating_add(TIMER_AHEAD_MS));
    Some((share, sample.lap_time_ms.filter(|timer| !is_old(timer)).or(measured)?))
}
