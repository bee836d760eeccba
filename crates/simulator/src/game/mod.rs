//! The game with the driving car: a session with driver, car and referee, in steps of a millisecond.
//!
//! Takes [`Command`]s; gives a [`Board`] and the values of the car for the pages. [`Simulation`](super::Simulation) runs it.
mod commands;
mod ghost;
mod referee;
mod settings;

pub use commands::Command;
pub use settings::{Settings, Start};

use super::board::Board;
use super::car::Car;
use super::driver::{Driver, Visit};
use super::pages::{
    CarOnTrack, CarShown, LapNumbers, Pages, write_board, write_car_on_track, write_lap_numbers, write_physics,
};
use super::random::Chance;
use super::track::Track;
use super::weather::Weather;
use ghost::Ghost;
use referee::Referee;

/// Fuel that a stop adds, for each millisecond.
const REFUEL_L_PER_MS: f64 = 0.0025;
/// The game.
#[derive(Debug, Clone)]
pub struct Game {
    settings: Settings,
    chance: Chance,
    track: Track,
    weather: Weather,
    driver: Driver,
    car: Car,
    /// What it shows of session and laps.
    pub board: Board,
    referee: Referee,
    ghost: Ghost,
    ms: u64,
    sessions: u64,
    laps_begun: u64,
    used_fuel_l: f64,
    lap_fuel_l: f64,
    fuel_per_lap_l: f64,
    refuels: bool,
    water_celsius: f64,
    exhaust_celsius: f64,
}

impl Game {
    /// A session that begins.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let chance = Chance::new(settings.seed);
        let track = Track::ring();
        let mut game = Self {
            chance,
            weather: Weather::of_session(chance, 0),
            driver: Driver::new(chance, &track),
            car: Car::new(&track, 0.0, 0.0, 0.0, settings.fuel_l),
            board: Board::new(settings.session, settings.session_ms.map(|ms| ms as f64)),
            referee: Referee::new(&track),
            ghost: Ghost::default(),
            ms: 0,
            sessions: 0,
            laps_begun: 0,
            used_fuel_l: 0.0,
            lap_fuel_l: 0.0,
            fuel_per_lap_l: 0.0,
            refuels: false,
            water_celsius: 82.0,
            exhaust_celsius: 480.0,
            settings,
            track,
        };
        game.begin_session();
        game
    }

    /// The car as it is.
    #[must_use]
    pub fn car(&self) -> &Car {
        &self.car
    }

    /// The track.
    #[must_use]
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// Pages of a session that begins.
    #[must_use]
    pub fn first_pages(&self) -> Pages {
        Pages::begin(&self.weather)
    }

    /// A millisecond.
    pub fn step(&mut self) {
        self.ms += 1;
        self.board.advance();
        if self.board.time_left_ms == Some(0.0) {
            return self.command(Command::NewSession(self.board.session));
        }
        let (visit, waited) = (self.driver.visit, self.driver.wait_ms > 0);
        self.driver.think(&self.car);
        self.left_box(visit);
        if waited && self.driver.wait_ms == 0 {
            self.board.timer_runs = true;
        }
        self.stand_in_box();
        let grip = self.car.tyre_grip() * self.weather.grip;
        let orders = self.driver.orders(&self.car, &self.track, grip);
        let (from_m, fuel_l) = (self.car.along_m, self.car.fuel_l);
        let advanced_m = self.car.step(&self.track, &orders, &self.weather, self.chance, self.ms);
        let burnt_l = fuel_l - self.car.fuel_l;
        self.used_fuel_l += burnt_l;
        self.lap_fuel_l += burnt_l;
        self.board.distance_m += self.car.speed_over_road_ms() * super::car::STEP_S;
        self.look(from_m, advanced_m);
        let work = self.car.gas;
        self.water_celsius += (84.0 + 9.0 * work - self.water_celsius) * 0.000_02;
        self.exhaust_celsius += (420.0 + 430.0 * work - self.exhaust_celsius) * 0.000_4;
    }

    /// Lines, limits, pit lane.
    fn look(&mut self, from_m: f64, advanced_m: f64) {
        let best_before = self.board.best_ms;
        let seen = self.referee.watch(&mut self.board, from_m, advanced_m);
        if seen.line {
            self.ghost.finish(seen.lap.is_some_and(|(ms, valid)| valid && best_before.is_none_or(|best| ms < best)));
            if seen.lap.is_some() {
                self.fuel_per_lap_l = self.lap_fuel_l;
            }
            if seen.begins {
                self.lap_fuel_l = 0.0;
                self.begin_lap();
            }
        }
        if self.board.timer_runs {
            self.ghost.pass(self.car.along_m, self.board.current_ms);
        }
        self.board.position = self.car.along_m / self.track.length_m();
        self.board.in_pit_lane = self.driver.visit != Visit::None && self.track.pit_lane().is_within(self.car.along_m);
        self.board.in_box = matches!(self.driver.visit, Visit::Box { .. });
        if self.driver.visit == Visit::None {
            Referee::judge(&mut self.board, self.car.offset_m);
        }
    }

    fn begin_lap(&mut self) {
        self.laps_begun += 1;
        self.tell_driver();
        let every = u64::from(self.settings.pit_every_laps.unwrap_or(0));
        if every > 0 && self.laps_begun.is_multiple_of(every) {
            self.driver.wants_pit = true;
        }
    }

    /// Laps of other sessions are other laps.
    fn tell_driver(&mut self) {
        self.driver.begin_lap(self.sessions * 100_000 + self.laps_begun, &self.track);
    }

    /// Fuel and tyres, if this is a stop and not the start of a session.
    fn stand_in_box(&mut self) {
        let Visit::Box { left_ms } = self.driver.visit else { return };
        if !self.refuels {
            return;
        }
        self.car.fuel_l = (self.car.fuel_l + REFUEL_L_PER_MS).min(super::car::vehicle::TANK_L);
        if left_ms == self.driver.stop_ms / 2 {
            self.board.tyre_set += 1;
            self.car.wheels.iter_mut().for_each(|wheel| wheel.tyre_celsius = 72.0);
        }
    }

    fn left_box(&mut self, before: Visit) {
        match (before, self.driver.visit) {
            (Visit::In, Visit::Box { .. }) => self.refuels = true,
            (Visit::Box { .. }, Visit::Out) => {
                self.refuels = false;
                self.board.distance_m = 0.0;
                self.board.timer_runs = true;
            }
            _ => {}
        }
    }

    /// Writes the physics page, all but its number.
    pub fn write_physics(&self, pages: &mut Pages) {
        let shown = CarShown {
            car: &self.car,
            weather: &self.weather,
            pit_limiter: self.board.in_pit_lane,
            water_celsius: self.water_celsius,
        };
        write_physics(&shown, &mut pages.physics);
    }

    /// Writes the graphics page, all but its number.
    pub fn write_graphics(&self, pages: &mut Pages) {
        let (car, board) = (&self.car, &self.board);
        write_board(board, &mut pages.graphics);
        let place = CarOnTrack { x: car.x, y: car.height.y, z: car.z, exhaust_celsius: self.exhaust_celsius };
        write_car_on_track(&place, &mut pages.graphics);
        let running = board.timer_runs && board.best_ms.is_some();
        let numbers = LapNumbers {
            delta_ms: running.then(|| self.ghost.delta_ms(car.along_m, board.current_ms)).flatten(),
            fuel_l: car.fuel_l,
            fuel_per_lap_l: self.fuel_per_lap_l,
            used_fuel_l: self.used_fuel_l,
        };
        write_lap_numbers(&numbers, board, &mut pages.graphics);
    }
}
