//! The fields of a datagram, in their order. Names are those of the developers' documentation.
use crate::layout::Kind::{F32, I8, I32, U8, U16, U32};
use crate::layout::Layout;
use crate::layout::packed::{Item, array, layout, skip, value};

/// Returns the layout of datagrams of this length; `None` if there is none.
pub(super) fn layout_of(bytes: u16) -> Option<Layout> {
    let parts: &[&[Item]] = match bytes {
        232 => &[SLED],
        311 => &[SLED, DASH],
        331 => &[SLED, DASH, WEAR_AND_TRACK],
        323 => &[SLED, HORIZON, DASH],
        324 => &[SLED, HORIZON, DASH, UNUSED],
        _ => return None,
    };
    let series = if matches!(bytes, 323 | 324) { "horizon" } else { "motorsport" };
    layout(format!("forza-{series}-{bytes}"), bytes, parts).ok()
}

/// Lengths of the Horizon series, in which one field has another type.
const FIRST_HORIZON: u16 = 323;
const LAST_HORIZON: u16 = 324;

/// All lengths. Arrays of four: front left, front right, rear left, rear right. Axes of the car: x right, y up, z forward.
const SLED: &[Item] = &[
    value("IsRaceOn", I32, ""),
    value("TimestampMS", U32, "ms"),
    value("EngineMaxRpm", F32, "rpm"),
    value("EngineIdleRpm", F32, "rpm"),
    value("CurrentEngineRpm", F32, "rpm"),
    array("Acceleration", F32, 3, "m/s^2"),
    array("Velocity", F32, 3, "m/s"),
    array("AngularVelocity", F32, 3, "rad/s"),
    value("Yaw", F32, "rad"),
    value("Pitch", F32, "rad"),
    value("Roll", F32, "rad"),
    array("NormalizedSuspensionTravel", F32, 4, ""),
    array("TireSlipRatio", F32, 4, ""),
    array("WheelRotationSpeed", F32, 4, "rad/s"),
    array("WheelOnRumbleStrip", I32, 4, ""),
    // A depth in Motorsport; a flag in Horizon 6, and probably a depth in Horizon 4 and 5.
    array("WheelInPuddleDepth", F32, 4, "").until(FIRST_HORIZON - 1),
    array("WheelInPuddle", I32, 4, "").since(FIRST_HORIZON).until(LAST_HORIZON),
    array("WheelInPuddleDepth", F32, 4, "").since(LAST_HORIZON + 1),
    array("SurfaceRumble", F32, 4, ""),
    array("TireSlipAngle", F32, 4, ""),
    array("TireCombinedSlip", F32, 4, ""),
    array("SuspensionTravelMeters", F32, 4, "m"),
    value("CarOrdinal", I32, ""),
    value("CarClass", I32, ""),
    value("CarPerformanceIndex", I32, ""),
    value("DrivetrainType", I32, ""),
    value("NumCylinders", I32, ""),
];

/// Horizon only.
const HORIZON: &[Item] =
    &[value("CarGroup", U32, ""), value("SmashableVelDiff", F32, "m/s"), value("SmashableMass", F32, "kg")];

/// All lengths but the shortest.
const DASH: &[Item] = &[
    array("Position", F32, 3, "m"),
    value("Speed", F32, "m/s"),
    value("Power", F32, "W"),
    value("Torque", F32, "N*m"),
    array("TireTemp", F32, 4, "degF"),
    value("Boost", F32, "psi"),
    value("Fuel", F32, ""),
    // Metres in Motorsport and in sprints of Horizon 6; about 2.4 times as much on circuits of Horizon 6.
    value("DistanceTraveled", F32, ""),
    value("BestLap", F32, "s"),
    value("LastLap", F32, "s"),
    value("CurrentLap", F32, "s"),
    value("CurrentRaceTime", F32, "s"),
    value("LapNumber", U16, ""),
    value("RacePosition", U8, ""),
    value("Accel", U8, ""),
    value("Brake", U8, ""),
    value("Clutch", U8, ""),
    value("HandBrake", U8, ""),
    value("Gear", U8, ""),
    value("Steer", I8, ""),
    value("NormalizedDrivingLine", I8, ""),
    value("NormalizedAIBrakeDifference", I8, ""),
];

/// Motorsport (2023) only.
const WEAR_AND_TRACK: &[Item] = &[array("TireWear", F32, 4, ""), value("TrackOrdinal", I32, "")];

const UNUSED: &[Item] = &[skip(1)];
