//! The frames of a lap from line to line, each with the time since the line and the lap distance fraction.
//!
//! Takes a tape and a lap, and passes frames and moments to a [`Sink`]. `sampler` is a sink that resamples the moments to a grid.
//!
//! The line lies between two frames. The time of the line crossing is interpolated between their positions, and times count from there:
//! at fraction 0 the time is 0. So that a sink can interpolate its own values in the same way, it also gets the frame before the line, at
//! a fraction slightly below 0, and the frame after the next line, slightly above 1.
//!
//! A frame is captured some milliseconds after the game made it, with jitter. The game's lap timer is part of the same frame as the
//! position, so the time at a position is taken from the timer, as long as it agrees with the capture times. A timer that is only an
//! estimate is not used: it restarts some metres after the line, and the time would jump there.

use std::ops::{ControlFlow, Range};

use gametape_format::read::ReadError;
use gametape_games::{Presence, Sample, find_reader};

use super::model::Lap;
use super::thresholds::{GAP_NS, STOOD_MS, TIMER_SHAKE_MS};
use super::tracking::TrackError;
use super::words::{ReasonCode, TimeSource};
use crate::decoding::Decoding;
use crate::recording::Recording;

/// How far from the start or end of a lap its line crossing is searched.
const LINE_WITHIN_NS: u64 = 1_000_000_000;
/// Frames further apart than this lap fraction are not interpolated.
pub(super) const WIDEST_SHARE: f64 = 0.02;
/// A timer that differs from the capture times by more than this is timing something else.
const TIMER_WITHIN_MS: f64 = 100.0;
/// A lap whose first position is above this fraction begins before its line: on the grid, or in the pits.
const BEFORE_THE_LINE: f64 = 0.9;

/// A moment in which the car was driven.
pub(super) struct Moment<'a> {
    /// Time since the line, negative before it. It stops during pauses.
    pub(super) time_ms: f64,
    /// The track position, if the car is further along the lap than before.
    pub(super) place: Option<TrackPosition>,
    /// The state of the car.
    pub(super) sample: &'a Sample,
}

/// A position along the lap, and when the car was there.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrackPosition {
    /// Lap distance fraction, increasing, from slightly below 0 to slightly above 1.
    pub(super) share: f64,
    /// Time since the line, by the game's timer if there is one.
    pub(super) time_ms: f64,
}

/// A receiver of frames and moments.
pub(super) trait Sink {
    /// Why it stops early.
    type Error: From<TrackError>;

    /// Receives a frame of a stream. Frames that were current before the lap come first.
    fn frame(&mut self, stream: usize, bytes: &[u8]);

    /// Receives the state after the frame.
    fn moment(&mut self, moment: &Moment<'_>) -> Result<(), Self::Error>;
}

/// Passes the frames of a finished lap to a sink. Damaged parts are skipped.
pub(super) fn go_through<S: Sink>(tape: &dyn Recording, lap: &Lap, sink: &mut S) -> Result<(), S::Error> {
    let game = tape.game();
    let game = game.as_str();
    let timed = find_reader(game).is_some_and(|game| !game.lap_timer_is_estimate());
    let start = line_at(tape, game, lap.start_ns, timed)?;
    let end = lap.end_ns.map(|end_ns| line_at(tape, game, end_ns, timed)).transpose()?.flatten();
    let end = end.filter(|end| start.is_none_or(|start| start.after_ns < end.before_ns));
    let from_ns = start.map_or(lap.start_ns, |line| line.before_ns);
    let until_ns = end.map_or(lap.end_ns.unwrap_or(u64::MAX), |line| line.after_ns.saturating_add(1));
    let official_ms = lap.time_ms.filter(|_| lap.time_source == Some(TimeSource::Official)).map(f64::from);
    let mut progress = Progress { start, end, timed, official_ms, ..Progress::default() };
    let origin_ns = start.map_or(lap.start_ns as f64, |line| line.cross_ns);
    let mut clock = Clock { ms: (from_ns as f64 - origin_ns) / 1e6, before: None, timer_ms: None };
    let went_back = [ReasonCode::Flashback, ReasonCode::Rewind].into_iter().any(|code| lap.has(code));
    let undone = if went_back { undone_spans(tape, game, from_ns, until_ns)? } else { Vec::new() };
    let mut result = Ok(());
    scan(tape, game, from_ns, until_ns, |event| match event {
        Scanned::Held { stream, bytes } => {
            sink.frame(stream, bytes);
            ControlFlow::Continue(())
        }
        Scanned::Frame { time_ns, .. } if undone.iter().any(|span| span.contains(&time_ns)) => {
            clock.skip(time_ns);
            ControlFlow::Continue(())
        }
        Scanned::Frame { stream, time_ns, bytes, sample } => {
            sink.frame(stream, bytes);
            let drives = sample.presence.is_none_or(|presence| presence == Presence::Live);
            clock.go_on(time_ns, from_ns, drives, sample.lap_time_ms.filter(|_| timed));
            if !drives {
                return ControlFlow::Continue(());
            }
            let place = progress.place(sample, clock.ms);
            result = sink.moment(&Moment { time_ms: clock.ms, place, sample });
            match result.is_err() || progress.is_over {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        }
    })?;
    result
}

/// The time since the line, without pauses.
struct Clock {
    ms: f64,
    /// Time of the previous frame, and whether the car was being driven then.
    before: Option<(u64, bool)>,
    /// The game's lap timer in the previous frame.
    timer_ms: Option<u32>,
}

impl Clock {
    fn go_on(&mut self, time_ns: u64, from_ns: u64, drives: bool, timer_ms: Option<u32>) {
        let (before_ns, drove) = self.before.unwrap_or((from_ns, true));
        if drove {
            let passed_ns = time_ns.saturating_sub(before_ns);
            let passed_ms = passed_ns as f64 / 1e6;
            // A game that is paused may send nothing: its timer stops.
            let ran_ms =
                Option::zip(self.timer_ms, timer_ms).and_then(|(from, to)| to.checked_sub(from)).map(f64::from);
            let paused = ran_ms.filter(|ran_ms| passed_ns >= GAP_NS && passed_ms - ran_ms > f64::from(STOOD_MS));
            self.ms += paused.unwrap_or(passed_ms);
        }
        self.before = Some((time_ns, drives));
        self.timer_ms = timer_ms;
    }

    /// Passes over a frame that does not count.
    fn skip(&mut self, time_ns: u64) {
        self.before = Some((time_ns, false));
    }
}

/// Returns the spans that were undone because the player went back in time: from the moment to which he went back until he did.
fn undone_spans(tape: &dyn Recording, game: &str, from_ns: u64, until_ns: u64) -> Result<Vec<Range<u64>>, TrackError> {
    // Times at which the game's time was larger than ever before, as far as they were not undone.
    let mut moments: Vec<(u64, (u32, u32))> = Vec::new();
    let mut spans = Vec::new();
    scan(tape, game, from_ns, until_ns, |event| {
        if let Scanned::Frame { time_ns, sample, .. } = event
            && let Some(now) = Option::zip(sample.laps_completed, sample.lap_time_ms)
        {
            let is_earlier = |(_, (laps, timer_ms)): &(u64, (u32, u32))| {
                *laps > now.0 || (*laps == now.0 && *timer_ms > now.1.saturating_add(TIMER_SHAKE_MS))
            };
            if moments.last().is_some_and(is_earlier) {
                let undone = moments.iter().position(|(_, moment)| *moment > now).unwrap_or(moments.len());
                spans.extend(moments.drain(undone..).next().map(|(since_ns, _)| since_ns..time_ns));
            }
            if moments.last().is_none_or(|(_, last)| *last < now) {
                moments.push((time_ns, now));
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(spans)
}

/// How far the car has got along the lap.
#[derive(Default)]
struct Progress {
    start: Option<Line>,
    end: Option<Line>,
    /// The game's timer is reliable.
    timed: bool,
    /// The car has crossed the line at which the lap begins.
    is_behind_line: bool,
    /// The car has crossed the next line.
    is_over: bool,
    furthest: Option<TrackPosition>,
    /// Official lap time.
    official_ms: Option<f64>,
    /// How far the game's timer was ahead of the capture times when they were last compared.
    timer_ahead_ms: f64,
}

impl Progress {
    /// Returns the position of a frame, if it is further than all before it.
    fn place(&mut self, sample: &Sample, clock_ms: f64) -> Option<TrackPosition> {
        let reported = place_of(sample.track_position)?;
        let mut share = reported;
        if !self.is_behind_line {
            let begins_before = match self.furthest {
                None if self.start.is_none() => reported > BEFORE_THE_LINE,
                _ => reported > 0.5,
            };
            if begins_before { share -= 1.0 } else { self.is_behind_line = true }
        } else if self.end.is_some()
            && reported < 0.1
            && self.furthest.is_some_and(|before| before.share > BEFORE_THE_LINE)
        {
            share += 1.0;
            self.is_over = true;
        }
        // If the car went back or stood still, the first moment at a position counts. A jump is a page that lags behind.
        if self.furthest.is_some_and(|before| share <= before.share || share - before.share > 0.5) {
            return None;
        }
        let time_ms = self.time_at(share, sample, clock_ms);
        let place =
            TrackPosition { share, time_ms: self.furthest.map_or(time_ms, |before| time_ms.max(before.time_ms)) };
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

fn place_of(reported: Option<f32>) -> Option<f64> {
    reported.map(f64::from).filter(|place| (0.0..=1.0).contains(place))
}

/// A line crossing between two frames.
#[derive(Debug, Clone, Copy)]
struct Line {
    before_ns: u64,
    after_ns: u64,
    /// When the car crossed the line.
    cross_ns: f64,
    /// Position of the frame after the line, and the time from the line to it.
    after_share: f64,
    after_ms: f64,
}

/// Finds the line crossing nearest to a moment.
fn line_at(tape: &dyn Recording, game: &str, at_ns: u64, timed: bool) -> Result<Option<Line>, TrackError> {
    let (from_ns, until_ns) = (at_ns.saturating_sub(LINE_WITHIN_NS), at_ns.saturating_add(LINE_WITHIN_NS));
    let mut before: Option<Observed> = None;
    let mut nearest: Option<Line> = None;
    scan(tape, game, from_ns, until_ns, |event| {
        if let Scanned::Frame { time_ns, sample, .. } = event
            && let Some(place) = place_of(sample.track_position)
            // An unchanged position is repeated by a frame of another stream.
            && before.is_none_or(|before| before.share != place)
        {
            let now = Observed { time_ns, share: place, timer_ms: sample.lap_time_ms.filter(|_| timed) };
            if let Some(line) = before.and_then(|before| between(before, now))
                && nearest.is_none_or(|known| line.away_from(at_ns) < known.away_from(at_ns))
            {
                nearest = Some(line);
            }
            before = Some(now);
        }
        ControlFlow::Continue(())
    })?;
    Ok(nearest)
}

impl Line {
    /// Returns the time at a position before the line, extrapolated so that the line itself is at 0.
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

/// A track position, as reported by a frame.
#[derive(Debug, Clone, Copy)]
struct Observed {
    time_ns: u64,
    share: f64,
    timer_ms: Option<u32>,
}

/// Returns the line crossing between two frames, if there is one and they are close enough.
fn between(before: Observed, after: Observed) -> Option<Line> {
    let way = 1.0 - before.share + after.share;
    let near = before.share > 0.5 && after.share < 0.5 && way > 0.0 && way <= WIDEST_SHARE;
    let apart_ns = after.time_ns.checked_sub(before.time_ns).filter(|_| near)? as f64;
    let cross_ns = before.time_ns as f64 + (1.0 - before.share) / way * apart_ns;
    let clock_ms = (after.time_ns as f64 - cross_ns) / 1e6;
    let timer_ms = after.timer_ms.map(f64::from).filter(|timer_ms| (timer_ms - clock_ms).abs() <= TIMER_WITHIN_MS);
    let after_ms = timer_ms.unwrap_or(clock_ms);
    Some(Line { before_ns: before.time_ns, after_ns: after.time_ns, cross_ns, after_share: after.share, after_ms })
}

/// An item of a scan.
enum Scanned<'a> {
    /// A frame that was current when the scan began.
    Held { stream: usize, bytes: &'a [u8] },
    /// A frame, and the sample after it.
    Frame { stream: usize, time_ns: u64, bytes: &'a [u8], sample: &'a Sample },
}

/// Visits the frames of a game from `from_ns` until before `until_ns`, after those that were current at `from_ns`.
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
    // Pages that were written earlier and still apply: names, the length of the track.
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
