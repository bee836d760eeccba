//! The static page, 684 or 592 bytes: car, track and driver. Assetto Corsa Competizione's page begins with the same bytes.
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::layout::Kind::{Char16, F32, I32};
use crate::layout::{Channel, Layout};
use crate::text::Utf16;
use crate::typed::{Frame, TypedStream};

/// Layout of the newest version.
pub static STATIC_684: Layout = Layout::from_table("ac-static-684", 684, CHANNELS);

/// Layout that ends with `trackConfiguration`. Its last two bytes are padding.
pub static STATIC_592: Layout = Layout::from_table("ac-static-592", 592, CHANNELS.split_at(CHANNELS.len() - 7).0);

pub(crate) const CHANNELS: &[Channel] = &[
    Channel::fixed("smVersion", 0, Char16, 15, ""),
    Channel::fixed("acVersion", 30, Char16, 15, ""),
    Channel::fixed("numberOfSessions", 60, I32, 1, ""),
    Channel::fixed("numCars", 64, I32, 1, ""),
    Channel::fixed("carModel", 68, Char16, 33, ""),
    Channel::fixed("track", 134, Char16, 33, ""),
    Channel::fixed("playerName", 200, Char16, 33, ""),
    Channel::fixed("playerSurname", 266, Char16, 33, ""),
    Channel::fixed("playerNick", 332, Char16, 33, ""),
    Channel::fixed("sectorCount", 400, I32, 1, ""),
    Channel::fixed("maxTorque", 404, F32, 1, ""),
    Channel::fixed("maxPower", 408, F32, 1, ""),
    Channel::fixed("maxRpm", 412, I32, 1, "rpm"),
    Channel::fixed("maxFuel", 416, F32, 1, "l"),
    Channel::fixed("suspensionMaxTravel", 420, F32, 4, "m"),
    Channel::fixed("tyreRadius", 436, F32, 4, "m"),
    Channel::fixed("maxTurboBoost", 452, F32, 1, ""),
    Channel::fixed("deprecated_1", 456, F32, 1, ""),
    Channel::fixed("deprecated_2", 460, F32, 1, ""),
    Channel::fixed("penaltiesEnabled", 464, I32, 1, ""),
    Channel::fixed("aidFuelRate", 468, F32, 1, ""),
    Channel::fixed("aidTireRate", 472, F32, 1, ""),
    Channel::fixed("aidMechanicalDamage", 476, F32, 1, ""),
    Channel::fixed("aidAllowTyreBlankets", 480, I32, 1, ""),
    Channel::fixed("aidStability", 484, F32, 1, ""),
    Channel::fixed("aidAutoClutch", 488, I32, 1, ""),
    Channel::fixed("aidAutoBlip", 492, I32, 1, ""),
    Channel::fixed("hasDRS", 496, I32, 1, ""),
    Channel::fixed("hasERS", 500, I32, 1, ""),
    Channel::fixed("hasKERS", 504, I32, 1, ""),
    Channel::fixed("kersMaxJ", 508, F32, 1, "J"),
    Channel::fixed("engineBrakeSettingsCount", 512, I32, 1, ""),
    Channel::fixed("ersPowerControllerCount", 516, I32, 1, ""),
    Channel::fixed("trackSplineLength", 520, F32, 1, "m"),
    Channel::fixed("trackConfiguration", 524, Char16, 33, ""),
    Channel::fixed("ersMaxJ", 592, F32, 1, "J"),
    Channel::fixed("isTimedRace", 596, I32, 1, ""),
    Channel::fixed("hasExtraLap", 600, I32, 1, ""),
    Channel::fixed("carSkin", 604, Char16, 33, ""),
    Channel::fixed("reversedGridPositions", 672, I32, 1, ""),
    Channel::fixed("pitWindowStart", 676, I32, 1, ""),
    Channel::fixed("pitWindowEnd", 680, I32, 1, ""),
];

/// The page of the newest version. Arrays of four are in the order front left, front right, rear left, rear right.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Static {
    /// Version of the shared memory interface.
    pub sm_version: Utf16<15>,
    /// Version of the game.
    pub ac_version: Utf16<15>,
    /// Number of sessions in the weekend.
    pub number_of_sessions: i32,
    /// Number of cars in the session.
    pub num_cars: i32,
    /// Car model.
    pub car_model: Utf16<33>,
    /// The track.
    pub track: Utf16<33>,
    /// Player's first name.
    pub player_name: Utf16<33>,
    /// Player's last name.
    pub player_surname: Utf16<33>,
    /// Player's nickname.
    pub player_nick: Utf16<33>,
    /// Padding.
    pub pad_398: [u8; 2],
    /// Number of sectors.
    pub sector_count: i32,
    /// Maximum torque, N·m. Unused in ACC.
    pub max_torque: f32,
    /// Maximum power. Unused in ACC.
    pub max_power: f32,
    /// Maximum engine speed, rpm.
    pub max_rpm: i32,
    /// Tank capacity, l.
    pub max_fuel: f32,
    /// Maximum suspension travel, m. Unused in ACC.
    pub suspension_max_travel: [f32; 4],
    /// Tyre radius, m. Unused in ACC.
    pub tyre_radius: [f32; 4],
    /// Maximum turbo boost. Unused in ACC.
    pub max_turbo_boost: f32,
    /// Unused.
    pub deprecated_1: f32,
    /// Unused.
    pub deprecated_2: f32,
    /// 1 if penalties are enabled.
    pub penalties_enabled: i32,
    /// Fuel consumption rate.
    pub aid_fuel_rate: f32,
    /// Tyre wear rate.
    pub aid_tire_rate: f32,
    /// Damage rate.
    pub aid_mechanical_damage: f32,
    /// 1 if tyre blankets are allowed.
    pub aid_allow_tyre_blankets: i32,
    /// Stability control.
    pub aid_stability: f32,
    /// 1 if the automatic clutch is on.
    pub aid_auto_clutch: i32,
    /// 1 if the automatic throttle blip on downshifts is on.
    pub aid_auto_blip: i32,
    /// 1 if the car has DRS. Unused in ACC.
    pub has_drs: i32,
    /// 1 if the car has ERS. Unused in ACC.
    pub has_ers: i32,
    /// 1 if the car has KERS. Unused in ACC.
    pub has_kers: i32,
    /// Maximum KERS energy, J. Unused in ACC.
    pub kers_max_j: f32,
    /// Number of engine brake settings. Unused in ACC.
    pub engine_brake_settings_count: i32,
    /// Number of ERS power settings. Unused in ACC.
    pub ers_power_controller_count: i32,
    /// Track length, m. Unused in ACC.
    pub track_spline_length: f32,
    /// Track layout. Unused in ACC.
    pub track_configuration: Utf16<33>,
    /// Padding.
    pub pad_590: [u8; 2],
    /// Maximum ERS energy, J. Unused in ACC.
    pub ers_max_j: f32,
    /// 1 if the race is limited by time. Unused in ACC.
    pub is_timed_race: i32,
    /// 1 if there is an extra lap after the time has run out. Unused in ACC.
    pub has_extra_lap: i32,
    /// Car livery. Unused in ACC.
    pub car_skin: Utf16<33>,
    /// Padding.
    pub pad_670: [u8; 2],
    /// Number of grid positions that are reversed. Unused in ACC.
    pub reversed_grid_positions: i32,
    /// Start of the pit window. Its unit is not documented.
    pub pit_window_start: i32,
    /// End of the pit window. Its unit is not documented.
    pub pit_window_end: i32,
}

const _: () = assert!(size_of::<Static>() == 684);

impl Default for Static {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl Frame for Static {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::STATIC)
    }
}
