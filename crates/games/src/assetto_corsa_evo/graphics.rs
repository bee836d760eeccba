//! The graphics page, 4900 bytes: session, laps, the car's displays and the positions of all cars.
//!
//! The page is packed to 4 bytes, so 8-byte numbers may only be 4-byte aligned. They are therefore [`U64`], which needs
//! no alignment. Flags are single bytes; any value but 0 is true.
use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use super::graphics_channels::CHANNELS;
use super::parts::{Assists, CarDamage, Electronics, Instruments, PitInfo, SessionState, TimingState, Tyre};
use crate::layout::Layout;
use crate::text::Chars;
use crate::typed::{Frame, TypedStream};

/// Layout of version 0.6 and later.
pub static GRAPHICS_4900: Layout = Layout::from_table("ace-graphics-4900", 4900, CHANNELS);

/// The graphics page.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Graphics {
    /// Page number, increases with each page.
    pub packet_id: i32,
    /// 0 off, 1 replay, 2 live, 3 pause.
    pub status: i32,
    /// Id of the car in focus of the camera, first half.
    pub focused_car_id_a: U64,
    /// Id of the car in focus of the camera, second half.
    pub focused_car_id_b: U64,
    /// Id of the player's car, first half.
    pub player_car_id_a: U64,
    /// Id of the player's car, second half.
    pub player_car_id_b: U64,
    /// Engine speed, rpm.
    pub rpm: u16,
    /// 1 while the rev limiter is active.
    pub is_rpm_limiter_on: u8,
    /// 1 when it is time to shift up.
    pub is_change_up_rpm: u8,
    /// 1 when it is time to shift down.
    pub is_change_down_rpm: u8,
    /// 1 while the traction control intervenes.
    pub tc_active: u8,
    /// 1 while the anti-lock brakes intervene.
    pub abs_active: u8,
    /// 1 while the stability control intervenes.
    pub esc_active: u8,
    /// 1 while the launch control is active.
    pub launch_active: u8,
    /// 1 while the ignition is on.
    pub is_ignition_on: u8,
    /// 1 while the engine runs.
    pub is_engine_running: u8,
    /// 1 while the KERS battery is charging.
    pub kers_is_charging: u8,
    /// 1 while the car drives the wrong way.
    pub is_wrong_way: u8,
    /// 1 while DRS may be used.
    pub is_drs_available: u8,
    /// 1 while the battery is charging.
    pub battery_is_charging: u8,
    /// 1 once the energy allowed per lap is used up.
    pub is_max_kj_per_lap_reached: u8,
    /// 1 once the charge allowed per lap is reached.
    pub is_max_charge_kj_per_lap_reached: u8,
    /// Padding.
    pub pad_57: [u8; 1],
    /// Speed on the display, km/h.
    pub display_speed_kmh: i16,
    /// Speed on the display, mph.
    pub display_speed_mph: i16,
    /// Speed on the display, m/s.
    pub display_speed_ms: i16,
    /// Speed above the pit lane limit.
    pub pitspeeding_delta: f32,
    /// Gear: 0 reverse, 1 neutral, 2 first.
    pub gear_int: i16,
    /// Padding.
    pub pad_70: [u8; 2],
    /// Engine speed as a fraction of the maximum.
    pub rpm_percent: f32,
    /// Throttle, 0 to 1.
    pub gas_percent: f32,
    /// Brake, 0 to 1.
    pub brake_percent: f32,
    /// Handbrake, 0 to 1.
    pub handbrake_percent: f32,
    /// Clutch, 0 to 1.
    pub clutch_percent: f32,
    /// Steering, -1 (left) to 1.
    pub steering_percent: f32,
    /// Force feedback strength.
    pub ffb_strength: f32,
    /// Force feedback multiplier of the car. The misspelling is the game's.
    pub car_ffb_mupliplier: f32,
    /// Water temperature as a fraction.
    pub water_temperature_percent: f32,
    /// Water pressure, bar.
    pub water_pressure_bar: f32,
    /// Fuel pressure, bar.
    pub fuel_pressure_bar: f32,
    /// Water temperature, °C.
    pub water_temperature_c: i8,
    /// Air temperature, °C.
    pub air_temperature_c: i8,
    /// Padding.
    pub pad_118: [u8; 2],
    /// Oil temperature, °C.
    pub oil_temperature_c: f32,
    /// Oil pressure, bar.
    pub oil_pressure_bar: f32,
    /// Exhaust temperature, °C.
    pub exhaust_temperature_c: f32,
    /// Lateral acceleration, g.
    pub g_forces_x: f32,
    /// Acceleration, g.
    pub g_forces_y: f32,
    /// Acceleration, g.
    pub g_forces_z: f32,
    /// Turbo boost, bar.
    pub turbo_boost: f32,
    /// Turbo setting.
    pub turbo_boost_level: f32,
    /// Turbo boost as a fraction of the maximum.
    pub turbo_boost_perc: f32,
    /// Steering wheel angle, degrees.
    pub steer_degrees: i32,
    /// Distance driven in this session, km.
    pub current_km: f32,
    /// Total distance driven, km.
    pub total_km: u32,
    /// Total driving time, s.
    pub total_driving_time_s: u32,
    /// Time of day, hours.
    pub time_of_day_hours: i32,
    /// Time of day, minutes.
    pub time_of_day_minutes: i32,
    /// Time of day, seconds.
    pub time_of_day_seconds: i32,
    /// Delta to the reference lap, ms.
    pub delta_time_ms: i32,
    /// Current lap time, ms.
    pub current_lap_time_ms: i32,
    /// Predicted lap time, ms.
    pub predicted_lap_time_ms: i32,
    /// Fuel in the tank, l.
    pub fuel_liter_current_quantity: f32,
    /// Fuel in the tank as a fraction.
    pub fuel_liter_current_quantity_percent: f32,
    /// Fuel consumption, l/km.
    pub fuel_liter_per_km: f32,
    /// Distance per litre of fuel, km.
    pub km_per_fuel_liter: f32,
    /// Engine torque, N·m.
    pub current_torque: f32,
    /// Engine power, bhp.
    pub current_bhp: i32,
    /// Front left tyre.
    pub tyre_lf: Tyre,
    /// Front right tyre.
    pub tyre_rf: Tyre,
    /// Rear left tyre.
    pub tyre_lr: Tyre,
    /// Rear right tyre.
    pub tyre_rr: Tyre,
    /// Track position, 0 to 1.
    pub npos: f32,
    /// KERS charge as a fraction.
    pub kers_charge_perc: f32,
    /// KERS power as a fraction.
    pub kers_current_perc: f32,
    /// Time for which the controls stay locked, s.
    pub control_lock_time: f32,
    /// Car damage.
    pub car_damage: CarDamage,
    /// 0 unknown, 1 pit lane, 2 pit entry, 3 pit exit, 4 track.
    pub car_location: i32,
    /// Pit stop actions.
    pub pit_info: PitInfo,
    /// Fuel used, l.
    pub fuel_liter_used: f32,
    /// Fuel per lap, l.
    pub fuel_liter_per_lap: f32,
    /// Laps that the fuel lasts for.
    pub laps_possible_with_fuel: f32,
    /// Battery temperature, °C.
    pub battery_temperature: f32,
    /// Battery voltage, V.
    pub battery_voltage: f32,
    /// Instantaneous fuel consumption, l/km.
    pub instantaneous_fuel_liter_per_km: f32,
    /// Instantaneous distance per litre of fuel, km.
    pub instantaneous_km_per_fuel_liter: f32,
    /// How well the engine speed suits the gear.
    pub gear_rpm_window: f32,
    /// Lights and displays.
    pub instrumentation: Instruments,
    /// Minimum of each setting.
    pub instrumentation_min_limit: Instruments,
    /// Maximum of each setting.
    pub instrumentation_max_limit: Instruments,
    /// Electronics settings.
    pub electronics: Electronics,
    /// Minimum of each setting.
    pub electronics_min_limit: Electronics,
    /// Maximum of each setting.
    pub electronics_max_limit: Electronics,
    /// Nonzero if the driver may change the setting.
    pub electronics_is_modifiable: Electronics,
    /// Completed laps.
    pub total_lap_count: i32,
    /// Race position, from 1.
    pub current_pos: u32,
    /// Number of drivers in the session.
    pub total_drivers: u32,
    /// Last lap time, ms.
    pub last_laptime_ms: i32,
    /// Best lap time, ms.
    pub best_laptime_ms: i32,
    /// 0 none, 1 white, 2 green, 3 red, 4 blue, 5 yellow, 6 black, 7 black and white, 8 chequered, 9 orange circle, 10 red and yellow stripes.
    pub flag: i32,
    /// Flag for the whole track, numbered like `flag`.
    pub global_flag: i32,
    /// Number of forward gears.
    pub max_gears: u32,
    /// 0 combustion, 1 electric.
    pub engine_type: i32,
    /// 1 if the car has KERS.
    pub has_kers: u8,
    /// 1 during the last lap.
    pub is_last_lap: u8,
    /// Name of the performance mode.
    pub performance_mode_name: Chars<33>,
    /// Padding.
    pub pad_2455: [u8; 1],
    /// Differential coast setting, raw value.
    pub diff_coast_raw_value: f32,
    /// Differential power setting, raw value.
    pub diff_power_raw_value: f32,
    /// Time gained by cutting, ms.
    pub race_cut_gained_time_ms: i32,
    /// Distance left to give the time back, m.
    pub distance_to_deadline: i32,
    /// Portion of the time that has been given back.
    pub race_cut_current_delta: f32,
    /// Session state.
    pub session_state: SessionState,
    /// Times as the display shows them.
    pub timing_state: TimingState,
    /// Server ping, ms.
    pub player_ping: i32,
    /// Network latency, ms.
    pub player_latency: i32,
    /// CPU usage.
    pub player_cpu_usage: i32,
    /// Average CPU usage.
    pub player_cpu_usage_avg: i32,
    /// Connection quality.
    pub player_qos: i32,
    /// Average connection quality.
    pub player_qos_avg: i32,
    /// Frames per second.
    pub player_fps: i32,
    /// Average frames per second.
    pub player_fps_avg: i32,
    /// Driver's first name.
    pub driver_name: Chars<33>,
    /// Driver's last name.
    pub driver_surname: Chars<33>,
    /// Car model.
    pub car_model: Chars<33>,
    /// 1 while the car is in its pit box.
    pub is_in_pit_box: u8,
    /// 1 while the car is in the pit lane.
    pub is_in_pit_lane: u8,
    /// 1 while the current lap is valid.
    pub is_valid_lap: u8,
    /// Padding.
    pub pad_3122: [u8; 2],
    /// World positions of the cars, m. `car_ids` identifies the car of each entry.
    pub car_coordinates: [[f32; 3]; 60],
    /// Gap to the car ahead, s.
    pub gap_ahead: f32,
    /// Gap to the car behind, s.
    pub gap_behind: f32,
    /// Cars on the track.
    pub active_cars: u8,
    /// Padding.
    pub pad_3853: [u8; 3],
    /// Fuel per lap, l.
    pub fuel_per_lap: f32,
    /// Laps that the fuel lasts for.
    pub fuel_estimated_laps: f32,
    /// Driving aids.
    pub assists_state: Assists,
    /// Tank capacity, l.
    pub max_fuel: f32,
    /// Maximum turbo boost, bar.
    pub max_turbo_boost: f32,
    /// 1 if all tyres have the same compound.
    pub use_single_compound: u8,
    /// Padding.
    pub pad_3937: [u8; 3],
    /// Car ids, both halves of each.
    pub car_ids: [[U64; 2]; 60],
}

const _: () = assert!(size_of::<Graphics>() == 4900);

impl Default for Graphics {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl Frame for Graphics {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::GRAPHICS)
    }
}
