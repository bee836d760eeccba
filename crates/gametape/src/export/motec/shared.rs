//! The channels that all games share, under the names and units of MoTeC's loggers, so that workspaces made for these find them.

use gametape_games::{Sample, Wheel};

/// Where a channel has its value.
#[derive(Clone, Copy)]
enum Of {
    Car(fn(&Sample) -> Option<f64>),
    /// One channel for each wheel.
    Wheels(fn(&Wheel) -> Option<f32>),
}

struct Listed {
    name: &'static str,
    unit: &'static str,
    decimals: i16,
    is_smooth: bool,
    of: Of,
}

const fn smooth(name: &'static str, unit: &'static str, decimals: i16, of: fn(&Sample) -> Option<f64>) -> Listed {
    Listed { name, unit, decimals, is_smooth: true, of: Of::Car(of) }
}

const fn held(name: &'static str, of: fn(&Sample) -> Option<f64>) -> Listed {
    Listed { name, unit: "", decimals: 0, is_smooth: false, of: Of::Car(of) }
}

const fn wheels(name: &'static str, unit: &'static str, decimals: i16, of: fn(&Wheel) -> Option<f32>) -> Listed {
    Listed { name, unit, decimals, is_smooth: true, of: Of::Wheels(of) }
}

/// Endings of the names of wheels, in the order of [`Sample::wheels`].
const WHEELS: [&str; 4] = ["FL", "FR", "RL", "RR"];

/// Origin of the map of games without geographic positions. Not 0°, which means a missing position.
const ORIGIN_DEG: (f64, f64) = (10.0, 10.0);
const METRES_PER_DEG: f64 = 111_320.0;

/// Decimals of geographic positions: about a centimetre. They are integers, since a float of four bytes would be some 0.4 m off.
pub(super) const GEO_DECIMALS: i16 = 7;

const LISTED: &[Listed] = &[
    smooth("Ground Speed", "km/h", 1, |sample| sample.speed_kmh.map(f64::from)),
    smooth("Engine RPM", "rpm", 0, |sample| sample.rpm.map(f64::from)),
    held("Gear", |sample| sample.gear.map(f64::from)),
    smooth("Throttle Pos", "%", 1, |sample| sample.throttle.map(percent)),
    smooth("Brake Pos", "%", 1, |sample| sample.brake.map(percent)),
    smooth("Clutch Pos", "%", 1, |sample| sample.clutch.map(percent)),
    smooth("Steered Angle", "deg", 1, |sample| sample.steering_rad.map(|angle| f64::from(angle).to_degrees())),
    smooth("Steering Pos", "%", 1, |sample| sample.steering.map(percent)),
    smooth("G Force Lat", "G", 3, |sample| sample.lateral_g.map(f64::from)),
    smooth("G Force Long", "G", 3, |sample| sample.longitudinal_g.map(f64::from)),
    smooth("G Force Vert", "G", 3, |sample| sample.vertical_g.map(f64::from)),
    smooth("GPS Latitude", "deg", GEO_DECIMALS, |sample| geo(sample).map(|(latitude, _)| latitude)),
    smooth("GPS Longitude", "deg", GEO_DECIMALS, |sample| geo(sample).map(|(_, longitude)| longitude)),
    smooth("GPS Altitude", "m", 1, |sample| match sample.geo {
        Some(geo) => geo.altitude_m.map(f64::from),
        None => sample.world_m.map(|[_, y, _]| y.into()),
    }),
    smooth("Lap Distance", "m", 1, |sample| sample.lap_distance_m.map(f64::from)),
    smooth("Lap Position", "%", 3, |sample| sample.track_position.map(percent)),
    smooth("Fuel Level", "l", 2, |sample| sample.fuel_l.map(f64::from)),
    held("ABS Active", |sample| sample.abs_active.map(|on| u8::from(on).into())),
    held("TC Active", |sample| sample.tc_active.map(|on| u8::from(on).into())),
    held("In Pit Lane", |sample| sample.in_pit_lane.map(|on| u8::from(on).into())),
    smooth("Air Temp", "C", 1, |sample| sample.air_celsius.map(f64::from)),
    smooth("Track Temp", "C", 1, |sample| sample.track_celsius.map(f64::from)),
    wheels("Tyre Temp", "C", 1, |wheel| wheel.tyre_core_celsius),
    wheels("Tyre Temp Inner", "C", 1, |wheel| wheel.tyre_inner_celsius),
    wheels("Tyre Temp Centre", "C", 1, |wheel| wheel.tyre_middle_celsius),
    wheels("Tyre Temp Outer", "C", 1, |wheel| wheel.tyre_outer_celsius),
    wheels("Tyre Pres", "kPa", 1, |wheel| wheel.pressure_kpa),
    wheels("Tyre Wear", "%", 2, |wheel| wheel.tread_left.map(|left| (1.0 - left) * 100.0)),
    wheels("Brake Temp", "C", 0, |wheel| wheel.brake_celsius),
    wheels("Susp Pos", "mm", 1, |wheel| wheel.suspension_m.map(|metres| metres * 1000.0)),
    wheels("Wheel Slip", "", 3, |wheel| wheel.slip),
    wheels("Wheel Rot", "rad/s", 2, |wheel| wheel.angular_speed_rad_s),
];

/// A channel that games share.
pub(super) struct Shared {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) decimals: i16,
    pub(super) is_smooth: bool,
    of: Of,
    wheel: usize,
}

impl Shared {
    /// Returns the value; `None` if the game does not report it.
    pub(super) fn value(&self, sample: &Sample) -> Option<f64> {
        let value = match self.of {
            Of::Car(of) => of(sample),
            Of::Wheels(of) => sample.wheels.get(self.wheel).and_then(of).map(f64::from),
        };
        value.filter(|value| value.is_finite())
    }
}

/// Returns all channels.
pub(super) fn shared() -> Vec<Shared> {
    let one = |listed: &'static Listed, wheel: usize| Shared {
        name: match (listed.of, WHEELS.get(wheel)) {
            (Of::Wheels(_), Some(ending)) => wheel_name(listed.name, ending),
            _ => listed.name.to_owned(),
        },
        unit: listed.unit,
        decimals: listed.decimals,
        is_smooth: listed.is_smooth,
        of: listed.of,
        wheel,
    };
    let count = |listed: &Listed| if matches!(listed.of, Of::Wheels(_)) { WHEELS.len() } else { 1 };
    LISTED.iter().flat_map(|listed| (0..count(listed)).map(move |wheel| one(listed, wheel))).collect()
}

/// The wheel comes before the part of the tyre: `Tyre Temp FL Inner`.
fn wheel_name(name: &str, ending: &str) -> String {
    match name.strip_prefix("Tyre Temp ") {
        Some(part) => format!("Tyre Temp {ending} {part}"),
        None => format!("{name} {ending}"),
    }
}

fn percent(share: f32) -> f64 {
    f64::from(share) * 100.0
}

/// Returns latitude and longitude: as the game reports them, or its own axes around an origin. Games draw z downwards, which is south here.
fn geo(sample: &Sample) -> Option<(f64, f64)> {
    if let Some(geo) = sample.geo {
        return Some((geo.latitude_deg, geo.longitude_deg));
    }
    let [x, _, z] = sample.world_m?.map(f64::from);
    let (latitude, longitude) = ORIGIN_DEG;
    let at = (latitude - z / METRES_PER_DEG, longitude + x / (METRES_PER_DEG * latitude.to_radians().cos()));
    (at.0.abs() <= 90.0 && at.1.abs() <= 180.0).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_loggers_and_values_are_in_their_units() {
        let all = shared();
        let mut sample =
            Sample { throttle: Some(0.25), gear: Some(-1), world_m: Some([111.32, 5.0, -111.32]), ..Sample::default() };
        sample.wheels[1].tyre_inner_celsius = Some(80.5);
        sample.wheels[3].suspension_m = Some(0.0125);
        let value = |name: &str| all.iter().find(|one| one.name == name).unwrap().value(&sample);
        assert_eq!((value("Throttle Pos"), value("Gear"), value("Ground Speed")), (Some(25.0), Some(-1.0), None));
        assert_eq!((value("Tyre Temp FR Inner"), value("Tyre Temp FL Inner")), (Some(80.5), None));
        assert!((value("Susp Pos RR").unwrap() - 12.5).abs() < 1e-5);
        let (north, east) = (value("GPS Latitude").unwrap() - 10.0, value("GPS Longitude").unwrap() - 10.0);
        assert!(
            (north - 0.001).abs() < 1e-7 && (east * 10f64.to_radians().cos() - 0.001).abs() < 1e-7,
            "{north} {east}"
        );
        assert!(all.iter().all(|one| one.name.len() <= 31 && one.unit.len() <= 11));
        let far = Sample { world_m: Some([1e9, 0.0, f32::NAN]), ..Sample::default() };
        assert_eq!(geo(&far), None);
    }
}
