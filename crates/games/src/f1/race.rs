//! Packets about the session: laps, participants, results, events.
use crate::layout::Kind::{Char, F32, F64, I8, U8, U16, U32};
use crate::layout::packed::{Item, array, group, skip, value};

const MARSHAL_ZONE: &[Item] = &[value("zoneStart", F32, ""), value("zoneFlag", I8, "")];

const WEATHER_FORECAST_SAMPLE: &[Item] = &[
    value("sessionType", U8, ""),
    value("timeOffset", U8, "min"),
    value("weather", U8, ""),
    value("trackTemperature", I8, "degC"),
    value("trackTemperatureChange", I8, ""),
    value("airTemperature", I8, "degC"),
    value("airTemperatureChange", I8, ""),
    value("rainPercentage", U8, ""),
];

/// A part of the lap; both ends are fractions of its length.
const ZONE: &[Item] = &[value("start", F32, "ratio"), value("end", F32, "ratio")];

pub(super) const SESSION_PACKET: &[Item] = &[
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
    group("marshalZones", 21, MARSHAL_ZONE),
    value("safetyCarStatus", U8, ""),
    value("networkGame", U8, ""),
    value("numWeatherForecastSamples", U8, ""),
    group("weatherForecastSamples", 56, WEATHER_FORECAST_SAMPLE).until(2023),
    group("weatherForecastSamples", 64, WEATHER_FORECAST_SAMPLE).since(2024),
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
    value("speedUnitsLeadPlayer", U8, "").since(2023),
    value("temperatureUnitsLeadPlayer", U8, "").since(2023),
    value("speedUnitsSecondaryPlayer", U8, "").since(2023),
    value("temperatureUnitsSecondaryPlayer", U8, "").since(2023),
    value("numSafetyCarPeriods", U8, "").since(2023),
    value("numVirtualSafetyCarPeriods", U8, "").since(2023),
    value("numRedFlagPeriods", U8, "").since(2023),
    value("equalCarPerformance", U8, "").since(2024),
    value("recoveryMode", U8, "").since(2024),
    value("flashbackLimit", U8, "").since(2024),
    value("surfaceType", U8, "").since(2024),
    value("lowFuelMode", U8, "").since(2024),
    value("raceStarts", U8, "").since(2024),
    value("tyreTemperature", U8, "").since(2024),
    value("pitLaneTyreSim", U8, "").since(2024),
    value("carDamage", U8, "").since(2024),
    value("carDamageRate", U8, "").since(2024),
    value("collisions", U8, "").since(2024),
    value("collisionsOffForFirstLapOnly", U8, "").since(2024),
    value("mpUnsafePitRelease", U8, "").since(2024),
    value("mpOffForGriefing", U8, "").since(2024),
    value("cornerCuttingStringency", U8, "").since(2024),
    value("parcFermeRules", U8, "").since(2024),
    value("pitStopExperience", U8, "").since(2024),
    value("safetyCar", U8, "").since(2024),
    value("safetyCarExperience", U8, "").since(2024),
    value("formationLap", U8, "").since(2024),
    value("formationLapExperience", U8, "").since(2024),
    value("redFlags", U8, "").since(2024),
    value("affectsLicenceLevelSolo", U8, "").since(2024),
    value("affectsLicenceLevelMP", U8, "").since(2024),
    value("numSessionsInWeekend", U8, "").since(2024),
    array("weekendStructure", U8, 12, "").since(2024),
    value("sector2LapDistanceStart", F32, "m").since(2024),
    value("sector3LapDistanceStart", F32, "m").since(2024),
    value("activeAeroTrackStatus", U8, "").since(2026),
    value("numActiveAeroZonesFull", U8, "").since(2026),
    group("activeAeroZonesFull", 8, ZONE).since(2026),
    value("numActiveAeroZonesPartial", U8, "").since(2026),
    group("activeAeroZonesPartial", 8, ZONE).since(2026),
    value("numDRSZones", U8, "").since(2026),
    group("DRSZones", 4, ZONE).since(2026),
    value("startReactionTime", F32, "s").since(2026),
    value("antiLockBrakesAssist", U8, "").since(2026),
    value("tractionControlAssist", U8, "").since(2026),
    value("dynamicRacingLineHiVis", U8, "").since(2026),
    value("dynamicRacingLineColourBlind", U8, "").since(2026),
    value("recurringRewindPrompt", U8, "").since(2026),
];

const LAP_DATA: &[Item] = &[
    value("lastLapTimeInMS", U32, "ms"),
    value("currentLapTimeInMS", U32, "ms"),
    value("sector1TimeInMS", U16, "ms").until(2023),
    value("sector1TimeMinutes", U8, "min").only(2023),
    value("sector2TimeInMS", U16, "ms").until(2023),
    value("sector2TimeMinutes", U8, "min").only(2023),
    value("deltaToCarInFrontInMS", U16, "ms").only(2023),
    value("deltaToRaceLeaderInMS", U16, "ms").only(2023),
    value("sector1TimeMSPart", U16, "ms").since(2024),
    value("sector1TimeMinutesPart", U8, "min").since(2024),
    value("sector2TimeMSPart", U16, "ms").since(2024),
    value("sector2TimeMinutesPart", U8, "min").since(2024),
    value("deltaToCarInFrontMSPart", U16, "ms").since(2024),
    value("deltaToCarInFrontMinutesPart", U8, "min").since(2024),
    value("deltaToRaceLeaderMSPart", U16, "ms").since(2024),
    value("deltaToRaceLeaderMinutesPart", U8, "min").since(2024),
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
    value("warnings", U8, "").until(2022),
    value("totalWarnings", U8, "").since(2023),
    value("cornerCuttingWarnings", U8, "").since(2023),
    value("numUnservedDriveThroughPens", U8, ""),
    value("numUnservedStopGoPens", U8, ""),
    value("gridPosition", U8, ""),
    value("driverStatus", U8, ""),
    value("resultStatus", U8, ""),
    value("pitLaneTimerActive", U8, ""),
    value("pitLaneTimeInLaneInMS", U16, "ms"),
    value("pitStopTimerInMS", U16, "ms"),
    value("pitStopShouldServePen", U8, ""),
    value("speedTrapFastestSpeed", F32, "km/h").since(2024),
    value("speedTrapFastestLap", U8, "").since(2024),
];

pub(super) const LAP_DATA_PACKET: &[Item] = &[
    group("lapData", 22, LAP_DATA).until(2025),
    group("lapData", 24, LAP_DATA).since(2026),
    value("timeTrialPBCarIdx", U8, ""),
    value("timeTrialRivalCarIdx", U8, ""),
];

pub(super) const EVENT_PACKET: &[Item] = &[array("eventStringCode", Char, 4, ""), skip(12)];

const PARTICIPANT_DATA: &[Item] = &[
    value("aiControlled", U8, ""),
    value("driverId", U8, "").until(2025),
    value("networkId", U8, "").until(2025),
    value("teamId", U8, "").until(2025),
    value("driverId", U16, "").since(2026),
    value("networkId", U16, "").since(2026),
    value("teamId", U16, "").since(2026),
    value("myTeam", U8, ""),
    value("raceNumber", U8, ""),
    value("nationality", U8, ""),
    array("name", Char, 48, "").until(2024),
    array("name", Char, 32, "").since(2025),
    value("yourTelemetry", U8, ""),
    value("showOnlineNames", U8, "").since(2023),
    value("techLevel", U16, "").since(2024),
    value("platform", U8, "").since(2023),
    value("numColours", U8, "").since(2025),
    group("liveryColours", 4, LIVERY_COLOUR).since(2025),
];

pub(super) const PARTICIPANTS_PACKET: &[Item] = &[
    value("numActiveCars", U8, ""),
    group("participants", 22, PARTICIPANT_DATA).until(2025),
    group("participants", 24, PARTICIPANT_DATA).since(2026),
];

const FINAL_CLASSIFICATION_DATA: &[Item] = &[
    value("position", U8, ""),
    value("numLaps", U8, ""),
    value("gridPosition", U8, ""),
    value("points", U8, ""),
    value("numPitStops", U8, ""),
    value("resultStatus", U8, ""),
    value("resultReason", U8, "").since(2025),
    value("bestLapTimeInMS", U32, "ms"),
    value("totalRaceTime", F64, "s"),
    value("penaltiesTime", U8, "s"),
    value("numPenalties", U8, ""),
    value("numTyreStints", U8, ""),
    array("tyreStintsActual", U8, 8, ""),
    array("tyreStintsVisual", U8, 8, ""),
    array("tyreStintsEndLaps", U8, 8, ""),
];

pub(super) const FINAL_CLASSIFICATION_PACKET: &[Item] = &[
    value("numCars", U8, ""),
    group("classificationData", 22, FINAL_CLASSIFICATION_DATA).until(2025),
    group("classificationData", 24, FINAL_CLASSIFICATION_DATA).since(2026),
];

const LOBBY_INFO_DATA: &[Item] = &[
    value("aiControlled", U8, ""),
    value("teamId", U8, "").until(2025),
    value("teamId", U16, "").since(2026),
    value("nationality", U8, ""),
    value("platform", U8, "").since(2023),
    array("name", Char, 48, "").until(2024),
    array("name", Char, 32, "").since(2025),
    value("carNumber", U8, ""),
    value("yourTelemetry", U8, "").since(2024),
    value("showOnlineNames", U8, "").since(2024),
    value("techLevel", U16, "").since(2024),
    value("readyStatus", U8, ""),
];

pub(super) const LOBBY_INFO_PACKET: &[Item] = &[
    value("numPlayers", U8, ""),
    group("lobbyPlayers", 22, LOBBY_INFO_DATA).until(2025),
    group("lobbyPlayers", 24, LOBBY_INFO_DATA).since(2026),
];

const LAP_HISTORY_DATA: &[Item] = &[
    value("lapTimeInMS", U32, "ms"),
    value("sector1TimeInMS", U16, "ms").until(2023),
    value("sector1TimeMinutes", U8, "min").only(2023),
    value("sector2TimeInMS", U16, "ms").until(2023),
    value("sector2TimeMinutes", U8, "min").only(2023),
    value("sector3TimeInMS", U16, "ms").until(2023),
    value("sector3TimeMinutes", U8, "min").only(2023),
    value("sector1TimeMSPart", U16, "ms").since(2024),
    value("sector1TimeMinutesPart", U8, "min").since(2024),
    value("sector2TimeMSPart", U16, "ms").since(2024),
    value("sector2TimeMinutesPart", U8, "min").since(2024),
    value("sector3TimeMSPart", U16, "ms").since(2024),
    value("sector3TimeMinutesPart", U8, "min").since(2024),
    value("lapValidBitFlags", U8, ""),
];

const TYRE_STINT_HISTORY_DATA: &[Item] =
    &[value("endLap", U8, ""), value("tyreActualCompound", U8, ""), value("tyreVisualCompound", U8, "")];

pub(super) const SESSION_HISTORY_PACKET: &[Item] = &[
    value("carIdx", U8, ""),
    value("numLaps", U8, ""),
    value("numTyreStints", U8, ""),
    value("bestLapTimeLapNum", U8, ""),
    value("bestSector1LapNum", U8, ""),
    value("bestSector2LapNum", U8, ""),
    value("bestSector3LapNum", U8, ""),
    group("lapHistoryData", 100, LAP_HISTORY_DATA),
    group("tyreStintsHistoryData", 8, TYRE_STINT_HISTORY_DATA),
];

const TIME_TRIAL_DATA_SET: &[Item] = &[
    value("carIdx", U8, ""),
    value("teamId", U8, "").until(2025),
    value("teamId", U16, "").since(2026),
    value("lapTimeInMS", U32, "ms"),
    value("sector1TimeInMS", U32, "ms"),
    value("sector2TimeInMS", U32, "ms"),
    value("sector3TimeInMS", U32, "ms"),
    value("tractionControl", U8, ""),
    value("gearboxAssist", U8, ""),
    value("antiLockBrakes", U8, ""),
    value("equalCarPerformance", U8, ""),
    value("customSetup", U8, ""),
    value("valid", U8, ""),
];

pub(super) const TIME_TRIAL_PACKET: &[Item] = &[
    group("playerSessionBestDataSet", 1, TIME_TRIAL_DATA_SET),
    group("personalBestDataSet", 1, TIME_TRIAL_DATA_SET),
    group("rivalDataSet", 1, TIME_TRIAL_DATA_SET),
];

const LIVERY_COLOUR: &[Item] = &[value("red", U8, ""), value("green", U8, ""), value("blue", U8, "")];

/// Positions lap by lap: of all cars in the first lap, then in the second.
pub(super) const LAP_POSITIONS_PACKET: &[Item] = &[
    value("numLaps", U8, ""),
    value("lapStart", U8, ""),
    array("positionForVehicleIdx", U8, 50 * 22, "").until(2025),
    array("positionForVehicleIdx", U8, 50 * 24, "").since(2026),
];
