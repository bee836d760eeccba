//! The static page, 820 or 756 bytes: car, track and driver.
use crate::layout::Kind::{Char16, F32, I32};
use crate::layout::{Channel, Layout};

/// The page of the newest version.
pub static STATIC_820: Layout = Layout::from_table("acc-static-820", 820, CHANNELS);

/// The page before `wetTyresName` was added to its end. Its last two bytes are padding.
pub static STATIC_756: Layout = Layout::from_table("acc-static-756", 756, CHANNELS.split_at(CHANNELS.len() - 1).0);

const CHANNELS: &[Channel] = &[
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
    Channel::fixed("isOnline", 684, I32, 1, ""),
    Channel::fixed("dryTyresName", 688, Char16, 33, ""),
    Channel::fixed("wetTyresName", 754, Char16, 33, ""),
];
