//! Which channel of a lap file says what about the car: loggers name the same value differently, and in other units.
//!
//! Names are compared without case, spaces, punctuation and what is in parentheses: `Ground Speed`, `GROUND_SPEED` and
//! `groundspeed (calc)` are one name. If several channels fit, also of different streams, the one that is named first in its list counts.
use super::cells::Cell;
use crate::layout::{Channel, Layout};

/// A value of the car.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Speed,
    Rpm,
    Gear,
    Throttle,
    Brake,
    Clutch,
    Steering,
    LateralG,
    LongitudinalG,
    Latitude,
    Longitude,
    Altitude,
    Heading,
    Fuel,
    BrakeTemperature(u8),
    TyreTemperature(u8),
    TyrePressure(u8),
}

/// What the values of a role are measured in, which says how units are converted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Quantity {
    /// To km/h.
    Speed,
    /// As it is.
    Plain,
    /// To a share of 1.
    Share,
    /// To radians, positive to the right.
    AngleFromLeft,
    /// To g, positive to the right.
    GFromLeft,
    /// To g.
    G,
    /// To radians.
    Angle,
    /// To degrees Celsius.
    Temperature,
    /// To kPa.
    Pressure,
}

use Quantity::{Angle, AngleFromLeft, G, GFromLeft, Plain, Pressure, Share, Speed, Temperature};

/// Number of roles.
pub(super) const ROLES: usize = ALL.len();

/// The roles, what they are measured in, and the names of their channels, best first.
///
/// Signs: in the files that were examined, lateral acceleration and ACC's steering angle are positive to the left. The steering angle of other
/// MoTeC loggers has no common sign and is left out.
pub(super) const ALL: [(Role, Quantity, &[&str]); 26] = [
    (
        Role::Speed,
        Speed,
        &["groundspeed", "corrspeed", "vehiclespeed", "speed", "velocity", "speedoverground", "gpsspeed", "drivespeed"],
    ),
    (Role::Rpm, Plain, &["enginerpm", "rpm", "rpms", "enginespeed"]),
    (Role::Gear, Plain, &["gear", "gearpos"]),
    (Role::Throttle, Share, &["throttlepos", "throttle", "throttlepedal", "acceleratorpos", "acceleratorpedal"]),
    (Role::Brake, Share, &["brakepos", "brake", "brakepedalpos", "brakepedal"]),
    (Role::Clutch, Share, &["clutchpos", "clutch"]),
    (Role::Steering, AngleFromLeft, &["steerangle", "steeringwheelangle"]),
    (Role::LateralG, GFromLeft, &["gforcelat", "glat", "lateralacc", "lataccel"]),
    (Role::LongitudinalG, G, &["gforcelong", "glon", "glong", "longitudinalacc", "longaccel"]),
    (Role::Latitude, Plain, &["gpslatitude", "latitude", "lat"]),
    (Role::Longitude, Plain, &["gpslongitude", "longitude", "long", "lon"]),
    (Role::Altitude, Plain, &["gpsaltitude", "altitude", "height", "ele"]),
    (Role::Heading, Angle, &["gpsheading", "heading", "bearing"]),
    (Role::Fuel, Plain, &["fuellevel"]),
    (Role::BrakeTemperature(0), Temperature, &["braketempfl", "braketemplf"]),
    (Role::BrakeTemperature(1), Temperature, &["braketempfr", "braketemprf"]),
    (Role::BrakeTemperature(2), Temperature, &["braketemprl", "braketemplr"]),
    (Role::BrakeTemperature(3), Temperature, &["braketemprr"]),
    (Role::TyreTemperature(0), Temperature, &["tyretempflcentre", "tyretempflcenter", "tyretempfl", "tyretairlf"]),
    (Role::TyreTemperature(1), Temperature, &["tyretempfrcentre", "tyretempfrcenter", "tyretempfr", "tyretairrf"]),
    (Role::TyreTemperature(2), Temperature, &["tyretemprlcentre", "tyretemprlcenter", "tyretemprl", "tyretairlr"]),
    (Role::TyreTemperature(3), Temperature, &["tyretemprrcentre", "tyretemprrcenter", "tyretemprr", "tyretairrr"]),
    (Role::TyrePressure(0), Pressure, &["tyrepressurefl", "tyrepresslf"]),
    (Role::TyrePressure(1), Pressure, &["tyrepressurefr", "tyrepressrf"]),
    (Role::TyrePressure(2), Pressure, &["tyrepressurerl", "tyrepresslr"]),
    (Role::TyrePressure(3), Pressure, &["tyrepressurerr", "tyrepressrr"]),
];

/// Returns the name in the form in which names are compared.
fn plain(name: &str) -> String {
    let name = name.split('(').next().unwrap_or(name);
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the factor and the offset that convert values of a unit; `None` if the unit is unknown and cannot be assumed.
fn conversion(quantity: Quantity, name: &str, unit: &str) -> Option<(f64, f64)> {
    let unit = unit.to_lowercase();
    let unit = unit.as_str();
    let degrees = 1.0_f64.to_radians();
    let factor = match quantity {
        Plain => 1.0,
        Speed => match unit {
            "km/h" | "kmh" | "kph" => 1.0,
            "m/s" => 3.6,
            "mph" | "mi/h" => 1.609_344,
            "kn" | "kt" | "knots" => 1.852,
            _ => return None,
        },
        Share => match unit {
            "%" => 0.01,
            "" | "ratio" => 1.0,
            _ => return None,
        },
        // ACC writes g under the unit m/s2.
        G | GFromLeft if name.starts_with("G_") => 1.0,
        G | GFromLeft => match unit {
            "g" => 1.0,
            "m/s2" | "m/s^2" | "m/s/s" | "m/s²" => 1.0 / 9.806_65,
            _ => return None,
        },
        Angle | AngleFromLeft => match unit {
            "deg" | "°" => degrees,
            "rad" => 1.0,
            _ => return None,
        },
        Temperature => match unit {
            "c" | "degc" | "°c" | ".c" => 1.0,
            "f" | "degf" | "°f" => return Some((5.0 / 9.0, -32.0 * 5.0 / 9.0)),
            _ => return None,
        },
        Pressure => match unit {
            "kpa" => 1.0,
            "psi" => 6.894_757,
            "bar" => 100.0,
            _ => return None,
        },
    };
    let factor = if matches!(quantity, AngleFromLeft | GFromLeft) { -factor } else { factor };
    Some((factor, 0.0))
}

/// Returns the best channel of a layout for each role, with its rank in the list of names: 0 is best.
pub(super) fn best_of(layout: &Layout) -> [Option<(usize, Cell)>; ROLES] {
    let mut best = [const { None }; ROLES];
    for channel in layout.channels().iter().filter(|channel| channel.count == 1) {
        let name = plain(&channel.name);
        for ((_, quantity, names), best) in ALL.iter().zip(&mut best) {
            let Some(rank) = names.iter().position(|known| *known == name) else { continue };
            if best.is_none_or(|(known, _): (usize, Cell)| rank < known)
                && let Some(cell) = cell(*quantity, channel)
            {
                *best = Some((rank, cell));
            }
        }
    }
    best
}

fn cell(quantity: Quantity, channel: &Channel) -> Option<Cell> {
    let (factor, plus) = conversion(quantity, &channel.name, &channel.unit)?;
    Some(Cell::new(channel, factor, plus))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_and_punctuation() {
        assert_eq!(
            ["Ground Speed", "SPEED", "speed (100: gps)", "G_LAT"].map(plain),
            ["groundspeed", "speed", "speed", "glat"]
        );
    }

    #[test]
    fn units_are_converted_and_unknown_ones_are_not_guessed() {
        assert_eq!(conversion(Speed, "speed", "m/s"), Some((3.6, 0.0)));
        assert_eq!(conversion(Speed, "speed", ""), None);
        assert_eq!(conversion(Pressure, "TYRE_PRESS_LF", ".."), None);
        assert_eq!(conversion(GFromLeft, "G_LAT", "m/s2"), Some((-1.0, 0.0)));
        let (factor, plus) = conversion(Temperature, "t", "F").unwrap();
        assert!((212.0 * factor + plus - 100.0).abs() < 1e-9);
    }

    #[test]
    fn no_name_stands_for_two_values() {
        let all: Vec<&str> = ALL.iter().flat_map(|(_, _, names)| names.iter().copied()).collect();
        let unique: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(unique.len(), all.len());
    }
}
