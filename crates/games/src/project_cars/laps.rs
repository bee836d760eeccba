//! Decodes packets into lap frames of the viewed car, which is the player's unless he watches another one.
//!
//! Sector times are those of each sector alone. The lap count and the last lap time are in the same packet.
use super::decode::{is_lap_valid, track_position};
use super::rules::{CAR, TRACK, TRACK_VARIATION, build};
use super::states::{self, FORMATION_LAP, NOT_STARTED, RACING, text};
use super::telemetry::Telemetry;
use super::{MORE_PARTICIPANTS, PARTICIPANTS, TELEMETRY};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, ReadLaps, SectorValue, Validity};
use crate::sane::{count, finite};

/// Names in one packet.
const NAMES: usize = 16;

#[derive(Debug, Default)]
pub(super) struct ProjectCarsLaps {
    identity: Identity,
    /// Names of the participants, by index.
    drivers: Vec<Option<String>>,
    /// Viewed car, length of the track and build number that the identity holds.
    shown: (Option<usize>, Option<u32>, Option<u16>),
    /// The previous packet already reported that the race is over for the car.
    was_over: bool,
}

impl ReadLaps for ProjectCarsLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        match frame.stream {
            TELEMETRY => {
                let packet = Telemetry(frame.bytes);
                self.look(packet);
                self.telemetry(packet, laps);
            }
            PARTICIPANTS => self.names(frame.bytes),
            MORE_PARTICIPANTS => {
                let first = frame.bytes.get(3).copied().map_or(0, usize::from);
                self.take_drivers(first, frame.bytes.get(4..).unwrap_or_default());
            }
            _ => return false,
        }
        self.identity.stamp(laps);
        frame.stream == TELEMETRY
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl ProjectCarsLaps {
    fn telemetry(&mut self, packet: Telemetry<'_>, laps: &mut LapFrame) {
        let car = packet.viewed();
        let session = packet.session_state().unwrap_or(0);
        let presence = packet.presence();
        *laps = LapFrame {
            presence,
            kind: states::kind(session),
            player_car: packet.viewed_index().and_then(|index| i32::try_from(index).ok()),
            left_ms: packet.f32(36).filter(|left_s| *left_s >= 0.0).map(|left_s| left_s * 1000.0),
            laps_completed: car.and_then(|car| car.laps_completed()),
            running_ms: packet.f32(20).and_then(states::time_ms),
            last_ms: packet.lap_ms(16),
            last_exact: packet.f32(16).filter(|last_s| *last_s > 0.0).map(f32::to_bits),
            sector: car.and_then(|car| car.sector()),
            sector_value: car.and_then(|car| car.last_sector_ms()).map_or(SectorValue::None, SectorValue::Own),
            valid: is_lap_valid(packet),
            pit: packet.u8(99).and_then(|pit_mode| states::pit(pit_mode & 0xF)),
            position: track_position(packet),
            distance_m: packet.f32(132).filter(|odometer_km| *odometer_km >= 0.0).and_then(|km| finite(km * 1000.0)),
            world_m: car.and_then(|car| car.world_m()).map(|[x, y, z]| [x, y, -z]),
            on_lap: self.is_on_lap(packet),
            formation: Some(session == FORMATION_LAP),
            speed_kmh: packet.speed_kmh(),
            fuel_l: packet.fuel_l(),
            air_celsius: packet.u8(458).map(|celsius| f32::from(celsius.cast_signed())),
            track_celsius: packet.u8(459).map(|celsius| f32::from(celsius.cast_signed())),
            ..LapFrame::default()
        };
    }

    /// The packet in which the race ends still completes its last lap.
    fn is_on_lap(&mut self, packet: Telemetry<'_>) -> Option<bool> {
        let state = packet.race_state()?;
        let was_over = std::mem::replace(&mut self.was_over, state > RACING);
        match state {
            NOT_STARTED => Some(false),
            state if state > RACING => Some(!was_over),
            RACING => Some(true),
            _ => None,
        }
    }

    /// Takes values of a telemetry packet that belong to the identity.
    fn look(&mut self, packet: Telemetry<'_>) {
        let shown = (packet.viewed_index(), packet.track_m().map(f32::to_bits), packet.u16(0));
        if packet.presence() != Presence::Off && self.shown != shown {
            self.shown = shown;
            self.identity.replace_with(Identity {
                game_version: build(packet),
                driver: self.driver(),
                sector_count: count(3),
                length_m: packet.track_m(),
                validity: Validity::Flag,
                ..self.identity.clone()
            });
        }
    }

    fn names(&mut self, packet: &[u8]) {
        self.take_drivers(0, packet.get(259..1283).unwrap_or_default());
        let [car, track, layout] = [CAR, TRACK, TRACK_VARIATION].map(|at| text(packet.get(at)));
        let driver = self.driver();
        self.identity.replace_with(Identity { car, track, layout, driver, ..self.identity.clone() });
    }

    fn take_drivers(&mut self, first: usize, names: &[u8]) {
        self.drivers.resize(self.drivers.len().max(first + NAMES), None);
        for (name, field) in self.drivers.iter_mut().skip(first).zip(names.chunks_exact(64)) {
            *name = text(Some(field));
        }
    }

    fn driver(&self) -> Option<String> {
        let (viewed, _, _) = self.shown;
        self.drivers.get(viewed?).cloned().flatten()
    }
}
