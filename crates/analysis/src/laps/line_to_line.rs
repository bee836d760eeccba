//! The frames of a lap from line to line, each with the time since the line and the place on the track.
//!
//! Takes a tape and a lap, hands over frames and moments to a [`Sink`]. Behind it, `sampler` puts the moments onto a
//! grid.
//!
//! The line lies between two frames. The moment at which the car crossed it is found between their places, and times count from there:
//! at place 0 the time is 0. So that a sink can do the same with all that it keeps, it also gets the frame before the line, at a place a little
//! below 0, and the one behind the next line, a little above 1.
//!
//! A frame is seen some milliseconds after the game made it, now more and now less. The game's own timer stands in the same frame as the place: the
//! time at a place is that of the timer, as long as it goes with ours. A timer that is only an estimate is not used: it starts anew some metres behind the
//! line, and the time would leap there.

use std::ops::ControlFlow;

use gametape_format::read::ReadError;
use gametape_games::{Presence, Sample, find_game};

use super::model::Lap;
use super::tracking::TrackError;
use super::words::TimeSource;
use crate::decoding::Decoding;
use crate::recording::Recording;

/// How far from a lap's beginning or end its line is looked for.
const LINE_WITHIN_NS: u64 = 1_000_000_000;
/// Frames further apart than this share of the lap say nothing about what is between them.
pub(super) const WIDEST_SHARE: f64 = 0.02;
/// A timer further from our time than this times something else.
const TIMER_WITHIN_MS: f64 = 100.0;
/// A lap that begins here begins before its line: on the grid, or in the pits.
const BEFORE_THE_LINE: f64 = 0.9;

/// A moment in which the car was driven.
pub(super) struct Moment<'a> {
    /// Time since the line; it stands in pauses. Less than 0 before the line.
    pub(super) time_ms: f64,
    /// The place, if the car has got further than ever in this lap.
    pub(super) place: Option<Place>,
    /// What the car did.
    pub(super) sample: &'a Sample,
}

/// A place along the lap, and when the car was there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Rising, from a little below 0 to a little above 1.
    pub(super) share: f64,
    /// Time since the line, by the game's timer where there is one.
    pub(super) time_ms: f64,
}

/// Who is told.
pub(super) trait Sink {
    /// Why it wants no more.
    type Error: From<TrackError>;

    /// A frame of the stream at this place; those that hold since before the lap come first.
    fn frame(&mut self, stream: usize, bytes: &[u8]);

    /// What is known after the frame.
    fn moment(&mut self, moment: &Moment<'_>) -> Result<(), Self::Error>;
}

/// Goes through a lap that is over. Damaged parts are left out.
pub(super) fn go_through<S: Sink>(tape: &dyn Recording, lap: &Lap, sink: &mut S) -> Result<(), S::Error> {
    let game = tape.game();
    let game = game.as_str();
    let timed = find_game(game).is_some_and(|game| !game.rules.lap_timer_is_estimate());
    let start = line_at(tape, game, lap.start_ns, timed)?;
    let end = lap.end_ns.map(|end_ns| line_at(tape, game, end_ns, timed)).transpose()?.flatten();
    let end = end.filter(|end| start.is_none_or(|start| start.after_ns < end.before_ns));
    let from_ns = start.map_or(lap.start_ns, |line| line.before_ns);
    let until_ns = end.map_or(lap.end_ns.unwrap_or(u64::MAX), |line| line.after_ns.saturating_add(1));
    let official_ms = lap.time_ms.filter(|_| lap.time_source == Some(TimeSource::Official)).map(f64::from);
    let mut way = Way { start, end, timed, official_ms, ..Way::default() };
    let origin_ns = start.map_or(lap.start_ns as f64, |line| line.cross_ns);
    let mut clock = Clock { ms: (from_ns as f64 - origin_ns) / 1e6, before: None };
    let mut told = Ok(());
    scan(tape, game, from_ns, until_ns, |event| match event {
        Scanned::Held { stream, bytes } => {
            sink.frame(stream, bytes);
            ControlFlow::Continue(())
        }
        Scanned::Frame { stream, time_ns, bytes, sample } => {
            sink.frame(stream, bytes);
            let drives = sample.presence.is_none_or(|presence| presence == Presence::Live);
            clock.go_on(time_ns, from_ns, drives);
            if !drives {
                return ControlFlow::Continue(());
            }
            let place = way.place(sample, clock.ms);
            told = sink.moment(&Moment { time_ms: clock.ms, place, sample });
            match told.is_err() || way.is_over {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        }
    })?;
    told
}

/// The time since the line.
struct Clock {
    ms: f64,
    /// Time of the frame before, and whether the car was driven then.
    before: Option<(u64, bool)>,
}

impl Clock {
    fn go_on(&mut self, time_ns: u64, from_ns: u64, drives: bool) {
        let (before_ns, drove) = self.before.unwrap_or((from_ns, true));
        if drove {
            self.ms += time_ns.saturating_sub(before_ns) as f64 / 1e6;
        }
        self.before = Some((time_ns, drives));
    }
}

/// How far the car has got.
#[derive(Default)]
struct Way {
    start: Option<Line>,
    end: Option<Line>,
    /// The game's timer can be trusted.
    timed: bool,
    /// The car is behind the line with which the lap begins.
    is_behind_line: bool,
    /// The car is behind the next one.
    is_over: bool,
    furthest: Option<Place>,
    /// The game's time of the lap.
    official_ms: Option<f64>,
    /// How much later the game's timer was than our time, when they were compared last.
    timer_ahead_ms: f64,
}

impl Way {
    /// The place of a frame, if it is further than all before.
    fn place(&mut self, sample: &Sample, clock_ms: f64) -> Option<Place> {
        let told = place_of(sample.track_position)?;
        let mut share = told;
        if !self.is_behind_line {
            let begins_before = match self.furthest {
                None if self.start.is_none() => told > BEFORE_THE_LINE,
                _ => told > 0.5,
            };
            if begins_before { share -= 1.0 } else { self.is_behind_line = true }
        } else if self.end.is_some() && told < 0.1 && self.furthest.is_some_and(|before| before.share > BEFORE_THE_LINE)
        {
            share += 1.0;
            self.is_over = true;
        }
        // Where the car went back, or stood, the first moment at a place counts. A leap is a page that is a little behind.
        if self.furthest.is_some_and(|before| share <= before.share || share - before.share > 0.5) {
            return None;
        }
        let time_ms = self.time_at(share, sample, clock_ms);
        let place = Place { share, time_ms: self.furthest.map_or(time_ms, |before| time_ms.max(before.time_ms)) };
        self.furthest = Some(place);
        Some(place)
    }

    fn time_at(&mut self, share: f64, sample: &Sample, clock_ms: f64) -> f64 {
        if let Some(line) = self.start.filter(|_| share < 0.0) {
            return line.time_before(share);
        }
        let timer_ms = sample.lap_time_ms.filter(|_| self.timed).map(f64::from);
        let timer_ms = match self.is_over {
            true => Option::zip(timer_ms, self.official_ms).map(|(timer_ms, lap_ms)| timer_ms + lap_ms),
            false => timer_ms.filter(|_| self.is_behind_line),
        };
        match timer_ms.filter(|timer_ms| (timer_ms - clock_ms).abs() <= TIMER_WITHIN_MS) {
            Some(timer_ms) => {
                self.timer_ahead_ms = timer_ms - clock_ms;
                timer_ms
            }
            None => clock_ms + self.timer_ahead_ms,
        }
    }
}

fn place_of(told: Option<f32>) -> Option<f64> {
    told.map(f64::from).filter(|place| (0.0..=1.0).contains(place))
}

/// Where the line lies between two frames.
#[derive(Debug, Clone, Copy)]
struct Line {
    before_ns: u64,
    after_ns: u64,
    /// When the car was on it.
    cross_ns: f64,
    /// Place of the frame behind it, and the time from the line to there.
    after_share: f64,
    after_ms: f64,
}

/// The line that was crossed around a moment.
fn line_at(tape: &dyn Recording, game: &str, at_ns: u64, timed: bool) -> Result<Option<Line>, TrackError> {
    let (from_ns, until_ns) = (at_ns.saturating_sub(LINE_WITHIN_NS), at_ns.saturating_add(LINE_WITHIN_NS));
    let mut before: Option<Seen> = None;
    let mut nearest: Option<Line> = None;
    scan(tape, game, from_ns, until_ns, |event| {
        if let Scanned::Frame { time_ns, sample, .. } = event
            && let Some(place) = place_of(sample.track_position)
            // A place that stays is one that another stream's frame repeats.
            && before.is_none_or(|before| before.share != place)
        {
            let seen = Seen { time_ns, share: place, timer_ms: sample.lap_time_ms.filter(|_| timed) };
            if let Some(line) = before.and_then(|before| between(before, seen))
                && nearest.is_none_or(|known| line.away_from(at_ns) < known.away_from(at_ns))
            {
                nearest = Some(line);
            }
            before = Some(seen);
        }
        ControlFlow::Continue(())
    })?;
    Ok(nearest)
}

impl Line {
    /// The time at a place before the line, so that the line itself is at 0.
    fn time_before(self, share: f64) -> f64 {
        match self.after_share > 0.0 {
            true => self.after_ms * share / self.after_share,
            false => (self.before_ns as f64 - self.cross_ns) / 1e6,
        }
    }

    fn away_from(self, at_ns: u64) -> f64 {
        (self.cross_ns - at_ns as f64).abs()
    }
}

/// A place as a frame tells it.
#[derive(Debug, Clone, Copy)]
struct Seen {
    time_ns: u64,
    share: f64,
    timer_ms: Option<u32>,
}

/// The line between two frames, if it is there and they are near enough.
fn between(before: Seen, after: Seen) -> Option<Line> {
    let way = 1.0 - before.share + after.share;
    let near = before.share > 0.5 && after.share < 0.5 && way > 0.0 && way <= WIDEST_SHARE;
    let apart_ns = after.time_ns.checked_sub(before.time_ns).filter(|_| near)? as f64;
    let cross_ns = before.time_ns as f64 + (1.0 - before.share) / way * apart_ns;
    let clock_ms = (after.time_ns as f64 - cross_ns) / 1e6;
    let timer_ms = after.timer_ms.map(f64::from).filter(|timer_ms| (timer_ms - clock_ms).abs() <= TIMER_WITHIN_MS);
    let after_ms = timer_ms.unwrap_or(clock_ms);
    Some(Line { before_ns: before.time_ns, after_ns: after.time_ns, cross_ns, after_share: after.share, after_ms })
}

/// What a scan finds.
enum Scanned<'a> {
    /// A frame that holds since before it.
    Held { stream: usize, bytes: &'a [u8] },
    /// A frame, and what is known after it.
    Frame { stream: usize, time_ns: u64, bytes: &'a [u8], sample: &'a Sample },
}

/// All frames of a game from a moment on and before another one.
fn scan(
    tape: &dyn Recording,
    game: &str,
    from_ns: u64,
    until_ns: u64,
    mut each: impl FnMut(Scanned<'_>) -> ControlFlow<()>,
) -> Result<(), TrackError> {
    let streams = tape.streams();
    let mut decoding = Decoding::new(game, streams.iter().copied())
        .ok_or_else(|| TrackError::UnknownGame { game: game.to_owned() })?;
    // Pages that hold since before: names, the length of the track.
    for stream in 0..streams.len() {
        let before = from_ns.checked_sub(1).and_then(|before_ns| tape.frame_at(stream, before_ns));
        if let Some(bytes) = before {
            decoding.frame(stream, &bytes);
            if each(Scanned::Held { stream, bytes: &bytes }).is_break() {
                return Ok(());
            }
        }
    }
    let mut frames = tape.frames_from(from_ns)?;
    loop {
        match frames.next() {
            Ok(Some(frame)) if frame.time_ns < until_ns => {
                let Some(sample) = decoding.frame(frame.stream, frame.bytes) else { continue };
                let event = Scanned::Frame { stream: frame.stream, time_ns: frame.time_ns, bytes: frame.bytes, sample };
                if each(event).is_break() {
                    return Ok(());
                }
            }
            Ok(_) => return Ok(()),
            Err(ReadError::Damaged(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
