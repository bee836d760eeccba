//! Tables of the packets. Names are those of the vendor's header file. Wheels are in the order front left, front right, rear left, rear right.
use std::sync::LazyLock;

use crate::layout::Kind::{Char, F32, I8, I16, U8, U16, U32};
use crate::layout::Layout;
use crate::layout::packed::{Item, array, group, layout, skip, value};

const HEADER: &[Item] = &[
    value("mPacketNumber", U32, ""),
    value("mCategoryPacketNumber", U32, ""),
    value("mPartialPacketIndex", U8, ""),
    value("mPartialPacketNumber", U8, ""),
    value("mPacketType", U8, ""),
    value("mPacketVersion", U8, ""),
];

/// Versions of the telemetry packet: 538, 555, 556 and 559 bytes.
const TELEMETRY: &[Item] = &[
    value("sViewedParticipantIndex", I8, ""),
    value("sUnfilteredThrottle", U8, ""),
    value("sUnfilteredBrake", U8, ""),
    value("sUnfilteredSteering", I8, ""),
    value("sUnfilteredClutch", U8, ""),
    value("sCarFlags", U8, ""),
    value("sOilTempCelsius", I16, "degC"),
    value("sOilPressureKPa", U16, "kPa"),
    value("sWaterTempCelsius", I16, "degC"),
    value("sWaterPressureKpa", U16, "kPa"),
    value("sFuelPressureKpa", U16, "kPa"),
    value("sFuelCapacity", U8, "l"),
    value("sBrake", U8, ""),
    value("sThrottle", U8, ""),
    value("sClutch", U8, ""),
    value("sFuelLevel", F32, "ratio"),
    value("sSpeed", F32, "m/s"),
    value("sRpm", U16, "rpm"),
    value("sMaxRpm", U16, "rpm"),
    value("sSteering", I8, ""),
    value("sGearNumGears", U8, ""),
    value("sBoostAmount", U8, ""),
    value("sCrashState", U8, ""),
    value("sOdometerKM", F32, "km"),
    array("sOrientation", F32, 3, "rad"),
    array("sLocalVelocity", F32, 3, "m/s"),
    array("sWorldVelocity", F32, 3, "m/s"),
    array("sAngularVelocity", F32, 3, "rad/s"),
    array("sLocalAcceleration", F32, 3, "m/s^2"),
    array("sWorldAcceleration", F32, 3, "m/s^2"),
    array("sExtentsCentre", F32, 3, "m"),
    array("sTyreFlags", U8, 4, ""),
    array("sTerrain", U8, 4, ""),
    array("sTyreY", F32, 4, "m"),
    // Revolutions by its name, but radians in Project CARS.
    array("sTyreRPS", F32, 4, ""),
    array("sTyreTemp", U8, 4, "degC"),
    array("sTyreHeightAboveGround", F32, 4, "m"),
    array("sTyreWear", U8, 4, ""),
    array("sBrakeDamage", U8, 4, ""),
    array("sSuspensionDamage", U8, 4, ""),
    array("sBrakeTempCelsius", I16, 4, "degC"),
    array("sTyreTreadTemp", U16, 4, "K"),
    array("sTyreLayerTemp", U16, 4, "K"),
    array("sTyreCarcassTemp", U16, 4, "K"),
    array("sTyreRimTemp", U16, 4, "K"),
    array("sTyreInternalAirTemp", U16, 4, "K"),
    array("sTyreTempLeft", U16, 4, "degC"),
    array("sTyreTempCenter", U16, 4, "degC"),
    array("sTyreTempRight", U16, 4, "degC"),
    array("sWheelLocalPositionY", F32, 4, "m"),
    array("sRideHeight", F32, 4, "m"),
    array("sSuspensionTravel", F32, 4, "m"),
    array("sSuspensionVelocity", F32, 4, "m/s"),
    array("sSuspensionRideHeight", U16, 4, ""),
    array("sAirPressure", U16, 4, ""),
    value("sEngineSpeed", F32, "rad/s"),
    value("sEngineTorque", F32, "N*m"),
    array("sWings", U8, 2, ""),
    value("sHandBrake", U8, ""),
    value("sAeroDamage", U8, ""),
    value("sEngineDamage", U8, ""),
    value("sJoyPad0", U32, ""),
    value("sDPad", U8, ""),
    group("sTyreCompound", 4, &[array("sName", Char, 40, "")]),
    value("sTurboBoostPressure", F32, "").since(2),
    array("sFullPosition", F32, 3, "m").since(2),
    value("sBrakeBias", U8, "").since(2),
    skip(1).only(3),
    value("sTickCount", U32, "").since(4),
];

const RACE_DEFINITION: &[Item] = &[
    value("sWorldFastestLapTime", F32, "s"),
    value("sPersonalFastestLapTime", F32, "s"),
    array("sPersonalFastestSectorTimes", F32, 3, "s"),
    array("sWorldFastestSectorTimes", F32, 3, "s"),
    value("sTrackLength", F32, "m"),
    array("sTrackLocation", Char, 64, ""),
    array("sTrackVariation", Char, 64, ""),
    array("sTranslatedTrackLocation", Char, 64, ""),
    array("sTranslatedTrackVariation", Char, 64, ""),
    // With the highest bit set, a duration in units of 5 minutes.
    value("sLapsTimeInEvent", U16, ""),
    value("sEnforcedPitStopLap", I8, ""),
    skip(1),
];

const PARTICIPANTS: &[Item] = &[
    value("sParticipantsChangedTimestamp", U32, ""),
    group("sName", 16, &[array("sName", Char, 64, "")]),
    array("sNationality", U32, 16, ""),
    array("sIndex", U16, 16, ""),
];

/// Versions of the timings packet: 1059 and 1063 bytes.
const TIMINGS: &[Item] = &[
    value("sNumParticipants", I8, ""),
    value("sParticipantsChangedTimestamp", U32, ""),
    value("sEventTimeRemaining", F32, "s"),
    value("sSplitTimeAhead", F32, "s"),
    value("sSplitTimeBehind", F32, "s"),
    value("sSplitTime", F32, "s"),
    group("sParticipants", 32, PARTICIPANT_INFO),
    value("sLocalParticipantIndex", U16, ""),
    value("sTickCount", U32, "").since(2),
];

const PARTICIPANT_INFO: &[Item] = &[
    array("sWorldPosition", I16, 3, "m"),
    array("sOrientation", I16, 3, ""),
    value("sCurrentLapDistance", U16, "m"),
    value("sRacePosition", U8, ""),
    value("sSector", U8, ""),
    value("sHighestFlag", U8, ""),
    value("sPitModeSchedule", U8, ""),
    value("sCarIndex", U16, ""),
    value("sRaceState", U8, ""),
    value("sCurrentLap", U8, ""),
    value("sCurrentTime", F32, "s"),
    value("sCurrentSectorTime", F32, "s"),
    value("sMPParticipantIndex", U16, ""),
];

const GAME_STATE: &[Item] = &[
    value("mBuildVersionNumber", U16, ""),
    value("mGameState", U8, ""),
    value("sAmbientTemperature", I8, "degC"),
    value("sTrackTemperature", I8, "degC"),
    value("sRainDensity", U8, ""),
    value("sSnowDensity", U8, ""),
    value("sWindSpeed", I8, ""),
    value("sWindDirectionX", I8, ""),
    value("sWindDirectionY", I8, ""),
    skip(2),
];

const TIME_STATS: &[Item] =
    &[value("sParticipantsChangedTimestamp", U32, ""), group("sParticipants", 32, PARTICIPANT_STATS)];

const PARTICIPANT_STATS: &[Item] = &[
    value("sFastestLapTime", F32, "s"),
    value("sLastLapTime", F32, "s"),
    value("sLastSectorTime", F32, "s"),
    array("sFastestSectorTimes", F32, 3, "s"),
    value("sParticipantOnlineRep", U32, ""),
    value("sMPParticipantIndex", U16, ""),
    skip(2),
];

const VEHICLES: &[Item] = &[group("sVehicles", 16, VEHICLE_INFO)];

const VEHICLE_INFO: &[Item] =
    &[value("sIndex", U16, ""), value("sClass", U32, ""), array("sName", Char, 64, ""), skip(2)];

const VEHICLE_CLASSES: &[Item] = &[group("sClasses", 60, CLASS_INFO)];

const CLASS_INFO: &[Item] = &[value("sClassIndex", U32, ""), array("sName", Char, 20, "")];

/// The layouts of one stream. They live as long as the process, like the tables of other games.
type Built = LazyLock<Vec<&'static Layout>>;

/// Builds the layouts of a packet type in some versions. Their ids end with the length of the packet.
fn build(stream: &str, items: &[Item], versions: &[u16]) -> Vec<&'static Layout> {
    let of_version = |version: &u16| {
        let bytes = layout("length".to_owned(), *version, &[HEADER, items]).ok()?.frame_bytes();
        let id = format!("automobilista-2-{stream}-{bytes}");
        let layout = layout(id, *version, &[HEADER, items]).ok()?;
        Some(&*Box::leak(Box::new(layout)))
    };
    versions.iter().filter_map(of_version).collect()
}

pub(super) fn telemetry() -> &'static [&'static Layout] {
    static LAYOUTS: Built = LazyLock::new(|| build(super::TELEMETRY, TELEMETRY, &[4, 3, 2, 1]));
    &LAYOUTS
}

pub(super) fn race_definition() -> &'static [&'static Layout] {
    static LAYOUTS: Built = LazyLock::new(|| build(super::RACE_DEFINITION, RACE_DEFINITION, &[1]));
    &LAYOUTS
}

pub(super) fn participants() -> &'static [&'static Layout] {
    static LAYOUTS: Built = LazyLock::new(|| build(super::PARTICIPANTS, PARTICIPANTS, &[1]));
    &LAYOUTS
}

pub(super) fn timings() -> &'static [&'static Layout] {
    static LAYOUTS: Built = LazyLock::new(|| build(super::TIMINGS, TIMINGS, &[2, 1]));
    &LAYOUTS
}

pub(super) fn game_state() -> &'static [&'static Layout] {
    static LAYOUTS: Built = LazyLock::new(|| build(super::GAME_STATE, GAME_STATE, &[1]));
    &LAYOUTS
}

pub(super) fn time_stats() -> &'static [&'static Layout] {
    static LAYOUTS: Built = LazyLock::new(|| build(super::TIME_STATS, TIME_STATS, &[1]));
    &LAYOUTS
}

pub(super) fn vehicles() -> &'static [&'static Layout] {
    static LAYOUTS: Built = LazyLock::new(|| build(super::VEHICLES, VEHICLES, &[1]));
    &LAYOUTS
}

pub(super) fn vehicle_classes() -> &'static [&'static Layout] {
    static LAYOUTS: Built = LazyLock::new(|| build(super::VEHICLE_CLASSES, VEHICLE_CLASSES, &[1]));
    &LAYOUTS
}
