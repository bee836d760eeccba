//! All cars of a session, from packets about places, laps and names.
use super::rules::{CAR, CAR_CLASS};
use super::states::{self, text};
use super::telemetry::Telemetry;
use super::{MORE_PARTICIPANTS, PARTICIPANTS, TELEMETRY};
use crate::capture::SeenFrame;
use crate::lap_frame::Pit;

/// One car of the session. Fields are `None` if the game does not report them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CarState {
    /// The game's number of the participant.
    pub index: u16,
    /// Driver.
    pub name: Option<String>,
    /// Car.
    pub car: Option<String>,
    /// Car class.
    pub class: Option<String>,
    /// Whether a person drives it.
    pub is_human: Option<bool>,
    /// Race position, from 1.
    pub position: Option<u16>,
    /// Current lap, from 1.
    pub lap: Option<u32>,
    /// Current lap time.
    pub lap_time_ms: Option<u32>,
    /// Last lap time.
    pub last_ms: Option<u32>,
    /// Best lap time.
    pub best_ms: Option<u32>,
    /// Whether the current lap is valid.
    pub lap_is_valid: Option<bool>,
    /// Current sector, from 0.
    pub sector: Option<u8>,
    /// Time of the sector that ended last.
    pub last_sector_ms: Option<u32>,
    /// Best time of each sector.
    pub best_sectors_ms: [Option<u32>; 3],
    /// Whether it is on the track or in the pits.
    pub pit: Option<Pit>,
    /// Distance from the line.
    pub lap_distance_m: Option<f32>,
    /// World position: x, y up, z, in the game's axes.
    pub world_m: Option<[f32; 3]>,
}

/// The cars of Project CARS. Takes frames of all streams in time order.
#[derive(Debug, Default)]
pub struct Cars {
    cars: Vec<CarState>,
    names: Vec<(Option<String>, Option<u32>)>,
    viewed: Option<usize>,
    viewed_car: [Option<String>; 2],
}

impl Cars {
    /// Adds a frame.
    pub fn frame(&mut self, frame: SeenFrame<'_>) {
        match frame.stream {
            TELEMETRY => self.telemetry(Telemetry(frame.bytes)),
            PARTICIPANTS => {
                self.viewed_car = [CAR, CAR_CLASS].map(|at| text(frame.bytes.get(at)));
                self.take_names(0, frame.bytes.get(259..1283).unwrap_or_default());
                let best = |index: usize| Telemetry(frame.bytes).lap_ms(1283 + index * 4);
                self.names.iter_mut().take(16).enumerate().for_each(|(index, name)| name.1 = best(index));
            }
            MORE_PARTICIPANTS => {
                let first = frame.bytes.get(3).copied().map_or(0, usize::from);
                self.take_names(first, frame.bytes.get(4..).unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Returns the active cars, in the game's order.
    #[must_use]
    pub fn cars(&self) -> &[CarState] {
        &self.cars
    }

    /// Returns the index of the viewed car in [`cars`](Self::cars).
    #[must_use]
    pub fn viewed(&self) -> Option<usize> {
        self.viewed
    }

    fn take_names(&mut self, first: usize, fields: &[u8]) {
        let fields = fields.chunks_exact(64);
        self.names.resize(self.names.len().max(first + fields.len()), (None, None));
        self.names.iter_mut().skip(first).zip(fields).for_each(|(name, field)| name.0 = text(Some(field)));
    }

    fn telemetry(&mut self, packet: Telemetry<'_>) {
        self.cars.clear();
        self.viewed = None;
        let viewed = packet.viewed_index();
        for index in 0..packet.count() {
            let Some(car) = packet.participant(index).filter(|car| car.is_active()) else { continue };
            let (name, best_ms) = self.names.get(index).cloned().unwrap_or_default();
            let mut state = CarState {
                index: u16::try_from(index).unwrap_or(u16::MAX),
                name,
                position: car.race_position(),
                lap: car.current_lap(),
                best_ms,
                lap_is_valid: car.is_lap_invalid().map(|invalid| !invalid),
                sector: car.sector(),
                last_sector_ms: car.last_sector_ms(),
                lap_distance_m: car.lap_distance_m().map(f32::from),
                world_m: car.world_m(),
                ..CarState::default()
            };
            if viewed == Some(index) {
                self.viewed = Some(self.cars.len());
                [state.car, state.class] = self.viewed_car.clone();
                state.lap_time_ms = packet.f32(20).and_then(states::time_ms);
                state.last_ms = packet.lap_ms(16);
                state.best_ms = packet.lap_ms(12).or(best_ms);
                state.best_sectors_ms = [60, 64, 68].map(|at| packet.lap_ms(at));
                state.pit = packet.u8(99).and_then(|pit_mode| states::pit(pit_mode & 0xF));
            }
            self.cars.push(state);
        }
    }
}
