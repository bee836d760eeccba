//! The table of all packet kinds. A kind is a version of the table that has all fields of the previous one.
use std::sync::LazyLock;

use crate::layout::Kind::{Char, F32, I16, I32, U8, U16, U32};
use crate::layout::Layout;
use crate::layout::packed::{Item, array, layout, skip, value};

/// Packet kinds as versions of the table.
const A: u16 = 1;
const B: u16 = 2;
const TILDE: u16 = 3;
const C: u16 = 4;

/// Wheels are in the order front left, front right, rear left, rear right.
const FIELDS: &[Item] = &[
    array("magic", Char, 4, ""),
    array("position", F32, 3, "m"),
    array("velocity", F32, 3, "m/s"),
    // With `orientationToNorth` as w, a unit quaternion.
    array("rotation", F32, 3, ""),
    value("orientationToNorth", F32, ""),
    array("angularVelocity", F32, 3, "rad/s"),
    value("bodyHeight", F32, "m"),
    value("engineRpm", F32, "rpm"),
    // Of the encryption; the packet's own value is not sent.
    value("iv", U32, ""),
    value("fuelLevel", F32, "l"),
    value("fuelCapacity", F32, "l"),
    value("speed", F32, "m/s"),
    // 1 is atmospheric pressure.
    value("boost", F32, "bar"),
    value("oilPressure", F32, "bar"),
    value("waterTemperature", F32, "degC"),
    value("oilTemperature", F32, "degC"),
    array("tyreSurfaceTemperature", F32, 4, "degC"),
    value("packetId", I32, ""),
    value("currentLap", I16, ""),
    value("totalLaps", I16, ""),
    value("bestLapTime", I32, "ms"),
    value("lastLapTime", I32, "ms"),
    value("timeOfDay", I32, "ms"),
    value("gridPosition", I16, ""),
    value("carsInRace", I16, ""),
    value("revLightRpmMin", I16, "rpm"),
    value("revLightRpmMax", I16, "rpm"),
    value("calculatedTopSpeed", I16, "km/h"),
    value("flags", U16, ""),
    // Low half: current gear; high half: suggested gear.
    value("gears", U8, ""),
    value("throttle", U8, ""),
    value("brake", U8, ""),
    skip(1),
    array("roadPlaneNormal", F32, 3, ""),
    value("roadPlaneDistance", F32, "m"),
    array("wheelSpeed", F32, 4, "rad/s"),
    array("tyreRadius", F32, 4, "m"),
    array("suspensionHeight", F32, 4, "m"),
    skip(32),
    value("clutchPedal", F32, "ratio"),
    value("clutchEngagement", F32, "ratio"),
    value("rpmAfterClutch", F32, "rpm"),
    value("transmissionTopSpeed", F32, "ratio"),
    array("gearRatios", F32, 8, ""),
    value("carCode", I32, ""),
    value("steeringWheelAngle", F32, "rad").since(B),
    value("steeringWheelRate", F32, "rad/s").since(B),
    value("sway", F32, "m/s^2").since(B),
    value("heave", F32, "m/s^2").since(B),
    value("surge", F32, "m/s^2").since(B),
    value("throttleFiltered", U8, "").since(TILDE),
    value("brakeFiltered", U8, "").since(TILDE),
    skip(2).since(TILDE),
    array("torqueVectoring", F32, 4, "").since(TILDE),
    value("energyRecovery", F32, "").since(TILDE),
    skip(4).since(TILDE),
    array("surface", Char, 4, "").since(C),
    value("currentLapTime", I32, "ms").since(C),
    array("roadWheelAngle", F32, 2, "rad").since(C),
    value("wheelbaseLeft", F32, "m").since(C),
    array("category", Char, 4, "").since(C),
];

/// The layouts of one stream. They live as long as the process, like the tables of other games.
type Built = LazyLock<Vec<&'static Layout>>;

fn build(id: &str, version: u16) -> Vec<&'static Layout> {
    layout(id.to_owned(), version, &[FIELDS]).map(|layout| &*Box::leak(Box::new(layout))).into_iter().collect()
}

static PACKET_A: Built = LazyLock::new(|| build("gran-turismo-7-a", A));
static PACKET_B: Built = LazyLock::new(|| build("gran-turismo-7-b", B));
static PACKET_TILDE: Built = LazyLock::new(|| build("gran-turismo-7-tilde", TILDE));
static PACKET_C: Built = LazyLock::new(|| build("gran-turismo-7-c", C));
static SPORT_PACKET_A: Built = LazyLock::new(|| build("gran-turismo-sport-a", A));

pub(super) fn packet_a() -> &'static [&'static Layout] {
    &PACKET_A
}

pub(super) fn packet_b() -> &'static [&'static Layout] {
    &PACKET_B
}

pub(super) fn packet_tilde() -> &'static [&'static Layout] {
    &PACKET_TILDE
}

pub(super) fn packet_c() -> &'static [&'static Layout] {
    &PACKET_C
}

pub(super) fn sport_packet_a() -> &'static [&'static Layout] {
    &SPORT_PACKET_A
}
