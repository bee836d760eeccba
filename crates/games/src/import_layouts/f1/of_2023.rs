//! Packet tables that format 2023 adds or changes.
use super::of_2022::{
    CAR_MOTION_DATA_2022, MARSHAL_ZONE_2022, TYRE_STINT_HISTORY_DATA_2022, WEATHER_FORECAST_SAMPLE_2022,
};
use crate::import_layouts::packed::{Item, array, group, value};
use crate::layout::Kind::{Char, F32, I8, I16, U8, U16, U32, U64};

pub(super) const MOTION_PACKET_2023: &[Item] = &[group("carMotionData", 22, CAR_MOTION_DATA_2022)];

pub(super) const SESSION_PACKET_2023: &[Item] = &[
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
    value("speedUnitsLeadPlayer", U8, ""),
    value("temperatureUnitsLeadPlayer", U8, ""),
    value("speedUnitsSecondaryPlayer", U8, ""),
    value("temperatureUnitsSecondaryPlayer", U8, ""),
    value("numSafetyCarPeriods", U8, ""),
    value("numVirtualSafetyCarPeriods", U8, ""),
    value("numRedFlagPeriods", U8, ""),
];

pub(super) const LAP_DATA_2023: &[Item] = &[
    value("lastLapTimeInMS", U32, "ms"),
    value("currentLapTimeInMS", U32, "ms"),
    value("sector1TimeInMS", U16, "ms"),
    value("sector1TimeMinutes", U8, "min"),
    value("sector2TimeInMS", U16, "ms"),
    value("sector2TimeMinutes", U8, "min"),
    value("deltaToCarInFrontInMS", U16, "ms"),
    value("deltaToRaceLeaderInMS", U16, "ms"),
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
    value("totalWarnings", U8, ""),
    value("cornerCuttingWarnings", U8, ""),
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

pub(super) const LAP_DATA_PACKET_2023: &[Item] =
    &[group("lapData", 22, LAP_DATA_2023), value("timeTrialPBCarIdx", U8, ""), value("timeTrialRivalCarIdx", U8, "")];

pub(super) const PARTICIPANT_DATA_2023: &[Item] = &[
    value("aiControlled", U8, ""),
    value("driverId", U8, ""),
    value("networkId", U8, ""),
    value("teamId", U8, ""),
    value("myTeam", U8, ""),
    value("raceNumber", U8, ""),
    value("nationality", U8, ""),
    array("name", Char, 48, ""),
    value("yourTelemetry", U8, ""),
    value("showOnlineNames", U8, ""),
    value("platform", U8, ""),
];

pub(super) const PARTICIPANTS_PACKET_2023: &[Item] =
    &[value("numActiveCars", U8, ""), group("participants", 22, PARTICIPANT_DATA_2023)];

pub(super) const CAR_STATUS_DATA_2023: &[Item] = &[
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
    value("enginePowerICE", F32, "W"),
    value("enginePowerMGUK", F32, "W"),
    value("ersStoreEnergy", F32, "J"),
    value("ersDeployMode", U8, ""),
    value("ersHarvestedThisLapMGUK", F32, "J"),
    value("ersHarvestedThisLapMGUH", F32, "J"),
    value("ersDeployedThisLap", F32, "J"),
    value("networkPaused", U8, ""),
];

pub(super) const CAR_STATUS_PACKET_2023: &[Item] = &[group("carStatusData", 22, CAR_STATUS_DATA_2023)];

pub(super) const LOBBY_INFO_DATA_2023: &[Item] = &[
    value("aiControlled", U8, ""),
    value("teamId", U8, ""),
    value("nationality", U8, ""),
    value("platform", U8, ""),
    array("name", Char, 48, ""),
    value("carNumber", U8, ""),
    value("readyStatus", U8, ""),
];

pub(super) const LOBBY_INFO_PACKET_2023: &[Item] =
    &[value("numPlayers", U8, ""), group("lobbyPlayers", 22, LOBBY_INFO_DATA_2023)];

pub(super) const LAP_HISTORY_DATA_2023: &[Item] = &[
    value("lapTimeInMS", U32, "ms"),
    value("sector1TimeInMS", U16, "ms"),
    value("sector1TimeMinutes", U8, "min"),
    value("sector2TimeInMS", U16, "ms"),
    value("sector2TimeMinutes", U8, "min"),
    value("sector3TimeInMS", U16, "ms"),
    value("sector3TimeMinutes", U8, "min"),
    value("lapValidBitFlags", U8, ""),
];

pub(super) const SESSION_HISTORY_PACKET_2023: &[Item] = &[
    value("carIdx", U8, ""),
    value("numLaps", U8, ""),
    value("numTyreStints", U8, ""),
    value("bestLapTimeLapNum", U8, ""),
    value("bestSector1LapNum", U8, ""),
    value("bestSector2LapNum", U8, ""),
    value("bestSector3LapNum", U8, ""),
    group("lapHistoryData", 100, LAP_HISTORY_DATA_2023),
    group("tyreStintsHistoryData", 8, TYRE_STINT_HISTORY_DATA_2022),
];

pub(super) const TYRE_SET_DATA_2023: &[Item] = &[
    value("actualTyreCompound", U8, ""),
    value("visualTyreCompound", U8, ""),
    value("wear", U8, ""),
    value("available", U8, ""),
    value("recommendedSession", U8, ""),
    value("lifeSpan", U8, ""),
    value("usableLife", U8, ""),
    value("lapDeltaTime", I16, "ms"),
    value("fitted", U8, ""),
];

pub(super) const TYRE_SETS_PACKET_2023: &[Item] =
    &[value("carIdx", U8, ""), group("tyreSetData", 20, TYRE_SET_DATA_2023), value("fittedIdx", U8, "")];

pub(super) const MOTION_EX_PACKET_2023: &[Item] = &[
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
];

pub(super) const HEADER_2023: &[Item] = &[
    value("packetFormat", U16, ""),
    value("gameYear", U8, ""),
    value("gameMajorVersion", U8, ""),
    value("gameMinorVersion", U8, ""),
    value("packetVersion", U8, ""),
    value("packetId", U8, ""),
    value("sessionUID", U64, ""),
    value("sessionTime", F32, "s"),
    value("frameIdentifier", U32, ""),
    value("overallFrameIdentifier", U32, ""),
    value("playerCarIndex", U8, ""),
    value("secondaryPlayerCarIndex", U8, ""),
];
