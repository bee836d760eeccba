//! Decodes the rows of a lap file into lap frames. The importer has found the line crossings; a lap time is the file's own.
use super::about::LapFileAbout;
use super::decode::Roles;
use super::names::Role;
use super::row::LapFileRow;
use crate::capture::{Presence, SeenFrame};
use crate::iracing::ground::Ground;
use crate::lap_frame::{Identity, LapFrame, ReadLaps};
use crate::sample::Geo;
use crate::sane::ms;

#[derive(Debug, Default)]
pub(super) struct LapFileLaps {
    identity: Identity,
    roles: Roles,
    latitude_deg: Option<f64>,
    longitude_deg: Option<f64>,
    ground: Ground,
}

impl ReadLaps for LapFileLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        if frame.stream == super::ABOUT.name {
            self.take_about(&LapFileAbout::parse(frame.bytes));
            self.identity.stamp(laps);
            return false;
        }
        if frame.stream != super::LAPS.name {
            self.car(frame, laps);
            return false;
        }
        let Some(row) = LapFileRow::parse(frame.bytes) else { return false };
        laps.presence = Presence::Live;
        laps.laps_completed = Some(row.laps_completed);
        laps.before_first_line = row.before_first_line;
        laps.position = row.position;
        laps.last_ms = row.last_lap_time_s.and_then(|seconds| ms(seconds * 1000.0)).filter(|ms| *ms > 0);
        // Two laps of the same time to the millisecond are two laps.
        laps.last_exact = laps.last_ms.and(Some(row.laps_completed));
        self.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl LapFileLaps {
    fn take_about(&mut self, about: &LapFileAbout) {
        self.identity.replace_with(Identity {
            game_version: about.format.clone(),
            track: about.track.clone(),
            car: about.car.clone(),
            driver: about.driver.clone(),
            length_m: about.length_m,
            ..Identity::default()
        });
    }

    fn car(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) {
        for (role, value) in self.roles.values(frame) {
            match role {
                Role::Speed => laps.speed_kmh = Some(value as f32).filter(|value| value.is_finite()),
                Role::Fuel => laps.fuel_l = Some(value as f32).filter(|value| value.is_finite()),
                Role::Latitude => self.latitude_deg = Some(value),
                Role::Longitude => self.longitude_deg = Some(value),
                _ => {}
            }
        }
        let geo = self.latitude_deg.zip(self.longitude_deg).filter(|geo| *geo != (0.0, 0.0));
        laps.world_m = geo.and_then(|(latitude_deg, longitude_deg)| {
            self.ground.metres(&Geo { latitude_deg, longitude_deg, altitude_m: None })
        });
    }
}
