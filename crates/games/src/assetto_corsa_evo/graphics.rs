//! The graphics page, 4900 bytes: session, laps, the car's displays and all cars' places.
//!
//! The page is packed to 4 bytes, so numbers of 8 bytes stand where only 4 are aligned: they are [`U64`], which may stand
//! anywhere. Flags are single bytes, and anything but 0 is true.
use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use super::graphics_channels::CHANNELS;
use super::parts::{Assists, CarDamage, Electronics, Instruments, PitInfo, SessionState, TimingState, Tyre};
use crate::layout::Layout;
use crate::text::Chars;
use crate::typed::{Frame, TypedStream};

/// The page of version 0.6 and later.
pub static GRAPHICS_4900: Layout = Layout::from_table("ace-graphics-4900", 4900, CHANNELS);

/// The page.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Graphics {
    /// Number of the page: goes up with each one.
    pub packet_id: i32,
    /// 0 off, 1 replay, 2 live, 3 pause.
    pub status: i32,
    /// Id of the car that the camera shows, first half.
    pub focused_car_id_a: U64,
    /// Id of the car that the camera shows, second half.
    pub focused_car_id_b: U64,
    /// Id of the player's car, first half.
    pub player_car_id_a: U64,
    /// Id of the player's car, second half.
    pub player_car_id_b: U64,
    /// Engine speed, rpm.
    pub rpm: u16,
    /// 1 while the engine is at its limiter.
    pub is_rpm_limiter_on: u8,
    /// 1 where it is time for the next gear.
    pub is_change_up_rpm: u8,
    /// 1 where it is time for a lower gear.
    pub is_change_down_rpm: u8,
    /// 1 while the traction control acts.
    pub tc_active: u8,
    /// 1 while the anti-lock brakes act.
    pub abs_active: u8,
    /// 1 while the stability control acts.
    pub esc_active: u8,
    /// 1 while the launch control acts.
    pub launch_active: u8,
    /// 1 while the ignition is on.
    pub is_ignition_on: u8,
    /// 1 while the engine runs.
    pub is_engine_running: u8,
    /// 1 while the hybrid battery is charged.
    pub kers_is_charging: u8,
    /// 1 while the car goes the wrong way.
    pub is_wrong_way: u8,
    /// 1 where the rear wing may be opened.
    pub is_drs_available: u8,
    /// 1 while the battery is charged.
    pub battery_is_charging: u8,
    /// 1 when the lap's energy is used up.
    pub is_max_kj_per_lap_reached: u8,
    /// 1 when no more may be charged in this lap.
    pub is_max_charge_kj_per_lap_reached: u8,
    /// Padding.
    pub pad_57: [u8; 1],
    /// Speed on the display, km/h.
    pub display_speed_kmh: i16,
    /// Speed on the display, miles an hour.
    pub display_speed_mph: i16,
    /// Speed on the display, m/s.
    pub display_speed_ms: i16,
    /// Speed beyond the limit of the pit lane.
    pub pitspeeding_delta: f32,
    /// Gear: 0 reverse, 1 neutral, 2 first.
    pub gear_int: i16,
    /// Padding.
    pub pad_70: [u8; 2],
    /// Engine speed, as a share of the highest.
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
    /// Strength of the force feedback.
    pub ffb_strength: f32,
    /// Force feedback setting of the car. The game spells it so.
    pub car_ffb_mupliplier: f32,
    /// Temperature of the water, as a share.
    pub water_temperature_percent: f32,
    /// Pressure of the water, bar.
    pub water_pressure_bar: f32,
    /// Pressure of the fuel, bar.
    pub fuel_pressure_bar: f32,
    /// Temperature of the water, °C.
    pub water_temperature_c: i8,
    /// Temperature of the air, °C.
    pub air_temperature_c: i8,
    /// Padding.
    pub pad_118: [u8; 2],
    /// Temperature of the oil, °C.
    pub oil_temperature_c: f32,
    /// Pressure of the oil, bar.
    pub oil_pressure_bar: f32,
    /// Exhaust temperature, °C.
    pub exhaust_temperature_c: f32,
    /// Acceleration to the side, g.
    pub g_forces_x: f32,
    /// Acceleration, g.
    pub g_forces_y: f32,
    /// Acceleration, g.
    pub g_forces_z: f32,
    /// Turbo pressure, bar.
    pub turbo_boost: f32,
    /// Turbo setting.
    pub turbo_boost_level: f32,
    /// Turbo pressure, as a share of the highest.
    pub turbo_boost_perc: f32,
    /// Angle of the steering wheel, degrees.
    pub steer_degrees: i32,
    /// Driven in this session, km.
    pub current_km: f32,
    /// Driven in all, km.
    pub total_km: u32,
    /// Time driven in all, s.
    pub total_driving_time_s: u32,
    /// Hours of the time of day.
    pub time_of_day_hours: i32,
    /// Minutes of the time of day.
    pub time_of_day_minutes: i32,
    /// Seconds of the time of day.
    pub time_of_day_seconds: i32,
    /// Difference to the reference lap, ms.
    pub delta_time_ms: i32,
    /// Time of the running lap, ms.
    pub current_lap_time_ms: i32,
    /// Predicted time of the running lap, ms.
    pub predicted_lap_time_ms: i32,
    /// Fuel in the tank, l.
    pub fuel_liter_current_quantity: f32,
    /// Fuel in the tank, as a share.
    pub fuel_liter_current_quantity_percent: f32,
    /// Fuel used, l/km.
    pub fuel_liter_per_km: f32,
    /// Distance with a litre, km.
    pub km_per_fuel_liter: f32,
    /// Torque of the engine, N·m.
    pub current_torque: f32,
    /// Power of the engine, bhp.
    pub current_bhp: i32,
    /// Front left.
    pub tyre_lf: Tyre,
    /// Front right.
    pub tyre_rf: Tyre,
    /// Rear left.
    pub tyre_lr: Tyre,
    /// Rear right.
    pub tyre_rr: Tyre,
    /// Place on the track, 0 to 1.
    pub npos: f32,
    /// Charge of the hybrid battery, as a share.
    pub kers_charge_perc: f32,
    /// Power of the hybrid motor, as a share.
    pub kers_current_perc: f32,
    /// Time that the controls stay locked, s.
    pub control_lock_time: f32,
    /// Damage of the car.
    pub car_damage: CarDamage,
    /// 0 not known, 1 pit lane, 2 its entry, 3 its exit, 4 track.
    pub car_location: i32,
    /// What a stop does.
    pub pit_info: PitInfo,
    /// Fuel used, l.
    pub fuel_liter_used: f32,
    /// Fuel for a lap, l.
    pub fuel_liter_per_lap: f32,
    /// Laps the fuel lasts for.
    pub laps_possible_with_fuel: f32,
    /// Temperature of the battery, °C.
    pub battery_temperature: f32,
    /// Voltage of the battery, V.
    pub battery_voltage: f32,
    /// Fuel used at this moment, l/km.
    pub instantaneous_fuel_liter_per_km: f32,
    /// Distance with a litre at this moment, km.
    pub instantaneous_km_per_fuel_liter: f32,
    /// How well the engine speed suits the gear.
    pub gear_rpm_window: f32,
    /// Lights and displays.
    pub instrumentation: Instruments,
    /// The least that each setting may be.
    pub instrumentation_min_limit: Instruments,
    /// The most that each setting may be.
    pub instrumentation_max_limit: Instruments,
    /// Settings of the electronics.
    pub electronics: Electronics,
    /// The least that each setting may be.
    pub electronics_min_limit: Electronics,
    /// The most that each setting may be.
    pub electronics_max_limit: Electronics,
    /// Not 0 where the driver may change the setting.
    pub electronics_is_modifiable: Electronics,
    /// Laps completed.
    pub total_lap_count: i32,
    /// Place in the field, from 1.
    pub current_pos: u32,
    /// Drivers in the session.
    pub total_drivers: u32,
    /// Time of the last lap, ms.
    pub last_laptime_ms: i32,
    /// Best time, ms.
    pub best_laptime_ms: i32,
    /// 0 none, 1 white, 2 green, 3 red, 4 blue, 5 yellow, 6 black, 7 black and white, 8 chequered, 9 orange circle, 10 red and yellow stripes.
    pub flag: i32,
    /// The flag for the whole track, by the same numbers.
    pub global_flag: i32,
    /// Gears forward.
    pub max_gears: u32,
    /// 0 combustion, 1 electric.
    pub engine_type: i32,
    /// 1 with a hybrid system.
    pub has_kers: u8,
    /// 1 in the last lap.
    pub is_last_lap: u8,
    /// Name of the performance mode.
    pub performance_mode_name: Chars<33>,
    /// Padding.
    pub pad_2455: [u8; 1],
    /// Differential off the throttle, as set up.
    pub diff_coast_raw_value: f32,
    /// Differential under power, as set up.
    pub diff_power_raw_value: f32,
    /// Time gained by cutting, ms.
    pub race_cut_gained_time_ms: i32,
    /// Way left to give it back, m.
    pub distance_to_deadline: i32,
    /// How much of it is given back.
    pub race_cut_current_delta: f32,
    /// The session.
    pub session_state: SessionState,
    /// Times as the display shows them.
    pub timing_state: TimingState,
    /// Answer time of the server, ms.
    pub player_ping: i32,
    /// Delay of the network, ms.
    pub player_latency: i32,
    /// Load of the processor.
    pub player_cpu_usage: i32,
    /// Its mean.
    pub player_cpu_usage_avg: i32,
    /// Quality of the connection.
    pub player_qos: i32,
    /// Its mean.
    pub player_qos_avg: i32,
    /// Pictures a second.
    pub player_fps: i32,
    /// Their mean.
    pub player_fps_avg: i32,
    /// First name of the driver.
    pub driver_name: Chars<33>,
    /// Last name of the driver.
    pub driver_surname: Chars<33>,
    /// Model of the car.
    pub car_model: Chars<33>,
    /// 1 in the box.
    pub is_in_pit_box: u8,
    /// 1 in the pit lane.
    pub is_in_pit_lane: u8,
    /// 1 while the running lap is valid.
    pub is_valid_lap: u8,
    /// Padding.
    pub pad_3122: [u8; 2],
    /// Places of the cars in the world, m. Which car has which entry is in `car_ids`.
    pub car_coordinates: [[f32; 3]; 60],
    /// Gap to the car ahead, s.
    pub gap_ahead: f32,
    /// Gap to the car behind, s.
    pub gap_behind: f32,
    /// Cars on the track.
    pub active_cars: u8,
    /// Padding.
    pub pad_3853: [u8; 3],
    /// Fuel for a lap, l.
    pub fuel_per_lap: f32,
    /// Laps the fuel lasts for.
    pub fuel_estimated_laps: f32,
    /// Driving aids.
    pub assists_state: Assists,
    /// Size of the tank, l.
    pub max_fuel: f32,
    /// Highest turbo pressure, bar.
    pub max_turbo_boost: f32,
    /// 1 where all tyres are of one compound.
    pub use_single_compound: u8,
    /// Padding.
    pub pad_3937: [u8; 3],
    /// Ids of the cars, both halves of each.
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
