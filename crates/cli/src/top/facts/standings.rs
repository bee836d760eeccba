//! All cars of a session.

use serde_json::Value;

use super::{count, items, ms, word, words};

/// The largest number of cars shown.
const MOST_CARS: usize = 200;

/// A car of a session.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CarRow {
    pub(crate) is_player: bool,
    pub(crate) position: Option<u32>,
    pub(crate) driver: String,
    pub(crate) class: String,
    pub(crate) lap: Option<u32>,
    pub(crate) gap_ms: Option<u32>,
    pub(crate) interval_ms: Option<u32>,
    pub(crate) last_ms: Option<u32>,
    pub(crate) best_ms: Option<u32>,
    pub(crate) stops: Option<u32>,
    pub(crate) tyre: String,
    pub(crate) result: String,
}

impl CarRow {
    fn of(car: &Value) -> Self {
        let number = || format!("car {}", count(&car["car"]).unwrap_or_default());
        let result = word(&car["result"]);
        Self {
            is_player: car["is_player"].as_bool().unwrap_or(false),
            position: count(&car["position"]),
            driver: words(&car["driver_name"]).or_else(|| words(&car["driver"])).unwrap_or_else(number),
            class: words(&car["class"]).unwrap_or_default(),
            lap: count(&car["current_lap"]),
            gap_ms: ms(&car["gap_to_leader_ms"]),
            interval_ms: ms(&car["gap_ahead_ms"]),
            last_ms: ms(&car["last_ms"]),
            best_ms: ms(&car["best_ms"]),
            stops: count(&car["pit_stops"]),
            tyre: words(&car["tyre"]).unwrap_or_default(),
            result: if result == "active" || result == "unknown" { String::new() } else { result },
        }
    }
}

/// The cars of a session, in the order of their positions.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Standings {
    /// Whether the game reports all cars.
    pub(crate) all_cars: bool,
    pub(crate) cars: Vec<CarRow>,
}

impl Standings {
    pub(crate) fn of(answer: &Value) -> Option<Self> {
        answer["cars"].as_array()?;
        let cars = items(&answer["cars"], MOST_CARS).map(CarRow::of).collect();
        Some(Self { all_cars: answer["all_cars"].as_bool().unwrap_or(false), cars })
    }
}
