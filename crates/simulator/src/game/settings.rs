//! How a session of the driving car begins and goes.
use crate::board::SessionKind;

/// Where the car is when a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// In its box; the first lap is one out of the pits.
    Box,
    /// On the grid, some metres before the line.
    Grid,
    /// At speed, some metres before the line, where the first lap begins.
    Flying,
}

/// A session of the driving car.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Another number is another drive, the same number the same.
    pub seed: u64,
    /// Kind of session.
    pub session: SessionKind,
    /// Its length; when it is over, the next begins. `None` has no end.
    pub session_ms: Option<u64>,
    /// Where the car begins.
    pub start: Start,
    /// In every lap with such a number the driver comes in.
    pub pit_every_laps: Option<u32>,
    /// Whether he leaves the track now and then.
    pub mistakes: bool,
    /// Fuel at the start.
    pub fuel_l: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            session: SessionKind::Practice,
            session_ms: Some(3_600_000),
            start: Start::Flying,
            pit_every_laps: Some(9),
            mistakes: true,
            fuel_l: 48.0,
        }
    }
}
