//! The car: moves in steps of a millisecond within the limits of engine, brakes and tyres.
//!
//! Takes [`Orders`] (target speed and line) from the [`Driver`](super::driver::Driver); gives its state as fields. It moves through the world, not along
//! the track: acceleration integrates to velocity, velocity to position, and the distance along the track follows from the position.
mod engine;
mod speed_plan;
pub(super) mod vehicle;
mod wheels;

pub use engine::Engine;
pub(super) use speed_plan::SpeedPlan;
pub use wheels::Wheel;

use super::random::{Chance, Purpose};
use super::track::{Height, Track, TrackPoint};
use super::weather::Weather;
use vehicle::{BRAKE_FORCE_N, GRAVITY, WHEELBASE_M, fuel_l, grip_ms2, left_of, mass_kg, resistance_n, tyre_grip};
use wheels::{Forces, free_wheels};

/// One step.
pub(super) const STEP_S: f64 = 0.001;
/// The steering follows the wish this fast.
const STEER_S: f64 = 0.07;
/// Pedals from one end to the other, for each second.
const GAS_PER_S: f64 = 6.0;
const BRAKE_PER_S: f64 = 9.0;
/// A speed that is off is corrected in about this time.
const SPEED_S: f64 = 0.22;
/// How far ahead the driver looks for the speed.
pub(super) const LOOK_AHEAD_S: f64 = 0.09;

/// Where the car should be across the track.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Line {
    /// Metres left of the track's line.
    pub offset_m: f64,
    /// Change of it for each metre ahead.
    pub slope: f64,
    /// Change of that.
    pub bend: f64,
}

/// What the driver wants in a millisecond.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Orders {
    /// The speed to have.
    pub speed_ms: f64,
    /// How that speed changes on the way.
    pub speed_change_ms2: f64,
    /// The line here.
    pub line: Line,
    /// Whether the car is to stand.
    pub stand: bool,
}

/// The state of the car.
#[derive(Debug, Clone, PartialEq)]
pub struct Car {
    /// Metres from the start line along the track, below its length.
    pub along_m: f64,
    /// Metres left of the track's line.
    pub offset_m: f64,
    /// Position on the ground.
    pub x: f64,
    /// Position on the ground.
    pub z: f64,
    /// The road below.
    pub height: Height,
    /// Where it goes, of length 1.
    pub course: (f64, f64),
    /// Speed over ground.
    pub speed_ms: f64,
    /// How fast it goes up.
    pub climb_ms: f64,
    /// 1 / radius of its way, positive to the left.
    pub curvature: f64,
    /// Acceleration to the left.
    pub left_ms2: f64,
    /// Acceleration up, without gravity.
    pub up_ms2: f64,
    /// Acceleration ahead.
    pub ahead_ms2: f64,
    /// Pedal, 0 to 1.
    pub gas: f64,
    /// Pedal, 0 to 1.
    pub brake: f64,
    /// How much the brakes are held back so that no wheel locks, 0 to 1.
    pub abs: f64,
    /// How much the drive is held back so that no wheel spins, 0 to 1.
    pub traction_control: f64,
    /// Engine and gearbox.
    pub engine: Engine,
    /// Fuel in the tank.
    pub fuel_l: f64,
    /// Front left, front right, rear left, rear right.
    pub wheels: [Wheel; 4],
    bumps_n: [f64; 4],
}

impl Car {
    /// A car at a place on the track.
    #[must_use]
    pub fn new(track: &Track, along_m: f64, offset_m: f64, speed_ms: f64, fuel_l: f64) -> Self {
        let place = track.at(along_m);
        let (x, z) = place.left(offset_m);
        Self {
            along_m: along_m.rem_euclid(track.length_m()),
            offset_m,
            x,
            z,
            height: track.height(along_m),
            course: place.tangent,
            speed_ms,
            climb_ms: 0.0,
            curvature: 0.0,
            left_ms2: 0.0,
            up_ms2: 0.0,
            ahead_ms2: 0.0,
            gas: 0.0,
            brake: 0.0,
            abs: 0.0,
            traction_control: 0.0,
            engine: if speed_ms > 1.0 { Engine::rolling(speed_ms) } else { Engine::idling() },
            fuel_l,
            wheels: free_wheels(74.0, 240.0, speed_ms),
            bumps_n: [0.0; 4],
        }
    }

    /// Puts the car elsewhere, as it is.
    pub fn put(&mut self, track: &Track, along_m: f64, offset_m: f64) {
        let place = track.at(along_m);
        (self.x, self.z) = place.left(offset_m);
        (self.along_m, self.offset_m) = (along_m.rem_euclid(track.length_m()), offset_m);
        self.course = place.tangent;
        self.height = track.height(along_m);
        self.curvature = place.curvature;
    }

    /// Grip of the tyres, 1 when they are warm.
    #[must_use]
    pub fn tyre_grip(&self) -> f64 {
        self.wheels.iter().map(|wheel| tyre_grip(wheel.tyre_celsius)).sum::<f64>() / 4.0
    }

    /// Speed with the climb in it.
    #[must_use]
    pub fn speed_over_road_ms(&self) -> f64 {
        self.speed_ms.hypot(self.climb_ms)
    }

    /// A millisecond. Gives how far along the track it went.
    pub(super) fn step(&mut self, track: &Track, orders: &Orders, weather: &Weather, chance: Chance, ms: u64) -> f64 {
        let mass = mass_kg(self.fuel_l);
        let grip = grip_ms2(self.speed_ms, mass, self.tyre_grip() * weather.grip);
        let place = track.at(self.along_m);
        self.steer(track, &place, orders, grip);
        self.press_pedals(orders, mass);
        self.engine.step(self.speed_ms, self.gas, self.brake > 0.05, orders.stand);
        let across = self.speed_ms * self.speed_ms * self.curvature;
        let tyres_n = mass * left_of(grip, across);
        let (drive_n, brake_n) = self.tyre_forces(tyres_n);
        let against_n = brake_n + resistance_n(self.speed_ms, mass) + self.engine.brake_n(self.gas);
        let hill = GRAVITY * self.height.slope;
        let wish_ms2 = (drive_n - against_n) / mass - hill;
        let (old_course, old_ms) = (self.course, self.speed_ms);
        self.speed_ms = (self.speed_ms + wish_ms2 * STEP_S).max(0.0);
        self.turn();
        self.move_on(old_course, old_ms);
        let advanced_m = self.find_place(track, &place);
        self.bump(chance, ms);
        let forces = Forces {
            mass_kg: mass,
            speed_ms: self.speed_ms,
            left_ms2: self.left_ms2,
            ahead_ms2: self.ahead_ms2,
            drive_n,
            brake_n: if self.speed_ms > 0.0 { brake_n } else { 0.0 },
            tyre_grip: self.tyre_grip(),
            bumps_n: self.bumps_n,
            air_celsius: weather.air_celsius,
            road_celsius: weather.road_celsius,
        };
        wheels::step(&mut self.wheels, &forces, STEP_S);
        let idle_w = 9_000.0;
        self.fuel_l = (self.fuel_l - fuel_l((drive_n * self.speed_ms + idle_w) * STEP_S)).max(0.0);
        advanced_m
    }

    /// Turns the wheel so that the car comes back to its line within some metres, as far as the tyres hold.
    fn steer(&mut self, track: &Track, place: &TrackPoint, orders: &Orders, grip: f64) {
        let back_m = (0.38 * self.speed_ms).max(9.0);
        let points_left = place.tangent.0 * self.course.1 - place.tangent.1 * self.course.0;
        let ahead = track.at(self.along_m + self.speed_ms * STEER_S).curvature;
        let line = &orders.line;
        let wish = ahead / (1.0 - ahead * self.offset_m)
            + line.bend
            + 1.9 / back_m * (line.slope - points_left)
            + (line.offset_m - self.offset_m) / (back_m * back_m);
        let most = grip / (self.speed_ms * self.speed_ms).max(1.0);
        let wish = wish.clamp(-most.min(0.12), most.min(0.12));
        self.curvature += (wish - self.curvature) * STEP_S / STEER_S;
        // The wheel may lag behind a limit that falls; the tyres do not.
        self.curvature = self.curvature.clamp(-most, most);
    }

    fn press_pedals(&mut self, orders: &Orders, mass: f64) {
        let wish_ms2 = orders.speed_change_ms2 + (orders.speed_ms - self.speed_ms) / SPEED_S;
        let against_n = resistance_n(self.speed_ms, mass) + mass * GRAVITY * self.height.slope;
        let push_n = mass * wish_ms2 + against_n;
        let engine_n = self.engine.drive_n(1.0).max(1_000.0);
        let (gas, brake) = if orders.stand {
            (0.0, 0.6)
        } else if push_n > 0.0 {
            (if self.engine.shifts() { self.gas } else { (push_n / engine_n).min(1.0) }, 0.0)
        } else {
            (0.0, ((-push_n - self.engine.brake_n(0.0)) / BRAKE_FORCE_N).clamp(0.0, 1.0))
        };
        let towards = |from: f64, to: f64, per_s: f64| from + (to - from).clamp(-1.6 * per_s * STEP_S, per_s * STEP_S);
        self.gas = towards(self.gas, gas, GAS_PER_S);
        self.brake = towards(self.brake, brake, BRAKE_PER_S);
    }

    /// What arrives on the road of drive and brakes, within what the tyres hold.
    fn tyre_forces(&mut self, tyres_n: f64) -> (f64, f64) {
        let wanted_n = self.engine.drive_n(self.gas);
        let drive_n = if self.fuel_l > 0.0 { wanted_n.min(0.62 * tyres_n) } else { 0.0 };
        self.traction_control = if wanted_n > drive_n { (wanted_n - drive_n) / wanted_n } else { 0.0 };
        let pressed_n = self.brake * BRAKE_FORCE_N;
        let brake_n = pressed_n.min(0.98 * tyres_n);
        self.abs = if pressed_n > brake_n { (pressed_n - brake_n) / pressed_n } else { 0.0 };
        (drive_n, brake_n)
    }

    fn turn(&mut self) {
        let angle = self.curvature * self.speed_ms * STEP_S;
        let (x, z) = self.course;
        let turned = (x - z * angle, z + x * angle);
        let length = (turned.0 * turned.0 + turned.1 * turned.1).sqrt();
        self.course = (turned.0 / length, turned.1 / length);
    }

    /// Acceleration is the change of the velocity, seen from the car in the middle of the step; the place is the sum of the velocities.
    fn move_on(&mut self, old_course: (f64, f64), old_ms: f64) {
        let before = (old_ms * old_course.0, old_ms * old_course.1);
        let after = (self.speed_ms * self.course.0, self.speed_ms * self.course.1);
        let middle = ((old_course.0 + self.course.0) / 2.0, (old_course.1 + self.course.1) / 2.0);
        let (x, z) = ((after.0 - before.0) / STEP_S, (after.1 - before.1) / STEP_S);
        self.ahead_ms2 = x * middle.0 + z * middle.1;
        self.left_ms2 = z * middle.0 - x * middle.1;
        self.x += (before.0 + after.0) / 2.0 * STEP_S;
        self.z += (before.1 + after.1) / 2.0 * STEP_S;
    }

    /// Looks where on the track the car is now; `place` is where it was.
    fn find_place(&mut self, track: &Track, place: &TrackPoint) -> f64 {
        let (dx, dz) = (self.x - place.x, self.z - place.z);
        let ahead = dx * place.tangent.0 + dz * place.tangent.1;
        let advanced_m = ahead / (1.0 - place.curvature * self.offset_m);
        self.along_m = (self.along_m + advanced_m).rem_euclid(track.length_m());
        let here = track.at(self.along_m);
        self.offset_m = (self.z - here.z) * here.tangent.0 - (self.x - here.x) * here.tangent.1;
        self.height = track.height(self.along_m);
        self.climb_ms = self.height.slope * advanced_m / STEP_S;
        advanced_m
    }

    /// A surface that is never quite even; more so beyond the white lines.
    fn bump(&mut self, chance: Chance, ms: u64) {
        let off_road = if self.offset_m.abs() > super::track::HALF_WIDTH_M - 0.8 { 3.0 } else { 1.0 };
        let rough_n = 900.0 * off_road * (self.speed_ms / 30.0).min(1.5);
        for (index, bump_n) in self.bumps_n.iter_mut().enumerate() {
            let push = chance.sway(Purpose::Bumps, ms.wrapping_mul(4).wrapping_add(index as u64));
            *bump_n += (push * rough_n * 4.0 - *bump_n) * 0.03;
        }
        let rise = self.speed_ms * self.speed_ms * self.height.bend + self.ahead_ms2 * self.height.slope;
        self.up_ms2 = rise + self.bumps_n.iter().sum::<f64>() / mass_kg(self.fuel_l);
    }

    /// How far the steering wheel is turned, from -1 (left) to 1.
    #[must_use]
    pub fn steering(&self) -> f64 {
        const RATIO: f64 = 13.0;
        const LOCK_RAD: f64 = 4.2;
        let wheels_rad = self.curvature * WHEELBASE_M + 0.0016 * self.left_ms2;
        (-wheels_rad * RATIO / LOCK_RAD).clamp(-1.0, 1.0)
    }
}
