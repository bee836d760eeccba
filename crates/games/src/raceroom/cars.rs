//! Standings of all cars.
//!
//! Each entry has the number of completed laps and the cumulative sector times of the current, the previous and the best lap. A lap that does not
//! count has no time.
use std::collections::BTreeMap;

use super::laps::tyre;
use super::page::{Driver, Page, bits, single_ms, time_ms};
use super::rules::car_name;
use crate::assetto_corsa::family::Fnv;
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::Pit;
use crate::standings::{CarLap, CarResult, CarStanding, ReadStandings};

/// Laps that are kept of each car, the newest ones.
const MOST_LAPS: usize = 1_000;
/// Slots are numbers of a session with at most 128 cars; players who leave and come back get others.
const MOST_CARS: usize = 1_024;

#[derive(Debug, Default)]
pub(super) struct RaceRoomCars {
    /// By slot; those that do not take part have no result.
    cars: BTreeMap<u32, Car>,
    session: Option<u64>,
    generation: u64,
}

#[derive(Debug, Default)]
struct Car {
    standing: CarStanding,
    completed: u32,
    /// The previous lap's times when the current lap began: they are old.
    used: [u32; 3],
}

impl ReadStandings for RaceRoomCars {
    fn frame(&mut self, frame: SeenFrame<'_>) -> bool {
        let Some(page) = Page::of(frame.bytes) else { return false };
        if !matches!(page.presence(), Presence::Live | Presence::Paused) {
            // After the end of a session its results stay. A replay shows the past.
            return false;
        }
        let numbers = [728, 732, 776, 780, 784].map(|at| page.raw(at).unwrap_or(-1).to_le_bytes());
        let session = Fnv::of(&[numbers.as_flattened()]);
        if self.session.replace(session).is_some_and(|before| before != session) {
            self.cars.clear();
            self.generation += 1;
        }
        self.cars.values_mut().for_each(|car| car.standing.result = CarResult::Unknown);
        let own = page.slot().filter(|_| page.control() == Some(0));
        for driver in page.drivers() {
            // Entries that are not in use are blank, and 0 is also the number of a slot.
            let slot = driver.whole(92).filter(|_| driver.name().is_some());
            let Some(slot) = slot.map(i32::cast_unsigned) else { continue };
            if self.cars.len() >= MOST_CARS && !self.cars.contains_key(&slot) {
                continue;
            }
            let car = self.cars.entry(slot).or_default();
            let name = driver.name();
            if car.standing.name.is_some() && car.standing.name != name {
                // Another driver has taken the slot.
                *car = Car::default();
            }
            car.standing.car = slot;
            car.standing.name = name;
            car.standing.is_player = own == driver.whole(92);
            car.read(driver);
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

impl Car {
    fn read(&mut self, driver: Driver<'_>) {
        let car = &mut self.standing;
        let short = |at| driver.whole(at).and_then(|number| u16::try_from(number).ok());
        car.car_model = driver.whole(72).map(car_name);
        car.class = driver.whole(68).map(|class| format!("class {class}"));
        car.race_number = short(64);
        car.position = short(132).filter(|place| *place > 0);
        car.result = match driver.whole(128) {
            Some(1) => CarResult::Finished,
            Some(2) => CarResult::DidNotFinish,
            Some(3 | 4) => CarResult::NotClassified,
            Some(5) => CarResult::Disqualified,
            // Also outside races.
            _ => CarResult::Active,
        };
        let completed = driver.whole(164).map_or(0, i32::cast_unsigned);
        car.current_lap = Some(completed.saturating_add(1));
        let previous = driver.triple(188);
        let lap_ms = |seconds: Option<f32>| seconds.and_then(time_ms).filter(|ms| *ms > 0);
        car.last_ms = lap_ms(previous[2]);
        car.best_ms = lap_ms(driver.triple(200)[2]);
        car.last_sectors_ms = single_ms(previous).to_vec();
        car.gap_ahead_ms = driver.number(212).filter(|seconds| *seconds > 0.0).and_then(time_ms);
        car.pit_stops = short(228);
        car.pit = driver.whole(224).map(|lane| if lane == 1 { Pit::Lane } else { Pit::Track });
        car.tyre = driver.whole(264).and_then(tyre).map(str::to_owned);
        self.follow(driver, completed);
    }

    /// Puts the laps together.
    fn follow(&mut self, driver: Driver<'_>, completed: u32) {
        let (previous, laps) = (driver.triple(188), &mut self.standing.laps);
        if completed < self.completed {
            laps.clear();
        }
        let is_first = laps.is_empty();
        if is_first || completed > self.completed {
            if laps.len() >= MOST_LAPS {
                laps.remove(0);
            }
            laps.push(CarLap { number: completed.saturating_add(1), sectors_ms: vec![None; 3], ..CarLap::default() });
            if is_first {
                self.used = bits(previous);
            }
            self.completed = completed;
        }
        let [done, now] = match laps.as_mut_slice() {
            [.., done, now] => [Some(done), Some(now)],
            [now] => [None, Some(now)],
            [] => return,
        };
        if bits(previous) != self.used
            && previous[2].is_some()
            && let Some(done) = done.filter(|done| done.number == completed)
        {
            self.used = bits(previous);
            done.time_ms = previous[2].and_then(time_ms);
            done.sectors_ms = single_ms(previous).to_vec();
        }
        if let Some(now) = now {
            now.valid = driver.whole(168).map(|valid| valid != 0);
            // Until the first sector ends, the times are those of the previous lap.
            let current = driver.triple(176);
            let ended = driver.whole(160).map_or(0, |sector| usize::try_from(sector - 1).unwrap_or(0).min(2));
            let known = single_ms(current);
            now.sectors_ms =
                (0..3).map(|index| known.get(index).copied().flatten().filter(|_| index < ended)).collect();
        }
    }
}
