//! The physics page, 580 or 568 bytes: car state. Assetto Corsa Competizione's page begins with the same bytes.
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::layout::Kind::{F32, I32};
use crate::layout::{Channel, Layout};
use crate::typed::{Frame, TypedStream};

/// Layout of the newest version.
pub static PHYSICS_580: Layout = Layout::from_table("ac-physics-580", 580, CHANNELS);

/// Layout before `localVelocity` was appended.
pub static PHYSICS_568: Layout = Layout::from_table("ac-physics-568", 568, CHANNELS.split_at(CHANNELS.len() - 1).0);

pub(crate) const CHANNELS: &[Channel] = &[
    Channel::fixed("packetId", 0, I32, 1, ""),
    Channel::fixed("gas", 4, F32, 1, "ratio"),
    Channel::fixed("brake", 8, F32, 1, "ratio"),
    Channel::fixed("fuel", 12, F32, 1, "l"),
    Channel::fixed("gear", 16, I32, 1, ""),
    Channel::fixed("rpms", 20, I32, 1, "rpm"),
    Channel::fixed("steerAngle", 24, F32, 1, "ratio"),
    Channel::fixed("speedKmh", 28, F32, 1, "km/h"),
    Channel::fixed("velocity", 32, F32, 3, "m/s"),
    Channel::fixed("accG", 44, F32, 3, "g"),
    Channel::fixed("wheelSlip", 56, F32, 4, ""),
    Channel::fixed("wheelLoad", 72, F32, 4, "N"),
    Channel::fixed("wheelsPressure", 88, F32, 4, "psi"),
    Channel::fixed("wheelAngularSpeed", 104, F32, 4, "rad/s"),
    Channel::fixed("tyreWear", 120, F32, 4, ""),
    Channel::fixed("tyreDirtyLevel", 136, F32, 4, ""),
    Channel::fixed("tyreCoreTemperature", 152, F32, 4, "degC"),
    Channel::fixed("camberRAD", 168, F32, 4, "rad"),
    Channel::fixed("suspensionTravel", 184, F32, 4, "m"),
    Channel::fixed("drs", 200, F32, 1, ""),
    Channel::fixed("tc", 204, F32, 1, ""),
    Channel::fixed("heading", 208, F32, 1, "rad"),
    Channel::fixed("pitch", 212, F32, 1, "rad"),
    Channel::fixed("roll", 216, F32, 1, "rad"),
    Channel::fixed("cgHeight", 220, F32, 1, "m"),
    Channel::fixed("carDamage", 224, F32, 5, ""),
    Channel::fixed("numberOfTyresOut", 244, I32, 1, ""),
    Channel::fixed("pitLimiterOn", 248, I32, 1, ""),
    Channel::fixed("abs", 252, F32, 1, ""),
    Channel::fixed("kersCharge", 256, F32, 1, ""),
    Channel::fixed("kersInput", 260, F32, 1, ""),
    Channel::fixed("autoShifterOn", 264, I32, 1, ""),
    Channel::fixed("rideHeight", 268, F32, 2, "m"),
    Channel::fixed("turboBoost", 276, F32, 1, ""),
    Channel::fixed("ballast", 280, F32, 1, "kg"),
    Channel::fixed("airDensity", 284, F32, 1, "kg/m^3"),
    Channel::fixed("airTemp", 288, F32, 1, "degC"),
    Channel::fixed("roadTemp", 292, F32, 1, "degC"),
    Channel::fixed("localAngularVel", 296, F32, 3, "rad/s"),
    Channel::fixed("finalFF", 308, F32, 1, ""),
    Channel::fixed("performanceMeter", 312, F32, 1, ""),
    Channel::fixed("engineBrake", 316, I32, 1, ""),
    Channel::fixed("ersRecoveryLevel", 320, I32, 1, ""),
    Channel::fixed("ersPowerLevel", 324, I32, 1, ""),
    Channel::fixed("ersHeatCharging", 328, I32, 1, ""),
    Channel::fixed("ersIsCharging", 332, I32, 1, ""),
    Channel::fixed("kersCurrentKJ", 336, F32, 1, "kJ"),
    Channel::fixed("drsAvailable", 340, I32, 1, ""),
    Channel::fixed("drsEnabled", 344, I32, 1, ""),
    Channel::fixed("brakeTemp", 348, F32, 4, "degC"),
    Channel::fixed("clutch", 364, F32, 1, "ratio"),
    Channel::fixed("tyreTempI", 368, F32, 4, "degC"),
    Channel::fixed("tyreTempM", 384, F32, 4, "degC"),
    Channel::fixed("tyreTempO", 400, F32, 4, "degC"),
    Channel::fixed("isAIControlled", 416, I32, 1, ""),
    Channel::fixed("tyreContactPoint", 420, F32, 12, "m"),
    Channel::fixed("tyreContactNormal", 468, F32, 12, ""),
    Channel::fixed("tyreContactHeading", 516, F32, 12, ""),
    Channel::fixed("brakeBias", 564, F32, 1, "ratio"),
    Channel::fixed("localVelocity", 568, F32, 3, "m/s"),
];

/// The page of the newest version. Arrays of four are in the order front left, front right, rear left, rear right.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Physics {
    /// Increases with every physics step.
    pub packet_id: i32,
    /// Throttle, 0 to 1.
    pub gas: f32,
    /// Brake, 0 to 1.
    pub brake: f32,
    /// Fuel in the tank, l.
    pub fuel: f32,
    /// 0 reverse, 1 neutral, 2 first gear and so on.
    pub gear: i32,
    /// Engine speed, rpm.
    pub rpms: i32,
    /// Steering, -1 (full left) to 1.
    pub steer_angle: f32,
    /// Speed, km/h.
    pub speed_kmh: f32,
    /// World velocity (x, y up, z), m/s.
    pub velocity: [f32; 3],
    /// Acceleration of the car: lateral, vertical, longitudinal, g.
    pub acc_g: [f32; 3],
    /// Wheel slip, dimensionless.
    pub wheel_slip: [f32; 4],
    /// Wheel load, N. Unused in ACC.
    pub wheel_load: [f32; 4],
    /// Tyre pressure, psi.
    pub wheels_pressure: [f32; 4],
    /// Wheel rotation speed, rad/s.
    pub wheel_angular_speed: [f32; 4],
    /// Tyre wear. Unused in ACC.
    pub tyre_wear: [f32; 4],
    /// Dirt on the tyres. Unused in ACC.
    pub tyre_dirty_level: [f32; 4],
    /// Tyre core temperature, °C.
    pub tyre_core_temperature: [f32; 4],
    /// Camber, rad. Unused in ACC.
    pub camber_rad: [f32; 4],
    /// Suspension travel, m.
    pub suspension_travel: [f32; 4],
    /// Drag reduction system (DRS). Unused in ACC.
    pub drs: f32,
    /// Traction control: amount of intervention (ACC), setting (AC).
    pub tc: f32,
    /// Heading, rad.
    pub heading: f32,
    /// Pitch, rad.
    pub pitch: f32,
    /// Roll, rad.
    pub roll: f32,
    /// Height of the centre of gravity, m. Unused in ACC.
    pub cg_height: f32,
    /// Damage: front, rear, left, right, centre.
    pub car_damage: [f32; 5],
    /// Wheels off the track. Unused in ACC.
    pub number_of_tyres_out: i32,
    /// 1 while the pit limiter is on.
    pub pit_limiter_on: i32,
    /// Anti-lock brakes: amount of intervention (ACC), setting (AC).
    pub abs: f32,
    /// KERS charge. Unused in ACC.
    pub kers_charge: f32,
    /// KERS input. Unused in ACC.
    pub kers_input: f32,
    /// 1 while the game shifts gears automatically.
    pub auto_shifter_on: i32,
    /// Ride height, front and rear, m. Unused in ACC.
    pub ride_height: [f32; 2],
    /// Turbo boost.
    pub turbo_boost: f32,
    /// Ballast, kg. Unused in ACC.
    pub ballast: f32,
    /// Air density, kg/m³. Unused in ACC.
    pub air_density: f32,
    /// Air temperature, °C.
    pub air_temp: f32,
    /// Road temperature, °C.
    pub road_temp: f32,
    /// Angular velocity around the car's own axes, rad/s.
    pub local_angular_vel: [f32; 3],
    /// Force feedback.
    pub final_ff: f32,
    /// Delta to the best lap. Unused in ACC.
    pub performance_meter: f32,
    /// Engine brake setting. Unused in ACC.
    pub engine_brake: i32,
    /// ERS recovery setting. Unused in ACC.
    pub ers_recovery_level: i32,
    /// ERS power setting. Unused in ACC.
    pub ers_power_level: i32,
    /// 1 while the ERS charges from heat. Unused in ACC.
    pub ers_heat_charging: i32,
    /// 1 while the ERS battery is charging. Unused in ACC.
    pub ers_is_charging: i32,
    /// KERS energy used in this lap, kJ. Unused in ACC.
    pub kers_current_kj: f32,
    /// 1 while DRS may be used. Unused in ACC.
    pub drs_available: i32,
    /// 1 while DRS is open. Unused in ACC.
    pub drs_enabled: i32,
    /// Brake temperature, °C.
    pub brake_temp: [f32; 4],
    /// Clutch, 0 to 1.
    pub clutch: f32,
    /// Tyre temperature, inner edge, °C. Unused in ACC.
    pub tyre_temp_i: [f32; 4],
    /// Tyre temperature, middle, °C. Unused in ACC.
    pub tyre_temp_m: [f32; 4],
    /// Tyre temperature, outer edge, °C. Unused in ACC.
    pub tyre_temp_o: [f32; 4],
    /// 1 while the AI drives the car.
    pub is_ai_controlled: i32,
    /// Tyre contact point in world coordinates, m.
    pub tyre_contact_point: [[f32; 3]; 4],
    /// Road surface normal at each tyre.
    pub tyre_contact_normal: [[f32; 3]; 4],
    /// Direction of each tyre.
    pub tyre_contact_heading: [[f32; 3]; 4],
    /// Brake bias towards the front.
    pub brake_bias: f32,
    /// Velocity along the car's own axes, m/s.
    pub local_velocity: [f32; 3],
}

const _: () = assert!(size_of::<Physics>() == 580);

impl Default for Physics {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl Frame for Physics {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::PHYSICS)
    }
}
