//! The lap being driven: what its frames add up to until the line.

use gametape_games::{Identity, LapFrame, Pit};

use super::coverage::Coverage;
use super::debounce::in_pits;
use super::latch::Latch;
use super::model::{Conditions, Id, Reason, Sector};
use super::sectors::Sectors;
use super::thresholds::{AWAY_FROM_LINE, EARLY_TIME_MS, OFFICIAL_WAIT_NS, REFUELLED_L, SAME_TIME_MS};
use super::words::{Phase, ReasonCode, ReasonSource};

/// A frame and its times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// Time since the start of the tape.
    pub(super) time_ns: u64,
    /// A clock that stops during pauses.
    pub(super) clock_ms: f64,
    pub(super) frame: LapFrame,
}

/// The last lap time as a frame shows it. Two equal values are one time that is still displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LastTime {
    ms: Option<u32>,
    exact: Option<u32>,
}

impl LastTime {
    pub(super) fn of(frame: &LapFrame) -> Self {
        Self { ms: frame.last_ms, exact: frame.last_exact }
    }
}

/// A lap in progress.
#[derive(Debug, Clone)]
pub(super) struct RunningLap {
    /// Id and number on the tape, once the lap has been announced.
    pub(super) told: Option<(Id, u32)>,
    /// Lap count when it began.
    pub(super) counted_from: Option<u32>,
    pub(super) start_ns: u64,
    pub(super) start_ms: f64,
    /// Start time in UTC, by the wall clock reading that was current then.
    pub(super) started_utc_us: Option<i64>,
    pub(super) partial_start: bool,
    pub(super) began_in_pits: bool,
    pub(super) grid: bool,
    pub(super) formation: bool,
    /// It leads from the pits to the line at which the first lap begins.
    pub(super) to_first_line: bool,
    /// It entered the pits although it did not begin there.
    pub(super) visited_pits: bool,
    pub(super) stint: Option<u32>,
    pub(super) driver: Option<String>,
    pub(super) latch: Latch,
    pub(super) sectors: Sectors,
    pub(super) way: Coverage,
    pub(super) conditions: Conditions,
    pub(super) reasons: Vec<Reason>,
    /// The last lap time that was displayed before this lap could have had one.
    pub(super) last_before: LastTime,
    /// Longest interval between two frames.
    pub(super) widest_ms: f64,
    /// It had ended before the player went back into it, and its end was announced.
    pub(super) ended_before: bool,
    top_speed_kmh: Option<f32>,
    fuel_start_l: Option<f32>,
    fuel_l: Option<f32>,
    refuelled: bool,
}

/// How a lap begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    pub(super) ns: u64,
    pub(super) ms: f64,
    pub(super) partial: bool,
    pub(super) grid: bool,
}

impl RunningLap {
    pub(super) fn new(start: Start, now: &Moment, identity: &Identity, conditions: Conditions) -> Self {
        let frame = &now.frame;
        let mut way = Coverage::default();
        way.begin(frame);
        let mut lap = Self {
            told: None,
            counted_from: frame.laps_completed.filter(|_| !frame.before_first_line),
            start_ns: start.ns,
            start_ms: start.ms,
            started_utc_us: None,
            partial_start: start.partial,
            began_in_pits: in_pits(frame),
            grid: start.grid,
            formation: frame.formation == Some(true),
            to_first_line: frame.before_first_line,
            visited_pits: false,
            stint: None,
            driver: identity.driver.clone(),
            latch: Latch::default(),
            sectors: Sectors::new(identity.sector_count, &identity.sector_starts),
            way,
            conditions,
            reasons: Vec::new(),
            last_before: LastTime::of(frame),
            widest_ms: 0.0,
            ended_before: false,
            top_speed_kmh: None,
            fuel_start_l: None,
            fuel_l: None,
            refuelled: false,
        };
        if let Some(place) = frame.position.filter(|place| AWAY_FROM_LINE.contains(place) && !start.partial) {
            lap.sectors.begin_at(place);
        }
        if start.partial {
            lap.reason(ReasonCode::PartialStart, Some(now));
        }
        lap
    }

    /// Adds a frame. `before` is the previous frame, if it belongs to this lap. `whole`: no frames are missing between them. `mixed`: the
    /// frame belongs partly to the old lap and partly to the next one, so its validity and sectors may be of either. Returns a sector that
    /// has ended.
    pub(super) fn look(
        &mut self,
        before: Option<&Moment>,
        now: &Moment,
        whole: bool,
        mixed: bool,
    ) -> Option<(usize, Sector)> {
        let frame = &now.frame;
        self.car(frame);
        if in_pits(frame) && !self.began_in_pits {
            self.visited_pits = true;
        }
        let Some(before) = before else {
            if !mixed {
                self.latch.look(now.time_ns, frame, frame.sector);
                let running_ms = frame.running_ms.unwrap_or(0);
                self.sectors.timed(frame, running_ms, running_ms);
            }
            return None;
        };
        let step_ms = (now.clock_ms - before.clock_ms).max(0.0);
        self.widest_ms = self.widest_ms.max(step_ms);
        if self.way.step(&before.frame, frame, (step_ms / 1000.0) as f32, whole) {
            self.reason(ReasonCode::Teleport, Some(now));
        }
        if !whole {
            self.reason(ReasonCode::StreamGap, Some(now));
        }
        if mixed {
            return None;
        }
        let ended = self.sector(before, now, whole);
        let sector = self.sectors.index().or(frame.sector);
        self.latch.look(now.time_ns, frame, sector);
        ended
    }

    fn sector(&mut self, before: &Moment, now: &Moment, whole: bool) -> Option<(usize, Sector)> {
        if let Some(now_ms) = now.frame.running_ms
            && let Some(ended) =
                self.sectors.timed(&now.frame, before.frame.running_ms.unwrap_or(0).min(now_ms), now_ms)
        {
            return Some(ended);
        }
        let (from, to) = Option::zip(before.frame.position, now.frame.position)?;
        let since = |moment: &Moment| moment.clock_ms - self.start_ms;
        let known = whole && !self.partial_start && !self.has(ReasonCode::Teleport);
        // A step across the line is not within the lap.
        let near = (to - from).abs() < 0.5;
        let (from, to) = ((from, since(before)), (to, since(now)));
        if near { self.sectors.passed(from, to, known) } else { None }
    }

    /// Updates `last_before`. The time of the previous lap may be published late, and that of this lap slightly early.
    pub(super) fn last_before(&mut self, before: &Moment, now: &Moment) {
        let shown = LastTime::of(&now.frame);
        // A time that disappears for a while and is displayed again is still the old one.
        if shown == LastTime::of(&before.frame) || shown.ms.is_none() {
            return;
        }
        let lap_ms = self.timer_ms(now);
        let young = lap_ms < OFFICIAL_WAIT_NS as f64 / 1e6;
        let early = shown.ms.is_some_and(|shown| (f64::from(shown) - lap_ms).abs() < f64::from(EARLY_TIME_MS));
        if young || !early {
            self.last_before = shown;
        }
    }

    /// Returns the current lap time at a moment.
    pub(super) fn timer_ms(&self, now: &Moment) -> f64 {
        now.frame.running_ms.map_or(now.clock_ms - self.start_ms, f64::from)
    }

    fn car(&mut self, frame: &LapFrame) {
        if let Some(speed) = frame.speed_kmh {
            self.top_speed_kmh = Some(self.top_speed_kmh.map_or(speed, |top| top.max(speed)));
        }
        if let Some(fuel) = frame.fuel_l {
            self.fuel_start_l.get_or_insert(fuel);
            self.refuelled |= self.fuel_l.is_some_and(|before| fuel > before + REFUELLED_L);
            self.fuel_l = Some(fuel);
        }
        if frame.caution == Some(true) && self.conditions.caution != Some(true) {
            self.conditions.caution = Some(true);
        }
        self.conditions.caution = self.conditions.caution.or(frame.caution);
    }

    /// Merges `later` into this lap: the line crossing between them turned out not to be one.
    pub(super) fn merge(&mut self, later: &Self) {
        self.latch.merge(&later.latch);
        self.way.merge(&later.way);
        self.visited_pits |= later.visited_pits;
        self.refuelled |= later.refuelled;
        self.fuel_l = later.fuel_l.or(self.fuel_l);
        self.widest_ms = self.widest_ms.max(later.widest_ms);
        if let Some(speed) = later.top_speed_kmh {
            self.top_speed_kmh = Some(self.top_speed_kmh.map_or(speed, |top| top.max(speed)));
        }
        if later.conditions.caution == Some(true) {
            self.conditions.caution = Some(true);
        }
    }

    /// Adds a reason that counts against the lap, once per code.
    pub(super) fn reason(&mut self, code: ReasonCode, at: Option<&Moment>) {
        if !self.has(code) {
            self.reasons.push(Reason {
                code,
                source: ReasonSource::Tool,
                at_sector: self.sectors.index().map(|index| index.saturating_add(1)),
                at_fraction: at.and_then(|moment| moment.frame.position),
                at_ns: at.map(|moment| moment.time_ns),
            });
        }
    }

    pub(super) fn has(&self, code: ReasonCode) -> bool {
        self.reasons.iter().any(|reason| reason.code == code)
    }

    /// Returns the kind of lap, if it ends now.
    pub(super) fn phase(&self, ends_in_pits: bool) -> Phase {
        match (self.began_in_pits, ends_in_pits || self.visited_pits) {
            _ if self.formation => Phase::Formation,
            (true, _) if ends_in_pits => Phase::Pit,
            (true, _) => Phase::Out,
            (false, true) => Phase::In,
            (false, false) if self.grid => Phase::GridStart,
            (false, false) => Phase::Flying,
        }
    }

    /// Returns the fuel used, or `None` if it is unknown or the car was refuelled.
    pub(super) fn fuel_used_l(&self) -> Option<f32> {
        let used = Option::zip(self.fuel_start_l, self.fuel_l).map(|(start, end)| start - end);
        used.filter(|_| !self.refuelled).map(|used| used.max(0.0))
    }

    pub(super) fn top_speed_kmh(&self) -> Option<f32> {
        self.top_speed_kmh
    }

    /// Returns the precision of a measured lap time.
    pub(super) fn precision_ms(&self) -> f64 {
        self.widest_ms.clamp(f64::from(SAME_TIME_MS), 100.0)
    }
}

/// Returns whether the car is in its pit box.
pub(super) fn in_box(frame: &LapFrame) -> bool {
    frame.pit == Some(Pit::Box)
}
