//! The trace of a lap: what the car did at each place, from the frames of the tape.
//!
//! Takes a tape and a lap, gives points that go forward along the lap. Where the car went back, or stood, the first moment at a place counts.

use gametape_format::read::{ReadError, Tape};
use gametape_games::Presence;

use super::model::Lap;
use super::tracking::TrackError;
use crate::library::Decoding;

/// What the car did at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracePoint {
    /// Place on the track, 0 to 1.
    pub share: f32,
    /// Time since the line; it stands in pauses.
    pub time_ms: f64,
    /// Speed.
    pub speed_kmh: Option<f32>,
    /// Throttle, 0 to 1.
    pub throttle: Option<f32>,
    /// Brake, 0 to 1.
    pub brake: Option<f32>,
    /// Steering: a share of the lock, -1 (left) to 1, or an angle in radians, as the game gives it.
    pub steering: Option<f32>,
}

/// The trace of a lap that is over. Damaged parts are left out.
///
/// # Errors
/// If the game is not known, or the tape cannot be read at all.
pub fn trace(tape: &Tape, lap: &Lap) -> Result<Vec<TracePoint>, TrackError> {
    let of_game = || tape.streams().filter(|stream| !stream.spec().role.is_system());
    let game = of_game().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty()).unwrap_or_default();
    let mut decoding = Decoding::new(game, of_game().map(|stream| stream.spec()))
        .ok_or_else(|| TrackError::UnknownGame { game: game.to_owned() })?;
    let places: Vec<_> = of_game().map(|stream| stream.id()).collect();
    // Pages that hold since before the lap: names, the length of the track.
    for (place, stream) in of_game().enumerate() {
        if let Ok(Some((_, bytes))) = tape.frame_at(stream, lap.start_ns) {
            decoding.frame(place, &bytes);
        }
    }
    let end_ns = lap.end_ns.unwrap_or(u64::MAX);
    let mut frames = tape.merged(of_game());
    match frames.seek_time(lap.start_ns) {
        Err(ReadError::Damaged(_)) | Ok(()) => {}
        Err(error) => return Err(error.into()),
    }
    let mut line = Line { points: Vec::new(), clock_ms: 0.0, before: None };
    loop {
        match frames.next() {
            Ok(Some(frame)) if frame.time_ns < end_ns => {
                let place = places.iter().position(|place| *place == frame.stream);
                let Some(sample) = place.and_then(|place| decoding.frame(place, frame.data)) else { continue };
                let point = TracePoint {
                    share: sample.track_position.unwrap_or(f32::NAN),
                    time_ms: 0.0,
                    speed_kmh: sample.speed_kmh,
                    throttle: sample.throttle,
                    brake: sample.brake,
                    steering: sample.steering.or(sample.steering_rad),
                };
                line.add(frame.time_ns, lap.start_ns, sample.presence, point);
            }
            Ok(_) => break,
            Err(ReadError::Damaged(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(line.points)
}

/// Points that go forward.
struct Line {
    points: Vec<TracePoint>,
    clock_ms: f64,
    /// Time of the frame before, and whether the game drove then.
    before: Option<(u64, bool)>,
}

impl Line {
    fn add(&mut self, time_ns: u64, start_ns: u64, presence: Option<Presence>, point: TracePoint) {
        let drives = presence.is_none_or(|presence| presence == Presence::Live);
        let (before_ns, drove) = self.before.unwrap_or((start_ns, true));
        if drove {
            self.clock_ms += time_ns.saturating_sub(before_ns) as f64 / 1e6;
        }
        self.before = Some((time_ns, drives));
        if !drives || !(0.0..=1.0).contains(&point.share) {
            return;
        }
        let point = TracePoint { time_ms: self.clock_ms, ..point };
        match self.points.last() {
            // Before the line, on the grid: the lap's places begin behind it.
            None if point.share > 0.5 => {}
            Some(last) if point.share <= last.share => {}
            // Beyond the line within one step: a page that is a little behind.
            Some(last) if point.share - last.share > 0.5 => {}
            _ => self.points.push(point),
        }
    }
}
