//! All cars of a session: who drives them, their positions and their laps.
//!
//! Positions and laps come with the updates of each car, names with the entry list. The game reports no gaps: `delta` compares a lap with the best
//! one and says nothing about other cars, so gaps stay `None`.
use std::collections::BTreeMap;
use std::mem::offset_of;

use super::messages::{CarUpdate, EntryListCar, Message, Update};
use super::{LapRecord, car_model, cup_name, state};
use crate::acc::Graphics;
use crate::bytes::i32_at;
use crate::capture::SeenFrame;
use crate::lap_frame::Pit;
use crate::standings::{CarLap, CarResult, CarStanding, ReadStandings};

/// Most cars and laps that are kept.
const MOST_CARS: usize = 512;
const MOST_LAPS: usize = 2000;

/// Reads the standings of a session.
#[derive(Debug, Default)]
pub(in super::super) struct BroadcastStandings {
    cars: BTreeMap<u16, Car>,
    session: Option<(u16, u16, u8)>,
    /// Number of sessions so far.
    sessions: u64,
    /// The player's car, as shared memory reports it.
    own_car: Option<i32>,
    /// The camera has shown that car: both sources mean the same number.
    own_car_is_sure: bool,
}

#[derive(Debug, Default)]
struct Car {
    standing: CarStanding,
    /// Names of the drivers.
    drivers: Vec<String>,
    /// The driver who is named in `standing`.
    driver: Option<usize>,
    /// It has sent an update in this session.
    takes_part: bool,
}

impl BroadcastStandings {
    /// Forgets the laps of an earlier session. Names are kept: the game may have sent them before its first update.
    fn enter(&mut self, update: &Update<'_>) {
        let session = Some((update.event_index, update.session_index, update.session_type));
        if self.session == session {
            return;
        }
        let is_first = self.session.is_none();
        self.session = session;
        self.sessions += 1;
        if !is_first {
            for car in self.cars.values_mut() {
                let names = std::mem::take(&mut car.standing);
                car.standing = CarStanding {
                    car: names.car,
                    team: names.team,
                    car_model: names.car_model,
                    class: names.class,
                    race_number: names.race_number,
                    ..CarStanding::default()
                };
                (car.driver, car.takes_part) = (None, false);
            }
        }
    }

    fn update(&mut self, update: &Update<'_>) -> bool {
        let before = (self.sessions, self.own_car_is_sure);
        self.enter(update);
        self.own_car_is_sure |= self.own_car == Some(update.focused_car);
        before != (self.sessions, self.own_car_is_sure)
    }

    fn car(&mut self, index: u16) -> Option<&mut Car> {
        if self.cars.len() >= MOST_CARS && !self.cars.contains_key(&index) {
            return None;
        }
        let car = self.cars.entry(index).or_default();
        car.standing.car = index.into();
        Some(car)
    }

    fn car_update(&mut self, update: &CarUpdate) {
        let own = self.own_car.filter(|_| self.own_car_is_sure);
        if let Some(car) = self.car(update.car) {
            car.update(update);
            car.standing.is_player = own == Some(i32::from(update.car));
        }
    }

    fn entry(&mut self, entry: &EntryListCar<'_>) {
        if let Some(car) = self.car(entry.car) {
            car.entry(entry);
        }
    }
}

impl Car {
    fn update(&mut self, update: &CarUpdate) {
        self.takes_part = true;
        self.name_driver(update.driver.into());
        let car = &mut self.standing;
        let laps = u32::from(update.laps);
        car.result = CarResult::Active;
        car.position = Some(update.position).filter(|position| *position > 0);
        car.current_lap = Some(laps + 1);
        car.last_ms = update.last_lap.time_ms();
        car.best_ms = update.best_lap.time_ms();
        car.last_sectors_ms.clear();
        if car.last_ms.is_some() {
            car.last_sectors_ms.extend(update.last_lap.splits_ms());
        }
        car.pit = match update.location {
            1 => Some(Pit::Track),
            // Whether a car in the pit lane is in its box is not reported.
            2..=4 => Some(Pit::Lane),
            _ => None,
        };
        // A restart of the session counts from the beginning.
        car.laps.retain(|lap| lap.number <= laps);
        if laps > 0 && car.last_ms.is_some() {
            // The update after the line may still have the lap before: the newest one is right.
            put_lap(&mut car.laps, car_lap(laps, &update.last_lap, car.last_ms));
        }
        put_lap(&mut car.laps, car_lap(laps + 1, &update.current_lap, None));
    }

    fn entry(&mut self, entry: &EntryListCar<'_>) {
        let car = &mut self.standing;
        car.team = some_text(entry.team);
        car.race_number = u16::try_from(entry.race_number).ok();
        car.class = cup_name(entry.cup).map(str::to_owned);
        car.car_model = car_model(entry.model).map(str::to_owned);
        let name = |driver: super::Driver<'_>| match format!("{} {}", driver.first_name, driver.last_name).trim() {
            "" => driver.short_name.trim().to_owned(),
            name => name.to_owned(),
        };
        self.drivers.clear();
        self.drivers.extend(entry.drivers().map(name));
        let driving = self.driver.take().unwrap_or(entry.current_driver.into());
        self.name_driver(driving);
    }

    fn name_driver(&mut self, driver: usize) {
        if self.driver != Some(driver) {
            self.driver = Some(driver);
            self.standing.name = self.drivers.get(driver).and_then(|name| some_text(name));
        }
    }
}

impl ReadStandings for BroadcastStandings {
    fn frame(&mut self, frame: SeenFrame<'_>) -> bool {
        if frame.stream == "graphics" {
            self.own_car = i32_at(frame.bytes, offset_of!(Graphics, player_car_id));
            return false;
        }
        match state::message(frame) {
            Some(Message::Update(update)) => self.update(&update),
            Some(Message::CarUpdate(update)) => {
                self.car_update(&update);
                true
            }
            Some(Message::EntryList(list)) => {
                self.cars.retain(|car, _| list.cars().any(|listed| listed == *car));
                true
            }
            Some(Message::EntryListCar(entry)) => {
                self.entry(&entry);
                true
            }
            _ => false,
        }
    }

    fn cars(&self) -> Vec<&CarStanding> {
        self.cars.values().filter(|car| car.takes_part).map(|car| &car.standing).collect()
    }

    fn session(&self) -> u64 {
        self.sessions
    }
}

fn some_text(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn car_lap(number: u32, lap: &LapRecord, time_ms: Option<u32>) -> CarLap {
    CarLap {
        number,
        time_ms,
        sectors_ms: lap.splits_ms().collect(),
        valid: Some(!lap.is_invalid),
        valid_sectors: Vec::new(),
    }
}

/// Replaces the lap with this number, or adds it. Laps come in order.
fn put_lap(laps: &mut Vec<CarLap>, lap: CarLap) {
    match laps.last_mut().filter(|last| last.number >= lap.number) {
        Some(last) if last.number == lap.number => *last = lap,
        Some(_) => {}
        None => {
            if laps.len() >= MOST_LAPS {
                laps.remove(0);
            }
            laps.push(lap);
        }
    }
}
