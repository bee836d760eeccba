//! Nested structs of the graphics page. The game reserves space at the end of each for future members.
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::text::Chars;

/// A wheel with its tyre and brake, 256 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Tyre {
    /// Tyre slip.
    pub slip: f32,
    /// 1 while the wheel is locked.
    pub lock: u8,
    /// Padding.
    pub pad_5: [u8; 3],
    /// Tyre pressure, psi. The misspelling is the game's.
    pub tyre_pression: f32,
    /// Tyre temperature, °C.
    pub tyre_temperature_c: f32,
    /// Brake temperature, °C.
    pub brake_temperature_c: f32,
    /// Brake pressure.
    pub brake_pressure: f32,
    /// Temperature at one edge of the tread, °C.
    pub tyre_temperature_left: f32,
    /// Temperature in the middle of the tread, °C.
    pub tyre_temperature_center: f32,
    /// Temperature at the other edge of the tread, °C.
    pub tyre_temperature_right: f32,
    /// Front tyre compound.
    pub tyre_compound_front: Chars<33>,
    /// Rear tyre compound.
    pub tyre_compound_rear: Chars<33>,
    /// Padding.
    pub pad_102: [u8; 2],
    /// Pressure relative to the optimum.
    pub tyre_normalized_pressure: f32,
    /// Temperature at one edge relative to the optimum.
    pub tyre_normalized_temperature_left: f32,
    /// Temperature in the middle relative to the optimum.
    pub tyre_normalized_temperature_center: f32,
    /// Temperature at the other edge relative to the optimum.
    pub tyre_normalized_temperature_right: f32,
    /// Brake temperature relative to the optimum.
    pub brake_normalized_temperature: f32,
    /// Core temperature relative to the optimum.
    pub tyre_normalized_temperature_core: f32,
    /// Padding.
    pub pad_128: [u8; 128],
}

const _: () = assert!(size_of::<Tyre>() == 256);

/// Car damage, 128 bytes. 0 is undamaged.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct CarDamage {
    /// Front damage.
    pub damage_front: f32,
    /// Rear damage.
    pub damage_rear: f32,
    /// Left damage.
    pub damage_left: f32,
    /// Right damage.
    pub damage_right: f32,
    /// Centre damage.
    pub damage_center: f32,
    /// Suspension damage, front left.
    pub damage_suspension_lf: f32,
    /// Suspension damage, front right.
    pub damage_suspension_rf: f32,
    /// Suspension damage, rear left.
    pub damage_suspension_lr: f32,
    /// Suspension damage, rear right.
    pub damage_suspension_rr: f32,
    /// Padding.
    pub pad_36: [u8; 92],
}

const _: () = assert!(size_of::<CarDamage>() == 128);

/// Pit stop actions, 64 bytes: -1 not done, 0 ready, 1 in progress.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct PitInfo {
    /// Repairs.
    pub damage: i8,
    /// Refuelling.
    pub fuel: i8,
    /// Front left tyre change.
    pub tyres_lf: i8,
    /// Front right tyre change.
    pub tyres_rf: i8,
    /// Rear left tyre change.
    pub tyres_lr: i8,
    /// Rear right tyre change.
    pub tyres_rr: i8,
    /// Padding.
    pub pad_6: [u8; 58],
}

const _: () = assert!(size_of::<PitInfo>() == 64);

/// Lights and displays, 128 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Instruments {
    /// Stage of the main lights.
    pub main_light_stage: i8,
    /// Stage of the special lights.
    pub special_light_stage: i8,
    /// Stage of the cockpit light.
    pub cockpit_light_stage: i8,
    /// Wiper stage.
    pub wiper_level: i8,
    /// 1 while the rain lights are on.
    pub rain_lights: u8,
    /// 1 while the left indicator is on.
    pub direction_light_left: u8,
    /// 1 while the right indicator is on.
    pub direction_light_right: u8,
    /// 1 while the lights flash.
    pub flashing_lights: u8,
    /// 1 while the hazard lights are on.
    pub warning_lights: u8,
    /// Index of the selected display.
    pub selected_display_index: i8,
    /// Page shown by each display.
    pub display_current_page_index: [i8; 16],
    /// 1 while the headlights are visible.
    pub are_headlights_visible: u8,
    /// Padding.
    pub pad_27: [u8; 101],
}

const _: () = assert!(size_of::<Instruments>() == 128);

/// Electronics settings, 128 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Electronics {
    /// Traction control level.
    pub tc_level: i8,
    /// Second traction control level (cut).
    pub tc_cut_level: i8,
    /// Anti-lock brake level.
    pub abs_level: i8,
    /// Stability control level.
    pub esc_level: i8,
    /// Electronic brake balance level.
    pub ebb_level: i8,
    /// Padding.
    pub pad_5: [u8; 3],
    /// Brake bias towards the front, as a fraction.
    pub brake_bias: f32,
    /// Engine map.
    pub engine_map_level: i8,
    /// Padding.
    pub pad_13: [u8; 3],
    /// Turbo setting.
    pub turbo_level: f32,
    /// ERS deployment map.
    pub ers_deployment_map: i8,
    /// Padding.
    pub pad_21: [u8; 3],
    /// ERS recharge map.
    pub ers_recharge_map: f32,
    /// 1 while the ERS charges from heat.
    pub is_ers_heat_charging_on: u8,
    /// 1 while the ERS is in overtake mode.
    pub is_ers_overtake_mode_on: u8,
    /// 1 while DRS is open.
    pub is_drs_open: u8,
    /// Differential power setting.
    pub diff_power_level: i8,
    /// Differential coast setting.
    pub diff_coast_level: i8,
    /// Front bump damper setting.
    pub front_bump_damper_level: i8,
    /// Front rebound damper setting.
    pub front_rebound_damper_level: i8,
    /// Rear bump damper setting.
    pub rear_bump_damper_level: i8,
    /// Rear rebound damper setting.
    pub rear_rebound_damper_level: i8,
    /// 1 while the ignition is on.
    pub is_ignition_on: u8,
    /// 1 while the pit limiter is on.
    pub is_pitlimiter_on: u8,
    /// Index of the performance mode.
    pub active_performance_mode: i8,
    /// Padding.
    pub pad_40: [u8; 88],
}

const _: () = assert!(size_of::<Electronics>() == 128);

/// Session state, 256 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct SessionState {
    /// Session phase.
    pub phase_name: Chars<33>,
    /// Time left, as text.
    pub time_left: Chars<15>,
    /// Time left, ms.
    pub time_left_ms: i32,
    /// Time until the start, as text.
    pub wait_time: Chars<15>,
    /// Padding.
    pub pad_67: [u8; 1],
    /// Number of laps in the session.
    pub total_lap: i32,
    /// Number of the current lap.
    pub current_lap: i32,
    /// Number of start lights that are on.
    pub lights_on: i32,
    /// Mode of the start lights.
    pub lights_mode: i32,
    /// Lap length, km.
    pub lap_length_km: f32,
    /// Nonzero when the session ends.
    pub end_session_flag: i32,
    /// Time until the next session, as text.
    pub time_to_next_session: Chars<15>,
    /// 1 after the connection to the server was lost.
    pub disconnected_from_server: u8,
    /// 1 if a restart is allowed.
    pub restart_season_enabled: u8,
    /// 1 if the menu offers to drive.
    pub ui_enable_drive: u8,
    /// 1 if the menu offers to change the setup.
    pub ui_enable_setup: u8,
    /// 1 while the "ready for next" prompt blinks.
    pub is_ready_to_next_blinking: u8,
    /// 1 while waiting for players.
    pub show_waiting_for_players: u8,
    /// Padding.
    pub pad_113: [u8; 143],
}

const _: () = assert!(size_of::<SessionState>() == 256);

/// Times as the display shows them, 256 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct TimingState {
    /// Current lap time.
    pub current_laptime: Chars<15>,
    /// Delta to the reference lap.
    pub delta_current: Chars<15>,
    /// Padding.
    pub pad_30: [u8; 2],
    /// 1 slower, -1 faster, 0 not shown.
    pub delta_current_p: i32,
    /// Last lap time.
    pub last_laptime: Chars<15>,
    /// Delta of the last lap.
    pub delta_last: Chars<15>,
    /// Padding.
    pub pad_66: [u8; 2],
    /// 1 slower, -1 faster, 0 not shown.
    pub delta_last_p: i32,
    /// Best lap time.
    pub best_laptime: Chars<15>,
    /// Sum of the best sector times.
    pub ideal_laptime: Chars<15>,
    /// Session time.
    pub total_time: Chars<15>,
    /// 1 if the current lap is invalid.
    pub is_invalid: u8,
    /// Padding.
    pub pad_118: [u8; 138],
}

const _: () = assert!(size_of::<TimingState>() == 256);

/// Driving aids, 64 bytes. 0 is off.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Assists {
    /// Automatic gearbox.
    pub auto_gear: u8,
    /// Automatic throttle blip.
    pub auto_blip: u8,
    /// Automatic clutch.
    pub auto_clutch: u8,
    /// Automatic clutch when starting.
    pub auto_clutch_on_start: u8,
    /// Manual ignition and starter.
    pub manual_ignition_e_start: u8,
    /// Automatic pit limiter.
    pub auto_pit_limiter: u8,
    /// Standing start assist.
    pub standing_start_assist: u8,
    /// Padding.
    pub pad_7: [u8; 1],
    /// Steering assist.
    pub auto_steer: f32,
    /// Stability assist.
    pub arcade_stability_control: f32,
    /// Padding.
    pub pad_16: [u8; 48],
}

const _: () = assert!(size_of::<Assists>() == 64);
