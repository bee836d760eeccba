//! The structures inside the graphics page. The game keeps room at the end of each for members to come.
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::text::Chars;

/// A wheel with its tyre and brake, 256 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Tyre {
    /// Slip of the tyre.
    pub slip: f32,
    /// 1 while the wheel is locked.
    pub lock: u8,
    /// Padding.
    pub pad_5: [u8; 3],
    /// Pressure, psi. The game spells it so.
    pub tyre_pression: f32,
    /// Temperature, °C.
    pub tyre_temperature_c: f32,
    /// Temperature of the brake, °C.
    pub brake_temperature_c: f32,
    /// Pressure of the brake.
    pub brake_pressure: f32,
    /// Temperature at one edge of the tread, °C.
    pub tyre_temperature_left: f32,
    /// Temperature in the middle of the tread, °C.
    pub tyre_temperature_center: f32,
    /// Temperature at the other edge of the tread, °C.
    pub tyre_temperature_right: f32,
    /// Compound at the front.
    pub tyre_compound_front: Chars<33>,
    /// Compound at the rear.
    pub tyre_compound_rear: Chars<33>,
    /// Padding.
    pub pad_102: [u8; 2],
    /// Pressure against the best one.
    pub tyre_normalized_pressure: f32,
    /// Temperature at one edge against the best one.
    pub tyre_normalized_temperature_left: f32,
    /// Temperature in the middle against the best one.
    pub tyre_normalized_temperature_center: f32,
    /// Temperature at the other edge against the best one.
    pub tyre_normalized_temperature_right: f32,
    /// Temperature of the brake against the best one.
    pub brake_normalized_temperature: f32,
    /// Temperature inside against the best one.
    pub tyre_normalized_temperature_core: f32,
    /// Padding.
    pub pad_128: [u8; 128],
}

const _: () = assert!(size_of::<Tyre>() == 256);

/// Damage of the car, 128 bytes. 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct CarDamage {
    /// At the front.
    pub damage_front: f32,
    /// At the rear.
    pub damage_rear: f32,
    /// At the left.
    pub damage_left: f32,
    /// At the right.
    pub damage_right: f32,
    /// In the middle.
    pub damage_center: f32,
    /// Of the suspension, front left.
    pub damage_suspension_lf: f32,
    /// Of the suspension, front right.
    pub damage_suspension_rf: f32,
    /// Of the suspension, rear left.
    pub damage_suspension_lr: f32,
    /// Of the suspension, rear right.
    pub damage_suspension_rr: f32,
    /// Padding.
    pub pad_36: [u8; 92],
}

const _: () = assert!(size_of::<CarDamage>() == 128);

/// What a stop does, 64 bytes: -1 not done, 0 ready, 1 being done.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct PitInfo {
    /// Repair.
    pub damage: i8,
    /// Fuel.
    pub fuel: i8,
    /// Tyre at the front left.
    pub tyres_lf: i8,
    /// Tyre at the front right.
    pub tyres_rf: i8,
    /// Tyre at the rear left.
    pub tyres_lr: i8,
    /// Tyre at the rear right.
    pub tyres_rr: i8,
    /// Padding.
    pub pad_6: [u8; 58],
}

const _: () = assert!(size_of::<PitInfo>() == 64);

/// Lights and displays, 128 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Instruments {
    /// Stage of the lights.
    pub main_light_stage: i8,
    /// Stage of the extra lights.
    pub special_light_stage: i8,
    /// Stage of the light inside.
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
    /// The chosen display.
    pub selected_display_index: i8,
    /// The page that each display shows.
    pub display_current_page_index: [i8; 16],
    /// 1 while the headlights are seen.
    pub are_headlights_visible: u8,
    /// Padding.
    pub pad_27: [u8; 101],
}

const _: () = assert!(size_of::<Instruments>() == 128);

/// Settings of the electronics, 128 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Electronics {
    /// Traction control level.
    pub tc_level: i8,
    /// Second traction control level.
    pub tc_cut_level: i8,
    /// Level of the anti-lock brakes.
    pub abs_level: i8,
    /// Level of the stability control.
    pub esc_level: i8,
    /// Level of the electronic brake balance.
    pub ebb_level: i8,
    /// Padding.
    pub pad_5: [u8; 3],
    /// Brake force at the front, as a share.
    pub brake_bias: f32,
    /// Engine map.
    pub engine_map_level: i8,
    /// Padding.
    pub pad_13: [u8; 3],
    /// Turbo setting.
    pub turbo_level: f32,
    /// Map for the use of the hybrid battery.
    pub ers_deployment_map: i8,
    /// Padding.
    pub pad_21: [u8; 3],
    /// Map for its charging.
    pub ers_recharge_map: f32,
    /// 1 while heat charges it.
    pub is_ers_heat_charging_on: u8,
    /// 1 in overtake mode.
    pub is_ers_overtake_mode_on: u8,
    /// 1 while the rear wing is open.
    pub is_drs_open: u8,
    /// Differential under power.
    pub diff_power_level: i8,
    /// Differential off the throttle.
    pub diff_coast_level: i8,
    /// Front dampers, pressed in.
    pub front_bump_damper_level: i8,
    /// Front dampers, going out.
    pub front_rebound_damper_level: i8,
    /// Rear dampers, pressed in.
    pub rear_bump_damper_level: i8,
    /// Rear dampers, going out.
    pub rear_rebound_damper_level: i8,
    /// 1 while the ignition is on.
    pub is_ignition_on: u8,
    /// 1 while the pit limiter is on.
    pub is_pitlimiter_on: u8,
    /// Number of the performance mode.
    pub active_performance_mode: i8,
    /// Padding.
    pub pad_40: [u8; 88],
}

const _: () = assert!(size_of::<Electronics>() == 128);

/// The session, 256 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct SessionState {
    /// Phase of the session.
    pub phase_name: Chars<33>,
    /// Time left, as text.
    pub time_left: Chars<15>,
    /// Time left, ms.
    pub time_left_ms: i32,
    /// Time until the start, as text.
    pub wait_time: Chars<15>,
    /// Padding.
    pub pad_67: [u8; 1],
    /// Laps of the session.
    pub total_lap: i32,
    /// Number of the running lap.
    pub current_lap: i32,
    /// Start lights that are on.
    pub lights_on: i32,
    /// What the start lights do.
    pub lights_mode: i32,
    /// Length of a lap, km.
    pub lap_length_km: f32,
    /// Not 0 when the session ends.
    pub end_session_flag: i32,
    /// Time until the next session, as text.
    pub time_to_next_session: Chars<15>,
    /// 1 when the connection to the server is lost.
    pub disconnected_from_server: u8,
    /// 1 where a restart is allowed.
    pub restart_season_enabled: u8,
    /// 1 where the menu lets drive.
    pub ui_enable_drive: u8,
    /// 1 where the menu lets change the set-up.
    pub ui_enable_setup: u8,
    /// 1 while the sign to go on blinks.
    pub is_ready_to_next_blinking: u8,
    /// 1 while players are waited for.
    pub show_waiting_for_players: u8,
    /// Padding.
    pub pad_113: [u8; 143],
}

const _: () = assert!(size_of::<SessionState>() == 256);

/// Times as the display shows them, 256 bytes.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct TimingState {
    /// Time of the running lap.
    pub current_laptime: Chars<15>,
    /// Difference to the reference lap.
    pub delta_current: Chars<15>,
    /// Padding.
    pub pad_30: [u8; 2],
    /// 1 where it is slower, -1 where it is faster, 0 where it is not shown.
    pub delta_current_p: i32,
    /// Time of the last lap.
    pub last_laptime: Chars<15>,
    /// Difference of the last lap.
    pub delta_last: Chars<15>,
    /// Padding.
    pub pad_66: [u8; 2],
    /// 1 where it was slower, -1 where it was faster, 0 where it is not shown.
    pub delta_last_p: i32,
    /// Best time.
    pub best_laptime: Chars<15>,
    /// Time of the best sectors together.
    pub ideal_laptime: Chars<15>,
    /// Time of the session.
    pub total_time: Chars<15>,
    /// 1 when the running lap does not count.
    pub is_invalid: u8,
    /// Padding.
    pub pad_118: [u8; 138],
}

const _: () = assert!(size_of::<TimingState>() == 256);

/// Driving aids, 64 bytes. 0 is off.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Assists {
    /// Automatic gears.
    pub auto_gear: u8,
    /// Automatic blip.
    pub auto_blip: u8,
    /// Automatic clutch.
    pub auto_clutch: u8,
    /// Automatic clutch at the start.
    pub auto_clutch_on_start: u8,
    /// Ignition and starter by hand.
    pub manual_ignition_e_start: u8,
    /// Automatic pit limiter.
    pub auto_pit_limiter: u8,
    /// Help at the start.
    pub standing_start_assist: u8,
    /// Padding.
    pub pad_7: [u8; 1],
    /// Help with steering.
    pub auto_steer: f32,
    /// Help with stability.
    pub arcade_stability_control: f32,
    /// Padding.
    pub pad_16: [u8; 48],
}

const _: () = assert!(size_of::<Assists>() == 64);
