//! Tables of the packets. Names are those of the vendor's header file. Wheels are in the order front left, front right, rear left, rear right.
use std::sync::LazyLock;

use crate::layout::Kind::{Char, F32, I8, I16, U8, U16};
use crate::layout::Layout;
use crate::layout::packed::{Item, array, group, layout, value};

/// Type in the low two bits of the third byte, sequence number in the others.
const HEADER: &[Item] = &[value("sBuildVersionNumber", U16, ""), value("sPacketType", U8, "")];

const TELEMETRY: &[Item] = &[
    value("sGameSessionState", U8, ""),
    value("sViewedParticipantIndex", I8, ""),
    value("sNumParticipants", I8, ""),
    value("sUnfilteredThrottle", U8, ""),
    value("sUnfilteredBrake", U8, ""),
    value("sUnfilteredSteering", I8, ""),
    value("sUnfilteredClutch", U8, ""),
    value("sRaceStateFlags", U8, ""),
    value("sLapsInEvent", U8, ""),
    value("sBestLapTime", F32, "s"),
    value("sLastLapTime", F32, "s"),
    value("sCurrentTime", F32, "s"),
    value("sSplitTimeAhead", F32, "s"),
    value("sSplitTimeBehind", F32, "s"),
    value("sSplitTime", F32, "s"),
    value("sEventTimeRemaining", F32, "s"),
    value("sPersonalFastestLapTime", F32, "s"),
    value("sWorldFastestLapTime", F32, "s"),
    array("sCurrentSectorTimes", F32, 3, "s"),
    array("sFastestSectorTimes", F32, 3, "s"),
    array("sPersonalFastestSectorTimes", F32, 3, "s"),
    array("sWorldFastestSectorTimes", F32, 3, "s"),
    value("sJoyPad", U16, ""),
    value("sHighestFlag", U8, ""),
    value("sPitModeSchedule", U8, ""),
    value("sOilTempCelsius", I16, "degC"),
    value("sOilPressureKPa", U16, "kPa"),
    value("sWaterTempCelsius", I16, "degC"),
    value("sWaterPressureKpa", U16, "kPa"),
    value("sFuelPressureKpa", U16, "kPa"),
    value("sCarFlags", U8, ""),
    value("sFuelCapacity", U8, "l"),
    value("sBrake", U8, ""),
    value("sThrottle", U8, ""),
    value("sClutch", U8, ""),
    value("sSteering", I8, ""),
    value("sFuelLevel", F32, "ratio"),
    value("sSpeed", F32, "m/s"),
    value("sRpm", U16, "rpm"),
    value("sMaxRpm", U16, "rpm"),
    value("sGearNumGears", U8, ""),
    value("sBoostAmount", U8, ""),
    value("sEnforcedPitStopLap", I8, ""),
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
    // Despite its name, radians per second; negative when driving forwards.
    array("sTyreRPS", F32, 4, "rad/s"),
    array("sTyreSlipSpeed", F32, 4, "m/s"),
    array("sTyreTemp", U8, 4, "degC"),
    array("sTyreGrip", U8, 4, ""),
    array("sTyreHeightAboveGround", F32, 4, "m"),
    array("sTyreLateralStiffness", F32, 4, ""),
    array("sTyreWear", U8, 4, ""),
    array("sBrakeDamage", U8, 4, ""),
    array("sSuspensionDamage", U8, 4, ""),
    array("sBrakeTempCelsius", I16, 4, "degC"),
    array("sTyreTreadTemp", U16, 4, "K"),
    array("sTyreLayerTemp", U16, 4, "K"),
    array("sTyreCarcassTemp", U16, 4, "K"),
    array("sTyreRimTemp", U16, 4, "K"),
    array("sTyreInternalAirTemp", U16, 4, "K"),
    array("sWheelLocalPositionY", F32, 4, "m"),
    array("sRideHeight", F32, 4, "m"),
    array("sSuspensionTravel", F32, 4, "m"),
    array("sSuspensionVelocity", F32, 4, "m/s"),
    array("sAirPressure", U16, 4, ""),
    value("sEngineSpeed", F32, "rad/s"),
    value("sEngineTorque", F32, "N*m"),
    value("sAeroDamage", U8, ""),
    value("sEngineDamage", U8, ""),
    value("sAmbientTemperature", I8, "degC"),
    value("sTrackTemperature", I8, "degC"),
    value("sRainDensity", U8, ""),
    value("sWindSpeed", I8, ""),
    value("sWindDirectionX", I8, ""),
    value("sWindDirectionY", I8, ""),
    group("sParticipantInfo", 56, PARTICIPANT_INFO),
    value("sTrackLength", F32, "m"),
    array("sWings", U8, 2, ""),
    value("sDPad", U8, ""),
];

const PARTICIPANT_INFO: &[Item] = &[
    array("sWorldPosition", I16, 3, "m"),
    value("sCurrentLapDistance", U16, "m"),
    value("sRacePosition", U8, ""),
    value("sLapsCompleted", U8, ""),
    value("sCurrentLap", U8, ""),
    value("sSector", U8, ""),
    value("sLastSectorTime", F32, "s"),
];

const PARTICIPANTS: &[Item] = &[
    array("sCarName", Char, 64, ""),
    array("sCarClassName", Char, 64, ""),
    array("sTrackLocation", Char, 64, ""),
    array("sTrackVariation", Char, 64, ""),
    group("sParticipants", 16, NAME),
    array("sFastestLapTime", F32, 16, "s"),
];

const MORE_PARTICIPANTS: &[Item] = &[value("sOffset", U8, ""), group("sParticipants", 16, NAME)];

const NAME: &[Item] = &[array("sName", Char, 64, "")];

/// The layouts of one stream. They live as long as the process, like the tables of other games.
type Built = LazyLock<Vec<&'static Layout>>;

fn build(id: &str, items: &[Item]) -> Vec<&'static Layout> {
    layout(id.to_owned(), 0, &[HEADER, items]).map(|layout| &*Box::leak(Box::new(layout))).into_iter().collect()
}

static TELEMETRY_1367: Built = LazyLock::new(|| build("project-cars-telemetry", TELEMETRY));
static PARTICIPANTS_1347: Built = LazyLock::new(|| build("project-cars-participants", PARTICIPANTS));
static MORE_PARTICIPANTS_1028: Built = LazyLock::new(|| build("project-cars-more-participants", MORE_PARTICIPANTS));

pub(super) fn telemetry() -> &'static [&'static Layout] {
    &TELEMETRY_1367
}

pub(super) fn participants() -> &'static [&'static Layout] {
    &PARTICIPANTS_1347
}

pub(super) fn more_participants() -> &'static [&'static Layout] {
    &MORE_PARTICIPANTS_1028
}
