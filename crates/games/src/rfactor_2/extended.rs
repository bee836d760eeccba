//! Table of the section that describes the plugin and what it observed of the game beside the two others.
use super::records::{Table, layout};
use crate::layout::{Channel, Kind, Layout, LayoutError};

/// Fields from the ninth byte of the section.
const EXTENDED: &[Channel] = &[
    Channel::fixed("mVersion", 0, Kind::Char, 12, ""),
    Channel::fixed("is64bit", 12, Kind::Bool, 1, ""),
    Channel::fixed("mPhysics.mTractionControl", 16, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAntiLockBrakes", 17, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mStabilityControl", 18, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAutoShift", 19, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAutoClutch", 20, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mInvulnerable", 21, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mOppositeLock", 22, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mSteeringHelp", 23, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mBrakingHelp", 24, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mSpinRecovery", 25, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAutoPit", 26, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAutoLift", 27, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAutoBlip", 28, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mFuelMult", 29, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mTireMult", 30, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mMechFail", 31, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAllowPitcrewPush", 32, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mRepeatShifts", 33, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mHoldClutch", 34, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAutoReverse", 35, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAlternateNeutral", 36, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mAIControl", 37, Kind::U8, 1, ""),
    Channel::fixed("mPhysics.mManualShiftOverrideTime", 40, Kind::F32, 1, ""),
    Channel::fixed("mPhysics.mAutoShiftOverrideTime", 44, Kind::F32, 1, ""),
    Channel::fixed("mPhysics.mSpeedSensitiveSteering", 48, Kind::F32, 1, ""),
    Channel::fixed("mPhysics.mSteerRatioSpeed", 52, Kind::F32, 1, ""),
    Channel::fixed("mInRealtimeFC", 8248, Kind::Bool, 1, ""),
    Channel::fixed("mMultimediaThreadStarted", 8249, Kind::Bool, 1, ""),
    Channel::fixed("mSimulationThreadStarted", 8250, Kind::Bool, 1, ""),
    Channel::fixed("mSessionStarted", 8251, Kind::Bool, 1, ""),
    Channel::fixed("mTicksSessionStarted", 8252, Kind::U64, 1, "ms"),
    Channel::fixed("mTicksSessionEnded", 8260, Kind::U64, 1, "ms"),
    Channel::fixed("mSessionTransitionCapture.mGamePhase", 8268, Kind::U8, 1, ""),
    Channel::fixed("mSessionTransitionCapture.mSession", 8272, Kind::I32, 1, ""),
    Channel::fixed("mSessionTransitionCapture.mNumScoringVehicles", 8276, Kind::I32, 1, ""),
    Channel::fixed("mDisplayedMessageUpdateCapture", 9304, Kind::Char, 128, ""),
    Channel::fixed("mDirectMemoryAccessEnabled", 9432, Kind::Bool, 1, ""),
    Channel::fixed("mTicksStatusMessageUpdated", 9436, Kind::U64, 1, "ms"),
    Channel::fixed("mStatusMessage", 9444, Kind::Char, 128, ""),
    Channel::fixed("mTicksLastHistoryMessageUpdated", 9572, Kind::U64, 1, "ms"),
    Channel::fixed("mLastHistoryMessage", 9580, Kind::Char, 128, ""),
    Channel::fixed("mCurrentPitSpeedLimit", 9708, Kind::F32, 1, "m/s"),
    Channel::fixed("mSCRPluginEnabled", 9712, Kind::Bool, 1, ""),
    Channel::fixed("mSCRPluginDoubleFileType", 9716, Kind::I32, 1, ""),
    Channel::fixed("mTicksLSIPhaseMessageUpdated", 9720, Kind::U64, 1, "ms"),
    Channel::fixed("mLSIPhaseMessage", 9728, Kind::Char, 96, ""),
    Channel::fixed("mTicksLSIPitStateMessageUpdated", 9824, Kind::U64, 1, "ms"),
    Channel::fixed("mLSIPitStateMessage", 9832, Kind::Char, 96, ""),
    Channel::fixed("mTicksLSIOrderInstructionMessageUpdated", 9928, Kind::U64, 1, "ms"),
    Channel::fixed("mLSIOrderInstructionMessage", 9936, Kind::Char, 96, ""),
    Channel::fixed("mTicksLSIRulesInstructionMessageUpdated", 10032, Kind::U64, 1, "ms"),
    Channel::fixed("mLSIRulesInstructionMessage", 10040, Kind::Char, 96, ""),
    Channel::fixed("mUnsubscribedBuffersMask", 10136, Kind::I32, 1, ""),
    Channel::fixed("mHWControlInputEnabled", 10140, Kind::Bool, 1, ""),
    Channel::fixed("mWeatherControlInputEnabled", 10141, Kind::Bool, 1, ""),
    Channel::fixed("mRulesControlInputEnabled", 10142, Kind::Bool, 1, ""),
    Channel::fixed("mPluginControlInputEnabled", 10143, Kind::Bool, 1, ""),
];

/// Damage of the vehicles, by their number modulo 512.
const DAMAGE: &[Channel] = &[
    Channel::fixed("mMaxImpactMagnitude", 0, Kind::F64, 1, ""),
    Channel::fixed("mAccumulatedImpactMagnitude", 8, Kind::F64, 1, ""),
];
const DAMAGE_AT: u32 = BODY_AT + 56;
const DAMAGE_BYTES: u32 = 16;
const DAMAGES: u32 = 512;

/// The structure follows the two version words.
const BODY_AT: u32 = 8;
/// Version of the plugin: offset in the frame and length.
pub(super) const VERSION: (usize, usize) = (8, 12);
/// When the session started, in ticks of the system.
pub(super) const SESSION_TICKS_AT: usize = 8 + 8252;
pub(super) const BYTES: u32 = 10_152;

pub(super) fn extended() -> Result<Layout, LayoutError> {
    let damage = Table { first: 0, count: DAMAGES, at: DAMAGE_AT, bytes: DAMAGE_BYTES, fields: DAMAGE };
    layout("rf2-extended-10152".into(), BYTES, |channels| {
        super::records::versions(channels);
        super::records::put(channels, "", BODY_AT, EXTENDED);
        damage.put(channels, "mTrackedDamages");
    })
}
