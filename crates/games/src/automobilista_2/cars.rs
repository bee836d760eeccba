//! Standings of all cars, joined from the packets about timings, times and names.
use std::collections::BTreeMap;

use super::rules::{TRACK, TRACK_VARIATION};
use super::stats::{Names, TimeStats};
use super::telemetry::Telemetry;
use super::timings::{GameState, Timing, Timings, presence};
use super::{GAME_STATE, PARTICIPANTS, RACE_DEFINITION, TELEMETRY, TIME_STATS, TIMINGS, VEHICLE_CLASSES, VEHICLES};
use crate::assetto_corsa::family::Fnv;
use crate::capture::{Presence, SeenFrame};
use crate::project_cars::lap_history::{LapHistory, LapNow};
use crate::project_cars::states::{car_result, session_of};
use crate::standings::{CarResult, CarStanding, ReadStandings};

/// More than there can be in a session: participants that left and came back have other numbers.
const MOST_CARS: usize = 256;

/// Reads the standings of Automobilista 2 and Project CARS 2.
#[derive(Debug, Default)]
pub(super) struct Automobilista2Cars {
    /// By participant; those that do not take part have no result.
    cars: BTreeMap<u16, (CarStanding, LapHistory)>,
    names: Names,
    stats: Vec<u8>,
    game_state: Option<Vec<u8>>,
    viewed: Option<usize>,
    /// Kind of session and track.
    session: (Option<u8>, Option<u64>),
    /// Counts the sessions.
    generation: u64,
}

impl ReadStandings for Automobilista2Cars {
    fn frame(&mut self, frame: SeenFrame<'_>) -> bool {
        let bytes = frame.bytes;
        match frame.stream {
            PARTICIPANTS => self.names.participants(bytes),
            VEHICLES => self.names.vehicles(bytes),
            VEHICLE_CLASSES => self.names.classes(bytes),
            TELEMETRY => self.viewed = Telemetry(bytes).viewed(),
            TIME_STATS => bytes.clone_into(&mut self.stats),
            GAME_STATE => {
                bytes.clone_into(self.game_state.get_or_insert_default());
                let kind = GameState(bytes).session().and_then(session_of);
                self.enter((kind.or(self.session.0), self.session.1));
            }
            RACE_DEFINITION => {
                let [track, variation] = [TRACK, TRACK_VARIATION].map(|at| bytes.get(at).unwrap_or_default());
                self.enter((self.session.0, Some(Fnv::of(&[track, variation]))));
            }
            TIMINGS => return self.timings(Timings(bytes)),
            _ => {}
        }
        false
    }

    fn cars(&self) -> Vec<&CarStanding> {
        self.cars.values().map(|(car, _)| car).filter(|car| car.result != CarResult::Unknown).collect()
    }

    fn session(&self) -> u64 {
        self.generation
    }
}

impl Automobilista2Cars {
    /// Forgets the cars of an earlier session. There is no session id: sessions differ in their kind or track.
    fn enter(&mut self, session: (Option<u8>, Option<u64>)) {
        let (kind, track) = std::mem::replace(&mut self.session, session);
        if (kind.is_some() && kind != session.0) || (track.is_some() && track != session.1) {
            self.cars.clear();
            self.stats.clear();
            self.generation += 1;
        }
    }

    fn timings(&mut self, timings: Timings<'_>) -> bool {
        let presence = presence(self.game_state.as_deref().map(GameState), Some(timings));
        if !matches!(presence, Presence::Live | Presence::Paused) {
            // After the end of a session its results stay until another one begins. A replay shows the past.
            return false;
        }
        self.cars.values_mut().for_each(|(car, _)| car.result = CarResult::Unknown);
        let local = timings.local(self.viewed).map(|(place, _)| place);
        for (place, timing) in timings.all() {
            let Some(participant) = timing.participant() else { continue };
            if self.cars.len() >= MOST_CARS && !self.cars.contains_key(&participant) {
                continue;
            }
            let (car, history) = self.cars.entry(participant).or_default();
            car.car = participant.into();
            let name = self.names.driver(participant);
            if car.name != name {
                if car.name.is_some() {
                    // Another driver has taken the place.
                    (*car, *history) = (CarStanding { car: car.car, ..CarStanding::default() }, LapHistory::default());
                }
                car.name = name;
            }
            (car.car_model, car.class) = self.names.car(participant, timing.car_index());
            car.is_player = local == Some(place);
            read(car, history, timing, TimeStats(&self.stats));
        }
        true
    }
}

/// Takes what the packets report of one car.
fn read(car: &mut CarStanding, history: &mut LapHistory, timing: Timing<'_>, stats: TimeStats<'_>) {
    let stats = timing.participant().and_then(|participant| stats.of(participant));
    car.position = timing.race_position();
    car.result = timing.race_state().map_or(CarResult::Active, car_result);
    car.current_lap = timing.lap();
    car.last_ms = stats.and_then(|stats| stats.last_ms());
    car.best_ms = stats.and_then(|stats| stats.best_ms());
    car.pit = timing.pit();
    let has_changed = history.observe(LapNow {
        lap: timing.lap(),
        sector: timing.sector(),
        valid: timing.is_lap_invalid().map(|invalid| !invalid),
        last: stats.and_then(|stats| stats.last()),
        last_sector: stats.and_then(|stats| stats.last_sector()),
        has_finished: car.result == CarResult::Finished,
    });
    if has_changed {
        history.copy_to(car);
    }
}
