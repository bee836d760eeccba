//! Commands to the game: restart, new session, return to garage, teleport, pit stop.
use super::{Game, Start};
use crate::board::SessionKind;
use crate::car::Car;
use crate::car::vehicle::TANK_L;
use crate::driver::Visit;
use crate::weather::Weather;

/// How long the car stands on the grid, and in its box before it goes out.
const WAIT_MS: u32 = 2_500;
/// Where a flying start begins and a standing one stands, in metres before the line.
const FLYING_M: f64 = 150.0;
const GRID_M: f64 = 40.0;
/// Time of day at which sessions begin.
const CLOCK_S: f64 = 13.0 * 3600.0;

/// A command to the game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Command {
    /// The session starts over.
    Restart,
    /// Another session begins; its number is one higher.
    NewSession(SessionKind),
    /// The car is put into its box, the lap is gone, the session goes on.
    ReturnToGarage,
    /// The car is put elsewhere, at this share of the lap.
    Teleport(f64),
    /// The driver comes into the pits at the next chance.
    PitStop,
    /// The driver leaves the track soon.
    RunWide,
    /// There is this much fuel in the tank.
    FuelL(f64),
}

impl Game {
    /// Does as it is told.
    pub fn command(&mut self, command: Command) {
        match command {
            Command::Restart => self.begin_session(),
            Command::NewSession(kind) => {
                self.board.session = kind;
                self.board.session_index += 1;
                self.begin_session();
            }
            Command::ReturnToGarage => {
                self.board.return_to_garage();
                self.ghost.finish(false);
                self.lap_fuel_l = 0.0;
                self.put_into_box(self.car.fuel_l);
            }
            Command::Teleport(position) => {
                self.car.put(&self.track, position.rem_euclid(1.0) * self.track.length_m(), 0.0);
                self.driver.visit = Visit::None;
                self.look(self.car.along_m, 0.0);
            }
            Command::PitStop => self.driver.wants_pit = true,
            Command::RunWide => self.driver.run_wide(&self.car, &self.track),
            Command::FuelL(litres) => self.car.fuel_l = litres.clamp(0.0, TANK_L),
        }
    }

    pub(super) fn begin_session(&mut self) {
        self.board.restart(self.settings.session_ms.map(|ms| ms as f64), CLOCK_S);
        self.weather = Weather::of_session(self.chance, self.sessions);
        self.sessions += 1;
        self.ghost.forget();
        (self.used_fuel_l, self.lap_fuel_l, self.fuel_per_lap_l) = (0.0, 0.0, 0.0);
        self.driver.errs = self.settings.mistakes;
        self.driver.wants_pit = false;
        self.referee.lap_counts = false;
        self.laps_begun = u64::from(self.settings.start != Start::Flying);
        self.tell_driver();
        let line_m = self.track.length_m();
        match self.settings.start {
            Start::Box => {
                self.board.return_to_garage();
                self.put_into_box(self.settings.fuel_l);
            }
            Start::Grid => {
                self.driver.visit = Visit::None;
                self.driver.wait_ms = WAIT_MS;
                self.board.timer_runs = false;
                self.board.sector = 2;
                self.car = Car::new(&self.track, line_m - GRID_M, 0.0, 0.0, self.settings.fuel_l);
            }
            Start::Flying => {
                self.driver.visit = Visit::None;
                self.board.timer_runs = false;
                self.board.sector = 2;
                self.car = Car::new(&self.track, line_m - FLYING_M, 0.0, 57.0, self.settings.fuel_l);
            }
        }
        self.look(self.car.along_m, 0.0);
    }

    fn put_into_box(&mut self, fuel_l: f64) {
        let lane = self.track.pit_lane();
        self.car = Car::new(&self.track, lane.box_m, lane.offset_m, 0.0, fuel_l);
        self.driver.visit = Visit::Box { left_ms: WAIT_MS };
        self.driver.wants_pit = false;
        self.driver.wait_ms = 0;
        self.refuels = false;
        // The box is behind the line: the next crossing ends the lap that begins here.
        self.referee.lap_counts = true;
    }
}
