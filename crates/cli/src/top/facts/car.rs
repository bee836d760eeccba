//! The current state of the car.

use serde_json::Value;

use super::{count, id, ms, number, sectors, signed_ms, word, words};

/// The state of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CarState {
    Driving,
    Paused,
    Replay,
    Menu,
    Stale,
    /// No game is running.
    #[default]
    Waiting,
}

/// A tyre.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Tyre {
    pub(crate) core_c: Option<f64>,
    pub(crate) pressure_psi: Option<f64>,
    /// 0 is new, 1 is worn out.
    pub(crate) wear: Option<f64>,
}

/// The current lap.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RunningLap {
    pub(crate) number: Option<u32>,
    pub(crate) phase: String,
    pub(crate) valid: Option<bool>,
    pub(crate) time_ms: Option<u32>,
    pub(crate) share: Option<f64>,
    pub(crate) sectors_ms: Vec<Option<u32>>,
}

/// The previous lap.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LastLap {
    pub(crate) time_ms: Option<u32>,
    pub(crate) valid: Option<bool>,
    pub(crate) sectors_ms: Vec<Option<u32>>,
}

/// The latest state of a car.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Car {
    pub(crate) state: CarState,
    pub(crate) session: Option<String>,
    /// Id of the tape that is being recorded.
    pub(crate) tape: Option<String>,
    pub(crate) game: Option<String>,
    pub(crate) track: Option<String>,
    pub(crate) layout: Option<String>,
    pub(crate) car: Option<String>,
    pub(crate) driver: Option<String>,
    pub(crate) lap: Option<RunningLap>,
    pub(crate) last_lap: Option<LastLap>,
    pub(crate) best_ms: Option<u32>,
    pub(crate) best_ever_ms: Option<u32>,
    pub(crate) delta_session_ms: Option<i64>,
    pub(crate) delta_best_ms: Option<i64>,
    pub(crate) speed_kmh: Option<f64>,
    pub(crate) rpm: Option<f64>,
    pub(crate) rpm_max: Option<f64>,
    pub(crate) gear: Option<f64>,
    pub(crate) throttle: Option<f64>,
    pub(crate) brake: Option<f64>,
    pub(crate) steering: Option<f64>,
    pub(crate) fuel_l: Option<f64>,
    pub(crate) fuel_per_lap_l: Option<f64>,
    pub(crate) fuel_laps_left: Option<f64>,
    /// Front left, front right, rear left, rear right.
    pub(crate) tyres: [Tyre; 4],
    pub(crate) air_c: Option<f64>,
    pub(crate) track_c: Option<f64>,
    pub(crate) race_position: Option<u32>,
    pub(crate) session_left_ms: Option<u32>,
    pub(crate) in_pit_lane: Option<bool>,
}

/// The steering angle shown as full lock if the game reports only radians: a quarter turn.
const FULL_TURN_RAD: f64 = std::f64::consts::FRAC_PI_2;

impl Car {
    /// Reads the `data` of a message of kind `car`.
    pub(crate) fn of(data: &Value) -> Self {
        let state = match data["state"].as_str().unwrap_or_default() {
            "driving" => CarState::Driving,
            "paused" => CarState::Paused,
            "replay" => CarState::Replay,
            "menu" => CarState::Menu,
            "stale" => CarState::Stale,
            _ => CarState::Waiting,
        };
        let tyre = |index: usize| {
            let tyre = &data["tyres"][index];
            Tyre {
                core_c: number(&tyre["core_c"]),
                pressure_psi: number(&tyre["pressure_psi"]),
                wear: number(&tyre["wear"]),
            }
        };
        Self {
            state,
            session: id(&data["session"]),
            tape: id(&data["tape"]),
            game: words(&data["game"]),
            track: words(&data["track"]),
            layout: words(&data["layout"]),
            car: words(&data["car"]),
            driver: words(&data["driver"]),
            lap: data["lap"].is_object().then(|| RunningLap::of(&data["lap"])),
            last_lap: data["last_lap"].is_object().then(|| LastLap::of(&data["last_lap"])),
            best_ms: ms(&data["best_ms"]),
            best_ever_ms: ms(&data["best_ever_ms"]),
            delta_session_ms: signed_ms(&data["delta_session_ms"]),
            delta_best_ms: signed_ms(&data["delta_best_ms"]),
            speed_kmh: number(&data["speed_kmh"]),
            rpm: number(&data["rpm"]),
            rpm_max: number(&data["rpm_max"]),
            gear: number(&data["gear"]),
            throttle: number(&data["throttle"]),
            brake: number(&data["brake"]),
            steering: number(&data["steering"]).or_else(|| Some(number(&data["steering_rad"])? / FULL_TURN_RAD)),
            fuel_l: number(&data["fuel_l"]),
            fuel_per_lap_l: number(&data["fuel_per_lap_l"]),
            fuel_laps_left: number(&data["fuel_laps_left"]),
            tyres: std::array::from_fn(tyre),
            air_c: number(&data["air_c"]),
            track_c: number(&data["track_c"]),
            race_position: count(&data["race_position"]),
            session_left_ms: ms(&data["session_left_ms"]),
            in_pit_lane: data["in_pit_lane"].as_bool(),
        }
    }
}

impl RunningLap {
    fn of(lap: &Value) -> Self {
        Self {
            number: count(&lap["number"]),
            phase: word(&lap["phase"]),
            valid: lap["valid"].as_bool(),
            time_ms: ms(&lap["time_ms"]),
            share: number(&lap["share"]),
            sectors_ms: sectors(&lap["sectors_ms"]),
        }
    }
}

impl LastLap {
    fn of(lap: &Value) -> Self {
        Self { time_ms: ms(&lap["time_ms"]), valid: lap["valid"].as_bool(), sectors_ms: sectors(&lap["sectors_ms"]) }
    }
}
