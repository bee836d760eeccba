//! The channels of a table for which nobody has chosen any: what most people look at first, under the names that games use.

use gametape_format::Role;
use gametape_format::read::{Tape, TapeStream};

use super::columns::{ChosenColumn, Columns, every};

/// One line for each value, in the order of the columns; games name it differently. Letters are compared without regard to case.
const USUAL: [&[&str]; 18] = [
    &["speedKmh", "speed", "speed_kmh", "vehicleSpeed"],
    &["rpms", "rpm", "engineRpm", "engine_rpm"],
    &["gear", "currentGear"],
    &["gas", "throttle", "throttleRaw"],
    &["brake", "brakeRaw"],
    &["clutch", "clutchRaw"],
    &["steerAngle", "steeringWheelAngle", "steer", "steering"],
    &["accG", "latAccel"],
    &["longAccel"],
    &["fuel", "fuelLevel", "fuelInTank"],
    &["tyreCoreTemperature", "tyreTemp", "tyreTemperature"],
    &["wheelsPressure", "tyresPressure"],
    &["brakeTemp"],
    &["normalizedCarPosition", "npos", "lapDistPct", "lapDistance"],
    &["iCurrentTime", "lapCurrentLapTime", "currentLapTime"],
    &["completedLaps", "lap"],
    &["isInPitLane", "isInPit", "onPitRoad"],
    &["carCoordinates", "worldPosition"],
];

/// Arrays that are longer hold a value for each car of the field.
const LONGEST_ARRAY: u32 = 8;

/// Chooses the usual channels of a tape: speed, engine, pedals, steering, fuel, tyres, position. All channels if it has none of them.
#[must_use]
pub fn choose_usual(tape: &Tape) -> Columns {
    let data: Vec<&TapeStream> = tape.streams().filter(|stream| stream.spec().role == Role::Data).collect();
    let all: Vec<_> = every(&data).collect();
    let find = |name: &&str| {
        let fits = |name: &str, known: &str, count: u32| count <= LONGEST_ARRAY && known.eq_ignore_ascii_case(name);
        all.iter().find(|found| fits(name, &found.channel.name, found.channel.count))
    };
    let usual: Vec<_> = USUAL.iter().filter_map(|names| names.iter().find_map(find)).collect();
    let chosen = if usual.is_empty() { all.iter().collect() } else { usual };
    Columns(chosen.into_iter().map(|found| ChosenColumn::of(found, &data)).collect())
}
