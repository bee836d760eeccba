//! Tables of the messages. Names are those of the developer's document. Wheels are in the order front left, front right, rear left, rear right.
use crate::layout::Kind::{Bool, Char, Char16, F32, I32};
use crate::layout::{Channel, Layout};

/// Layout of the answer to a handshake. Texts end with NUL or `%`.
pub static HANDSHAKE_408: Layout = Layout::from_table("assetto-corsa-remote-handshake", 408, HANDSHAKE);

const HANDSHAKE: &[Channel] = &[
    Channel::fixed("carName", 0, Char16, 50, ""),
    Channel::fixed("driverName", 100, Char16, 50, ""),
    Channel::fixed("identifier", 200, I32, 1, ""),
    Channel::fixed("version", 204, I32, 1, ""),
    Channel::fixed("trackName", 208, Char16, 50, ""),
    Channel::fixed("trackConfig", 308, Char16, 50, ""),
];

/// Layout of a car's update.
pub static CAR_328: Layout = Layout::from_table("assetto-corsa-remote-car", 328, CAR);

const CAR: &[Channel] = &[
    Channel::fixed("identifier", 0, Char, 1, ""),
    Channel::fixed("size", 4, I32, 1, ""),
    Channel::fixed("speed_Kmh", 8, F32, 1, "km/h"),
    Channel::fixed("speed_Mph", 12, F32, 1, "mph"),
    Channel::fixed("speed_Ms", 16, F32, 1, "m/s"),
    Channel::fixed("isAbsEnabled", 20, Bool, 1, ""),
    Channel::fixed("isAbsInAction", 21, Bool, 1, ""),
    Channel::fixed("isTcInAction", 22, Bool, 1, ""),
    Channel::fixed("isTcEnabled", 23, Bool, 1, ""),
    Channel::fixed("isInPit", 24, Bool, 1, ""),
    Channel::fixed("isEngineLimiterOn", 25, Bool, 1, ""),
    // The document calls these vertical, horizontal and frontal. In a capture they are to the left, upwards and forwards.
    Channel::fixed("accG_lateral", 28, F32, 1, "g"),
    Channel::fixed("accG_vertical", 32, F32, 1, "g"),
    Channel::fixed("accG_frontal", 36, F32, 1, "g"),
    Channel::fixed("lapTime", 40, I32, 1, "ms"),
    Channel::fixed("lastLap", 44, I32, 1, "ms"),
    Channel::fixed("bestLap", 48, I32, 1, "ms"),
    Channel::fixed("lapCount", 52, I32, 1, ""),
    Channel::fixed("gas", 56, F32, 1, "ratio"),
    Channel::fixed("brake", 60, F32, 1, "ratio"),
    Channel::fixed("clutch", 64, F32, 1, "ratio"),
    Channel::fixed("engineRPM", 68, F32, 1, "rpm"),
    Channel::fixed("steer", 72, F32, 1, "deg"),
    Channel::fixed("gear", 76, I32, 1, ""),
    Channel::fixed("cgHeight", 80, F32, 1, "m"),
    Channel::fixed("wheelAngularSpeed", 84, F32, 4, "rad/s"),
    Channel::fixed("slipAngle", 100, F32, 4, "deg"),
    Channel::fixed("slipAngle_ContactPatch", 116, F32, 4, ""),
    Channel::fixed("slipRatio", 132, F32, 4, ""),
    Channel::fixed("tyreSlip", 148, F32, 4, ""),
    Channel::fixed("ndSlip", 164, F32, 4, ""),
    Channel::fixed("load", 180, F32, 4, "N"),
    Channel::fixed("Dy", 196, F32, 4, ""),
    Channel::fixed("Mz", 212, F32, 4, ""),
    Channel::fixed("tyreDirtyLevel", 228, F32, 4, ""),
    Channel::fixed("camberRAD", 244, F32, 4, "rad"),
    Channel::fixed("tyreRadius", 260, F32, 4, "m"),
    Channel::fixed("tyreLoadedRadius", 276, F32, 4, "m"),
    Channel::fixed("suspensionHeight", 292, F32, 4, "m"),
    Channel::fixed("carPositionNormalized", 308, F32, 1, "ratio"),
    Channel::fixed("carSlope", 312, F32, 1, ""),
    Channel::fixed("carCoordinates", 316, F32, 3, "m"),
];

/// Layout of a completed lap.
pub static LAP_212: Layout = Layout::from_table("assetto-corsa-remote-lap", 212, LAP);

const LAP: &[Channel] = &[
    Channel::fixed("carIdentifierNumber", 0, I32, 1, ""),
    Channel::fixed("lap", 4, I32, 1, ""),
    Channel::fixed("driverName", 8, Char16, 50, ""),
    Channel::fixed("carName", 108, Char16, 50, ""),
    Channel::fixed("time", 208, I32, 1, "ms"),
];

/// The layouts of each stream.
pub(super) const HANDSHAKE_LAYOUTS: &[&Layout] = &[&HANDSHAKE_408];
pub(super) const CAR_LAYOUTS: &[&Layout] = &[&CAR_328];
pub(super) const LAP_LAYOUTS: &[&Layout] = &[&LAP_212];
