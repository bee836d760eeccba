//! Packets about cars: motion, setup, telemetry, status, damage, tyres. The header of all packets.
use crate::layout::Kind::{F32, I8, I16, U8, U16, U32, U64};
use crate::layout::packed::{Item, array, group, value};

pub(super) const HEADER: &[Item] = &[
    value("packetFormat", U16, ""),
    value("gameYear", U8, "").since(2023),
    value("gameMajorVersion", U8, ""),
    value("gameMinorVersion", U8, ""),
    value("packetVersion", U8, ""),
    value("packetId", U8, ""),
    value("sessionUID", U64, ""),
    value("sessionTime", F32, "s"),
    value("frameIdentifier", U32, ""),
    value("overallFrameIdentifier", U32, "").since(2023),
    value("playerCarIndex", U8, ""),
    value("secondaryPlayerCarIndex", U8, ""),
];

const CAR_MOTION_DATA: &[Item] = &[
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
    value("gForceLateral", F32, "g").until(2025),
    value("gForceLongitudinal", F32, "g").until(2025),
    value("gForceVertical", F32, "g").until(2025),
    value("gForceLateral", I16, "g/1000").since(2026),
    value("gForceLongitudinal", I16, "g/1000").since(2026),
    value("gForceVertical", I16, "g/1000").since(2026),
    value("yaw", F32, "rad"),
    value("pitch", F32, "rad"),
    value("roll", F32, "rad"),
];

pub(super) const MOTION_PACKET: &[Item] = &[
    group("carMotionData", 22, CAR_MOTION_DATA).until(2025),
    group("carMotionData", 24, CAR_MOTION_DATA).since(2026),
    array("suspensionPosition", F32, 4, "").until(2022),
    array("suspensionVelocity", F32, 4, "").until(2022),
    array("suspensionAcceleration", F32, 4, "").until(2022),
    array("wheelSpeed", F32, 4, "m/s").until(2022),
    array("wheelSlip", F32, 4, "").until(2022),
    value("localVelocityX", F32, "m/s").until(2022),
    value("localVelocityY", F32, "m/s").until(2022),
    value("localVelocityZ", F32, "m/s").until(2022),
    value("angularVelocityX", F32, "rad/s").until(2022),
    value("angularVelocityY", F32, "rad/s").until(2022),
    value("angularVelocityZ", F32, "rad/s").until(2022),
    value("angularAccelerationX", F32, "rad/s^2").until(2022),
    value("angularAccelerationY", F32, "rad/s^2").until(2022),
    value("angularAccelerationZ", F32, "rad/s^2").until(2022),
    value("frontWheelsAngle", F32, "rad").until(2022),
];

pub(super) const MOTION_EX_PACKET: &[Item] = &[
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
    value("frontAeroHeight", F32, "").since(2024),
    value("rearAeroHeight", F32, "").since(2024),
    value("frontRollAngle", F32, "rad").since(2024),
    value("rearRollAngle", F32, "rad").since(2024),
    value("chassisYaw", F32, "rad").since(2024),
    value("chassisPitch", F32, "rad").since(2025),
    array("wheelCamber", F32, 4, "").since(2025),
    array("wheelCamberGain", F32, 4, "").since(2025),
];

const CAR_SETUP_DATA: &[Item] = &[
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
    value("engineBraking", U8, "").since(2024),
    value("rearLeftTyrePressure", F32, "psi"),
    value("rearRightTyrePressure", F32, "psi"),
    value("frontLeftTyrePressure", F32, "psi"),
    value("frontRightTyrePressure", F32, "psi"),
    value("ballast", U8, ""),
    value("fuelLoad", F32, "kg"),
];

pub(super) const CAR_SETUPS_PACKET: &[Item] = &[
    group("carSetups", 22, CAR_SETUP_DATA).until(2023),
    group("carSetupData", 22, CAR_SETUP_DATA).since(2024).until(2025),
    group("carSetupData", 24, CAR_SETUP_DATA).since(2026),
    value("nextFrontWingValue", F32, "").since(2024),
];

const CAR_TELEMETRY_DATA: &[Item] = &[
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
    value("engineTemperature", U16, "degC").until(2025),
    value("engineTemperature", U8, "degC").since(2026),
    array("tyresPressure", F32, 4, "psi"),
    array("surfaceType", U8, 4, ""),
];

pub(super) const CAR_TELEMETRY_PACKET: &[Item] = &[
    group("carTelemetryData", 22, CAR_TELEMETRY_DATA).until(2025),
    group("carTelemetryData", 24, CAR_TELEMETRY_DATA).since(2026),
    value("mfdPanelIndex", U8, ""),
    value("mfdPanelIndexSecondaryPlayer", U8, ""),
    value("suggestedGear", I8, ""),
];

const CAR_STATUS_DATA: &[Item] = &[
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
    value("enginePowerICE", F32, "W").since(2023),
    value("enginePowerMGUK", F32, "W").since(2023),
    value("ersStoreEnergy", F32, "J"),
    value("ersDeployMode", U8, ""),
    value("ersHarvestedThisLapMGUK", F32, "J"),
    value("ersHarvestedThisLapMGUH", F32, "J"),
    value("ersHarvestLimitPerLap", F32, "J").since(2026),
    value("ersDeployedThisLap", F32, "J"),
    value("networkPaused", U8, ""),
];

pub(super) const CAR_STATUS_PACKET: &[Item] =
    &[group("carStatusData", 22, CAR_STATUS_DATA).until(2025), group("carStatusData", 24, CAR_STATUS_DATA).since(2026)];

const CAR_DAMAGE_DATA: &[Item] = &[
    array("tyresWear", F32, 4, ""),
    array("tyresDamage", U8, 4, ""),
    array("brakesDamage", U8, 4, ""),
    array("tyreBlisters", U8, 4, "").since(2025),
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

pub(super) const CAR_DAMAGE_PACKET: &[Item] =
    &[group("carDamageData", 22, CAR_DAMAGE_DATA).until(2025), group("carDamageData", 24, CAR_DAMAGE_DATA).since(2026)];

const TYRE_SET_DATA: &[Item] = &[
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

pub(super) const TYRE_SETS_PACKET: &[Item] =
    &[value("carIdx", U8, ""), group("tyreSetData", 20, TYRE_SET_DATA), value("fittedIdx", U8, "")];

const CAR_TELEMETRY_2_DATA: &[Item] = &[
    value("activeAeroMode", U8, ""),
    value("activeAeroAvailable", U8, ""),
    value("activeAeroActivationDistance", U16, "m"),
    value("overtakeAvailable", U8, ""),
    value("overtakeActive", U8, ""),
    value("overtakeActivationDistance", U16, "m"),
    value("regulations2026Applicable", U8, ""),
    value("isDrivingWrongWay", U8, ""),
];

pub(super) const CAR_TELEMETRY_2_PACKET: &[Item] = &[group("carTelemetry2Data", 24, CAR_TELEMETRY_2_DATA)];
