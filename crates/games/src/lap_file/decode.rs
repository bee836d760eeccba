//! Decodes the channels of a lap file into samples.
use super::cells::Cell;
use super::names::{ALL, ROLES, Role, best_of};
use super::row::LapFileRow;
use crate::capture::{Presence, SeenFrame};
use crate::iracing::ground::Ground;
use crate::layout::Layout;
use crate::sample::{Decode, Geo, Sample};
use crate::sane::{ms, share};

/// Most layouts that are remembered. A file has one for each sample rate.
const MOST_LAYOUTS: usize = 1024;

/// Which channel of which layout has each value of the car.
#[derive(Debug, Default)]
pub(super) struct Roles {
    /// The layouts that were observed, with their cells.
    known: Vec<(u64, [Option<Cell>; ROLES])>,
    /// For each role the rank of its channel and the layout that has it.
    best: [Option<(usize, u64)>; ROLES],
}

impl Roles {
    /// Returns each value that the frame has, if no better channel has it.
    pub(super) fn values(&mut self, frame: SeenFrame<'_>) -> impl Iterator<Item = (Role, f64)> {
        let layout = frame.layout.fingerprint();
        if !self.known.iter().any(|(known, _)| *known == layout) && self.known.len() < MOST_LAYOUTS {
            self.learn(layout, frame.layout);
        }
        let cells = self.known.iter().find(|(known, _)| *known == layout).map(|(_, cells)| *cells);
        let best = self.best;
        let all = ALL.iter().zip(cells.unwrap_or([None; ROLES])).zip(best);
        all.filter_map(move |(((role, _, _), cell), best)| {
            best.filter(|(_, of)| *of == layout)?;
            Some((*role, cell?.number(frame.bytes)?))
        })
    }

    fn learn(&mut self, fingerprint: u64, layout: &Layout) {
        let found = best_of(layout);
        for (best, found) in self.best.iter_mut().zip(&found) {
            if let Some((rank, _)) = found
                && best.is_none_or(|(known, _)| *rank < known)
            {
                *best = Some((*rank, fingerprint));
            }
        }
        self.known.push((fingerprint, found.map(|found| found.map(|(_, cell)| cell))));
    }
}

#[derive(Debug, Default)]
pub(super) struct LapFileDecoder {
    roles: Roles,
    latitude_deg: Option<f64>,
    longitude_deg: Option<f64>,
    ground: Ground,
}

impl Decode for LapFileDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        if frame.stream == super::LAPS.name {
            if let Some(row) = LapFileRow::parse(frame.bytes) {
                lap(&row, sample);
            }
            return;
        }
        for (role, value) in self.roles.values(frame) {
            match role {
                Role::Latitude => self.latitude_deg = Some(value),
                Role::Longitude => self.longitude_deg = Some(value),
                _ => car(role, value, sample),
            }
        }
        self.place(sample);
    }
}

impl LapFileDecoder {
    fn place(&mut self, sample: &mut Sample) {
        let Some((latitude_deg, longitude_deg)) = self.latitude_deg.zip(self.longitude_deg) else { return };
        let inside = (-90.0..=90.0).contains(&latitude_deg) && (-180.0..=180.0).contains(&longitude_deg);
        if !inside || (latitude_deg, longitude_deg) == (0.0, 0.0) {
            return;
        }
        let altitude_m = sample.geo.and_then(|geo| geo.altitude_m);
        let geo = Geo { latitude_deg, longitude_deg, altitude_m };
        sample.world_m = self.ground.metres(&geo);
        sample.geo = Some(geo);
    }
}

fn lap(row: &LapFileRow, sample: &mut Sample) {
    let milliseconds = |seconds: Option<f64>| seconds.and_then(|seconds| ms(seconds * 1000.0));
    sample.presence = Some(Presence::Live);
    sample.track_position = row.position;
    sample.lap_distance_m = row.lap_distance_m.map(|metres| metres as f32).filter(|metres| metres.is_finite());
    sample.lap_time_ms = milliseconds(row.lap_time_s);
    sample.last_lap_ms = milliseconds(row.last_lap_time_s);
    sample.laps_completed = Some(row.laps_completed);
}

fn car(role: Role, value: f64, sample: &mut Sample) {
    let single = Some(value as f32).filter(|value| value.is_finite());
    let wheel = |number: u8| usize::from(number);
    match role {
        Role::Speed => sample.speed_kmh = single,
        Role::Rpm => sample.rpm = single,
        Role::Gear => sample.gear = (-1.0..=20.0).contains(&value).then(|| value.round() as i8),
        Role::Throttle => sample.throttle = single.and_then(share),
        Role::Brake => sample.brake = single.and_then(share),
        Role::Clutch => sample.clutch = single.and_then(share),
        Role::Steering => sample.steering_rad = single,
        Role::LateralG => sample.lateral_g = single,
        Role::LongitudinalG => sample.longitudinal_g = single,
        Role::Altitude => {
            if let Some(geo) = &mut sample.geo {
                geo.altitude_m = single;
            }
        }
        Role::Heading => sample.heading_rad = single,
        Role::Fuel => sample.fuel_l = single,
        Role::BrakeTemperature(n) => sample.wheels.get_mut(wheel(n)).into_iter().for_each(|w| w.brake_celsius = single),
        Role::TyreTemperature(n) => {
            sample.wheels.get_mut(wheel(n)).into_iter().for_each(|w| w.tyre_core_celsius = single);
        }
        Role::TyrePressure(n) => sample.wheels.get_mut(wheel(n)).into_iter().for_each(|w| w.pressure_kpa = single),
        Role::Latitude | Role::Longitude => {}
    }
}
