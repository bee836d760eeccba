//! Packet tables of format 2022.
use crate::import_layouts::packed::{Item, array, group, skip, value};
use crate::layout::Kind::{Char, F32, F64, I8, I16, U8, U16, U32, U64};

pub(super) const CAR_MOTION_DATA_2022: &[Item] = &[
    value("worldPositionX", F32, "m"),
    value("worldPositionY", F32, "m"),
    value("worldPositionZ", F32, "m"),
    value("worldVelocityX", F32, "m/s"),
    value("worldVelocityY", F32, "m/s"),
    value("worldVelocityZ", F32, "m/s"),
    value("worldForwardDirX", I16, ""),
    value("worldForwardDirY", I16, ""),
    value("worldForwardDirZ", I16, ""),
    value("worldRightDirX", I16, ""),
    value("worldRightDirY", I16, ""),
    value("worldRightDirZ", I16, ""),
    value("gForceLateral", F32, "g"),
    value("gForceLongitudinal", F32, "g"),
    value("gForceVertical", F32, "g"),
    value("yaw", F32, "rad"),
    value("pitch", F32, "rad"),
    value("roll", F32, "rad"),
];

pub(super) const MOTION_PACKET_2022: &[Item] = &[
    group("carMotionData", 22, CAR_MOTION_DATA_2022),
    array("suspensionPosition", F32, 4, ""),
    array("suspensionVelocity", F32, 4, ""),
    array("suspensionAcceleration", F32, 4, ""),
    array("wheelSpeed", F32, 4, "m/s"),
    array("wheelSlip", F32, 4, ""),
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
];

pub(super) const MARSHAL_ZONE_2022: &[Item] = &[value("zoneStart", F32, ""), value("zoneFlag", I8, "")];

pub(super) const WEATHER_FORECAST_SAMPLE_2022: &[Item] = &[
    value("sessionType", U8, ""),
    value("timeOffset", U8, "min"),
    value("weather", U8, ""),
    value("trackTemperature", I8, "degC"),
    value("trackTemperatureChange", I8, ""),
    value("airTemperature", I8, "degC"),
    value("airTemperatureChange", I8, ""),
    value("rainPercentage", U8, ""),
];

pub(super) const SESSION_PACKET_2022: &[Item] = &[
    value("weather", U8, ""),
    value("trackTemperature", I8, "degC"),
    value("airTemperature", I8, "degC"),
    value("totalLaps", U8, ""),
    value("trackLength", U16, "m"),
    value("sessionType", U8, ""),
    value("trackId", I8, ""),
    value("formula", U8, ""),
    value("sessionTimeLeft", U16, "s"),
    value("sessionDuration", U16, "s"),
    value("pitSpeedLimit", U8, "km/h"),
    value("gamePaused", U8, ""),
    value("isSpectating", U8, ""),
    value("spectatorCarIndex", U8, ""),
    value("sliProNativeSupport", U8, ""),
    value("numMarshalZones", U8, ""),
    group("marshalZones", 21, MARSHAL_ZONE_2022),
    value("safetyCarStatus", U8, ""),
    value("networkGame", U8, ""),
    value("numWeatherForecastSamples", U8, ""),
    group("weatherForecastSamples", 56, WEATHER_FORECAST_SAMPLE_2022),
    value("forecastAccuracy", U8, ""),
    value("aiDifficulty", U8, ""),
    value("seasonLinkIdentifier", U32, ""),
    value("weekendLinkIdentifier", U32, ""),
    value("sessionLinkIdentifier", U32, ""),
    value("pitStopWindowIdealLap", U8, ""),
    value("pitStopWindowLatestLap", U8, ""),
    value("pitStopRejoinPosition", U8, ""),
    value("steeringAssist", U8, ""),
    value("brakingAssist", U8, ""),
    value("gearboxAssist", U8, ""),
    value("pitAssist", U8, ""),
    value("pitReleaseAssist", U8, ""),
    value("ERSAssist", U8, ""),
    value("DRSAssist", U8, ""),
    value("dynamicRacingLine", U8, ""),
    value("dynamicRacingLineType", U8, ""),
    value("gameMode", U8, ""),
    value("ruleSet", U8, ""),
    value("timeOfDay", U32, ""),
    value("sessionLength", U8, ""),
];

pub(super) const LAP_DATA_2022: &[Item] = &[
    value("lastLapTimeInMS", U32, "ms"),
    value("currentLapTimeInMS", U32, "ms"),
    value("sector1TimeInMS", U16, "ms"),
    value("sector2TimeInMS", U16, "ms"),
    value("lapDistance", F32, "m"),
    value("totalDistance", F32, "m"),
    value("safetyCarDelta", F32, "s"),
    value("carPosition", U8, ""),
    value("currentLapNum", U8, ""),
    value("pitStatus", U8, ""),
    value("numPitStops", U8, ""),
    value("sector", U8, ""),
    value("currentLapInvalid", U8, ""),
    value("penalties", U8, ""),
    value("warnings", U8, ""),
    value("numUnservedDriveThroughPens", U8, ""),
    value("numUnservedStopGoPens", U8, ""),
    value("gridPosition", U8, ""),
    value("driverStatus", U8, ""),
    value("resultStatus", U8, ""),
    value("pitLaneTimerActive", U8, ""),
    value("pitLaneTimeInLaneInMS", U16, "ms"),
    value("pitStopTimerInMS", U16, "ms"),
    value("pitStopShouldServePen", U8, ""),
];

pub(super) const LAP_DATA_PACKET_2022: &[Item] =
    &[group("lapData", 22, LAP_DATA_2022), value("timeTrialPBCarIdx", U8, ""), value("timeTrialRivalCarIdx", U8, "")];

pub(super) const EVENT_PACKET_2022: &[Item] = &[array("eventStringCode", Char, 4, ""), skip(12)];

pub(super) const PARTICIPANT_DATA_2022: &[Item] = &[
    value("aiControlled", U8, ""),
    value("driverId", U8, ""),
    value("networkId", U8, ""),
    value("teamId", U8, ""),
    value("myTeam", U8, ""),
    value("raceNumber", U8, ""),
    value("nationality", U8, ""),
    array("name", Char, 48, ""),
    value("yourTelemetry", U8, ""),
];

pub(super) const PARTICIPANTS_PACKET_2022: &[Item] =
    &[value("numActiveCars", U8, ""), group("participants", 22, PARTICIPANT_DATA_2022)];

pub(super) const CAR_SETUP_DATA_2022: &[Item] = &[
    value("frontWing", U8, ""),
    value("rearWing", U8, ""),
    value("onThrottle", U8, ""),
    value("offThrottle", U8, ""),
    value("frontCamber", F32, ""),
    value("rearCamber", F32, ""),
    value("frontToe", F32, ""),
    value("rearToe", F32, ""),
    value("frontSuspension", U8, ""),
    value("rearSuspension", U8, ""),
    value("frontAntiRollBar", U8, ""),
    value("rearAntiRollBar", U8, ""),
    value("frontSuspensionHeight", U8, ""),
    value("rearSuspensionHeight", U8, ""),
    value("brakePressure", U8, ""),
    value("brakeBias", U8, ""),
    value("rearLeftTyrePressure", F32, "psi"),
    value("rearRightTyrePressure", F32, "psi"),
    value("frontLeftTyrePressure", F32, "psi"),
    value("frontRightTyrePressure", F32, "psi"),
    value("ballast", U8, ""),
    value("fuelLoad", F32, "kg"),
];

pub(super) const CAR_SETUPS_PACKET_2022: &[Item] = &[group("carSetups", 22, CAR_SETUP_DATA_2022)];

pub(super) const CAR_TELEMETRY_DATA_2022: &[Item] = &[
    value("speed", U16, "km/h"),
    value("throttle", F32, "ratio"),
    value("steer", F32, "ratio"),
    value("brake", F32, "ratio"),
    value("clutch", U8, ""),
    value("gear", I8, ""),
    value("engineRPM", U16, "rpm"),
    value("drs", U8, ""),
    value("revLightsPercent", U8, ""),
    value("revLightsBitValue", U16, ""),
    array("brakesTemperature", U16, 4, "degC"),
    array("tyresSurfaceTemperature", U8, 4, "degC"),
    array("tyresInnerTemperature", U8, 4, "degC"),
    value("engineTemperature", U16, "degC"),
    array("tyresPressure", F32, 4, "psi"),
    array("surfaceType", U8, 4, ""),
];

pub(super) const CAR_TELEMETRY_PACKET_2022: &[Item] = &[
    group("carTelemetryData", 22, CAR_TELEMETRY_DATA_2022),
    value("mfdPanelIndex", U8, ""),
    value("mfdPanelIndexSecondaryPlayer", U8, ""),
    value("suggestedGear", I8, ""),
];

pub(super) const CAR_STATUS_DATA_2022: &[Item] = &[
    value("tractionControl", U8, ""),
    value("antiLockBrakes", U8, ""),
    value("fuelMix", U8, ""),
    value("frontBrakeBias", U8, ""),
    value("pitLimiterStatus", U8, ""),
    value("fuelInTank", F32, "kg"),
    value("fuelCapacity", F32, "kg"),
    value("fuelRemainingLaps", F32, ""),
    value("maxRPM", U16, "rpm"),
    value("idleRPM", U16, "rpm"),
    value("maxGears", U8, ""),
    value("drsAllowed", U8, ""),
    value("drsActivationDistance", U16, "m"),
    value("actualTyreCompound", U8, ""),
    value("visualTyreCompound", U8, ""),
    value("tyresAgeLaps", U8, ""),
    value("vehicleFiaFlags", I8, ""),
    value("ersStoreEnergy", F32, "J"),
    value("ersDeployMode", U8, ""),
    value("ersHarvestedThisLapMGUK", F32, "J"),
    value("ersHarvestedThisLapMGUH", F32, "J"),
    value("ersDeployedThisLap", F32, "J"),
    value("networkPaused", U8, ""),
];

pub(super) const CAR_STATUS_PACKET_2022: &[Item] = &[group("carStatusData", 22, CAR_STATUS_DATA_2022)];

pub(super) const FINAL_CLASSIFICATION_DATA_2022: &[Item] = &[
    value("position", U8, ""),
    value("numLaps", U8, ""),
    value("gridPosition", U8, ""),
    value("points", U8, ""),
    value("numPitStops", U8, ""),
    value("resultStatus", U8, ""),
    value("bestLapTimeInMS", U32, "ms"),
    value("totalRaceTime", F64, "s"),
    value("penaltiesTime", U8, "s"),
    value("numPenalties", U8, ""),
    value("numTyreStints", U8, ""),
    array("tyreStintsActual", U8, 8, ""),
    array("tyreStintsVisual", U8, 8, ""),
    array("tyreStintsEndLaps", U8, 8, ""),
];

pub(super) const FINAL_CLASSIFICATION_PACKET_2022: &[Item] =
    &[value("numCars", U8, ""), group("classificationData", 22, FINAL_CLASSIFICATION_DATA_2022)];

pub(super) const LOBBY_INFO_DATA_2022: &[Item] = &[
    value("aiControlled", U8, ""),
    value("teamId", U8, ""),
    value("nationality", U8, ""),
    array("name", Char, 48, ""),
    value("carNumber", U8, ""),
    value("readyStatus", U8, ""),
];

pub(super) const LOBBY_INFO_PACKET_2022: &[Item] =
    &[value("numPlayers", U8, ""), group("lobbyPlayers", 22, LOBBY_INFO_DATA_2022)];

pub(super) const CAR_DAMAGE_DATA_2022: &[Item] = &[
    array("tyresWear", F32, 4, ""),
    array("tyresDamage", U8, 4, ""),
    array("brakesDamage", U8, 4, ""),
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

pub(super) const CAR_DAMAGE_PACKET_2022: &[Item] = &[group("carDamageData", 22, CAR_DAMAGE_DATA_2022)];

pub(super) const LAP_HISTORY_DATA_2022: &[Item] = &[
    value("lapTimeInMS", U32, "ms"),
    value("sector1TimeInMS", U16, "ms"),
    value("sector2TimeInMS", U16, "ms"),
    value("sector3TimeInMS", U16, "ms"),
    value("lapValidBitFlags", U8, ""),
];

pub(super) const TYRE_STINT_HISTORY_DATA_2022: &[Item] =
    &[value("endLap", U8, ""), value("tyreActualCompound", U8, ""), value("tyreVisualCompound", U8, "")];

pub(super) const SESSION_HISTORY_PACKET_2022: &[Item] = &[
    value("carIdx", U8, ""),
    value("numLaps", U8, ""),
    value("numTyreStints", U8, ""),
    value("bestLapTimeLapNum", U8, ""),
    value("bestSector1LapNum", U8, ""),
    value("bestSector2LapNum", U8, ""),
    value("bestSector3LapNum", U8, ""),
    group("lapHistoryData", 100, LAP_HISTORY_DATA_2022),
    group("tyreStintsHistoryData", 8, TYRE_STINT_HISTORY_DATA_2022),
];

pub(super) const HEADER_2022: &[Item] = &[
    value("packetFormat", U16, ""),
    value("gameMajorVersion", U8, ""),
    value("gameMinorVersion", U8, ""),
    value("packetVersion", U8, ""),
    value("packetId", U8, ""),
    value("sessionUID", U64, ""),
    value("sessionTime", F32, "s"),
    value("frameIdentifier", U32, ""),
    value("playerCarIndex", U8, ""),
    value("secondaryPlayerCarIndex", U8, ""),
];
