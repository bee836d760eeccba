//! How laps end: what the difference between two frames means, and what becomes of a lap once its end is decided.

use gametape_games::LapRecord;

use super::closing::{Closing, Time, Turned, is_earlier};
use super::debounce::is_game_time_back;
use super::event::Event;
use super::open_session::{OpenSession, Shared, Step};
use super::running::{LastTime, Moment, RunningLap, Start, in_box};
use super::thresholds::{EARLY_TIME_MS, LINE_COVERAGE, SHORTEST_LAP_MS, TIMER_ANEW_MS, TIMER_SHAKE_MS};
use super::words::{ReasonCode, TimeSource};

impl OpenSession {
    /// Compares a frame with the previous one.
    pub(super) fn compare(
        &mut self,
        shared: &mut Shared,
        before: &Moment,
        now: &Moment,
        since_ns: u64,
        whole: bool,
        out: &mut Vec<Event>,
    ) -> Step {
        if is_game_time_back(&before.frame, &now.frame) {
            return Step::Restarted(since_ns);
        }
        self.late_time(before, now, out);
        let rise =
            Option::zip(self.counted, now.frame.laps_completed).map_or(0, |(from, to)| i64::from(to) - i64::from(from));
        // A car cannot drive from the track into its box without passing through the pit lane: it was teleported.
        let put_there = whole
            && self.running.is_some()
            && in_box(&now.frame)
            && before.frame.pit == Some(gametape_games::Pit::Track);
        let put_there = put_there || (self.running.is_some() && self.is_put_into_pits(before, now, whole));
        if put_there && (rise < 0 || is_earlier(&before.frame, &now.frame)) {
            return Step::Restarted(since_ns);
        }
        if self.left_lap(shared, before, now, put_there, out) {
            return Step::Same;
        }
        if self.running.as_ref().is_some_and(|lap| lap.to_first_line) && !now.frame.before_first_line {
            self.cross_first_line(shared, before, now, whole, out);
        }
        let timer = Option::zip(before.frame.running_ms, now.frame.running_ms);
        let fell = timer.is_some_and(|(from, to)| to.saturating_add(TIMER_SHAKE_MS) < from);
        match u32::try_from(rise) {
            Err(_) => return self.laps_fell(now, since_ns),
            Ok(0) if fell => self.timer_fell(shared, before, now, whole, out),
            Ok(0) => {}
            Ok(laps) => self.laps_rose(shared, before, now, laps, whole, out),
        }
        Step::Same
    }

    /// Aborts the lap if the car is no longer on one: it is in the garage or without a driver, or the race begins after the formation
    /// laps. Returns whether it did.
    fn left_lap(
        &mut self,
        shared: &mut Shared,
        before: &Moment,
        now: &Moment,
        put_there: bool,
        out: &mut Vec<Event>,
    ) -> bool {
        let Some(lap) = &self.running else { return false };
        let no_lap = now.frame.on_lap == Some(false);
        let began = lap.formation && now.frame.formation == Some(false);
        if !no_lap && !put_there && !began {
            return false;
        }
        self.settle(shared, now, out);
        if let Some(lap) = self.running.take() {
            let code = if began && !no_lap { ReasonCode::Formation } else { ReasonCode::AbortedGarage };
            self.abort(shared, lap, code, now.time_ns, now, out);
        }
        self.put_into_pits = put_there && !in_box(&now.frame);
        if put_there || no_lap {
            let turn = self.stints.garage(now.time_ns, before.frame.fuel_l);
            self.turn(turn, out);
        }
        true
    }

    /// Handles a lap count that fell: a lap was taken back, or the session was restarted.
    fn laps_fell(&mut self, now: &Moment, since_ns: u64) -> Step {
        let taken_back = self.closing.as_ref().is_some_and(|closing| {
            closing.done.is_none() && closing.laps.is_some() && closing.lap.counted_from == now.frame.laps_completed
        });
        if !taken_back {
            return Step::Restarted(since_ns);
        }
        self.no_line(now);
        Step::Same
    }

    /// Dismisses a line crossing: the frames since then belong to the lap before it.
    fn no_line(&mut self, now: &Moment) {
        let Some(closing) = self.closing.take() else { return };
        let mut lap = closing.lap;
        if let Some(later) = self.running.take() {
            lap.merge(&later);
        }
        lap.counted_from = now.frame.laps_completed.or(lap.counted_from);
        self.running = Some(lap);
    }

    fn laps_rose(
        &mut self,
        shared: &mut Shared,
        before: &Moment,
        now: &Moment,
        laps: u32,
        whole: bool,
        out: &mut Vec<Event>,
    ) {
        if now.frame.on_lap == Some(false) {
            return;
        }
        if let Some(closing) = self.closing.as_mut().filter(|closing| closing.done.is_none()) {
            closing.rose(laps);
            // The next lap began when the timer restarted, before the lap count rose.
            if let Some(lap) = &mut self.running {
                lap.counted_from = now.frame.laps_completed;
            }
            return;
        }
        // The line crossing was recognized by its lap time, before the lap count rose.
        let young = |lap: &RunningLap| lap.timer_ms(before) < f64::from(SHORTEST_LAP_MS);
        if self.running.as_ref().is_some_and(|lap| lap.counted_from == now.frame.laps_completed && young(lap)) {
            return;
        }
        self.settle(shared, now, out);
        let lap = self.running.take().unwrap_or_else(|| self.unseen(before));
        let mut closing = Closing::new(lap, before, now);
        closing.rose(laps);
        if !whole {
            closing.lap.reason(ReasonCode::StreamGap, Some(before));
            closing.lap.reason(ReasonCode::PartialEnd, Some(before));
        }
        self.closing = Some(closing);
    }

    fn timer_fell(&mut self, shared: &mut Shared, before: &Moment, now: &Moment, whole: bool, out: &mut Vec<Event>) {
        if let Some(closing) = self.closing.as_mut().filter(|closing| closing.laps.is_some() && !closing.timer_fell) {
            match closing.done {
                None => closing.cross(before, now),
                Some(_) => closing.timer_fell = true,
            }
            return;
        }
        let wound_back = whole && now.frame.running_ms.is_some_and(|ms| ms > TIMER_ANEW_MS);
        if wound_back {
            if let Some(lap) = &mut self.running {
                lap.reason(ReasonCode::Rewind, Some(now));
            }
            return;
        }
        self.settle(shared, now, out);
        if let Some(lap) = self.running.take() {
            let mut closing = Closing::new(lap, before, now);
            if !whole {
                closing.lap.reason(ReasonCode::StreamGap, Some(before));
            }
            self.closing = Some(closing);
        }
    }

    /// Creates a lap of which only the end was observed.
    fn unseen(&self, from: &Moment) -> RunningLap {
        let start = Start { ns: from.time_ns, ms: from.clock_ms, partial: true, grid: false };
        RunningLap::new(start, from, &self.identity, self.conditions_of(from))
    }

    /// Decides everything that is pending, from what is known now.
    pub(super) fn settle(&mut self, shared: &mut Shared, now: &Moment, out: &mut Vec<Event>) {
        // A restart that is not certain yet is not a restart: the caller knows better what happened.
        let _ = self.decide(shared, now, true, out);
        if let Some(closing) = self.closing.take() {
            self.abort(shared, closing.lap, ReasonCode::AbortedRestart, closing.cross_ns, now, out);
        }
    }

    /// Decides on the lap whose end is pending.
    pub(super) fn decide(&mut self, shared: &mut Shared, now: &Moment, at_once: bool, out: &mut Vec<Event>) -> Step {
        if let Some(closing) = self.closing.as_mut().filter(|closing| closing.done.is_none()) {
            closing.look(now);
            let is_of_lap = |record: &LapRecord| Some(record.lap) == now.frame.laps_completed;
            if closing.laps.is_some() {
                closing.record = self.early_record.filter(is_of_lap);
            }
            match closing.turned(now, at_once) {
                Turned::Open => return Step::Same,
                Turned::Restart => return Step::Restarted(closing.cross_ns),
                Turned::Counted => self.count(shared, now, out),
                Turned::NoLine => self.no_line(now),
                Turned::TooShort => {
                    // The car left a box before the line: the lap that begins at the line is an out lap.
                    if let (Some(closing), Some(next)) = (&self.closing, &mut self.running) {
                        next.began_in_pits |= closing.lap.began_in_pits && closing.over_line;
                    }
                    self.abort_closing(shared, ReasonCode::ImplausibleTime, now, out);
                }
                Turned::PutBack => self.abort_closing(shared, ReasonCode::AbortedRestart, now, out),
                Turned::Uncounted => self.abort_closing(shared, ReasonCode::NoOfficialTime, now, out),
                Turned::Garage => {
                    self.abort_closing(shared, ReasonCode::AbortedGarage, now, out);
                    let turn = self.stints.garage(now.time_ns, now.frame.fuel_l);
                    self.turn(turn, out);
                }
            }
        }
        if let Some(closing) = self.closing.take() {
            match closing.time(now, at_once) {
                Some(time) => self.finish(closing, time, false, out),
                None => self.closing = Some(closing),
            }
        }
        self.tell_running(shared, now, out);
        Step::Same
    }

    fn abort_closing(&mut self, shared: &mut Shared, code: ReasonCode, now: &Moment, out: &mut Vec<Event>) {
        if let Some(closing) = self.closing.take() {
            self.abort(shared, closing.lap, code, closing.cross_ns, now, out);
        }
    }

    /// Announces the running lap, once it is certain that there is one.
    fn tell_running(&mut self, shared: &mut Shared, now: &Moment, out: &mut Vec<Event>) {
        if self.closing.as_ref().is_some_and(|closing| closing.done.is_none()) {
            return;
        }
        let Some(mut lap) = self.running.take() else { return };
        // From a box just before the line to the line is not a lap; all the way round the track is.
        let short = lap.to_first_line && lap.way.coverage().is_none_or(|seen| seen < LINE_COVERAGE);
        if lap.told.is_none() && !short {
            self.tell(shared, &mut lap, now, out);
        }
        self.running = Some(lap);
    }

    /// Counts a lap whose line crossing is certain.
    fn count(&mut self, shared: &mut Shared, now: &Moment, out: &mut Vec<Event>) {
        let Some(mut closing) = self.closing.take() else { return };
        if closing.lap.told.is_none() {
            self.tell(shared, &mut closing.lap, now, out);
        }
        let laps = closing.laps.unwrap_or(1);
        if laps > 1 {
            self.unseen_laps(shared, &mut closing, laps, now, out);
        }
        // The lap number follows the game's count, also if the start of the lap was not observed.
        if let Some(counted) = now.frame.laps_completed.filter(|_| closing.laps.is_some()) {
            closing.lap.counted_from = counted.checked_sub(1).or(closing.lap.counted_from);
        } else if let Some(next) = &mut self.running {
            next.counted_from = closing.lap.counted_from.map(|from| from.saturating_add(1));
        }
        let place = self.provisional(shared, &closing, out);
        closing.count(now, place);
        self.late = None;
        let number = closing.lap.counted_from.map(|from| from.saturating_add(1));
        if let Some(record) = self.early_record.take_if(|record| Some(record.lap) == number) {
            closing.record = Some(record);
            self.take_record(place, &record);
        }
        self.closing = Some(closing);
    }

    /// Adds the laps that were driven during a gap. All but the last have no time.
    fn unseen_laps(
        &mut self,
        shared: &mut Shared,
        closing: &mut Closing,
        laps: u32,
        now: &Moment,
        out: &mut Vec<Event>,
    ) {
        let from = closing.before;
        let mut last = self.unseen(&from);
        last.last_before = closing.lap.last_before;
        last.began_in_pits = false;
        last.reason(ReasonCode::StreamGap, Some(&from));
        last.reason(ReasonCode::PartialEnd, Some(&from));
        let first = closing.lap.counted_from;
        let open = std::mem::replace(&mut closing.lap, last);
        self.abort(shared, open, ReasonCode::StreamGap, from.time_ns, now, out);
        // Bounds the memory used if the lap count jumps.
        for nth in 1..(laps - 1).min(MOST_UNSEEN) {
            let mut lap = self.unseen(&from);
            lap.counted_from = first.map(|first| first.saturating_add(nth));
            self.tell(shared, &mut lap, now, out);
            self.abort(shared, lap, ReasonCode::StreamGap, from.time_ns, now, out);
        }
        closing.lap.counted_from = now.frame.laps_completed.and_then(|laps| laps.checked_sub(1));
        let official_ms = closing.official(&now.frame).map_or(0.0, f64::from);
        let start_ms = (closing.cross_ms - official_ms).max(from.clock_ms);
        closing.lap.start_ms = start_ms;
        closing.lap.start_ns =
            closing.cross_ns.saturating_sub(((closing.cross_ms - start_ms).max(0.0) * 1e6) as u64).max(from.time_ns);
        closing.measured_ms = None;
        self.tell(shared, &mut closing.lap, now, out);
    }

    /// Amends a lap whose official time appears late.
    fn late_time(&mut self, before: &Moment, now: &Moment, out: &mut Vec<Event>) {
        let (Some(ms), Some(closing)) = (now.frame.last_ms, &self.late) else { return };
        let shown = LastTime::of(&now.frame);
        let is_new = shown != LastTime::of(&before.frame) && shown != closing.lap.last_before;
        let near_next = |lap: &RunningLap| (lap.timer_ms(now) - f64::from(ms)).abs() <= f64::from(EARLY_TIME_MS);
        let of_next = self.running.as_ref().is_some_and(near_next);
        if !is_new || of_next || !closing.is_late_time(ms, now) {
            return;
        }
        if let Some(closing) = self.late.take() {
            self.finish(*closing, Time::Official(ms), true, out);
        }
    }

    /// Returns a lap time and its source.
    pub(super) fn time_of(closing: &Closing, time: Time) -> Option<(u32, TimeSource)> {
        match time {
            Time::Official(ms) => Some((ms, TimeSource::Official)),
            Time::Measured => closing.measured_ms.map(|ms| (ms.round() as u32, TimeSource::Measured)),
        }
    }
}

/// Maximum number of laps added for a gap.
const MOST_UNSEEN: u32 = 1_000;
