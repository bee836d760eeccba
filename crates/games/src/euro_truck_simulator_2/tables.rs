//! Tables of revision 12 of the page, with the names of the plugin's header file. Revisions 10 and 11 follow from them: they are of the same
//! length, so their table only has what is the same in both. Wheel arrays have 16 places, of which 14 are used.
use std::sync::LazyLock;

use crate::layout::Kind::{Bool, Char, F32, F64, I32, I64, U32, U64};
use crate::layout::records::{Records, layout, leaked};
use crate::layout::{Channel, Layout};

/// Length of the page in revision 12.
pub(super) const REVISION_12_BYTES: u32 = 21_600;
/// Length of the page in revisions 10 and 11.
pub(super) const REVISION_10_BYTES: u32 = 21_520;
const TRAILERS_AT: u32 = 6000;

/// Returns the layouts of Euro Truck Simulator 2, newest first.
pub(super) fn layouts() -> &'static [&'static Layout] {
    static LAYOUTS: LazyLock<Vec<&'static Layout>> = LazyLock::new(|| build(["ets2-page-21600", "ets2-page-21520"]));
    &LAYOUTS
}

/// Returns the layouts of American Truck Simulator, newest first.
pub(crate) fn american_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: LazyLock<Vec<&'static Layout>> = LazyLock::new(|| build(["ats-page-21600", "ats-page-21520"]));
    &LAYOUTS
}

fn build([newest, older]: [&'static str; 2]) -> Vec<&'static Layout> {
    let arrays = |bytes, channels: Vec<Channel>| {
        [
            Records::of("substances", 4400, 64, 25, SUBSTANCE),
            Records { name: "trailer", offset: TRAILERS_AT, bytes, count: 10, channels },
        ]
    };
    let older_page = PAGE.iter().filter(|channel| is_older(channel)).cloned();
    let older_trailer = TRAILER.iter().filter_map(older_trailer).collect();
    leaked([
        layout(newest, REVISION_12_BYTES, PAGE.to_vec(), &arrays(1560, TRAILER.to_vec())),
        layout(older, REVISION_10_BYTES, older_page, &arrays(1552, older_trailer)),
    ])
}

/// Returns whether a channel is at the same offset in revisions 10, 11 and 12.
fn is_older(channel: &Channel) -> bool {
    !(1588..1615).contains(&channel.offset) && channel.offset != 32
}

/// Returns a channel of a trailer as in revisions 10 and 11, which do not have the wear of the body.
fn older_trailer(channel: &Channel) -> Option<Channel> {
    let less = match channel.offset {
        0..164 => 0,
        164 => return None,
        165..872 => 4,
        _ => 8,
    };
    Some(Channel { offset: channel.offset - less, ..channel.clone() })
}

const SUBSTANCE: &[Channel] = &[Channel::fixed("", 0, Char, 64, "")];

/// The page without substances and trailers.
const PAGE: &[Channel] = &[
    Channel::fixed("sdkActive", 0, Bool, 1, ""),
    Channel::fixed("paused", 4, Bool, 1, ""),
    Channel::fixed("time", 8, U64, 1, "us"),
    Channel::fixed("simulatedTime", 16, U64, 1, "us"),
    Channel::fixed("renderTime", 24, U64, 1, "us"),
    Channel::fixed("multiplayerTimeOffset", 32, I64, 1, "min"),
    Channel::fixed("scs_values.telemetry_plugin_revision", 40, U32, 1, ""),
    Channel::fixed("scs_values.version_major", 44, U32, 1, ""),
    Channel::fixed("scs_values.version_minor", 48, U32, 1, ""),
    Channel::fixed("scs_values.game", 52, U32, 1, ""),
    Channel::fixed("scs_values.telemetry_version_game_major", 56, U32, 1, ""),
    Channel::fixed("scs_values.telemetry_version_game_minor", 60, U32, 1, ""),
    Channel::fixed("common_ui.time_abs", 64, U32, 1, "min"),
    Channel::fixed("config_ui.gears", 68, U32, 1, ""),
    Channel::fixed("config_ui.gears_reverse", 72, U32, 1, ""),
    Channel::fixed("config_ui.retarderStepCount", 76, U32, 1, ""),
    Channel::fixed("config_ui.truckWheelCount", 80, U32, 1, ""),
    Channel::fixed("config_ui.selectorCount", 84, U32, 1, ""),
    Channel::fixed("config_ui.time_abs_delivery", 88, U32, 1, "min"),
    Channel::fixed("config_ui.maxTrailerCount", 92, U32, 1, ""),
    Channel::fixed("config_ui.unitCount", 96, U32, 1, ""),
    Channel::fixed("config_ui.plannedDistanceKm", 100, U32, 1, "km"),
    Channel::fixed("truck_ui.shifterSlot", 104, U32, 1, ""),
    Channel::fixed("truck_ui.retarderBrake", 108, U32, 1, ""),
    Channel::fixed("truck_ui.lightsAuxFront", 112, U32, 1, ""),
    Channel::fixed("truck_ui.lightsAuxRoof", 116, U32, 1, ""),
    Channel::fixed("truck_ui.truck_wheelSubstance", 120, U32, 16, ""),
    Channel::fixed("truck_ui.hshifterPosition", 184, U32, 32, ""),
    Channel::fixed("truck_ui.hshifterBitmask", 312, U32, 32, ""),
    Channel::fixed("gameplay_ui.jobDeliveredDeliveryTime", 440, U32, 1, ""),
    Channel::fixed("gameplay_ui.jobStartingTime", 444, U32, 1, ""),
    Channel::fixed("gameplay_ui.jobFinishedTime", 448, U32, 1, ""),
    Channel::fixed("common_i.restStop", 500, I32, 1, "min"),
    Channel::fixed("truck_i.gear", 504, I32, 1, ""),
    Channel::fixed("truck_i.gearDashboard", 508, I32, 1, ""),
    Channel::fixed("truck_i.hshifterResulting", 512, I32, 32, ""),
    Channel::fixed("gameplay_i.jobDeliveredEarnedXp", 640, I32, 1, ""),
    Channel::fixed("common_f.scale", 700, F32, 1, ""),
    Channel::fixed("config_f.fuelCapacity", 704, F32, 1, "l"),
    Channel::fixed("config_f.fuelWarningFactor", 708, F32, 1, ""),
    Channel::fixed("config_f.adblueCapacity", 712, F32, 1, "l"),
    Channel::fixed("config_f.adblueWarningFactor", 716, F32, 1, ""),
    Channel::fixed("config_f.airPressureWarning", 720, F32, 1, "psi"),
    Channel::fixed("config_f.airPressurEmergency", 724, F32, 1, "psi"),
    Channel::fixed("config_f.oilPressureWarning", 728, F32, 1, "psi"),
    Channel::fixed("config_f.waterTemperatureWarning", 732, F32, 1, "degC"),
    Channel::fixed("config_f.batteryVoltageWarning", 736, F32, 1, "V"),
    Channel::fixed("config_f.engineRpmMax", 740, F32, 1, "rpm"),
    Channel::fixed("config_f.gearDifferential", 744, F32, 1, ""),
    Channel::fixed("config_f.cargoMass", 748, F32, 1, "kg"),
    Channel::fixed("config_f.truckWheelRadius", 752, F32, 16, "m"),
    Channel::fixed("config_f.gearRatiosForward", 816, F32, 24, ""),
    Channel::fixed("config_f.gearRatiosReverse", 912, F32, 8, ""),
    Channel::fixed("config_f.unitMass", 944, F32, 1, "kg"),
    Channel::fixed("truck_f.speed", 948, F32, 1, "m/s"),
    Channel::fixed("truck_f.engineRpm", 952, F32, 1, "rpm"),
    Channel::fixed("truck_f.userSteer", 956, F32, 1, ""),
    Channel::fixed("truck_f.userThrottle", 960, F32, 1, "ratio"),
    Channel::fixed("truck_f.userBrake", 964, F32, 1, "ratio"),
    Channel::fixed("truck_f.userClutch", 968, F32, 1, "ratio"),
    Channel::fixed("truck_f.gameSteer", 972, F32, 1, ""),
    Channel::fixed("truck_f.gameThrottle", 976, F32, 1, "ratio"),
    Channel::fixed("truck_f.gameBrake", 980, F32, 1, "ratio"),
    Channel::fixed("truck_f.gameClutch", 984, F32, 1, "ratio"),
    Channel::fixed("truck_f.cruiseControlSpeed", 988, F32, 1, "m/s"),
    Channel::fixed("truck_f.airPressure", 992, F32, 1, "psi"),
    Channel::fixed("truck_f.brakeTemperature", 996, F32, 1, "degC"),
    Channel::fixed("truck_f.fuel", 1000, F32, 1, "l"),
    Channel::fixed("truck_f.fuelAvgConsumption", 1004, F32, 1, "l/km"),
    Channel::fixed("truck_f.fuelRange", 1008, F32, 1, "km"),
    Channel::fixed("truck_f.adblue", 1012, F32, 1, "l"),
    Channel::fixed("truck_f.oilPressure", 1016, F32, 1, "psi"),
    Channel::fixed("truck_f.oilTemperature", 1020, F32, 1, "degC"),
    Channel::fixed("truck_f.waterTemperature", 1024, F32, 1, "degC"),
    Channel::fixed("truck_f.batteryVoltage", 1028, F32, 1, "V"),
    Channel::fixed("truck_f.lightsDashboard", 1032, F32, 1, ""),
    Channel::fixed("truck_f.wearEngine", 1036, F32, 1, "ratio"),
    Channel::fixed("truck_f.wearTransmission", 1040, F32, 1, "ratio"),
    Channel::fixed("truck_f.wearCabin", 1044, F32, 1, "ratio"),
    Channel::fixed("truck_f.wearChassis", 1048, F32, 1, "ratio"),
    Channel::fixed("truck_f.wearWheels", 1052, F32, 1, "ratio"),
    Channel::fixed("truck_f.truckOdometer", 1056, F32, 1, "km"),
    Channel::fixed("truck_f.routeDistance", 1060, F32, 1, "m"),
    Channel::fixed("truck_f.routeTime", 1064, F32, 1, "s"),
    Channel::fixed("truck_f.speedLimit", 1068, F32, 1, "m/s"),
    Channel::fixed("truck_f.truck_wheelSuspDeflection", 1072, F32, 16, "m"),
    Channel::fixed("truck_f.truck_wheelVelocity", 1136, F32, 16, "rev/s"),
    Channel::fixed("truck_f.truck_wheelSteering", 1200, F32, 16, "turn"),
    Channel::fixed("truck_f.truck_wheelRotation", 1264, F32, 16, "turn"),
    Channel::fixed("truck_f.truck_wheelLift", 1328, F32, 16, ""),
    Channel::fixed("truck_f.truck_wheelLiftOffset", 1392, F32, 16, ""),
    Channel::fixed("gameplay_f.jobDeliveredCargoDamage", 1456, F32, 1, "ratio"),
    Channel::fixed("gameplay_f.jobDeliveredDistanceKm", 1460, F32, 1, "km"),
    Channel::fixed("gameplay_f.refuelAmount", 1464, F32, 1, "l"),
    Channel::fixed("job_f.cargoDamage", 1468, F32, 1, "ratio"),
    Channel::fixed("config_b.truckWheelSteerable", 1500, Bool, 16, ""),
    Channel::fixed("config_b.truckWheelSimulated", 1516, Bool, 16, ""),
    Channel::fixed("config_b.truckWheelPowered", 1532, Bool, 16, ""),
    Channel::fixed("config_b.truckWheelLiftable", 1548, Bool, 16, ""),
    Channel::fixed("config_b.isCargoLoaded", 1564, Bool, 1, ""),
    Channel::fixed("config_b.specialJob", 1565, Bool, 1, ""),
    Channel::fixed("truck_b.parkBrake", 1566, Bool, 1, ""),
    Channel::fixed("truck_b.motorBrake", 1567, Bool, 1, ""),
    Channel::fixed("truck_b.airPressureWarning", 1568, Bool, 1, ""),
    Channel::fixed("truck_b.airPressureEmergency", 1569, Bool, 1, ""),
    Channel::fixed("truck_b.fuelWarning", 1570, Bool, 1, ""),
    Channel::fixed("truck_b.adblueWarning", 1571, Bool, 1, ""),
    Channel::fixed("truck_b.oilPressureWarning", 1572, Bool, 1, ""),
    Channel::fixed("truck_b.waterTemperatureWarning", 1573, Bool, 1, ""),
    Channel::fixed("truck_b.batteryVoltageWarning", 1574, Bool, 1, ""),
    Channel::fixed("truck_b.electricEnabled", 1575, Bool, 1, ""),
    Channel::fixed("truck_b.engineEnabled", 1576, Bool, 1, ""),
    Channel::fixed("truck_b.wipers", 1577, Bool, 1, ""),
    Channel::fixed("truck_b.blinkerLeftActive", 1578, Bool, 1, ""),
    Channel::fixed("truck_b.blinkerRightActive", 1579, Bool, 1, ""),
    Channel::fixed("truck_b.blinkerLeftOn", 1580, Bool, 1, ""),
    Channel::fixed("truck_b.blinkerRightOn", 1581, Bool, 1, ""),
    Channel::fixed("truck_b.lightsParking", 1582, Bool, 1, ""),
    Channel::fixed("truck_b.lightsBeamLow", 1583, Bool, 1, ""),
    Channel::fixed("truck_b.lightsBeamHigh", 1584, Bool, 1, ""),
    Channel::fixed("truck_b.lightsBeacon", 1585, Bool, 1, ""),
    Channel::fixed("truck_b.lightsBrake", 1586, Bool, 1, ""),
    Channel::fixed("truck_b.lightsReverse", 1587, Bool, 1, ""),
    Channel::fixed("truck_b.lightsHazard", 1588, Bool, 1, ""),
    Channel::fixed("truck_b.cruiseControl", 1589, Bool, 1, ""),
    Channel::fixed("truck_b.truck_wheelOnGround", 1590, Bool, 16, ""),
    Channel::fixed("truck_b.shifterToggle", 1606, Bool, 2, ""),
    Channel::fixed("truck_b.differentialLock", 1608, Bool, 1, ""),
    Channel::fixed("truck_b.liftAxle", 1609, Bool, 1, ""),
    Channel::fixed("truck_b.liftAxleIndicator", 1610, Bool, 1, ""),
    Channel::fixed("truck_b.trailerLiftAxle", 1611, Bool, 1, ""),
    Channel::fixed("truck_b.trailerLiftAxleIndicator", 1612, Bool, 1, ""),
    Channel::fixed("gameplay_b.jobDeliveredAutoparkUsed", 1613, Bool, 1, ""),
    Channel::fixed("gameplay_b.jobDeliveredAutoloadUsed", 1614, Bool, 1, ""),
    Channel::fixed("config_fv.cabinPosition", 1640, F32, 3, ""),
    Channel::fixed("config_fv.headPosition", 1652, F32, 3, ""),
    Channel::fixed("config_fv.truckHookPosition", 1664, F32, 3, ""),
    Channel::fixed("config_fv.truckWheelPosition", 1676, F32, 48, ""),
    Channel::fixed("truck_fv.lv_acceleration", 1868, F32, 3, "m/s"),
    Channel::fixed("truck_fv.av_acceleration", 1880, F32, 3, "rev/s"),
    Channel::fixed("truck_fv.acceleration", 1892, F32, 3, "m/s2"),
    Channel::fixed("truck_fv.aa_acceleration", 1904, F32, 3, "rev/s2"),
    Channel::fixed("truck_fv.cabinAV", 1916, F32, 3, "rev/s"),
    Channel::fixed("truck_fv.cabinAA", 1928, F32, 3, "rev/s2"),
    Channel::fixed("truck_fp.cabinOffset", 2000, F32, 3, ""),
    Channel::fixed("truck_fp.cabinOffsetrotation", 2012, F32, 3, ""),
    Channel::fixed("truck_fp.headOffset", 2024, F32, 3, ""),
    Channel::fixed("truck_fp.headOffsetrotation", 2036, F32, 3, ""),
    Channel::fixed("truck_dp.coordinate", 2200, F64, 3, "m"),
    Channel::fixed("truck_dp.rotation", 2224, F64, 3, "turn"),
    Channel::fixed("config_s.truckBrandId", 2300, Char, 64, ""),
    Channel::fixed("config_s.truckBrand", 2364, Char, 64, ""),
    Channel::fixed("config_s.truckId", 2428, Char, 64, ""),
    Channel::fixed("config_s.truckName", 2492, Char, 64, ""),
    Channel::fixed("config_s.cargoId", 2556, Char, 64, ""),
    Channel::fixed("config_s.cargo", 2620, Char, 64, ""),
    Channel::fixed("config_s.cityDstId", 2684, Char, 64, ""),
    Channel::fixed("config_s.cityDst", 2748, Char, 64, ""),
    Channel::fixed("config_s.compDstId", 2812, Char, 64, ""),
    Channel::fixed("config_s.compDst", 2876, Char, 64, ""),
    Channel::fixed("config_s.citySrcId", 2940, Char, 64, ""),
    Channel::fixed("config_s.citySrc", 3004, Char, 64, ""),
    Channel::fixed("config_s.compSrcId", 3068, Char, 64, ""),
    Channel::fixed("config_s.compSrc", 3132, Char, 64, ""),
    Channel::fixed("config_s.shifterType", 3196, Char, 16, ""),
    Channel::fixed("config_s.truckLicensePlate", 3212, Char, 64, ""),
    Channel::fixed("config_s.truckLicensePlateCountryId", 3276, Char, 64, ""),
    Channel::fixed("config_s.truckLicensePlateCountry", 3340, Char, 64, ""),
    Channel::fixed("config_s.jobMarket", 3404, Char, 32, ""),
    Channel::fixed("gameplay_s.fineOffence", 3436, Char, 32, ""),
    Channel::fixed("gameplay_s.ferrySourceName", 3468, Char, 64, ""),
    Channel::fixed("gameplay_s.ferryTargetName", 3532, Char, 64, ""),
    Channel::fixed("gameplay_s.ferrySourceId", 3596, Char, 64, ""),
    Channel::fixed("gameplay_s.ferryTargetId", 3660, Char, 64, ""),
    Channel::fixed("gameplay_s.trainSourceName", 3724, Char, 64, ""),
    Channel::fixed("gameplay_s.trainTargetName", 3788, Char, 64, ""),
    Channel::fixed("gameplay_s.trainSourceId", 3852, Char, 64, ""),
    Channel::fixed("gameplay_s.trainTargetId", 3916, Char, 64, ""),
    Channel::fixed("config_ull.jobIncome", 4000, U64, 1, ""),
    Channel::fixed("gameplay_ll.jobCancelledPenalty", 4200, I64, 1, ""),
    Channel::fixed("gameplay_ll.jobDeliveredRevenue", 4208, I64, 1, ""),
    Channel::fixed("gameplay_ll.fineAmount", 4216, I64, 1, ""),
    Channel::fixed("gameplay_ll.tollgatePayAmount", 4224, I64, 1, ""),
    Channel::fixed("gameplay_ll.ferryPayAmount", 4232, I64, 1, ""),
    Channel::fixed("gameplay_ll.trainPayAmount", 4240, I64, 1, ""),
    Channel::fixed("special_b.onJob", 4300, Bool, 1, ""),
    Channel::fixed("special_b.jobFinished", 4301, Bool, 1, ""),
    Channel::fixed("special_b.jobCancelled", 4302, Bool, 1, ""),
    Channel::fixed("special_b.jobDelivered", 4303, Bool, 1, ""),
    Channel::fixed("special_b.fined", 4304, Bool, 1, ""),
    Channel::fixed("special_b.tollgate", 4305, Bool, 1, ""),
    Channel::fixed("special_b.ferry", 4306, Bool, 1, ""),
    Channel::fixed("special_b.train", 4307, Bool, 1, ""),
    Channel::fixed("special_b.refuel", 4308, Bool, 1, ""),
    Channel::fixed("special_b.refuelPayed", 4309, Bool, 1, ""),
];

/// The entry of a trailer.
const TRAILER: &[Channel] = &[
    Channel::fixed("con_b.wheelSteerable", 0, Bool, 16, ""),
    Channel::fixed("con_b.wheelSimulated", 16, Bool, 16, ""),
    Channel::fixed("con_b.wheelPowered", 32, Bool, 16, ""),
    Channel::fixed("con_b.wheelLiftable", 48, Bool, 16, ""),
    Channel::fixed("com_b.wheelOnGround", 64, Bool, 16, ""),
    Channel::fixed("com_b.attached", 80, Bool, 1, ""),
    Channel::fixed("com_ui.wheelSubstance", 84, U32, 16, ""),
    Channel::fixed("con_ui.wheelCount", 148, U32, 1, ""),
    Channel::fixed("com_f.cargoDamage", 152, F32, 1, "ratio"),
    Channel::fixed("com_f.wearChassis", 156, F32, 1, "ratio"),
    Channel::fixed("com_f.wearWheels", 160, F32, 1, "ratio"),
    Channel::fixed("com_f.wearBody", 164, F32, 1, "ratio"),
    Channel::fixed("com_f.wheelSuspDeflection", 168, F32, 16, "m"),
    Channel::fixed("com_f.wheelVelocity", 232, F32, 16, "rev/s"),
    Channel::fixed("com_f.wheelSteering", 296, F32, 16, "turn"),
    Channel::fixed("com_f.wheelRotation", 360, F32, 16, "turn"),
    Channel::fixed("com_f.wheelLift", 424, F32, 16, ""),
    Channel::fixed("com_f.wheelLiftOffset", 488, F32, 16, ""),
    Channel::fixed("con_f.wheelRadius", 552, F32, 16, "m"),
    Channel::fixed("com_fv.linearVelocity", 616, F32, 3, "m/s"),
    Channel::fixed("com_fv.angularVelocity", 628, F32, 3, "rev/s"),
    Channel::fixed("com_fv.linearAcceleration", 640, F32, 3, "m/s2"),
    Channel::fixed("com_fv.angularAcceleration", 652, F32, 3, "rev/s2"),
    Channel::fixed("con_fv.hookPosition", 664, F32, 3, ""),
    Channel::fixed("con_fv.wheelPosition", 676, F32, 48, ""),
    Channel::fixed("com_dp.world", 872, F64, 3, "m"),
    Channel::fixed("com_dp.rotation", 896, F64, 3, "turn"),
    Channel::fixed("con_s.id", 920, Char, 64, ""),
    Channel::fixed("con_s.cargoAcessoryId", 984, Char, 64, ""),
    Channel::fixed("con_s.bodyType", 1048, Char, 64, ""),
    Channel::fixed("con_s.brandId", 1112, Char, 64, ""),
    Channel::fixed("con_s.brand", 1176, Char, 64, ""),
    Channel::fixed("con_s.name", 1240, Char, 64, ""),
    Channel::fixed("con_s.chainType", 1304, Char, 64, ""),
    Channel::fixed("con_s.licensePlate", 1368, Char, 64, ""),
    Channel::fixed("con_s.licensePlateCountry", 1432, Char, 64, ""),
    Channel::fixed("con_s.licensePlateCountryId", 1496, Char, 64, ""),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_games_have_both_tables() {
        for layouts in [layouts(), american_layouts()] {
            let lengths: Vec<u32> = layouts.iter().map(|layout| layout.frame_bytes()).collect();
            assert_eq!(lengths, [REVISION_12_BYTES, REVISION_10_BYTES]);
            let offset = |layout: usize, name: &str| layouts[layout].channel(name).map(|channel| channel.offset);
            assert_eq!((offset(0, "truck_b.cruiseControl"), offset(1, "truck_b.cruiseControl")), (Some(1589), None));
            assert_eq!(offset(0, "trailer[9].con_s.id"), Some(6000 + 9 * 1560 + 920));
            assert_eq!(offset(1, "trailer[9].con_s.id"), Some(6000 + 9 * 1552 + 912));
            assert_eq!(offset(1, "trailer[1].com_f.wheelSuspDeflection"), Some(6000 + 1552 + 164));
            assert_eq!(offset(1, "trailer[0].com_f.wearBody"), None);
        }
    }
}
