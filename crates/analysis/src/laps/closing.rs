//! A lap whose end is pending: one sign of a line crossing was observed, and the others are awaited, then the official time.
//!
//! ```text
//!  lap timer falls ─┐                      ┌─▶ counted: provisional ─▶ official time appears, or timeout: final
//!                   ├─▶ sign: which is it? ┤
//!  lap count rises ─┘                      ├─▶ no line crossing: the lap continues (a flicker that is taken back)
//!                                          └─▶ not a lap: restart, garage, teleport, or too short
//! ```

use gametape_games::{LapFrame, LapRecord};

use super::coverage::forward;
use super::running::{LastTime, Moment, RunningLap, in_box};
use super::thresholds::{
    CLOCK_BACK_S, FLICKER_NS, LATE_TIME_NS, LEFT_ROSE_MS, LINE_COVERAGE, LINE_WAIT_NS, OFFICIAL_NEAR_MS,
    OFFICIAL_WAIT_NS, PICTURE_MS, SHORTEST_LAP_MS, is_restart_without_clock,
};
use super::words::ReasonCode;

/// Half a day. A clock that goes back by more has passed midnight.
const HALF_DAY_S: f32 = 43_200.0;

/// A lap whose end is pending.
#[derive(Debug, Clone)]
pub(super) struct Closing {
    pub(super) lap: RunningLap,
    /// The last frame before the sign.
    pub(super) before: Moment,
    /// When the car crossed the line, as precisely as known.
    pub(super) cross_ns: u64,
    pub(super) cross_ms: f64,
    pub(super) measured_ms: Option<f64>,
    /// By how much the lap count rose.
    pub(super) laps: Option<u32>,
    pub(super) timer_fell: bool,
    pub(super) ended_in_pits: bool,
    /// The clock at the sign, or when the line crossing became certain. Timeouts count from there.
    since_ms: f64,
    restarted: bool,
    garage: bool,
    put_back: bool,
    pub(super) over_line: bool,
    /// Index of the lap among those of the session, once it is provisional.
    pub(super) done: Option<usize>,
    /// The game's record of the lap.
    pub(super) record: Option<LapRecord>,
}

/// What a sign of a line crossing turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turned {
    /// Not decided yet.
    Open,
    /// A lap.
    Counted,
    /// Not a line crossing: the lap continues.
    NoLine,
    /// Too short to be a lap.
    TooShort,
    /// The session was restarted.
    Restart,
    /// The car is back in the garage.
    Garage,
    /// The car was reset on the track, and the lap begins anew.
    PutBack,
    /// The car crossed the line, but the game does not count the lap.
    Uncounted,
}

impl Closing {
    pub(super) fn new(lap: RunningLap, before: &Moment, now: &Moment) -> Self {
        let mut closing = Self {
            lap,
            before: *before,
            cross_ns: now.time_ns,
            cross_ms: now.clock_ms,
            measured_ms: None,
            laps: None,
            timer_fell: false,
            ended_in_pits: super::debounce::in_pits(&now.frame),
            since_ms: now.clock_ms,
            restarted: false,
            garage: false,
            put_back: false,
            over_line: false,
            done: None,
            record: None,
        };
        closing.look(now);
        closing.cross(before, now);
        closing
    }

    /// Determines when the car crossed the line, from the frames on both sides of it.
    pub(super) fn cross(&mut self, before: &Moment, now: &Moment) {
        let fell = matches!((before.frame.running_ms, now.frame.running_ms), (Some(from), Some(to)) if to < from);
        let step_ms = (now.clock_ms - before.clock_ms).max(0.0);
        let since_ms = match (before.frame.running_ms, now.frame.running_ms) {
            (Some(from), Some(to)) if fell => {
                self.timer_fell = true;
                let since_ms = f64::from(to).min(step_ms);
                self.measured_ms = Some(f64::from(from) + step_ms - since_ms);
                since_ms
            }
            // The timer has not fallen yet: the time so far is what it shows.
            (Some(_), Some(to)) => {
                self.measured_ms = Some(f64::from(to));
                0.0
            }
            _ => {
                let since_ms = step_ms * (1.0 - line_share(&before.frame, &now.frame));
                let lap_ms = now.clock_ms - since_ms - self.lap.start_ms;
                self.measured_ms = (!self.lap.partial_start).then_some(lap_ms.max(0.0));
                since_ms
            }
        };
        self.cross_ms = now.clock_ms - since_ms;
        self.cross_ns = now.time_ns.saturating_sub((since_ms * 1e6) as u64).max(before.time_ns).max(self.lap.start_ns);
    }

    /// Gathers evidence about the sign from a frame after it.
    pub(super) fn look(&mut self, now: &Moment) {
        let (before, now) = (&self.before.frame, &now.frame);
        self.restarted |= is_earlier(before, now);
        self.garage |= in_box(now) && !in_box(before);
        self.put_back |= is_restart_without_clock(before, now);
        self.over_line |= is_over_line(before, now);
    }

    /// Records that the lap count rose.
    pub(super) fn rose(&mut self, laps: u32) {
        self.laps = Some(self.laps.unwrap_or(0).saturating_add(laps));
    }

    /// Returns whether the lap count rose while the timer still shows the old lap.
    pub(super) fn waits_for_timer(&self) -> bool {
        self.laps.is_some() && !self.timer_fell && self.done.is_none() && self.before.frame.running_ms.is_some()
    }

    /// Decides what the sign was. `at_once`: no more frames will follow.
    pub(super) fn turned(&self, now: &Moment, at_once: bool) -> Turned {
        let waited = |wait_ns: u64| at_once || now.clock_ms - self.since_ms >= wait_ns as f64 / 1e6;
        let has_timer = self.before.frame.running_ms.is_some();
        match (self.laps, self.timer_fell || !has_timer) {
            (Some(_), true) if self.is_long_enough() => Turned::Counted,
            (Some(_), true) if waited(FLICKER_NS) => Turned::TooShort,
            (Some(_), false) if waited(LINE_WAIT_NS) && self.has_line(&now.frame) => Turned::Counted,
            (Some(_), false) if waited(FLICKER_NS) => Turned::NoLine,
            (None, true) if waited(LINE_WAIT_NS) && self.has_time(&now.frame) => Turned::Counted,
            (None, _) if waited(LINE_WAIT_NS) => self.without_count(),
            _ => Turned::Open,
        }
    }

    fn without_count(&self) -> Turned {
        match () {
            () if self.restarted => Turned::Restart,
            () if self.garage => Turned::Garage,
            () if self.put_back => Turned::PutBack,
            () => Turned::Uncounted,
        }
    }

    /// Returns whether a lap has ended although the timer does not fall.
    fn has_line(&self, now: &LapFrame) -> bool {
        (self.over_line || self.record.is_some() || self.official(now).is_some()) && self.is_long_enough()
    }

    /// Returns whether the timer fell and an official time close to it has appeared: a line crossing, whether the lap is counted or not.
    pub(super) fn has_time(&self, now: &LapFrame) -> bool {
        let near = |ms: u32| {
            self.measured_ms.is_some_and(|measured| (measured - f64::from(ms)).abs() <= f64::from(OFFICIAL_NEAR_MS))
        };
        self.timer_fell && self.official(now).is_some_and(near) && self.is_long_enough()
    }

    fn is_long_enough(&self) -> bool {
        let has_timer = self.before.frame.running_ms.is_some();
        let time = self.measured_ms.is_none_or(|ms| ms >= f64::from(SHORTEST_LAP_MS));
        let start = self.lap.partial_start || has_timer || self.lap.began_in_pits;
        let way = self.lap.way.coverage().is_none_or(|seen| seen >= LINE_COVERAGE);
        time && (start || way)
    }

    /// Records that the line crossing is certain. The official time is awaited from here on.
    pub(super) fn count(&mut self, now: &Moment, done: usize) {
        self.since_ms = now.clock_ms;
        self.done = Some(done);
    }

    /// Returns the official time of the lap, if it has appeared and is not that of the previous lap.
    pub(super) fn official(&self, now: &LapFrame) -> Option<u32> {
        now.last_ms.filter(|_| LastTime::of(now) != self.lap.last_before)
    }

    /// Returns whether a time that appears long after the line crossing may belong to this lap.
    pub(super) fn is_late_time(&self, ms: u32, now: &Moment) -> bool {
        let ms = f64::from(ms);
        if self.measured_ms.is_some_and(|measured| (measured - ms).abs() <= f64::from(OFFICIAL_NEAR_MS)) {
            return true;
        }
        // There is no measured time, or it counts from the pits: the lap took at least as long as it was observed.
        let seen_ms = self.cross_ms - self.lap.start_ms;
        let in_time = now.clock_ms - self.cross_ms <= LATE_TIME_NS as f64 / 1e6;
        in_time && !self.is_timed() && ms + f64::from(OFFICIAL_NEAR_MS) >= seen_ms
    }

    /// Returns whether the game's own timer was observed up to the line. If so, a time that differs from it much belongs to another lap.
    fn is_timed(&self) -> bool {
        let lost = [ReasonCode::StreamGap, ReasonCode::Rewind, ReasonCode::Flashback];
        self.timer_fell && !lost.into_iter().any(|code| self.lap.has(code))
    }

    /// Returns the precision of the measured time.
    fn precision_ms(&self) -> f64 {
        if self.is_timed() { f64::from(PICTURE_MS) } else { self.lap.precision_ms() }
    }

    /// Returns the lap time, official or measured, once it is settled, or `None` while it is awaited.
    pub(super) fn time(&self, now: &Moment, at_once: bool) -> Option<Time> {
        let over = at_once || now.clock_ms - self.since_ms >= OFFICIAL_WAIT_NS as f64 / 1e6;
        let near = |ms: u32, by: f64| self.measured_ms.is_none_or(|measured| (measured - f64::from(ms)).abs() <= by);
        let of_lap = |record: &LapRecord| {
            record.time_ms.filter(|ms| *ms > 0 && (record.overrules || near(*ms, f64::from(OFFICIAL_NEAR_MS))))
        };
        if let Some(ms) = self.record.as_ref().and_then(of_lap) {
            return Some(Time::Official(ms));
        }
        match (self.official(&now.frame), now.frame.last_ms) {
            (Some(ms), _) if near(ms, f64::from(OFFICIAL_NEAR_MS)) => Some(Time::Official(ms)),
            (Some(ms), _) if over => Some(if self.is_timed() { Time::Measured } else { Time::Official(ms) }),
            (Some(_), _) => None,
            // The same time twice, to the millisecond. If the game has a finer resolution, it is the old time, and the new one is late.
            (None, Some(same))
                if over
                    && now.frame.last_exact.is_none()
                    && self.measured_ms.is_some()
                    && near(same, self.precision_ms()) =>
            {
                let left_track = self.lap.latch.left_track();
                Some(if left_track { Time::Measured } else { Time::Official(same) })
            }
            (None, _) if over => Some(Time::Measured),
            (None, _) => None,
        }
    }
}

/// The source of a lap time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    Official(u32),
    Measured,
}

/// Returns the fraction of the step between two frames that lies before the line; 1 if there is no line crossing between their positions.
pub(super) fn line_share(before: &LapFrame, now: &LapFrame) -> f64 {
    match (before.position, now.position) {
        (Some(from), Some(to)) if is_over_line(before, now) => {
            let (until, since) = (f64::from(1.0 - from), f64::from(to));
            if until + since > 0.0 { until / (until + since) } else { 1.0 }
        }
        _ => 1.0,
    }
}

/// Returns whether the time left rose or the time of day went back. Together with another sign, the session was restarted.
pub(super) fn is_earlier(before: &LapFrame, now: &LapFrame) -> bool {
    let left_rose = Option::zip(before.left_ms, now.left_ms).is_some_and(|(from, to)| to > from + LEFT_ROSE_MS);
    let clock_back = Option::zip(before.time_of_day_s, now.time_of_day_s)
        .is_some_and(|(from, to)| (CLOCK_BACK_S..HALF_DAY_S).contains(&(from - to)));
    left_rose || clock_back
}

pub(super) fn is_over_line(before: &LapFrame, now: &LapFrame) -> bool {
    matches!((before.position, now.position), (Some(from), Some(to)) if from > 0.5 && to < 0.5 && forward(from, to) >= 0.0)
}
