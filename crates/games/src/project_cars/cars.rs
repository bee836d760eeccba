//! Standings of all cars, from packets about places, laps and names.
//!
//! The game reports the last lap, car and class of the viewed car only; of the others it reports sectors.
use super::lap_history::{LapHistory, LapNow, ReportedTime};
use super::rules::{CAR, CAR_CLASS, TRACK, TRACK_VARIATION};
use super::states::{self, car_result, session_of, text};
use super::telemetry::{MOST_PARTICIPANTS, Telemetry};
use super::{MORE_PARTICIPANTS, PARTICIPANTS, TELEMETRY};
use crate::assetto_corsa::family::Fnv;
use crate::capture::{Presence, SeenFrame};
use crate::standings::{CarResult, CarStanding, ReadStandings};

/// Names of drivers in one packet.
const NAMES: usize = 16;

/// Reads the standings of Project CARS.
#[derive(Debug, Default)]
pub(super) struct ProjectCarsCars {
    /// By participant; those that do not take part have no result.
    cars: Vec<(CarStanding, LapHistory)>,
    names: Vec<Name>,
    viewed_car: [Option<String>; 2],
    /// Kind of session and track.
    session: (Option<u8>, Option<u64>),
    /// Counts the sessions.
    generation: u64,
}

#[derive(Debug, Default)]
struct Name {
    driver: Option<String>,
    best_ms: Option<u32>,
}

impl ReadStandings for ProjectCarsCars {
    fn frame(&mut self, frame: SeenFrame<'_>) -> bool {
        match frame.stream {
            TELEMETRY => return self.telemetry(Telemetry(frame.bytes)),
            PARTICIPANTS => self.participants(frame.bytes),
            MORE_PARTICIPANTS => {
                let first = frame.bytes.get(3).copied().map_or(0, usize::from);
                self.take_names(first, frame.bytes.get(4..).unwrap_or_default());
            }
            _ => {}
        }
        false
    }

    fn cars(&self) -> Vec<&CarStanding> {
        self.cars.iter().map(|(car, _)| car).filter(|car| car.result != CarResult::Unknown).collect()
    }

    fn session(&self) -> u64 {
        self.generation
    }
}

impl ProjectCarsCars {
    fn participants(&mut self, packet: &[u8]) {
        let [track, variation] = [TRACK, TRACK_VARIATION].map(|at| packet.get(at).unwrap_or_default());
        self.enter((self.session.0, Some(Fnv::of(&[track, variation]))));
        self.viewed_car = [CAR, CAR_CLASS].map(|at| text(packet.get(at)));
        self.take_names(0, packet.get(259..1283).unwrap_or_default());
        let best = |index: usize| Telemetry(packet).lap_ms(1283 + index * 4);
        self.names.iter_mut().take(NAMES).enumerate().for_each(|(index, name)| name.best_ms = best(index));
    }

    fn take_names(&mut self, first: usize, fields: &[u8]) {
        let fields = fields.chunks_exact(64);
        let most = MOST_PARTICIPANTS.min(first + fields.len());
        self.names.resize_with(self.names.len().max(most), Name::default);
        self.names.iter_mut().skip(first).zip(fields).for_each(|(name, field)| name.driver = text(Some(field)));
    }

    /// Forgets the cars of an earlier session. There is no session id: sessions differ in their kind or track.
    fn enter(&mut self, session: (Option<u8>, Option<u64>)) {
        let (kind, track) = std::mem::replace(&mut self.session, session);
        if (kind.is_some() && kind != session.0) || (track.is_some() && track != session.1) {
            self.cars.clear();
            self.generation += 1;
        }
    }

    fn telemetry(&mut self, packet: Telemetry<'_>) -> bool {
        let kind = packet.session_state().and_then(session_of);
        if !matches!(packet.presence(), Presence::Live | Presence::Paused) || kind.is_none() {
            // After the end of a session its results stay until another one begins. A replay shows the past.
            return false;
        }
        self.enter((kind, self.session.1));
        let viewed = packet.viewed_index();
        self.cars.resize_with(self.cars.len().max(packet.count()), Default::default);
        for (index, (car, history)) in self.cars.iter_mut().enumerate() {
            let Some(seen) = packet.participant(index).filter(|seen| seen.is_active()) else {
                car.result = CarResult::Unknown;
                continue;
            };
            let name = self.names.get(index);
            car.car = u32::try_from(index).unwrap_or(u32::MAX);
            let driver = name.and_then(|name| name.driver.as_ref());
            if car.name.as_ref() != driver {
                if car.name.is_some() {
                    // Another driver has taken the place.
                    (*car, *history) = (CarStanding { car: car.car, ..CarStanding::default() }, LapHistory::default());
                }
                car.name = driver.cloned();
            }
            car.is_player = viewed == Some(index);
            car.position = seen.race_position();
            car.current_lap = seen.current_lap();
            car.best_ms = name.and_then(|name| name.best_ms);
            car.result = CarResult::Active;
            car.last_ms = None;
            car.pit = None;
            let mut now = LapNow {
                lap: seen.current_lap(),
                sector: seen.sector(),
                valid: seen.is_lap_invalid().map(|invalid| !invalid),
                last: None,
                last_sector: reported(seen.last_sector_ms(), seen.last_sector_exact()),
                has_finished: false,
            };
            if car.is_player {
                [car.car_model, car.class] = self.viewed_car.clone();
                car.last_ms = packet.lap_ms(16);
                car.best_ms = packet.lap_ms(12).or(car.best_ms);
                car.pit = packet.u8(99).and_then(|pit_mode| states::pit(pit_mode & 0xF));
                car.result = packet.race_state().map_or(CarResult::Active, car_result);
                now.last = reported(packet.lap_ms(16), packet.f32(16).map(f32::to_bits));
                now.has_finished = car.result == CarResult::Finished;
            }
            if history.observe(now) {
                history.copy_to(car);
            }
        }
        true
    }
}

/// Joins a time and its bits.
fn reported(ms: Option<u32>, exact: Option<u32>) -> Option<ReportedTime> {
    Option::zip(ms, exact).map(|(ms, exact)| ReportedTime { ms, exact })
}
