//! All cars of a session, joined from the packets about timings, times and names.
use super::stats::{Names, TimeStats};
use super::timings::Timings;
use super::{PARTICIPANTS, TIME_STATS, TIMINGS, VEHICLE_CLASSES, VEHICLES};
use crate::capture::SeenFrame;
use crate::project_cars::CarState;

/// The cars of Automobilista 2 and Project CARS 2. Takes frames of all streams in time order.
#[derive(Debug, Default)]
pub struct Cars {
    cars: Vec<CarState>,
    names: Names,
    stats: Vec<u8>,
    local: Option<usize>,
}

impl Cars {
    /// Adds a frame.
    pub fn frame(&mut self, frame: SeenFrame<'_>) {
        match frame.stream {
            PARTICIPANTS => self.names.participants(frame.bytes),
            VEHICLES => self.names.vehicles(frame.bytes),
            VEHICLE_CLASSES => self.names.classes(frame.bytes),
            TIME_STATS => frame.bytes.clone_into(&mut self.stats),
            TIMINGS => self.timings(Timings(frame.bytes)),
            _ => {}
        }
    }

    /// Returns the active cars, in the game's order.
    #[must_use]
    pub fn cars(&self) -> &[CarState] {
        &self.cars
    }

    /// Returns the index of the player's car in [`cars`](Self::cars).
    #[must_use]
    pub fn local(&self) -> Option<usize> {
        self.local
    }

    fn timings(&mut self, timings: Timings<'_>) {
        self.cars.clear();
        self.local = None;
        let local = timings.local(None).map(|(place, _)| place);
        for (place, timing) in timings.all() {
            let Some(participant) = timing.participant() else { continue };
            if local == Some(place) {
                self.local = Some(self.cars.len());
            }
            let stats = TimeStats(&self.stats).of(participant);
            let (car, class) = self.names.car(participant, timing.car_index());
            self.cars.push(CarState {
                index: participant,
                name: self.names.driver(participant),
                car,
                class,
                is_human: timing.is_human(),
                position: timing.race_position(),
                lap: timing.lap(),
                lap_time_ms: timing.lap_time_ms(),
                last_ms: stats.and_then(|stats| stats.last_ms()),
                best_ms: stats.and_then(|stats| stats.best_ms()),
                lap_is_valid: timing.is_lap_invalid().map(|invalid| !invalid),
                sector: timing.sector(),
                last_sector_ms: stats.and_then(|stats| stats.last_sector_ms()),
                best_sectors_ms: stats.map_or([None; 3], |stats| stats.best_sectors_ms()),
                pit: timing.pit(),
                lap_distance_m: timing.lap_distance_m().map(f32::from),
                world_m: timing.world_m(),
            });
        }
    }
}
