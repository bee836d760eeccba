//! Standings of all cars. Project CARS has their places only.
use std::collections::BTreeMap;

use super::page::{Page, Participant};
use super::state::presence_of;
use crate::assetto_corsa::family::Fnv;
use crate::capture::{Presence, SeenFrame};
use crate::project_cars::lap_history::{LapHistory, LapNow, ReportedTime};
use crate::project_cars::states::{self, RACING, car_result, lap_ms, session_of};
use crate::standings::{CarResult, CarStanding, ReadStandings};

/// Reads the standings of both games.
#[derive(Debug, Default)]
pub(crate) struct MemoryCars {
    /// By index; those that do not take part have no result.
    cars: BTreeMap<usize, Car>,
    session: Option<u64>,
    generation: u64,
}

#[derive(Debug, Default)]
struct Car {
    standing: CarStanding,
    history: LapHistory,
    /// The sectors of the current lap that have ended.
    sectors_ms: [Option<u32>; 2],
}

impl ReadStandings for MemoryCars {
    fn frame(&mut self, frame: SeenFrame<'_>) -> bool {
        let page = Page(frame.bytes);
        if !matches!(presence_of(page), Presence::Live | Presence::Paused) {
            // After the end of a session its results stay until another one begins. A replay shows the past.
            return false;
        }
        self.enter(page);
        self.cars.values_mut().for_each(|car| car.standing.result = CarResult::Unknown);
        let own = page.viewed();
        for (index, entry) in page.participants() {
            let car = self.cars.entry(index).or_default();
            let name = entry.name();
            if car.standing.name.is_some() && car.standing.name != name {
                // Another driver has taken the place.
                *car = Car::default();
            }
            car.standing.car = u32::try_from(index).unwrap_or_default();
            car.standing.name = name;
            car.standing.is_player = own == Some(index);
            car.read(page, index, entry);
        }
        true
    }

    fn cars(&self) -> Vec<&CarStanding> {
        self.cars.values().map(|car| &car.standing).filter(|car| car.result != CarResult::Unknown).collect()
    }

    fn session(&self) -> u64 {
        self.generation
    }
}

impl MemoryCars {
    /// Forgets the cars of an earlier session. The kind of session changes before the results of the session are over.
    fn enter(&mut self, page: Page<'_>) {
        let Some(kind) = page.session_state().and_then(session_of) else { return };
        if page.race_state().is_some_and(|state| state > RACING) && self.session.is_some() {
            return;
        }
        let [track, variation] = [6576, 6640].map(|at| page.text_bytes(at).unwrap_or_default());
        let session = Fnv::of(&[&[kind], track, variation]);
        if self.session.replace(session).is_some_and(|before| before != session) {
            self.cars.clear();
            self.generation += 1;
        }
    }
}

impl Car {
    fn read(&mut self, page: Page<'_>, index: usize, entry: Participant<'_>) {
        let car = &mut self.standing;
        let named = |at: usize| page.text(at + index * 64);
        car.car_model = named(11_056);
        car.class = named(15_152);
        car.position = entry.position();
        car.result = page.state(9520 + index * 4).map_or(CarResult::Active, car_result);
        car.current_lap = entry.laps_completed().map(|laps| laps.saturating_add(1));
        car.pit = page.state(9776 + index * 4).and_then(states::pit);
        car.best_ms = page.f32(8944, index).and_then(lap_ms);
        let last = page.f32(9200, index).and_then(reported);
        car.last_ms = last.map(|last| last.ms);
        let sector = entry.sector();
        let last_sector = self.last_sector(page, index, sector, last);
        let has_changed = self.history.observe(LapNow {
            lap: self.standing.current_lap,
            sector,
            valid: page.flag(9456 + index).map(|invalid| !invalid),
            last,
            last_sector,
            has_finished: self.standing.result == CarResult::Finished,
        });
        if has_changed {
            self.history.copy_to(&mut self.standing);
        }
    }

    /// Returns the time of the sector that ended last. That of the last sector follows from the lap time.
    fn last_sector(
        &mut self,
        page: Page<'_>,
        index: usize,
        sector: Option<u8>,
        last: Option<ReportedTime>,
    ) -> Option<ReportedTime> {
        let ended = |at| page.f32(at, index).and_then(reported);
        match sector? {
            0 => {
                let [first, second] = self.sectors_ms;
                let last = last?;
                let ms = last.ms.checked_sub(first?)?.checked_sub(second?).filter(|ms| *ms > 0)?;
                Some(ReportedTime { ms, exact: last.exact })
            }
            1 => {
                let first = ended(7408);
                self.sectors_ms = [first.map(|first| first.ms), None];
                first
            }
            _ => {
                let second = ended(7664);
                self.sectors_ms = [ended(7408).map(|first| first.ms), second.map(|second| second.ms)];
                second
            }
        }
    }
}

fn reported(seconds: f32) -> Option<ReportedTime> {
    lap_ms(seconds).map(|ms| ReportedTime { ms, exact: seconds.to_bits() })
}
