//! The four wheels: load, slip, tyre and brake temperatures, suspension travel. In the order front left, front right, rear left, rear right.
use super::vehicle::{
    BRAKE_BIAS, FRONT_SHARE, GRAVITY, MASS_HEIGHT_M, TRACK_WIDTH_M, WHEEL_RADIUS_M, WHEELBASE_M, downforce_n,
};

/// Heat that warms a tyre by a degree, J/K.
const TYRE_J_PER_K: f64 = 15_500.0;
/// Heat that warms a disc by a degree, J/K.
const DISC_J_PER_K: f64 = 3_600.0;
/// Pressure of a tyre at [`COLD_CELSIUS`], absolute.
const COLD_PSI: f64 = 22.6 + ATMOSPHERE_PSI;
const COLD_CELSIUS: f64 = 25.0;
const ATMOSPHERE_PSI: f64 = 14.7;
/// Spring and damper of a wheel; the damper only slows the travel down.
const SPRING_N_PER_M: f64 = 155_000.0;
const TRAVEL_S: f64 = 0.035;
/// The travel of the springs with nobody in the car and no air.
const FREE_TRAVEL_M: f64 = 0.012;

/// One wheel.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wheel {
    /// Weight on it.
    pub load_n: f64,
    /// Force ahead.
    pub along_n: f64,
    /// How much faster it turns than the road, as a share.
    pub slip_ratio: f64,
    /// How far it points past its way.
    pub slip_angle_rad: f64,
    /// Its turning.
    pub angular_rad_s: f64,
    /// Heat of the tyre.
    pub tyre_celsius: f64,
    /// Heat of the disc.
    pub brake_celsius: f64,
    /// How far the spring is pressed.
    pub travel_m: f64,
    /// What is left of the brake pads, mm.
    pub pad_mm: f64,
    /// What is left of the disc, mm.
    pub disc_mm: f64,
}

impl Wheel {
    /// Pressure of the tyre over that of the air: an enclosed gas that is warmed.
    #[must_use]
    pub fn pressure_psi(&self) -> f64 {
        COLD_PSI * (self.tyre_celsius + 273.15) / (COLD_CELSIUS + 273.15) - ATMOSPHERE_PSI
    }

    /// Slip in any direction.
    #[must_use]
    pub fn slip(&self) -> f64 {
        (self.slip_ratio * 6.0).hypot(self.slip_angle_rad * 9.0)
    }
}

/// What moves the wheels in a millisecond.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forces {
    pub mass_kg: f64,
    pub speed_ms: f64,
    /// Acceleration to the left.
    pub left_ms2: f64,
    /// Acceleration ahead.
    pub ahead_ms2: f64,
    pub drive_n: f64,
    pub brake_n: f64,
    /// Share of the grip that is there.
    pub tyre_grip: f64,
    /// Push of the surface on each wheel.
    pub bumps_n: [f64; 4],
    pub air_celsius: f64,
    pub road_celsius: f64,
}

/// The wheels of a car without drive, warmed before.
#[must_use]
pub(super) fn free_wheels(tyre_celsius: f64, brake_celsius: f64, speed_ms: f64) -> [Wheel; 4] {
    [0, 1, 2, 3].map(|index| {
        let wheel = Wheel { tyre_celsius, brake_celsius, pad_mm: 29.0, disc_mm: 32.0, ..Wheel::default() };
        let load_n = static_load_n(index, super::vehicle::mass_kg(50.0), 0.0);
        let angular_rad_s = speed_ms / WHEEL_RADIUS_M;
        Wheel { load_n, angular_rad_s, travel_m: FREE_TRAVEL_M + load_n / SPRING_N_PER_M, ..wheel }
    })
}

fn static_load_n(index: usize, mass_kg: f64, speed_ms: f64) -> f64 {
    let share = if index < 2 { FRONT_SHARE } else { 1.0 - FRONT_SHARE };
    (mass_kg * GRAVITY + downforce_n(speed_ms)) * share / 2.0
}

/// One step of `seconds`.
pub(super) fn step(wheels: &mut [Wheel; 4], forces: &Forces, seconds: f64) {
    let ahead_shift_n = forces.mass_kg * forces.ahead_ms2 * MASS_HEIGHT_M / WHEELBASE_M / 2.0;
    let side_shift_n = forces.mass_kg * forces.left_ms2 * MASS_HEIGHT_M / TRACK_WIDTH_M / 2.0;
    let all_load_n = forces.mass_kg * GRAVITY + downforce_n(forces.speed_ms);
    for (index, wheel) in wheels.iter_mut().enumerate() {
        let (front, left) = (index < 2, index % 2 == 0);
        let shift_n =
            if front { -ahead_shift_n } else { ahead_shift_n } + if left { -side_shift_n } else { side_shift_n };
        wheel.load_n = (static_load_n(index, forces.mass_kg, forces.speed_ms) + shift_n).max(150.0);
        let brake_n = forces.brake_n * if front { BRAKE_BIAS } else { 1.0 - BRAKE_BIAS } / 2.0;
        let drive_n = if front { 0.0 } else { forces.drive_n / 2.0 };
        wheel.along_n = drive_n - brake_n;
        let side_n = forces.mass_kg * forces.left_ms2 * wheel.load_n / all_load_n;
        // At the limit of the grip a tyre slips by about a tenth along and 6 degrees across.
        wheel.slip_ratio = (0.085 * wheel.along_n / (1.5 * forces.tyre_grip * wheel.load_n)).clamp(-0.3, 0.3);
        wheel.slip_angle_rad = (0.1 * side_n / (1.5 * forces.tyre_grip * wheel.load_n)).clamp(-0.3, 0.3);
        wheel.angular_rad_s = forces.speed_ms * (1.0 + wheel.slip_ratio) / WHEEL_RADIUS_M;
        // Load alone would cook the outer tyres of a track that mostly turns one way: a soft tyre shares its heat out better.
        let warming_n = 0.5 * side_n + 0.5 * forces.mass_kg * forces.left_ms2 / 4.0;
        warm_tyre(wheel, warming_n, forces, seconds);
        warm_brake(wheel, brake_n, forces, seconds);
        let bump_n = forces.bumps_n.get(index).copied().unwrap_or_default();
        let rest_m = FREE_TRAVEL_M + (wheel.load_n + bump_n) / SPRING_N_PER_M;
        wheel.travel_m += (rest_m - wheel.travel_m) * (seconds / TRAVEL_S).min(1.0);
    }
}

fn warm_tyre(wheel: &mut Wheel, side_n: f64, forces: &Forces, seconds: f64) {
    let slip_w = (side_n * wheel.slip_angle_rad).abs() + 0.25 * (wheel.along_n * wheel.slip_ratio).abs();
    let rolling_w = 0.0062 * wheel.load_n;
    let heat_w = (0.4 * slip_w + rolling_w) * forces.speed_ms;
    let around = 0.6 * forces.road_celsius + 0.4 * forces.air_celsius;
    let loss_per_s = 0.0022 + 0.000_12 * forces.speed_ms;
    wheel.tyre_celsius += (heat_w / TYRE_J_PER_K - loss_per_s * (wheel.tyre_celsius - around)) * seconds;
}

fn warm_brake(wheel: &mut Wheel, brake_n: f64, forces: &Forces, seconds: f64) {
    let heat_w = brake_n * forces.speed_ms;
    let loss_per_s = 0.010 + 0.000_55 * forces.speed_ms;
    wheel.brake_celsius += (heat_w / DISC_J_PER_K - loss_per_s * (wheel.brake_celsius - forces.air_celsius)) * seconds;
    // A pad lasts some hours of driving.
    wheel.pad_mm -= heat_w * seconds * 4.0e-10;
    wheel.disc_mm -= heat_w * seconds * 0.9e-10;
}
