//! The lap that is being driven: what its frames add up to until the line.

use gametape_games::{Identity, LapFrame, Pit};

use super::choices::{AWAY_FROM_LINE, EARLY_TIME_MS, OFFICIAL_WAIT_NS, REFUELLED_L, SAME_TIME_MS};
use super::latch::Latch;
use super::model::{Conditions, Id, Reason, Sector};
use super::sectors::Sectors;
use super::steady::in_pits;
use super::way::Way;
use super::words::{Phase, ReasonCode, ReasonSource};

/// A frame and its times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// Since the beginning of the tape.
    pub(super) time_ns: u64,
    /// A clock that stands in pauses.
    pub(super) clock_ms: f64,
    pub(super) frame: LapFrame,
}

/// The time of the last lap as a frame shows it. Two that are equal are one time that is still shown.
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

/// A lap that runs.
#[derive(Debug, Clone)]
pub(super) struct RunningLap {
    /// Id and number on the tape, once it was told of.
    pub(super) told: Option<(Id, u32)>,
    /// Laps completed when it began.
    pub(super) counted_from: Option<u32>,
    pub(super) start_ns: u64,
    pub(super) start_ms: f64,
    /// UTC of its beginning, by the clock as it was then.
    pub(super) started_utc_us: Option<i64>,
    pub(super) partial_start: bool,
    pub(super) began_in_pits: bool,
    pub(super) grid: bool,
    pub(super) formation: bool,
    /// It leads from the pits to the line where the first lap begins.
    pub(super) to_first_line: bool,
    /// It was in the pits although it did not begin there.
    pub(super) visited_pits: bool,
    pub(super) stint: Option<u32>,
    pub(super) driver: Option<String>,
    pub(super) latch: Latch,
    pub(super) sectors: Sectors,
    pub(super) way: Way,
    pub(super) conditions: Conditions,
    pub(super) reasons: Vec<Reason>,
    /// The time of the last lap that was shown before this one could have had one.
    pub(super) last_before: LastTime,
    /// Greatest distance of two frames.
    pub(super) widest_ms: f64,
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
        let mut way = Way::default();
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

    /// Takes over a frame. `before` is the frame before it, if that was of this lap; `whole`: none are missing between them. `mixed`: the frame is part of the
    /// old lap and part of the next one, so what it says of validity and sectors may be of either. Gives a sector that has ended.
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
        // Over the line is not within the lap.
        let near = (to - from).abs() < 0.5;
        let (from, to) = ((from, since(before)), (to, since(now)));
        if near { self.sectors.passed(from, to, known) } else { None }
    }

    /// The time of the lap before may be published late, and that of this lap a little early.
    pub(super) fn last_before(&mut self, before: &Moment, now: &Moment) {
        let shown = LastTime::of(&now.frame);
        // A time that is not shown for a while and then again is still the old one.
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

    /// How long the lap runs at a moment.
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

    /// The line was none: what was seen behind it is of this lap too.
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

    /// Notes what speaks against the lap, once.
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

    /// What kind of lap it is, if it ends now.
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

    /// Fuel used, unless some was added.
    pub(super) fn fuel_used_l(&self) -> Option<f32> {
        let used = Option::zip(self.fuel_start_l, self.fuel_l).map(|(start, end)| start - end);
        used.filter(|_| !self.refuelled).map(|used| used.max(0.0))
    }

    pub(super) fn top_speed_kmh(&self) -> Option<f32> {
        self.top_speed_kmh
    }

    /// How near a measured time is at best.
    pub(super) fn precision_ms(&self) -> f64 {
        self.widest_ms.clamp(f64::from(SAME_TIME_MS), 100.0)
    }
}

/// The car stands in its box.
pub(super) fn in_box(frame: &LapFrame) -> bool {
    frame.pit == Some(Pit::Box)
}
