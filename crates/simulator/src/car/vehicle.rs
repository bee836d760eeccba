//! Vehicle parameters: engine, gears, aerodynamics, grip. Constants and pure functions without state.
//!
//! A closed-wheel car of 1.3 t and 700 hp with high downforce: a lap takes less than 40 s, and accelerations stay below 3 g.

/// Gravity, m/s².
pub(crate) const GRAVITY: f64 = 9.81;
/// Mass without fuel.
pub(crate) const MASS_KG: f64 = 1_265.0;
/// Mass of a litre of fuel.
const FUEL_KG_PER_L: f64 = 0.745;
/// Fuel that the tank holds.
pub(crate) const TANK_L: f64 = 110.0;
/// Between the axles.
pub(crate) const WHEELBASE_M: f64 = 2.66;
/// Between the wheels of an axle.
pub(crate) const TRACK_WIDTH_M: f64 = 1.68;
/// Height of the centre of mass.
pub(crate) const MASS_HEIGHT_M: f64 = 0.42;
/// Share of the weight on the front axle.
pub(crate) const FRONT_SHARE: f64 = 0.465;
/// Radius of the wheels.
pub(crate) const WHEEL_RADIUS_M: f64 = 0.345;
/// Share of braking at the front.
pub(crate) const BRAKE_BIAS: f64 = 0.585;
/// What both pedals of the brake together can push, before the tyres' limit.
pub(crate) const BRAKE_FORCE_N: f64 = 36_000.0;

/// The engine does not turn faster.
pub(crate) const MAX_RPM: f64 = 9_250.0;
/// It does not turn slower while it runs.
pub(crate) const IDLE_RPM: f64 = 1_450.0;
/// Greatest torque.
pub(crate) const MAX_TORQUE_NM: f64 = 625.0;
/// Speed of each gear at [`MAX_RPM`], from the first on.
const GEAR_TOP_KMH: [f64; 6] = [98.0, 138.0, 178.0, 216.0, 252.0, 288.0];
/// Forward gears.
pub(crate) const GEARS: usize = GEAR_TOP_KMH.len();

/// Half of air density times drag area.
const DRAG: f64 = 0.56;
/// Half of air density times the area that presses the car down.
const DOWNFORCE: f64 = 2.3;
const ROLLING: f64 = 0.013;
/// Beyond this the tyres do not take more, however they are pressed down.
const MOST_GRIP_MS2: f64 = 2.7 * GRAVITY;
/// Grip of warm tyres.
const GRIP: f64 = 1.78;

/// Mass with this much fuel.
#[must_use]
pub(crate) fn mass_kg(fuel_l: f64) -> f64 {
    MASS_KG + FUEL_KG_PER_L * fuel_l
}

/// Engine speed of a car at this speed in a gear (from 1).
#[must_use]
pub(crate) fn rpm_at(speed_ms: f64, gear: usize) -> f64 {
    let top_kmh = GEAR_TOP_KMH.get(gear.saturating_sub(1)).copied().unwrap_or(GEAR_TOP_KMH[GEARS - 1]);
    MAX_RPM * speed_ms * 3.6 / top_kmh
}

/// Torque at full throttle.
#[must_use]
pub(crate) fn torque_nm(rpm: f64) -> f64 {
    if rpm >= MAX_RPM {
        return 0.0;
    }
    let away = (rpm / MAX_RPM - 0.72) / 0.76;
    MAX_TORQUE_NM * (1.0 - away * away).max(0.0)
}

/// Force at the wheels for each newton metre of the engine, in a gear.
#[must_use]
pub(crate) fn leverage_per_m(gear: usize) -> f64 {
    // Radians of the engine for each metre of the road.
    rpm_at(1.0, gear) * std::f64::consts::TAU / 60.0
}

/// Air and rolling: what slows the car down at this speed.
#[must_use]
pub(crate) fn resistance_n(speed_ms: f64, mass_kg: f64) -> f64 {
    let rolling = if speed_ms > 0.05 { ROLLING * mass_kg * GRAVITY } else { 0.0 };
    DRAG * speed_ms * speed_ms + rolling
}

/// What the engine takes away when the pedal is up.
#[must_use]
pub(crate) fn engine_brake_n(rpm: f64, gear: usize) -> f64 {
    62.0 * (rpm / MAX_RPM) * leverage_per_m(gear)
}

/// What the air adds to the weight.
#[must_use]
pub(crate) fn downforce_n(speed_ms: f64) -> f64 {
    DOWNFORCE * speed_ms * speed_ms
}

/// Acceleration that the tyres can hold in any direction.
#[must_use]
pub(crate) fn grip_ms2(speed_ms: f64, mass_kg: f64, tyre_grip: f64) -> f64 {
    (GRIP * tyre_grip * (GRAVITY + downforce_n(speed_ms) / mass_kg)).min(MOST_GRIP_MS2)
}

/// What is left of `all` in one direction when `used` is needed across it.
#[must_use]
pub(crate) fn left_of(all: f64, used: f64) -> f64 {
    (all * all - used * used).max(0.0).sqrt()
}

/// Grip of a tyre of this temperature, 1 when it is right.
#[must_use]
pub(crate) fn tyre_grip(celsius: f64) -> f64 {
    let away = (celsius - 84.0) / 100.0;
    (1.0 - 0.55 * away * away).max(0.7)
}

/// Fuel that this much work takes.
#[must_use]
pub(crate) fn fuel_l(work_j: f64) -> f64 {
    work_j / (0.33 * 32.0e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_has_about_700_hp() {
        let power = |rpm: f64| torque_nm(rpm) * rpm * std::f64::consts::TAU / 60.0;
        let best = (1000..9250).map(|rpm| power(f64::from(rpm))).fold(0.0, f64::max);
        assert!((510_000.0..525_000.0).contains(&best), "{best}");
    }

    #[test]
    fn grip_never_reaches_three_g_at_the_speeds_of_the_car() {
        assert!(grip_ms2(80.0, mass_kg(0.0), 1.0) < 3.0 * GRAVITY);
        assert!(left_of(5.0, 3.0) == 4.0 && left_of(3.0, 5.0) == 0.0);
    }
}
