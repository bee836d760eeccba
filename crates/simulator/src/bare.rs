//! A game without a car: every value is set by the script and otherwise does not change.
//!
//! While the game's time runs, four values advance by themselves: the lap time, the time left, the time of day, and a position that the script made
//! glide. The packet numbers of the pages count up as always.
use crate::board::{Board, SessionKind};
use crate::game::Command;
use crate::pages::{CarOnTrack, Pages, write_board, write_car_on_track};
use crate::random::Chance;
use crate::track::Track;
use crate::weather::Weather;

/// The time of day at which it begins.
const CLOCK_S: f64 = 13.0 * 3600.0;

/// A position that moves at a constant rate.
#[derive(Debug, Clone, Copy)]
struct Glide {
    per_ms: f64,
    left_ms: u64,
}

/// The game without a car.
#[derive(Debug, Clone)]
pub(super) struct Bare {
    /// The values of session and laps that it shows.
    pub board: Board,
    track: Track,
    glide: Option<Glide>,
    session_ms: Option<f64>,
    speed_kmh: f64,
    fuel_l: f64,
}

impl Bare {
    /// Begins a live practice session without a time limit.
    #[must_use]
    pub(super) fn new() -> Self {
        Self {
            board: Board::new(SessionKind::Practice, None),
            track: Track::ring(),
            glide: None,
            session_ms: None,
            speed_kmh: 0.0,
            fuel_l: 50.0,
        }
    }

    /// Returns the pages at the start of a session.
    #[must_use]
    pub(super) fn first_pages(&self) -> Pages {
        Pages::begin(&Weather::of_session(Chance::new(0), 0))
    }

    /// Advances by a millisecond.
    pub(super) fn step(&mut self) {
        self.board.advance();
        if let Some(glide) = self.glide.as_mut() {
            self.board.position += glide.per_ms;
            self.board.distance_m += glide.per_ms.abs() * self.track.length_m();
            glide.left_ms -= 1;
            if glide.left_ms == 0 {
                self.glide = None;
            }
        }
    }

    /// Moves the position to `position` over this time. Counts the distance.
    pub(super) fn glide(&mut self, position: f64, over_ms: u64) {
        let way = position - self.board.position;
        self.glide = (over_ms > 0).then(|| Glide { per_ms: way / over_ms as f64, left_ms: over_ms });
        self.speed_kmh = if over_ms > 0 { way * self.track.length_m() / over_ms as f64 * 3600.0 } else { 0.0 };
    }

    /// Sets the length of the session, from now on.
    pub(super) fn session_length(&mut self, ms: Option<f64>) {
        self.session_ms = ms;
        self.board.time_left_ms = ms;
    }

    /// Executes a command as far as that is possible without a car.
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Restart => {
                self.glide = None;
                self.board.restart(self.session_ms, CLOCK_S);
            }
            Command::NewSession(kind) => {
                self.board.session = kind;
                self.board.session_index += 1;
                self.command(Command::Restart);
            }
            Command::ReturnToGarage => {
                self.glide = None;
                self.board.return_to_garage();
                self.board.position = self.track.pit_lane().box_m / self.track.length_m();
            }
            Command::Teleport(position) => {
                self.glide = None;
                self.board.position = position;
            }
            Command::PitStop => self.board.in_pit_lane = true,
            Command::RunWide => self.board.valid = false,
            Command::FuelL(litres) => self.fuel_l = litres,
        }
    }

    /// Writes the physics page except its packet number.
    pub(super) fn write_physics(&self, pages: &mut Pages) {
        pages.physics.fuel = self.fuel_l as f32;
        pages.physics.speed_kmh = self.speed_kmh as f32;
    }

    /// Writes the graphics page except its packet number.
    pub(super) fn write_graphics(&self, pages: &mut Pages) {
        write_board(&self.board, &mut pages.graphics);
        let along_m = self.board.position * self.track.length_m();
        // A script may set the position to NaN or infinity.
        if along_m.is_finite() {
            let (place, y) = (self.track.at(along_m), self.track.height(along_m).y);
            let car = CarOnTrack { x: place.x, y, z: place.z, exhaust_celsius: 500.0 };
            write_car_on_track(&car, &mut pages.graphics);
        }
    }
}

impl Default for Bare {
    fn default() -> Self {
        Self::new()
    }
}
