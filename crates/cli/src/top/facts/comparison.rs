//! A comparison of two laps.

use serde_json::Value;

use super::{LapRow, items, number};

/// The channels shown for both laps.
pub(crate) const CHANNELS: [&str; 3] = ["speed_kmh", "throttle", "brake"];
/// The largest number of track positions accepted.
const MOST_PLACES: usize = 60_000;
/// The largest number of stretches accepted.
const MOST_STRETCHES: usize = 1_000;

/// A part of the lap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) from_m: f64,
    pub(crate) to_m: f64,
    /// Time that the second lap loses in it; negative if it gains.
    pub(crate) lost_ms: f64,
}

/// The second lap compared with the first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Comparison {
    /// The first one is the reference.
    pub(crate) laps: [LapRow; 2],
    pub(crate) length_m: f64,
    pub(crate) distance_m: Vec<f64>,
    /// How much later the second lap is at each position.
    pub(crate) delta_ms: Vec<Option<f64>>,
    /// The values of [`CHANNELS`] at each position, per lap.
    pub(crate) values: [[Vec<Option<f64>>; CHANNELS.len()]; 2],
    pub(crate) stretches: Vec<Stretch>,
}

impl Comparison {
    pub(crate) fn of(answer: &Value) -> Option<Self> {
        let numbers = |list: &Value| items(list, MOST_PLACES).map(number).collect::<Vec<_>>();
        let lap = |index: usize| LapRow::of(&answer["laps"][index]["lap"]);
        let values = |index: usize| {
            CHANNELS.map(|name| {
                let columns = &answer["laps"][index]["columns"];
                let column = items(columns, 64).find(|column| column["name"].as_str() == Some(name));
                column.map(|column| numbers(&column["values"])).unwrap_or_default()
            })
        };
        let stretch = |stretch: &Value| {
            Some(Stretch {
                from_m: number(&stretch["from_m"])?,
                to_m: number(&stretch["to_m"])?,
                lost_ms: number(&stretch["lost_ms"][1])?,
            })
        };
        Some(Self {
            laps: [lap(0)?, lap(1)?],
            length_m: number(&answer["length_m"])?,
            distance_m: items(&answer["distance_m"], MOST_PLACES).filter_map(number).collect(),
            delta_ms: numbers(&answer["laps"][1]["delta_ms"]),
            values: [values(0), values(1)],
            stretches: items(&answer["stretches"], MOST_STRETCHES).filter_map(stretch).collect(),
        })
    }

    /// Returns the stretches where the second lap loses most, and where it gains most. Stretches without a notable difference
    /// are in neither.
    pub(crate) fn extremes(&self) -> (Vec<Stretch>, Vec<Stretch>) {
        const ALIKE_MS: f64 = 1.0;
        let sorted = |wanted: fn(f64) -> bool, order: f64| {
            let mut found: Vec<Stretch> = self.stretches.iter().copied().filter(|part| wanted(part.lost_ms)).collect();
            found.sort_by(|one, other| (order * one.lost_ms).total_cmp(&(order * other.lost_ms)));
            found
        };
        (sorted(|ms| ms >= ALIKE_MS, -1.0), sorted(|ms| ms <= -ALIKE_MS, 1.0))
    }
}
