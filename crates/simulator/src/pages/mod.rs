//! The three pages of Assetto Corsa Competizione, filled from the state of car and session.
//!
//! Members that the game leaves at 0 stay 0. Members that only a script changes (names, flags of the track, rain) are written once, at the start.
mod assetto_corsa;
mod graphics;
mod physics;
mod static_page;
mod time_text;

use super::weather::Weather;
use gametape_games::acc;

pub use assetto_corsa::AssettoCorsaPages;
pub(super) use graphics::{CarOnTrack, LapNumbers, write_board, write_car_on_track, write_lap_numbers};
pub(super) use physics::{CarShown, write_physics};
pub use time_text::time_text;

/// The id of the simulated car in the list of cars.
pub const PLAYER_CAR_ID: i32 = 1001;

/// The content of the game's shared memory at a moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pages {
    /// The car.
    pub physics: acc::Physics,
    /// Session and laps.
    pub graphics: acc::Graphics,
    /// Names.
    pub static_page: acc::Static,
}

impl Pages {
    /// The pages of a game that begins, without anything that moves.
    pub(super) fn begin(weather: &Weather) -> Self {
        let mut pages = Self::default();
        physics::begin_physics(&mut pages.physics);
        graphics::begin_graphics(weather, &mut pages.graphics);
        static_page::begin_static(&mut pages.static_page);
        pages
    }
}
