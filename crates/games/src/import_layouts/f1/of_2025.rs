//! Packet tables that format 2025 adds or changes.
use crate::import_layouts::packed::{Item, array, group, value};
use crate::layout::Kind::{Char, F32, F64, U8, U16, U32};

pub(super) const LIVERY_COLOUR_2025: &[Item] = &[value("red", U8, ""), value("green", U8, ""), value("blue", U8, "")];

pub(super) const PARTICIPANT_DATA_2025: &[Item] = &[
    value("aiControlled", U8, ""),
    value("driverId", U8, ""),
    value("networkId", U8, ""),
    value("teamId", U8, ""),
    value("myTeam", U8, ""),
    value("raceNumber", U8, ""),
    value("nationality", U8, ""),
    array("name", Char, 32, ""),
    value("yourTelemetry", U8, ""),
    value("showOnlineNames", U8, ""),
    value("techLevel", U16, ""),
    value("platform", U8, ""),
    value("numColours", U8, ""),
    group("liveryColours", 4, LIVERY_COLOUR_2025),
];

pub(super) const PARTICIPANTS_PACKET_2025: &[Item] =
    &[value("numActiveCars", U8, ""), group("participants", 22, PARTICIPANT_DATA_2025)];

pub(super) const FINAL_CLASSIFICATION_DATA_2025: &[Item] = &[
    value("position", U8, ""),
    value("numLaps", U8, ""),
    value("gridPosition", U8, ""),
    value("points", U8, ""),
    value("numPitStops", U8, ""),
    value("resultStatus", U8, ""),
    value("resultReason", U8, ""),
    value("bestLapTimeInMS", U32, "ms"),
    value("totalRaceTime", F64, "s"),
    value("penaltiesTime", U8, "s"),
    value("numPenalties", U8, ""),
    value("numTyreStints", U8, ""),
    array("tyreStintsActual", U8, 8, ""),
    array("tyreStintsVisual", U8, 8, ""),
    array("tyreStintsEndLaps", U8, 8, ""),
];

pub(super) const FINAL_CLASSIFICATION_PACKET_2025: &[Item] =
    &[value("numCars", U8, ""), group("classificationData", 22, FINAL_CLASSIFICATION_DATA_2025)];

pub(super) const LOBBY_INFO_DATA_2025: &[Item] = &[
    value("aiControlled", U8, ""),
    value("teamId", U8, ""),
    value("nationality", U8, ""),
    value("platform", U8, ""),
    array("name", Char, 32, ""),
    value("carNumber", U8, ""),
    value("yourTelemetry", U8, ""),
    value("showOnlineNames", U8, ""),
    value("techLevel", U16, ""),
    value("readyStatus", U8, ""),
];

pub(super) const LOBBY_INFO_PACKET_2025: &[Item] =
    &[value("numPlayers", U8, ""), group("lobbyPlayers", 22, LOBBY_INFO_DATA_2025)];

pub(super) const CAR_DAMAGE_DATA_2025: &[Item] = &[
    array("tyresWear", F32, 4, ""),
    array("tyresDamage", U8, 4, ""),
    array("brakesDamage", U8, 4, ""),
    array("tyreBlisters", U8, 4, ""),
    value("frontLeftWingDamage", U8, ""),
    value("frontRightWingDamage", U8, ""),
    value("rearWingDamage", U8, ""),
    value("floorDamage", U8, ""),
    value("diffuserDamage", U8, ""),
    value("sidepodDamage", U8, ""),
    value("drsFault", U8, ""),
    value("ersFault", U8, ""),
    value("gearBoxDamage", U8, ""),
    value("engineDamage", U8, ""),
    value("engineMGUHWear", U8, ""),
    value("engineESWear", U8, ""),
    value("engineCEWear", U8, ""),
    value("engineICEWear", U8, ""),
    value("engineMGUKWear", U8, ""),
    value("engineTCWear", U8, ""),
    value("engineBlown", U8, ""),
    value("engineSeized", U8, ""),
];

pub(super) const CAR_DAMAGE_PACKET_2025: &[Item] = &[group("carDamageData", 22, CAR_DAMAGE_DATA_2025)];

pub(super) const MOTION_EX_PACKET_2025: &[Item] = &[
    array("suspensionPosition", F32, 4, ""),
    array("suspensionVelocity", F32, 4, ""),
    array("suspensionAcceleration", F32, 4, ""),
    array("wheelSpeed", F32, 4, "m/s"),
    array("wheelSlipRatio", F32, 4, ""),
    array("wheelSlipAngle", F32, 4, ""),
    array("wheelLatForce", F32, 4, ""),
    array("wheelLongForce", F32, 4, ""),
    value("heightOfCOGAboveGround", F32, ""),
    value("localVelocityX", F32, "m/s"),
    value("localVelocityY", F32, "m/s"),
    value("localVelocityZ", F32, "m/s"),
    value("angularVelocityX", F32, "rad/s"),
    value("angularVelocityY", F32, "rad/s"),
    value("angularVelocityZ", F32, "rad/s"),
    value("angularAccelerationX", F32, "rad/s^2"),
    value("angularAccelerationY", F32, "rad/s^2"),
    value("angularAccelerationZ", F32, "rad/s^2"),
    value("frontWheelsAngle", F32, "rad"),
    array("wheelVertForce", F32, 4, ""),
    value("frontAeroHeight", F32, ""),
    value("rearAeroHeight", F32, ""),
    value("frontRollAngle", F32, "rad"),
    value("rearRollAngle", F32, "rad"),
    value("chassisYaw", F32, "rad"),
    value("chassisPitch", F32, "rad"),
    array("wheelCamber", F32, 4, ""),
    array("wheelCamberGain", F32, 4, ""),
];

pub(super) const LAP_POSITIONS_PACKET_2025: &[Item] =
    &[value("numLaps", U8, ""), value("lapStart", U8, ""), array("positionForVehicleIdx", U8, 1100, "")];
