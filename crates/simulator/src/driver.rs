//! The driver: chooses speed and line, makes pit stops and mistakes. Deterministic by seed.
//!
//! Takes the car's position; gives [`Orders`]. Lap times vary by some tenths of a second, and about one lap in seven exceeds the track limits.
use crate::car::{Car, LOOK_AHEAD_S, Line, Orders, SpeedPlan};
use crate::random::{Chance, Purpose};
use crate::track::{PitLane, Track, smooth_step};

/// A lap has this many parts in which the driver does a little better or worse.
const PARTS: u64 = 12;
/// Half of the way on which a car that runs wide is off its line.
const WIDE_M: f64 = 115.0;
/// How far it runs wide: past the limits.
const WIDE_OFFSET_M: f64 = 10.0;
/// Deceleration on the way to the pits and into the box.
const PIT_BRAKE_MS2: f64 = 13.0;
const BOX_BRAKE_MS2: f64 = 5.0;
/// On the way back to the track.
const JOIN_MS: f64 = 44.0;
/// The way before the lane on which the driver makes up his mind.
const DECIDE_M: (f64, f64) = (330.0, 220.0);

/// Where the car is between the track and its box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visit {
    /// On the track.
    None,
    /// On the way to the box.
    In,
    /// In the box, for this many more milliseconds.
    Box {
        /// Until it leaves.
        left_ms: u32,
    },
    /// On the way out.
    Out,
}

/// The driver of a car.
#[derive(Debug, Clone)]
pub(super) struct Driver {
    chance: Chance,
    plan: SpeedPlan,
    lane: PitLane,
    /// Whether he comes in at the next chance.
    pub wants_pit: bool,
    /// Where he is on his way to the box and back.
    pub visit: Visit,
    /// How long he stands in the box.
    pub stop_ms: u32,
    /// Whether he makes mistakes by himself.
    pub errs: bool,
    /// Until he starts off, on a grid.
    pub wait_ms: u32,
    lap: u64,
    wide_at_m: Option<(f64, f64)>,
}

impl Driver {
    pub(super) fn new(chance: Chance, track: &Track) -> Self {
        Self {
            chance,
            plan: SpeedPlan::new(track),
            lane: track.pit_lane(),
            wants_pit: false,
            visit: Visit::None,
            stop_ms: 6_000,
            errs: true,
            wait_ms: 0,
            lap: 0,
            wide_at_m: None,
        }
    }

    /// A new lap: another pace, perhaps a mistake in one of the corners.
    pub(super) fn begin_lap(&mut self, lap: u64, track: &Track) {
        self.lap = lap;
        self.wide_at_m = None;
        if self.errs && self.chance.share(Purpose::Mistake, lap) < 0.14 {
            // Not in the last corners: he would miss the pit lane.
            let usable = track.corners().iter().filter(|corner| corner.apex_m < track.length_m() - 500.0);
            let usable: Vec<_> = usable.filter(|corner| corner.apex_m > 250.0).collect();
            let pick = (self.chance.share(Purpose::MistakeCorner, lap) * usable.len() as f64) as usize;
            self.wide_at_m = usable.get(pick).map(|corner| (corner.apex_m + 35.0, -corner.curvature.signum()));
        }
    }

    /// Leaves the track at the next opportunity.
    pub(super) fn run_wide(&mut self, car: &Car, track: &Track) {
        let side = -track.at(car.along_m + WIDE_M).curvature.signum();
        self.wide_at_m = Some(((car.along_m + WIDE_M + 20.0).rem_euclid(track.length_m()), side));
    }

    /// Ways of the pits that time and place decide. Called every millisecond, before the orders.
    pub(super) fn think(&mut self, car: &Car) {
        self.wait_ms = self.wait_ms.saturating_sub(1);
        let at = self.lane.around_line_m(car.along_m);
        self.visit = match self.visit {
            Visit::None if self.wants_pit && (-DECIDE_M.0..-DECIDE_M.1).contains(&(at - self.lane.leave_m)) => {
                Visit::In
            }
            Visit::In if self.lane.box_m - at < 0.4 && car.speed_ms < 0.5 => {
                self.wants_pit = false;
                Visit::Box { left_ms: self.stop_ms }
            }
            Visit::Box { left_ms: 0 } => Visit::Out,
            Visit::Box { left_ms } => Visit::Box { left_ms: left_ms - 1 },
            Visit::Out if at > self.lane.join_m => Visit::None,
            visit => visit,
        };
    }

    /// What he wants the car to do.
    #[must_use]
    pub(super) fn orders(&self, car: &Car, track: &Track, grip: f64) -> Orders {
        let ahead_m = car.along_m + car.speed_ms * LOOK_AHEAD_S;
        let step_m = (car.speed_ms * 0.04).max(0.3);
        let (here, next) = (self.speed_ms(ahead_m, track, grip), self.speed_ms(ahead_m + step_m, track, grip));
        let stand = self.wait_ms > 0 || matches!(self.visit, Visit::Box { .. });
        Orders {
            speed_ms: here,
            speed_change_ms2: (next * next - here * here) / (2.0 * step_m),
            line: self.line(car.along_m, track),
            stand,
        }
    }

    /// The speed he wants at a place.
    fn speed_ms(&self, along_m: f64, track: &Track, grip: f64) -> f64 {
        let free = self.plan.at(along_m) * self.pace(along_m, track) * grip.sqrt();
        let at = self.lane.around_line_m(along_m);
        let slowing = |to_ms: f64, ms2: f64, left_m: f64| (to_ms * to_ms + 2.0 * ms2 * left_m.max(0.0)).sqrt();
        match self.visit {
            Visit::None => free,
            Visit::In | Visit::Box { .. } => {
                let lane = slowing(self.lane.limit_ms, PIT_BRAKE_MS2, self.lane.leave_m - at);
                free.min(lane).min(slowing(0.0, BOX_BRAKE_MS2, self.lane.box_m - at).max(0.25))
            }
            Visit::Out if at < self.lane.end_m => self.lane.limit_ms,
            Visit::Out => free.min(JOIN_MS),
        }
    }

    /// A little quicker or slower than the plan, by lap and by part of the lap.
    fn pace(&self, along_m: f64, track: &Track) -> f64 {
        let lap = 0.007 * self.chance.sway(Purpose::LapPace, self.lap);
        let part = 0.011 * self.by_parts(Purpose::PartPace, along_m, track);
        let wide = if self.wide_share(along_m, track) > 0.0 { 0.93 } else { 1.0 };
        (0.988 + lap + part) * wide
    }

    fn line(&self, along_m: f64, track: &Track) -> Line {
        const H: f64 = 2.5;
        let offsets = [along_m - H, along_m, along_m + H].map(|at| self.offset_m(at, track));
        Line {
            offset_m: offsets[1],
            slope: (offsets[2] - offsets[0]) / (2.0 * H),
            bend: (offsets[2] - 2.0 * offsets[1] + offsets[0]) / (H * H),
        }
    }

    fn offset_m(&self, along_m: f64, track: &Track) -> f64 {
        let pit = if self.visit == Visit::None { 0.0 } else { self.lane.line_m(along_m) };
        let side = self.wide_at_m.map_or(0.0, |(_, side)| side);
        let sway = 0.5 * self.by_parts(Purpose::Line, along_m, track);
        pit + sway + WIDE_OFFSET_M * side * self.wide_share(along_m, track)
    }

    /// From 0 (on his line) to 1 (as wide as it gets).
    fn wide_share(&self, along_m: f64, track: &Track) -> f64 {
        let away_m = self.wide_at_m.map_or(f64::MAX, |(at_m, _)| track.ahead_m(at_m, along_m).abs());
        smooth_step(1.0 - away_m / WIDE_M)
    }

    /// A number for each part of the lap, with smooth ways between; 0 at the line, so that laps join.
    fn by_parts(&self, purpose: Purpose, along_m: f64, track: &Track) -> f64 {
        let along = along_m.rem_euclid(track.length_m()) / track.length_m() * PARTS as f64;
        let part = (along as u64).min(PARTS - 1);
        let at = |part: u64| match part % PARTS {
            0 => 0.0,
            part => self.chance.sway(purpose, self.lap.wrapping_mul(PARTS).wrapping_add(part)),
        };
        let (from, to) = (at(part), at(part + 1));
        from + (to - from) * smooth_step(along - part as f64)
    }
}
