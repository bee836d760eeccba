//! A car of the race: where it is, how it moves, and the state of its wheels.
use crate::track::Track;

const STEP_S: f64 = 0.01;
const WHEEL_RADIUS_M: f64 = 0.33;
const MASS_KG: f64 = 1250.0;
/// Fractions of a lap at which the first two sectors end.
pub(super) const SECTOR_ENDS: [f64; 2] = [0.31, 0.67];

/// A car.
#[derive(Debug, Clone)]
pub(super) struct RaceCar {
    noise: u64,
    pace: f64,
    line_m: f64,
    /// From the line; negative on the grid.
    pub(super) distance_m: f64,
    pub(super) speed: f64,
    pub(super) ahead: f64,
    pub(super) lateral: f64,
    pub(super) vertical: f64,
    /// x to the east, y up, z to the north.
    pub(super) position: [f64; 3],
    pub(super) heading: f64,
    pub(super) yaw_rate: f64,
    pub(super) yaw_accel: f64,
    pub(super) pitch: f64,
    pub(super) roll: f64,
    pub(super) throttle: f64,
    pub(super) brake: f64,
    pub(super) steering: f64,
    pub(super) gear: i32,
    pub(super) rpm: f64,
    pub(super) torque: f64,
    pub(super) fuel_l: f64,
    pub(super) water: f64,
    pub(super) oil: f64,
    pub(super) wheels: [RaceWheel; 4],
    pub(super) laps: u32,
    pub(super) lap_start_s: f64,
    pub(super) sector: u8,
    /// From the line to the ends of the first two sectors, in the current lap; 0 until they end.
    pub(super) splits_s: [f64; 2],
    pub(super) last_s: f64,
    pub(super) last_splits_s: [f64; 2],
    pub(super) best_s: f64,
    pub(super) best_splits_s: [f64; 2],
    pub(super) laps_ms: Vec<u32>,
    pub(super) lap_counts: bool,
    pub(super) exceeded_limits: bool,
}

/// A wheel: front left, front right, rear left, rear right.
#[derive(Debug, Clone, Copy)]
pub(super) struct RaceWheel {
    bump: f64,
    pub(super) deflection: f64,
    pub(super) ride_height: f64,
    pub(super) load: f64,
    pub(super) lateral_force: f64,
    pub(super) ahead_force: f64,
    pub(super) slip: f64,
    pub(super) rotation: f64,
    pub(super) brake_celsius: f64,
    pub(super) tread_celsius: [f64; 3],
    pub(super) inner_celsius: [f64; 3],
    pub(super) carcass_celsius: f64,
    pub(super) pressure_kpa: f64,
    pub(super) wear: f64,
}

impl RaceWheel {
    const NEW: Self = Self {
        bump: 0.0,
        deflection: 0.03,
        ride_height: 0.06,
        load: 3000.0,
        lateral_force: 0.0,
        ahead_force: 0.0,
        slip: 0.0,
        rotation: 0.0,
        brake_celsius: 180.0,
        tread_celsius: [70.0; 3],
        inner_celsius: [65.0; 3],
        carcass_celsius: 62.0,
        pressure_kpa: 165.0,
        wear: 1.0,
    };
}

impl RaceCar {
    pub(super) fn on_grid(number: usize, seed: u64) -> Self {
        let mut car = Self {
            noise: (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed.wrapping_mul(0xD6E8_FEB8_6659_FD93)
                | 1,
            pace: 0.0,
            line_m: 0.0,
            distance_m: -8.0 * (number as f64 + 1.0),
            speed: 0.0,
            ahead: 0.0,
            lateral: 0.0,
            vertical: 0.0,
            position: [0.0; 3],
            heading: 0.0,
            yaw_rate: 0.0,
            yaw_accel: 0.0,
            pitch: 0.0,
            roll: 0.0,
            throttle: 0.0,
            brake: 0.0,
            steering: 0.0,
            gear: 1,
            rpm: 3000.0,
            torque: 0.0,
            fuel_l: 75.0,
            water: 84.0,
            oil: 96.0,
            wheels: [RaceWheel::NEW; 4],
            laps: 0,
            lap_start_s: 0.0,
            sector: 0,
            splits_s: [0.0; 2],
            last_s: -1.0,
            last_splits_s: [-1.0; 2],
            best_s: -1.0,
            best_splits_s: [-1.0; 2],
            laps_ms: Vec::new(),
            lap_counts: true,
            exceeded_limits: false,
        };
        car.pace = 0.97 + 0.05 * (car.sway() * 0.5 + 0.5);
        car
    }

    /// Evenly spread, from -1 to 1.
    fn sway(&mut self) -> f64 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        (self.noise >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Drives for a step, at the end of which the session clock shows this.
    pub(super) fn step(&mut self, track: &Track, clock_s: f64) {
        let place = track.at(self.distance_m);
        let bend = (0..8).map(|at| track.at(self.distance_m + 8.0 * f64::from(at)).curvature.abs()).fold(0.0, f64::max);
        let target = self.pace * (22.0 / bend.max(1e-4)).sqrt().clamp(16.0, 82.0);
        let wanted = ((target - self.speed) * 1.6).clamp(-14.0, 7.0 - self.speed * 0.05);
        self.ahead += (wanted - self.ahead) * 0.08 + self.sway() * 0.05;
        self.speed = (self.speed + self.ahead * STEP_S).max(0.0);
        let before_m = self.distance_m;
        self.distance_m += self.speed * STEP_S;
        self.line_m += (self.sway() * 4.0 - self.line_m) * 0.002;

        let heading = place.tangent.0.atan2(place.tangent.1);
        let yaw_rate = -place.curvature * self.speed + self.sway() * 0.004;
        self.yaw_accel = (yaw_rate - self.yaw_rate) / STEP_S;
        self.yaw_rate = yaw_rate;
        self.heading = heading + self.sway() * 0.0005;
        self.lateral += (self.speed * self.speed * place.curvature - self.lateral) * 0.3 + self.sway() * 0.1;
        let (x, z) = place.left(self.line_m);
        let height = track.height(self.distance_m);
        self.position = [x, height.y, z];
        self.vertical = height.bend * self.speed * self.speed + self.sway() * 0.6;
        self.pitch = -0.002 * self.ahead + height.slope + self.sway() * 0.0004;
        self.roll = 0.003 * self.lateral + self.sway() * 0.0004;

        let pedal = self.ahead / 7.0 + self.speed * 0.006;
        self.throttle =
            (self.throttle + (pedal.clamp(0.0, 1.0) - self.throttle) * 0.3 + self.sway() * 0.004).clamp(0.0, 1.0);
        self.brake = (self.brake + ((-self.ahead / 14.0).clamp(0.0, 1.0) - self.brake) * 0.4).clamp(0.0, 1.0);
        self.steering = (-place.curvature * 12.0 + self.sway() * 0.004).clamp(-1.0, 1.0);
        self.gear = 1 + (self.speed / 13.5).floor().clamp(0.0, 6.0) as i32;
        self.rpm = 3200.0 + (self.speed / 13.5).fract() * 3800.0 + self.speed * 12.0 + self.sway() * 15.0;
        self.torque = self.throttle * 520.0 - 40.0 + self.sway() * 4.0;
        self.fuel_l = (self.fuel_l - self.throttle * 0.0004).max(0.0);
        self.water += (84.0 + self.throttle * 8.0 - self.water) * 0.0005;
        self.oil += (96.0 + self.throttle * 12.0 - self.oil) * 0.0004;
        for index in 0..4 {
            self.wheel(index);
        }
        self.lap(track.length_m(), before_m, clock_s);
    }

    fn wheel(&mut self, index: usize) {
        let (bump, grip, rub) = (self.sway(), self.sway(), self.sway());
        let (speed, ahead, lateral, brake, throttle) =
            (self.speed, self.ahead, self.lateral, self.brake, self.throttle);
        let Some(wheel) = self.wheels.get_mut(index) else { return };
        let side = if index.is_multiple_of(2) { -1.0 } else { 1.0 };
        let front = index < 2;
        wheel.bump = wheel.bump * 0.7 + bump * 0.0012;
        let aero = 0.9 * speed * speed;
        let transfer = if front { -ahead } else { ahead } * 110.0 + side * lateral * 95.0;
        wheel.load = (MASS_KG * 9.81 / 4.0 + aero / 2.0 + transfer + wheel.bump * 180_000.0).max(0.0);
        wheel.deflection = wheel.load / 140_000.0 + wheel.bump * 0.3;
        wheel.ride_height = 0.085 - wheel.load / 160_000.0 + wheel.bump;
        wheel.lateral_force = -lateral * MASS_KG / 4.0 * (wheel.load / 3500.0) + rub * 25.0;
        wheel.ahead_force = ahead * MASS_KG / if front { 8.0 } else { 2.7 } + rub * 18.0;
        wheel.slip = (lateral.abs() * 0.02 + throttle * 0.05 + brake * 0.08 + grip.abs() * 0.01).min(1.0);
        wheel.rotation =
            -(speed / WHEEL_RADIUS_M) * (1.0 + if front { -0.02 * brake } else { 0.015 * throttle }) + grip * 0.05;
        wheel.brake_celsius += brake * 2.2 * speed / 60.0 - (wheel.brake_celsius - 60.0) * 0.0012;
        let heat = wheel.slip * wheel.load * speed * 1.2e-6;
        for (edge, tread) in wheel.tread_celsius.iter_mut().enumerate() {
            let share = 1.0 + side * (edge as f64 - 1.0) * 0.08;
            *tread += heat * share * 3.0 - (*tread - wheel.carcass_celsius) * 0.01;
        }
        for (inner, tread) in wheel.inner_celsius.iter_mut().zip(wheel.tread_celsius) {
            *inner += (tread - *inner) * 0.002;
        }
        wheel.carcass_celsius += (wheel.inner_celsius[1] - wheel.carcass_celsius) * 0.001 - 0.0005;
        wheel.pressure_kpa = 165.0 * (wheel.carcass_celsius + 273.15) / 335.15;
        wheel.wear = (wheel.wear - wheel.slip * 2.0e-8 * speed).max(0.0);
    }

    fn lap(&mut self, length_m: f64, before_m: f64, clock_s: f64) {
        let along_m = self.distance_m.rem_euclid(length_m);
        // The exact time at which a place was passed within the step.
        let at = |place_m: f64, from_m: f64, to_m: f64| {
            clock_s - STEP_S * ((to_m - place_m) / (to_m - from_m)).clamp(0.0, 1.0)
        };
        let crossed = (self.distance_m / length_m).floor() > (before_m / length_m).floor();
        if crossed {
            let line_m = (self.distance_m / length_m).floor() * length_m;
            let line_s = at(line_m, before_m, self.distance_m);
            if before_m >= 0.0 {
                self.laps += 1;
                self.last_s = line_s - self.lap_start_s;
                self.last_splits_s = self.splits_s;
                self.laps_ms.push((self.last_s * 1000.0).round() as u32);
                if !self.lap_counts {
                    (self.last_s, self.last_splits_s) = (-1.0, [-1.0; 2]);
                } else if self.best_s <= 0.0 || self.last_s < self.best_s {
                    (self.best_s, self.best_splits_s) = (self.last_s, self.last_splits_s);
                }
            }
            (self.lap_start_s, self.splits_s, self.sector, self.lap_counts) = (line_s, [0.0; 2], 0, true);
        }
        if self.distance_m < 0.0 {
            self.sector = 2;
            return;
        }
        for (index, share) in SECTOR_ENDS.into_iter().enumerate() {
            let place_m = share * length_m;
            if along_m >= place_m && usize::from(self.sector) == index {
                let before_m = along_m - (self.distance_m - before_m);
                let split_s = at(place_m, before_m, along_m) - self.lap_start_s;
                if let Some(split) = self.splits_s.get_mut(index) {
                    *split = split_s;
                }
                self.sector = index as u8 + 1;
                if self.sway() > 0.9 && self.lap_counts {
                    (self.lap_counts, self.exceeded_limits) = (false, true);
                }
            }
        }
    }
}
