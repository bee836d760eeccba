//! The graphics page: the board, the car's position, and values that the game derives from laps.
use crate::board::{Board, NO_TIME_MS};
use crate::weather::Weather;
use gametape_games::{Utf16, acc};

use super::{PLAYER_CAR_ID, time_text};

/// What the game says for "no limit".
const NO_LIMIT_MS: f32 = -1.0;

/// Where the car is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CarOnTrack {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: f64,
    pub(crate) exhaust_celsius: f64,
}

/// What the game works out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LapNumbers {
    /// How much later than in the best lap; `None` without one.
    pub(crate) delta_ms: Option<i32>,
    pub(crate) fuel_l: f64,
    pub(crate) fuel_per_lap_l: f64,
    pub(crate) used_fuel_l: f64,
}

/// What only a script changes.
pub(crate) fn begin_graphics(weather: &Weather, page: &mut acc::Graphics) {
    page.position = 1;
    page.tyre_compound = Utf16::new("dry_compound");
    page.active_cars = 1;
    page.player_car_id = PLAYER_CAR_ID;
    if let Some(first) = page.car_id.first_mut() {
        *first = PLAYER_CAR_ID;
    }
    page.wind_speed = weather.wind_ms as f32;
    page.wind_direction = weather.wind_rad as f32;
    page.tc = 3;
    page.tc_cut = 3;
    page.engine_map = 1;
    page.abs = 3;
    page.lights_stage = 0;
    page.driver_stint_total_time_left = -1;
    page.driver_stint_time_left = -1;
    page.track_status = Utf16::new("OPTIMUM");
    page.track_grip_status = 2;
    page.global_green = 1;
    page.mfd_fuel_to_add = 15.0;
    page.mfd_tyre_set = 1;
    page.mfd_tyre_pressure_lf = 22.6;
    page.mfd_tyre_pressure_rf = 22.6;
    page.mfd_tyre_pressure_lr = 22.6;
    page.mfd_tyre_pressure_rr = 22.6;
    page.gap_ahead = NO_TIME_MS;
    page.gap_behind = NO_TIME_MS;
    page.delta_lap_time = Utf16::new("-:--:---");
    page.estimated_lap_time = time_text(NO_TIME_MS);
    page.i_estimated_lap_time = NO_TIME_MS;
}

/// What the board says.
pub(crate) fn write_board(board: &Board, page: &mut acc::Graphics) {
    let current_ms = board.current_ms as i32;
    let (last_ms, best_ms) = (board.last_ms.unwrap_or(NO_TIME_MS), board.best_ms.unwrap_or(NO_TIME_MS));
    page.status = board.status as i32;
    page.session = board.session as i32;
    page.session_index = board.session_index;
    page.completed_laps = board.completed_laps;
    page.number_of_laps = board.completed_laps;
    page.i_current_time = current_ms;
    page.current_time = time_text(current_ms);
    page.i_last_time = last_ms;
    page.last_time = time_text(last_ms);
    page.i_best_time = best_ms;
    page.best_time = time_text(best_ms);
    page.current_sector_index = board.sector;
    page.last_sector_time = board.last_sector_ms;
    page.i_split = board.last_sector_ms;
    page.split = time_text(board.last_sector_ms);
    page.is_valid_lap = i32::from(board.valid);
    page.is_in_pit = i32::from(board.in_box);
    page.is_in_pit_lane = i32::from(board.in_pit_lane);
    page.session_time_left = board.time_left_ms.map_or(NO_LIMIT_MS, |left| left as f32);
    page.clock = board.clock_s as f32;
    page.distance_traveled = board.distance_m as f32;
    page.normalized_car_position = board.position as f32;
    page.flag = board.flag;
    page.penalty = board.penalty;
    page.current_tyre_set = board.tyre_set;
    page.strategy_tyre_set = board.tyre_set;
    page.is_setup_menu_visible = i32::from(board.setup_menu);
}

/// The car's place, in the entry that has its number.
pub(crate) fn write_car_on_track(car: &CarOnTrack, page: &mut acc::Graphics) {
    let player = page.player_car_id;
    let own = page.car_id.iter().position(|id| *id == player).unwrap_or_default();
    if let Some(place) = page.car_coordinates.get_mut(own) {
        *place = [car.x as f32, car.y as f32, car.z as f32];
    }
    page.exhaust_temperature = car.exhaust_celsius as f32;
}

/// Difference to the best lap, and fuel.
pub(crate) fn write_lap_numbers(numbers: &LapNumbers, board: &Board, page: &mut acc::Graphics) {
    let estimated_ms = match (numbers.delta_ms, board.best_ms) {
        (Some(delta_ms), Some(best_ms)) => {
            page.i_delta_lap_time = delta_ms;
            page.is_delta_positive = i32::from(delta_ms > 0);
            page.delta_lap_time = time_text(delta_ms);
            best_ms.saturating_add(delta_ms)
        }
        _ => {
            page.i_delta_lap_time = 0;
            page.is_delta_positive = 0;
            page.delta_lap_time = Utf16::new("-:--:---");
            NO_TIME_MS
        }
    };
    page.i_estimated_lap_time = estimated_ms;
    page.estimated_lap_time = time_text(estimated_ms);
    page.fuel_x_lap = numbers.fuel_per_lap_l as f32;
    page.used_fuel = numbers.used_fuel_l as f32;
    page.fuel_estimated_laps =
        if numbers.fuel_per_lap_l > 0.0 { (numbers.fuel_l / numbers.fuel_per_lap_l) as f32 } else { 0.0 };
}
