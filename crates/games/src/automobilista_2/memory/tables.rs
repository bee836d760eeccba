//! Tables of version 14 of the page, with the names of the vendor's header file. Every version only appends, so one table describes all of them.
//! Units are those that the game uses: the header file has others for tyre pressure, turbo pressure and the speed of the wheels. Wheels are in the
//! order front left, front right, rear left, rear right.
use std::sync::LazyLock;

use super::PARTICIPANTS;
use crate::layout::Channel;
use crate::layout::Kind::{Bits32, Bool, Char, F32, I32, U8, U32};
use crate::layout::Layout;
use crate::layout::records::{Records, layout, leaked};

/// Lengths of the page, by the version from which on it has them, newest first.
pub(super) const LENGTHS: [(u32, u32); 6] =
    [(14, 20_700), (13, 20_692), (12, 20_688), (11, 20_668), (10, 20_660), (8, 20_576)];
/// Length of the page of Project CARS.
pub(super) const FIRST_GAME_BYTES: u32 = 7_320;

/// Returns the layouts of Automobilista 2 and Project CARS 2, newest first.
pub(in super::super) fn layouts() -> &'static [&'static Layout] {
    static LAYOUTS: LazyLock<Vec<&'static Layout>> = LazyLock::new(|| {
        const IDS: [&str; 6] = [
            "automobilista-2-memory-20700",
            "automobilista-2-memory-20692",
            "automobilista-2-memory-20688",
            "automobilista-2-memory-20668",
            "automobilista-2-memory-20660",
            "automobilista-2-memory-20576",
        ];
        leaked(IDS.into_iter().zip(LENGTHS).map(|(id, (_, bytes))| build(id, bytes, PAGE)))
    });
    &LAYOUTS
}

/// Returns the layout of Project CARS.
pub(crate) fn first_game_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: LazyLock<Vec<&'static Layout>> = LazyLock::new(|| {
        let known: Vec<Channel> = PAGE.iter().filter(|channel| channel.name != "mNumSectors").cloned().collect();
        leaked([build("project-cars-memory-7320", FIRST_GAME_BYTES, &known)])
    });
    &LAYOUTS
}

/// Builds the layout of a page that ends after this many bytes.
fn build(id: &'static str, bytes: u32, page: &[Channel]) -> Result<Layout, crate::layout::LayoutError> {
    let is_in = |end: u64| end <= u64::from(bytes);
    let channels = page.iter().filter(|channel| is_in(channel.end())).cloned();
    let arrays = [
        Records::of("mParticipantInfo", 28, 100, PARTICIPANTS, PARTICIPANT),
        Records::of("mCarNames", 11_056, 64, PARTICIPANTS, NAME),
        Records::of("mCarClassNames", 15_152, 64, PARTICIPANTS, NAME),
        Records::of("mTyreCompound", 19_388, 40, 4, COMPOUND),
    ];
    let arrays: Vec<Records> =
        arrays.into_iter().filter(|array| is_in(u64::from(array.offset + array.bytes * array.count))).collect();
    layout(id, bytes, channels, &arrays)
}

const PARTICIPANT: &[Channel] = &[
    Channel::fixed("mIsActive", 0, Bool, 1, ""),
    Channel::fixed("mName", 1, Char, 64, ""),
    Channel::fixed("mWorldPosition", 68, F32, 3, "m"),
    Channel::fixed("mCurrentLapDistance", 80, F32, 1, "m"),
    Channel::fixed("mRacePosition", 84, U32, 1, ""),
    Channel::fixed("mLapsCompleted", 88, U32, 1, ""),
    Channel::fixed("mCurrentLap", 92, U32, 1, ""),
    Channel::fixed("mCurrentSector", 96, I32, 1, ""),
];

const NAME: &[Channel] = &[Channel::fixed("", 0, Char, 64, "")];
const COMPOUND: &[Channel] = &[Channel::fixed("", 0, Char, 40, "")];

const PAGE: &[Channel] = &[
    Channel::fixed("mVersion", 0, U32, 1, ""),
    Channel::fixed("mBuildVersionNumber", 4, U32, 1, ""),
    Channel::fixed("mGameState", 8, U32, 1, ""),
    Channel::fixed("mSessionState", 12, U32, 1, ""),
    Channel::fixed("mRaceState", 16, U32, 1, ""),
    Channel::fixed("mViewedParticipantIndex", 20, I32, 1, ""),
    Channel::fixed("mNumParticipants", 24, I32, 1, ""),
    Channel::fixed("mUnfilteredThrottle", 6428, F32, 1, "ratio"),
    Channel::fixed("mUnfilteredBrake", 6432, F32, 1, "ratio"),
    Channel::fixed("mUnfilteredSteering", 6436, F32, 1, ""),
    Channel::fixed("mUnfilteredClutch", 6440, F32, 1, "ratio"),
    Channel::fixed("mCarName", 6444, Char, 64, ""),
    Channel::fixed("mCarClassName", 6508, Char, 64, ""),
    Channel::fixed("mLapsInEvent", 6572, U32, 1, ""),
    Channel::fixed("mTrackLocation", 6576, Char, 64, ""),
    Channel::fixed("mTrackVariation", 6640, Char, 64, ""),
    Channel::fixed("mTrackLength", 6704, F32, 1, "m"),
    Channel::fixed("mNumSectors", 6708, I32, 1, ""),
    Channel::fixed("mLapInvalidated", 6712, Bool, 1, ""),
    Channel::fixed("mBestLapTime", 6716, F32, 1, "s"),
    Channel::fixed("mLastLapTime", 6720, F32, 1, "s"),
    Channel::fixed("mCurrentTime", 6724, F32, 1, "s"),
    Channel::fixed("mSplitTimeAhead", 6728, F32, 1, "s"),
    Channel::fixed("mSplitTimeBehind", 6732, F32, 1, "s"),
    Channel::fixed("mSplitTime", 6736, F32, 1, "s"),
    Channel::fixed("mEventTimeRemaining", 6740, F32, 1, ""),
    Channel::fixed("mPersonalFastestLapTime", 6744, F32, 1, "s"),
    Channel::fixed("mWorldFastestLapTime", 6748, F32, 1, "s"),
    Channel::fixed("mCurrentSector1Time", 6752, F32, 1, "s"),
    Channel::fixed("mCurrentSector2Time", 6756, F32, 1, "s"),
    Channel::fixed("mCurrentSector3Time", 6760, F32, 1, "s"),
    Channel::fixed("mFastestSector1Time", 6764, F32, 1, "s"),
    Channel::fixed("mFastestSector2Time", 6768, F32, 1, "s"),
    Channel::fixed("mFastestSector3Time", 6772, F32, 1, "s"),
    Channel::fixed("mPersonalFastestSector1Time", 6776, F32, 1, "s"),
    Channel::fixed("mPersonalFastestSector2Time", 6780, F32, 1, "s"),
    Channel::fixed("mPersonalFastestSector3Time", 6784, F32, 1, "s"),
    Channel::fixed("mWorldFastestSector1Time", 6788, F32, 1, "s"),
    Channel::fixed("mWorldFastestSector2Time", 6792, F32, 1, "s"),
    Channel::fixed("mWorldFastestSector3Time", 6796, F32, 1, "s"),
    Channel::fixed("mHighestFlagColour", 6800, U32, 1, ""),
    Channel::fixed("mHighestFlagReason", 6804, U32, 1, ""),
    Channel::fixed("mPitMode", 6808, U32, 1, ""),
    Channel::fixed("mPitSchedule", 6812, U32, 1, ""),
    Channel::fixed("mCarFlags", 6816, Bits32, 1, ""),
    Channel::fixed("mOilTempCelsius", 6820, F32, 1, "degC"),
    Channel::fixed("mOilPressureKPa", 6824, F32, 1, "kPa"),
    Channel::fixed("mWaterTempCelsius", 6828, F32, 1, "degC"),
    Channel::fixed("mWaterPressureKPa", 6832, F32, 1, "kPa"),
    Channel::fixed("mFuelPressureKPa", 6836, F32, 1, "kPa"),
    Channel::fixed("mFuelLevel", 6840, F32, 1, "ratio"),
    Channel::fixed("mFuelCapacity", 6844, F32, 1, "l"),
    Channel::fixed("mSpeed", 6848, F32, 1, "m/s"),
    Channel::fixed("mRpm", 6852, F32, 1, "rpm"),
    Channel::fixed("mMaxRPM", 6856, F32, 1, "rpm"),
    Channel::fixed("mBrake", 6860, F32, 1, "ratio"),
    Channel::fixed("mThrottle", 6864, F32, 1, "ratio"),
    Channel::fixed("mClutch", 6868, F32, 1, "ratio"),
    Channel::fixed("mSteering", 6872, F32, 1, ""),
    Channel::fixed("mGear", 6876, I32, 1, ""),
    Channel::fixed("mNumGears", 6880, I32, 1, ""),
    Channel::fixed("mOdometerKM", 6884, F32, 1, "km"),
    Channel::fixed("mAntiLockActive", 6888, Bool, 1, ""),
    Channel::fixed("mLastOpponentCollisionIndex", 6892, I32, 1, ""),
    Channel::fixed("mLastOpponentCollisionMagnitude", 6896, F32, 1, ""),
    Channel::fixed("mBoostActive", 6900, Bool, 1, ""),
    Channel::fixed("mBoostAmount", 6904, F32, 1, ""),
    Channel::fixed("mOrientation", 6908, F32, 3, "rad"),
    Channel::fixed("mLocalVelocity", 6920, F32, 3, "m/s"),
    Channel::fixed("mWorldVelocity", 6932, F32, 3, "m/s"),
    Channel::fixed("mAngularVelocity", 6944, F32, 3, "rad/s"),
    Channel::fixed("mLocalAcceleration", 6956, F32, 3, "m/s2"),
    Channel::fixed("mWorldAcceleration", 6968, F32, 3, "m/s2"),
    Channel::fixed("mExtentsCentre", 6980, F32, 3, ""),
    Channel::fixed("mTyreFlags", 6992, Bits32, 4, ""),
    Channel::fixed("mTerrain", 7008, U32, 4, ""),
    Channel::fixed("mTyreY", 7024, F32, 4, ""),
    Channel::fixed("mTyreRPS", 7040, F32, 4, "rad/s"),
    Channel::fixed("mTyreSlipSpeed", 7056, F32, 4, ""),
    Channel::fixed("mTyreTemp", 7072, F32, 4, "degC"),
    Channel::fixed("mTyreGrip", 7088, F32, 4, ""),
    Channel::fixed("mTyreHeightAboveGround", 7104, F32, 4, ""),
    Channel::fixed("mTyreLateralStiffness", 7120, F32, 4, ""),
    Channel::fixed("mTyreWear", 7136, F32, 4, "ratio"),
    Channel::fixed("mBrakeDamage", 7152, F32, 4, "ratio"),
    Channel::fixed("mSuspensionDamage", 7168, F32, 4, "ratio"),
    Channel::fixed("mBrakeTempCelsius", 7184, F32, 4, "degC"),
    Channel::fixed("mTyreTreadTemp", 7200, F32, 4, "K"),
    Channel::fixed("mTyreLayerTemp", 7216, F32, 4, "K"),
    Channel::fixed("mTyreCarcassTemp", 7232, F32, 4, "K"),
    Channel::fixed("mTyreRimTemp", 7248, F32, 4, "K"),
    Channel::fixed("mTyreInternalAirTemp", 7264, F32, 4, "K"),
    Channel::fixed("mCrashState", 7280, U32, 1, ""),
    Channel::fixed("mAeroDamage", 7284, F32, 1, "ratio"),
    Channel::fixed("mEngineDamage", 7288, F32, 1, "ratio"),
    Channel::fixed("mAmbientTemperature", 7292, F32, 1, "degC"),
    Channel::fixed("mTrackTemperature", 7296, F32, 1, "degC"),
    Channel::fixed("mRainDensity", 7300, F32, 1, ""),
    Channel::fixed("mWindSpeed", 7304, F32, 1, ""),
    Channel::fixed("mWindDirectionX", 7308, F32, 1, ""),
    Channel::fixed("mWindDirectionY", 7312, F32, 1, ""),
    Channel::fixed("mCloudBrightness", 7316, F32, 1, ""),
    Channel::fixed("mSequenceNumber", 7320, U32, 1, ""),
    Channel::fixed("mWheelLocalPositionY", 7324, F32, 4, ""),
    Channel::fixed("mSuspensionTravel", 7340, F32, 4, "m"),
    Channel::fixed("mSuspensionVelocity", 7356, F32, 4, "m/s"),
    Channel::fixed("mAirPressure", 7372, F32, 4, "kPa"),
    Channel::fixed("mEngineSpeed", 7388, F32, 1, "rad/s"),
    Channel::fixed("mEngineTorque", 7392, F32, 1, "Nm"),
    Channel::fixed("mWings", 7396, F32, 2, "ratio"),
    Channel::fixed("mHandBrake", 7404, F32, 1, "ratio"),
    Channel::fixed("mCurrentSector1Times", 7408, F32, 64, "s"),
    Channel::fixed("mCurrentSector2Times", 7664, F32, 64, "s"),
    Channel::fixed("mCurrentSector3Times", 7920, F32, 64, "s"),
    Channel::fixed("mFastestSector1Times", 8176, F32, 64, "s"),
    Channel::fixed("mFastestSector2Times", 8432, F32, 64, "s"),
    Channel::fixed("mFastestSector3Times", 8688, F32, 64, "s"),
    Channel::fixed("mFastestLapTimes", 8944, F32, 64, "s"),
    Channel::fixed("mLastLapTimes", 9200, F32, 64, "s"),
    Channel::fixed("mLapsInvalidated", 9456, U8, 64, ""),
    Channel::fixed("mRaceStates", 9520, U32, 64, ""),
    Channel::fixed("mPitModes", 9776, U32, 64, ""),
    Channel::fixed("mOrientations", 10032, F32, 192, "rad"),
    Channel::fixed("mSpeeds", 10800, F32, 64, "m/s"),
    Channel::fixed("mEnforcedPitStopLap", 19248, I32, 1, ""),
    Channel::fixed("mTranslatedTrackLocation", 19252, Char, 64, ""),
    Channel::fixed("mTranslatedTrackVariation", 19316, Char, 64, ""),
    Channel::fixed("mBrakeBias", 19380, F32, 1, "ratio"),
    Channel::fixed("mTurboBoostPressure", 19384, F32, 1, "Pa"),
    Channel::fixed("mPitSchedules", 19548, U32, 64, ""),
    Channel::fixed("mHighestFlagColours", 19804, U32, 64, ""),
    Channel::fixed("mHighestFlagReasons", 20060, U32, 64, ""),
    Channel::fixed("mNationalities", 20316, U32, 64, ""),
    Channel::fixed("mSnowDensity", 20572, F32, 1, ""),
    Channel::fixed("mSessionDuration", 20576, F32, 1, "min"),
    Channel::fixed("mSessionAdditionalLaps", 20580, I32, 1, ""),
    Channel::fixed("mTyreTempLeft", 20584, F32, 4, "degC"),
    Channel::fixed("mTyreTempCenter", 20600, F32, 4, "degC"),
    Channel::fixed("mTyreTempRight", 20616, F32, 4, "degC"),
    Channel::fixed("mDrsState", 20632, Bits32, 1, ""),
    Channel::fixed("mRideHeight", 20636, F32, 4, "cm"),
    Channel::fixed("mJoyPad0", 20652, U32, 1, ""),
    Channel::fixed("mDPad", 20656, U32, 1, ""),
    Channel::fixed("mAntiLockSetting", 20660, I32, 1, ""),
    Channel::fixed("mTractionControlSetting", 20664, I32, 1, ""),
    Channel::fixed("mErsDeploymentMode", 20668, I32, 1, ""),
    Channel::fixed("mErsAutoModeEnabled", 20672, Bool, 1, ""),
    Channel::fixed("mClutchTemp", 20676, F32, 1, "K"),
    Channel::fixed("mClutchWear", 20680, F32, 1, "ratio"),
    Channel::fixed("mClutchOverheated", 20684, Bool, 1, ""),
    Channel::fixed("mClutchSlipping", 20685, Bool, 1, ""),
    Channel::fixed("mYellowFlagState", 20688, I32, 1, ""),
    Channel::fixed("mSessionIsPrivate", 20692, Bool, 1, ""),
    Channel::fixed("mLaunchStage", 20696, I32, 1, ""),
];
