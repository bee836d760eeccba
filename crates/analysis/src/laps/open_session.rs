//! The current session: its laps, stints and bests, frame by frame.
//!
//! Takes debounced frames of one session and emits events. [`Tracker`](super::tracker::Tracker) decides whether it is still the same
//! session. Restarts are detected here and reported back to it.

use gametape_format::TapeId;
use gametape_games::{Identity, LapFrame, LapRecord};

use super::back_in_time::Checkpoints;
use super::bests::{Best, Done, best_of};
use super::closing::Closing;
use super::debounce::went_back;
use super::event::Event;
use super::learned::Learning;
use super::model::{Conditions, Id, Session};
use super::running::{Moment, RunningLap, Start, in_box};
use super::stints::{Stints, Turn};
use super::thresholds::{JOINED_MS, NEWS_CELSIUS};
use super::utc::UtcClock;
use super::words::{LapState, ReasonCode, SessionKind};

/// State that all sessions of a tape share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) tape: TapeId,
    pub(super) utc: UtcClock,
    /// Number of laps announced so far.
    pub(super) tape_laps: u32,
    last_id: Option<(u64, u32)>,
    /// End of the last lap. The next one does not begin before it.
    pub(super) lap_end_ns: u64,
}

impl Shared {
    pub(super) fn new(tape: TapeId) -> Self {
        Self { tape, utc: UtcClock::default(), tape_laps: 0, last_id: None, lap_end_ns: 0 }
    }

    /// Returns the id and the tape number of the next lap.
    pub(super) fn next_lap(&mut self, start_ns: u64) -> (Id, u32) {
        self.tape_laps += 1;
        let nth = match self.last_id {
            Some((ns, nth)) if ns == start_ns => nth + 1,
            _ => 0,
        };
        self.last_id = Some((start_ns, nth));
        (Id::of_lap(self.tape, start_ns, nth), self.tape_laps)
    }
}

/// What a frame meant for the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It continues.
    Same,
    /// It was restarted at this time.
    Restarted(u64),
}

/// The line crossing at which the first lap after joining begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct FirstLine {
    pub(super) ns: u64,
    pub(super) ms: f64,
    /// No frames are missing around it.
    pub(super) seen: bool,
    /// The car came straight from the pits.
    pub(super) from_pits: bool,
}

/// A session in progress.
#[derive(Debug)]
pub(super) struct OpenSession {
    pub(super) model: Session,
    pub(super) identity: Identity,
    /// The game's own session id.
    pub(super) native_id: Option<u64>,
    /// Number of the player's car.
    pub(super) own_car: Option<i32>,
    pub(super) watching: bool,
    pub(super) laps: Vec<Done>,
    pub(super) running: Option<RunningLap>,
    pub(super) closing: Option<Closing>,
    pub(super) before: Option<Moment>,
    /// Lap count, as last reported.
    pub(super) counted: Option<u32>,
    pub(super) stints: Stints,
    pub(super) learning: Learning,
    /// Set if the newest frame crossed the line at which the first lap begins.
    pub(super) first_line: Option<FirstLine>,
    /// The newest frame shows the car teleported to the pits, in a game that does not distinguish the pit box from the pit lane.
    pub(super) put_into_pits: bool,
    /// The clock at, and the fuel before, the last position jump.
    pub(super) leap: Option<(f64, Option<f32>)>,
    /// A lap whose official time may still appear.
    pub(super) late: Option<Box<Closing>>,
    /// The game's record of a lap that is not counted yet.
    pub(super) early_record: Option<LapRecord>,
    pub(super) checkpoints: Checkpoints,
    bests: Vec<(Option<String>, Best)>,
    penalty_shown: bool,
    conditions: Conditions,
}

impl OpenSession {
    pub(super) fn new(model: Session, identity: &Identity, frame: &LapFrame) -> Self {
        Self {
            model,
            identity: identity.clone(),
            native_id: frame.session_id,
            own_car: frame.player_car,
            watching: false,
            laps: Vec::new(),
            running: None,
            closing: None,
            before: None,
            counted: frame.laps_completed,
            stints: Stints::default(),
            learning: Learning::default(),
            first_line: None,
            put_into_pits: false,
            leap: None,
            late: None,
            early_record: None,
            checkpoints: Checkpoints::default(),
            bests: Vec::new(),
            penalty_shown: frame.best_removed,
            conditions: Conditions::default(),
        }
    }

    /// Adds a frame. `since_ns` is the time since which its state has been shown. `whole`: no frames are missing before it.
    pub(super) fn frame(
        &mut self,
        shared: &mut Shared,
        now: &Moment,
        since_ns: u64,
        whole: bool,
        out: &mut Vec<Event>,
    ) -> Step {
        self.news(now, out);
        self.record(&now.frame, out);
        self.penalty(&now.frame, out);
        let turn = self.stints.look(now.time_ns, &now.frame, self.identity.driver.as_deref());
        self.turn(turn, out);
        let back = self.before.and_then(|before| went_back(&before.frame, &now.frame));
        if let Some(before) = self.before
            && let Step::Restarted(at_ns) = match back {
                Some(code) => self.go_back(shared, code, now, since_ns, out),
                None => self.compare(shared, &before, now, since_ns, whole, out),
            }
        {
            return Step::Restarted(at_ns);
        }
        self.begin_lap(shared, now);
        self.add(now, whole || back.is_some(), out);
        if let Step::Restarted(at_ns) = self.decide(shared, now, false, out) {
            return Step::Restarted(at_ns);
        }
        self.counted = now.frame.laps_completed.or(self.counted);
        self.before = Some(*now);
        self.keep_checkpoint(now);
        Step::Same
    }

    /// Begins a lap when the game starts to time one.
    fn begin_lap(&mut self, shared: &mut Shared, now: &Moment) {
        let Some(before) = self.before.filter(|_| self.running.is_none()) else { return };
        let frame = &now.frame;
        if frame.on_lap == Some(false) || frame.laps_completed.is_none() {
            return;
        }
        let waits = self.closing.as_ref().is_some_and(|closing| closing.waits_for_timer());
        let line = self
            .closing
            .as_ref()
            .filter(|closing| closing.laps.is_some())
            .map(|closing| (closing.cross_ns, closing.cross_ms));
        let first_line = self.first_line.take();
        let put_into_pits = std::mem::take(&mut self.put_into_pits);
        let race = frame.kind == SessionKind::Race && frame.laps_completed == Some(0);
        let start = match frame.running_ms {
            Some(0) => return,
            Some(running_ms) => {
                if waits || before.frame.running_ms.is_some_and(|before_ms| before_ms == running_ms) {
                    return;
                }
                let since_ns = u64::from(running_ms) * 1_000_000;
                let partial = running_ms > JOINED_MS;
                let ns = if partial && line.is_none() { now.time_ns } else { now.time_ns.saturating_sub(since_ns) };
                Start { ns, ms: now.clock_ms - f64::from(running_ms), partial, grid: race }
            }
            None if in_box(frame) => return,
            None => {
                let formed = before.frame.formation == Some(true) && frame.formation == Some(false);
                let from_start = (before.frame.on_lap == Some(false) || formed) && race;
                // A car that is in its box when the session is joined is in the middle of a lap, unless it is the first lap.
                let from_pits =
                    in_box(&before.frame) && (race || !self.laps.is_empty() || frame.laps_completed == Some(0));
                let first = first_line.as_ref().map(|line| (line.ns, line.ms));
                let (ns, ms) = line.or(first).unwrap_or((now.time_ns, now.clock_ms));
                let known = first_line.as_ref().is_some_and(|line| line.seen) || put_into_pits;
                Start { ns, ms, partial: line.is_none() && !from_start && !from_pits && !known, grid: race }
            }
        };
        let ns = start.ns.max(self.model.start_ns).max(shared.lap_end_ns);
        let conditions = self.conditions_of(now);
        let mut lap = RunningLap::new(Start { ns, ..start }, now, &self.identity, conditions);
        lap.began_in_pits |= in_box(&before.frame) || put_into_pits || first_line.is_some_and(|line| line.from_pits);
        lap.stint = self.stints.n();
        self.running = Some(lap);
    }

    /// Adds the frame to the lap that it belongs to.
    fn add(&mut self, now: &Moment, whole: bool, out: &mut Vec<Event>) {
        self.learning.look(now);
        let sign = self.closing.as_ref().is_some_and(|closing| closing.done.is_none());
        if sign && self.running.is_none() {
            if let Some(closing) = &mut self.closing {
                closing.lap.look(self.before.as_ref(), now, whole, true);
            }
            return;
        }
        let Some(lap) = &mut self.running else { return };
        let before = self.before.filter(|before| before.time_ns >= lap.start_ns);
        let ended = lap.look(before.as_ref(), now, whole, sign);
        // Also while a line crossing is pending: a time that appears with it belongs to the previous lap.
        if let Some(before) = &before {
            lap.last_before(before, now);
        }
        if let Some((index, sector)) = ended {
            self.learning.sector_end(index, now);
            if let Some((lap, _)) = lap.told {
                out.push(Event::SectorClosed { lap, number: u8::try_from(index + 1).unwrap_or(u8::MAX), sector });
            }
        }
    }

    /// Emits the events of stints that ended or began.
    pub(super) fn turn(&mut self, turn: Turn, out: &mut Vec<Event>) {
        let session = self.model.id;
        out.extend(turn.closed.map(|stint| Event::StintClosed { session, stint }));
        if let Some(stint) = turn.opened {
            out.push(Event::StintOpened { session, stint });
        }
    }

    /// Takes the game's record of a lap.
    fn record(&mut self, frame: &LapFrame, out: &mut Vec<Event>) {
        let Some(record) = frame.record else { return };
        let is_lap = |done: &Done| done.lap.number == Some(record.lap) && done.lap.state != LapState::Aborted;
        let Some(place) = self.laps.iter().rposition(is_lap) else {
            self.early_record = Some(record);
            return;
        };
        if let Some(closing) = self.closing.as_mut().filter(|closing| closing.done == Some(place)) {
            closing.record = Some(record);
        }
        if self.take_record(place, &record) {
            self.late.take_if(|late| late.done == Some(place));
            self.amended(place, out);
        }
    }

    /// Disqualifies the best lap when a penalty that deletes it appears.
    fn penalty(&mut self, frame: &LapFrame, out: &mut Vec<Event>) {
        let new = frame.best_removed && !self.penalty_shown;
        self.penalty_shown = frame.best_removed;
        if !new {
            return;
        }
        let best = best_of(&self.laps, self.identity.driver.as_deref()).lap;
        let place = best.and_then(|best| self.laps.iter().position(|done| done.lap.id == best));
        if let Some(place) = place {
            self.push_reason(place, ReasonCode::BestRemovedByPenalty);
            self.amended(place, out);
        }
    }

    /// Recomputes the bests and emits those that changed.
    pub(super) fn look_for_bests(&mut self, out: &mut Vec<Event>) {
        let mut drivers: Vec<Option<String>> = Vec::new();
        for done in &self.laps {
            if !drivers.contains(&done.lap.driver) {
                drivers.push(done.lap.driver.clone());
            }
        }
        for driver in drivers {
            let best = best_of(&self.laps, driver.as_deref());
            let known = self.bests.iter_mut().find(|(of, _)| *of == driver);
            match known {
                Some((_, before)) if *before == best => continue,
                Some((_, before)) => *before = best,
                None if best == Best::default() => continue,
                None => self.bests.push((driver.clone(), best)),
            }
            if driver == self.model.driver {
                self.model.best_lap = best.lap;
                self.model.theoretical_best_ms = best.theoretical_ms;
            }
            out.push(Event::BestChanged {
                session: self.model.id,
                driver,
                best_lap: best.lap,
                time_ms: best.time_ms,
                theoretical_best_ms: best.theoretical_ms,
            });
        }
    }

    pub(super) fn conditions_of(&self, now: &Moment) -> Conditions {
        let frame = &now.frame;
        Conditions {
            air_celsius: frame.air_celsius,
            track_celsius: frame.track_celsius,
            grip: frame.grip.map(str::to_owned),
            rain: frame.rain.map(str::to_owned),
            caution: frame.caution,
            time_of_day_s: frame.time_of_day_s,
            tyre: self.identity.tyre.clone(),
        }
    }

    /// Emits an event if the conditions changed.
    fn news(&mut self, now: &Moment, out: &mut Vec<Event>) {
        let (frame, known) = (&now.frame, &self.conditions);
        let other = |one: Option<f32>, two: Option<f32>| match (one, two) {
            (Some(one), Some(two)) => (one - two).abs() >= NEWS_CELSIUS,
            (one, two) => one.is_some() != two.is_some(),
        };
        let same = known.grip.as_deref() == frame.grip
            && known.rain.as_deref() == frame.rain
            && known.caution == frame.caution
            && known.tyre == self.identity.tyre
            && !other(known.air_celsius, frame.air_celsius)
            && !other(known.track_celsius, frame.track_celsius);
        if !same {
            self.conditions = self.conditions_of(now);
            let conditions = self.conditions.clone();
            out.push(Event::ConditionsChanged { session: self.model.id, at_ns: now.time_ns, conditions });
        }
    }
}
