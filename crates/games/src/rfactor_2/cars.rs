//! Standings of all vehicles, from the classification.
use std::collections::BTreeMap;

use super::interface::{Interface, Newest};
use super::scoring::Entry;
use crate::assetto_corsa::family::Fnv;
use crate::capture::{Presence, SeenFrame};
use crate::standings::{CarLap, CarStanding, ReadStandings};

/// More than there can be in a session: vehicles that left and came back have other numbers.
const MOST_CARS: usize = 512;
/// More than anybody drives in 24 hours.
const MOST_LAPS: usize = 2_000;
/// The session clock went back by more than this: the session was restarted.
const CLOCK_BACK_S: f64 = 1.0;

#[derive(Debug)]
pub(crate) struct Cars {
    newest: Newest,
    /// By number; those that left have `is_here` unset.
    cars: BTreeMap<u32, Car>,
    key: Option<u64>,
    clock_s: Option<f64>,
    generation: u64,
}

#[derive(Debug, Default)]
struct Car {
    standing: CarStanding,
    is_here: bool,
    laps: Option<u32>,
    /// Whether the current lap counts, as long as it was driven.
    counts: Option<bool>,
}

impl Cars {
    pub(crate) fn new(interface: Interface) -> Self {
        Self { newest: Newest::new(interface), cars: BTreeMap::new(), key: None, clock_s: None, generation: 0 }
    }

    /// Forgets the cars of an earlier session.
    fn enter(&mut self) {
        let Some(info) = self.newest.info().filter(|info| info.is_session()) else { return };
        let (key, clock_s) = (Some(Fnv::of(&info.key())), info.clock_s());
        let is_back = Option::zip(self.clock_s, clock_s).is_some_and(|(before, now)| now < before - CLOCK_BACK_S);
        if (self.key.is_some() && self.key != key) || is_back {
            self.cars.clear();
            self.generation += 1;
        }
        (self.key, self.clock_s) = (key, clock_s);
    }
}

impl ReadStandings for Cars {
    fn frame(&mut self, frame: SeenFrame<'_>) -> bool {
        if !self.newest.take(frame) {
            return false;
        }
        self.enter();
        if frame.stream != super::interface::SCORING_CARS {
            return false;
        }
        // After the end of a session its results stay until another one begins. A replay shows the past.
        if !matches!(self.newest.presence(), Presence::Live | Presence::Paused) {
            return false;
        }
        self.cars.values_mut().for_each(|car| car.is_here = false);
        for entry in self.newest.entries() {
            let Some(number) = entry.id().and_then(|id| u32::try_from(id).ok()) else { continue };
            if self.cars.len() >= MOST_CARS && !self.cars.contains_key(&number) {
                continue;
            }
            let car = self.cars.entry(number).or_default();
            let (name, model) = (entry.driver(), entry.vehicle());
            if car.standing.car_model != model {
                // Another vehicle has taken the number. Drivers of a vehicle take turns.
                *car = Car::default();
            }
            car.is_here = true;
            (car.standing.car, car.standing.name, car.standing.car_model) = (number, name, model);
            car.take(entry);
        }
        true
    }

    fn cars(&self) -> Vec<&CarStanding> {
        self.cars.values().filter(|car| car.is_here).map(|car| &car.standing).collect()
    }

    fn session(&self) -> u64 {
        self.generation
    }
}

impl Car {
    fn take(&mut self, entry: Entry<'_>) {
        let standing = &mut self.standing;
        standing.is_player = entry.is_player();
        standing.class = entry.class();
        standing.position = entry.position();
        standing.result = entry.result();
        standing.last_ms = entry.last_ms();
        standing.best_ms = entry.best_ms();
        standing.last_sectors_ms = entry.last_sectors_ms().to_vec();
        standing.gap_to_leader_ms = entry.gap_to_leader_ms();
        standing.gap_ahead_ms = entry.gap_ahead_ms();
        standing.pit_stops = entry.pit_stops();
        standing.pit = entry.pit();
        let laps = entry.laps();
        standing.current_lap = laps.map(|laps| laps + 1);
        self.lap(entry, laps);
    }

    fn lap(&mut self, entry: Entry<'_>, laps: Option<u32>) {
        let before = std::mem::replace(&mut self.laps, laps);
        let Some(laps) = laps else { return };
        let list = &mut self.standing.laps;
        if before.is_some_and(|before| laps < before) {
            list.clear();
            self.counts = None;
        }
        let has_ended = before.is_some_and(|before| laps == before + 1);
        if has_ended {
            let valid = std::mem::take(&mut self.counts);
            if let Some(lap) = list.iter_mut().find(|lap| lap.number == laps) {
                lap.valid = valid;
            }
        } else if before.is_some_and(|before| laps > before) {
            self.counts = None;
        }
        // The time of a lap may arrive later than the lap is counted; until then it is that of the lap before.
        let done = list.iter().rposition(|lap| lap.number == laps);
        let earlier_ms = done.and_then(|at| list.get(at.checked_sub(1)?)).and_then(|lap| lap.time_ms);
        let is_new = has_ended && entry.last_ms() != earlier_ms;
        if let Some(lap) = done.and_then(|at| list.get_mut(at)).filter(|lap| is_new || lap.time_ms.is_none())
            && entry.last_ms() != earlier_ms
        {
            lap.time_ms = entry.last_ms();
            lap.sectors_ms = entry.last_sectors_ms().to_vec();
        }
        if list.last().is_none_or(|lap| lap.number != laps + 1) {
            if list.len() >= MOST_LAPS {
                list.remove(0);
            }
            list.push(CarLap { number: laps + 1, ..CarLap::default() });
        }
        self.counts = match (self.counts, entry.lap_counts()) {
            (Some(false), _) => Some(false),
            (counts, now) => now.or(counts),
        };
        if let Some(lap) = list.last_mut() {
            let [first_ms, both_ms] = entry.splits_ms();
            let second_ms = Option::zip(both_ms, first_ms).and_then(|(both, first)| both.checked_sub(first));
            lap.sectors_ms = vec![first_ms, second_ms, None];
            lap.valid = self.counts;
        }
    }
}
