//! Settings of a session with the driving car.
use crate::board::SessionKind;

/// Where the car is when a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// In its box; the first lap is an out lap.
    Box,
    /// On the grid, some metres before the line.
    Grid,
    /// At speed, some metres before the line, where the first lap begins.
    Flying,
}

/// A session of the driving car.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Selects the drive. The same seed gives the same drive.
    pub seed: u64,
    /// Kind of session.
    pub session: SessionKind,
    /// Length of the session; the next one begins when it is over. `None`: no end.
    pub session_ms: Option<u64>,
    /// Where the car is at the start.
    pub start: Start,
    /// Makes a pit stop every this many laps.
    pub pit_every_laps: Option<u32>,
    /// Whether the driver exceeds the track limits now and then.
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
