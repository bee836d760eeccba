//! Engine and gearbox: selects the gear; computes engine speed and the force at the wheels.
use super::vehicle::{GEARS, IDLE_RPM, MAX_RPM, engine_brake_n, leverage_per_m, rpm_at, torque_nm};

/// A shift takes this long, without drive.
const SHIFT_MS: u32 = 55;
/// Shifts follow each other no sooner.
const BETWEEN_SHIFTS_MS: u32 = 140;
const UP_RPM: f64 = 8_950.0;
/// Down when the engine would turn no faster than this in the gear below.
const DOWN_RPM: f64 = 8_300.0;
/// Starting off, the clutch slips below this.
const CLUTCH_RPM: f64 = 4_200.0;
/// How fast the engine's speed can change, for each millisecond.
const RPM_PER_MS: f64 = 38.0;

/// The engine and the gearbox.
#[derive(Debug, Clone, PartialEq)]
pub struct Engine {
    /// 0 is neutral, 1 the first.
    pub gear: usize,
    /// Turns in a minute.
    pub rpm: f64,
    /// How far the clutch is open, from 0 (grips) to 1.
    pub clutch: f64,
    shift_left_ms: u32,
    since_shift_ms: u32,
}

impl Engine {
    /// An engine that idles in neutral.
    #[must_use]
    pub fn idling() -> Self {
        Self { gear: 0, rpm: IDLE_RPM, clutch: 0.0, shift_left_ms: 0, since_shift_ms: BETWEEN_SHIFTS_MS }
    }

    /// An engine in the gear that fits the speed.
    #[must_use]
    pub fn rolling(speed_ms: f64) -> Self {
        let gear = (1..GEARS).find(|gear| rpm_at(speed_ms, *gear) < 8_000.0).unwrap_or(GEARS);
        Self { gear, rpm: rpm_at(speed_ms, gear).max(IDLE_RPM), ..Self::idling() }
    }

    /// One millisecond; `None` of a gear is wanted while the car is to stand.
    pub fn step(&mut self, speed_ms: f64, gas: f64, braking: bool, standing: bool) {
        self.since_shift_ms = self.since_shift_ms.saturating_add(1);
        self.shift_left_ms = self.shift_left_ms.saturating_sub(1);
        let wanted = self.wanted_gear(speed_ms, gas, braking, standing);
        if wanted != self.gear && self.shift_left_ms == 0 {
            self.gear = wanted;
            self.shift_left_ms = SHIFT_MS;
            self.since_shift_ms = 0;
        }
        let road_rpm = if self.gear == 0 { 0.0 } else { rpm_at(speed_ms, self.gear) };
        let slipping = self.gear == 1 && road_rpm < CLUTCH_RPM && gas > 0.05;
        let target = match (self.gear, slipping) {
            (0, _) => IDLE_RPM + 1_500.0 * gas,
            (_, true) => road_rpm.max(IDLE_RPM + (CLUTCH_RPM - IDLE_RPM) * gas),
            (_, false) => road_rpm.clamp(IDLE_RPM, MAX_RPM),
        };
        self.rpm += (target - self.rpm).clamp(-RPM_PER_MS, RPM_PER_MS);
        let open = if slipping { (1.0 - road_rpm / self.rpm).clamp(0.0, 1.0) } else { 0.0 };
        self.clutch = if self.shift_left_ms > 0 || self.gear == 0 { 1.0 } else { open };
    }

    fn wanted_gear(&self, speed_ms: f64, gas: f64, braking: bool, standing: bool) -> usize {
        if standing && speed_ms < 0.2 {
            return 0;
        }
        let rest = self.since_shift_ms < BETWEEN_SHIFTS_MS;
        match self.gear {
            0 if standing => 0,
            0 => 1,
            gear if rest => gear,
            gear if gear < GEARS && !braking && gas > 0.15 && rpm_at(speed_ms, gear) > UP_RPM => gear + 1,
            gear if gear > 1 && rpm_at(speed_ms, gear - 1) < DOWN_RPM - if braking { 0.0 } else { 900.0 } => gear - 1,
            gear => gear,
        }
    }

    /// Force at the wheels, without a limit by the tyres.
    #[must_use]
    pub fn drive_n(&self, gas: f64) -> f64 {
        if self.gear == 0 || self.shift_left_ms > 0 {
            return 0.0;
        }
        gas * torque_nm(self.rpm) * leverage_per_m(self.gear)
    }

    /// What the engine holds back with the pedal up.
    #[must_use]
    pub fn brake_n(&self, gas: f64) -> f64 {
        if self.gear == 0 || self.clutch > 0.0 {
            return 0.0;
        }
        (1.0 - gas).max(0.0) * engine_brake_n(self.rpm, self.gear)
    }

    /// Whether the gearbox is between two gears.
    #[must_use]
    pub fn shifts(&self) -> bool {
        self.shift_left_ms > 0
    }
}
