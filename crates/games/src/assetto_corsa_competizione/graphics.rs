//! The graphics page, 1588 or 1580 bytes: session, laps, opponents and settings. Its first 252 bytes are those of
//! [Assetto Corsa](ac::GraphicsHead).
use std::ops::{Deref, DerefMut};

use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::ac::{self, GraphicsHead};
use crate::layout::Kind::{Char16, F32, I32};
use crate::layout::{Channel, Layout, joined};
use crate::text::Utf16;
use crate::typed::{Frame, TypedStream};

/// Layout of the newest version.
pub static GRAPHICS_1588: Layout = Layout::from_table("acc-graphics-1588", 1588, CHANNELS);

/// Layout before `gapAhead` and `gapBehind` were appended.
pub static GRAPHICS_1580: Layout =
    Layout::from_table("acc-graphics-1580", 1580, CHANNELS.split_at(CHANNELS.len() - 2).0);

pub(crate) const CHANNELS: &[Channel] = &joined::<{ ac::GRAPHICS_HEAD.len() + TAIL.len() }>(ac::GRAPHICS_HEAD, TAIL);

const TAIL: &[Channel] = &[
    Channel::fixed("activeCars", 252, I32, 1, ""),
    Channel::fixed("carCoordinates", 256, F32, 180, "m"),
    Channel::fixed("carID", 976, I32, 60, ""),
    Channel::fixed("playerCarID", 1216, I32, 1, ""),
    Channel::fixed("penaltyTime", 1220, F32, 1, ""),
    Channel::fixed("flag", 1224, I32, 1, ""),
    Channel::fixed("penalty", 1228, I32, 1, ""),
    Channel::fixed("idealLineOn", 1232, I32, 1, ""),
    Channel::fixed("isInPitLane", 1236, I32, 1, ""),
    Channel::fixed("surfaceGrip", 1240, F32, 1, ""),
    Channel::fixed("mandatoryPitDone", 1244, I32, 1, ""),
    Channel::fixed("windSpeed", 1248, F32, 1, "m/s"),
    Channel::fixed("windDirection", 1252, F32, 1, "rad"),
    Channel::fixed("isSetupMenuVisible", 1256, I32, 1, ""),
    Channel::fixed("mainDisplayIndex", 1260, I32, 1, ""),
    Channel::fixed("secondaryDisplayIndex", 1264, I32, 1, ""),
    Channel::fixed("TC", 1268, I32, 1, ""),
    Channel::fixed("TCCut", 1272, I32, 1, ""),
    Channel::fixed("EngineMap", 1276, I32, 1, ""),
    Channel::fixed("ABS", 1280, I32, 1, ""),
    Channel::fixed("fuelXLap", 1284, F32, 1, "l"),
    Channel::fixed("rainLights", 1288, I32, 1, ""),
    Channel::fixed("flashingLights", 1292, I32, 1, ""),
    Channel::fixed("lightsStage", 1296, I32, 1, ""),
    Channel::fixed("exhaustTemperature", 1300, F32, 1, "degC"),
    Channel::fixed("wiperLV", 1304, I32, 1, ""),
    Channel::fixed("driverStintTotalTimeLeft", 1308, I32, 1, "ms"),
    Channel::fixed("driverStintTimeLeft", 1312, I32, 1, "ms"),
    Channel::fixed("rainTyres", 1316, I32, 1, ""),
    Channel::fixed("sessionIndex", 1320, I32, 1, ""),
    Channel::fixed("usedFuel", 1324, F32, 1, "l"),
    Channel::fixed("deltaLapTime", 1328, Char16, 15, ""),
    Channel::fixed("iDeltaLapTime", 1360, I32, 1, "ms"),
    Channel::fixed("estimatedLapTime", 1364, Char16, 15, ""),
    Channel::fixed("iEstimatedLapTime", 1396, I32, 1, "ms"),
    Channel::fixed("isDeltaPositive", 1400, I32, 1, ""),
    Channel::fixed("iSplit", 1404, I32, 1, "ms"),
    Channel::fixed("isValidLap", 1408, I32, 1, ""),
    Channel::fixed("fuelEstimatedLaps", 1412, F32, 1, ""),
    Channel::fixed("trackStatus", 1416, Char16, 33, ""),
    Channel::fixed("missingMandatoryPits", 1484, I32, 1, ""),
    Channel::fixed("clock", 1488, F32, 1, "s"),
    Channel::fixed("directionLightsLeft", 1492, I32, 1, ""),
    Channel::fixed("directionLightsRight", 1496, I32, 1, ""),
    Channel::fixed("globalYellow", 1500, I32, 1, ""),
    Channel::fixed("globalYellow1", 1504, I32, 1, ""),
    Channel::fixed("globalYellow2", 1508, I32, 1, ""),
    Channel::fixed("globalYellow3", 1512, I32, 1, ""),
    Channel::fixed("globalWhite", 1516, I32, 1, ""),
    Channel::fixed("globalGreen", 1520, I32, 1, ""),
    Channel::fixed("globalChequered", 1524, I32, 1, ""),
    Channel::fixed("globalRed", 1528, I32, 1, ""),
    Channel::fixed("mfdTyreSet", 1532, I32, 1, ""),
    Channel::fixed("mfdFuelToAdd", 1536, F32, 1, "l"),
    Channel::fixed("mfdTyrePressureLF", 1540, F32, 1, "psi"),
    Channel::fixed("mfdTyrePressureRF", 1544, F32, 1, "psi"),
    Channel::fixed("mfdTyrePressureLR", 1548, F32, 1, "psi"),
    Channel::fixed("mfdTyrePressureRR", 1552, F32, 1, "psi"),
    Channel::fixed("trackGripStatus", 1556, I32, 1, ""),
    Channel::fixed("rainIntensity", 1560, I32, 1, ""),
    Channel::fixed("rainIntensityIn10min", 1564, I32, 1, ""),
    Channel::fixed("rainIntensityIn30min", 1568, I32, 1, ""),
    Channel::fixed("currentTyreSet", 1572, I32, 1, ""),
    Channel::fixed("strategyTyreSet", 1576, I32, 1, ""),
    Channel::fixed("gapAhead", 1580, I32, 1, "ms"),
    Channel::fixed("gapBehind", 1584, I32, 1, "ms"),
];

/// The page of the newest version. Dereferences to [`GraphicsHead`].
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Graphics {
    /// The first 252 bytes.
    pub head: GraphicsHead,
    /// Cars on the track.
    pub active_cars: i32,
    /// World positions of the cars, m.
    pub car_coordinates: [[f32; 3]; 60],
    /// Car id of each entry of `car_coordinates`.
    pub car_id: [i32; 60],
    /// Car id of the player, to be found in `car_id`.
    pub player_car_id: i32,
    /// Penalty time.
    pub penalty_time: f32,
    /// 0 none, 1 blue, 2 yellow, 3 black, 4 white, 5 chequered, 6 penalty, 7 green, 8 orange.
    pub flag: i32,
    /// Penalty type.
    pub penalty: i32,
    /// 1 while the ideal line is shown.
    pub ideal_line_on: i32,
    /// 1 while the car is in the pit lane.
    pub is_in_pit_lane: i32,
    /// Always 0.
    pub surface_grip: f32,
    /// 1 once the mandatory pit stop is done.
    pub mandatory_pit_done: i32,
    /// Wind speed, m/s.
    pub wind_speed: f32,
    /// Direction that the wind comes from, rad.
    pub wind_direction: f32,
    /// 1 while the setup menu is open.
    pub is_setup_menu_visible: i32,
    /// Page of the main display.
    pub main_display_index: i32,
    /// Page of the secondary display.
    pub secondary_display_index: i32,
    /// Traction control level.
    pub tc: i32,
    /// Second traction control level (cut).
    pub tc_cut: i32,
    /// Engine map.
    pub engine_map: i32,
    /// Anti-lock brake level.
    pub abs: i32,
    /// Fuel per lap, l.
    pub fuel_x_lap: f32,
    /// 1 while the rain lights are on.
    pub rain_lights: i32,
    /// 1 while the lights flash.
    pub flashing_lights: i32,
    /// Light stage.
    pub lights_stage: i32,
    /// Exhaust temperature, °C.
    pub exhaust_temperature: f32,
    /// Wiper stage.
    pub wiper_lv: i32,
    /// Total driving time left for the driver, ms.
    pub driver_stint_total_time_left: i32,
    /// Stint time left, ms.
    pub driver_stint_time_left: i32,
    /// 1 if rain tyres are fitted.
    pub rain_tyres: i32,
    /// Index of the session within the race weekend.
    pub session_index: i32,
    /// Fuel used, l.
    pub used_fuel: f32,
    /// Delta to the best lap, as text.
    pub delta_lap_time: Utf16<15>,
    /// Padding.
    pub pad_1358: [u8; 2],
    /// Delta to the best lap, ms.
    pub i_delta_lap_time: i32,
    /// Estimated lap time, as text.
    pub estimated_lap_time: Utf16<15>,
    /// Padding.
    pub pad_1394: [u8; 2],
    /// Estimated lap time, ms.
    pub i_estimated_lap_time: i32,
    /// 1 if the delta is positive.
    pub is_delta_positive: i32,
    /// Last split, ms.
    pub i_split: i32,
    /// 1 while the current lap is valid.
    pub is_valid_lap: i32,
    /// Laps that the fuel lasts for.
    pub fuel_estimated_laps: f32,
    /// Track status.
    pub track_status: Utf16<33>,
    /// Padding.
    pub pad_1482: [u8; 2],
    /// Mandatory pit stops still to be made.
    pub missing_mandatory_pits: i32,
    /// Time of day, s.
    pub clock: f32,
    /// 1 while the left indicator is on.
    pub direction_lights_left: i32,
    /// 1 while the right indicator is on.
    pub direction_lights_right: i32,
    /// 1 while a yellow flag is out.
    pub global_yellow: i32,
    /// 1 while sector 1 is under yellow.
    pub global_yellow_1: i32,
    /// 1 while sector 2 is under yellow.
    pub global_yellow_2: i32,
    /// 1 while sector 3 is under yellow.
    pub global_yellow_3: i32,
    /// 1 while a white flag is out.
    pub global_white: i32,
    /// 1 while a green flag is out.
    pub global_green: i32,
    /// 1 while the chequered flag is out.
    pub global_chequered: i32,
    /// 1 while a red flag is out.
    pub global_red: i32,
    /// Tyre set selected for the pit stop.
    pub mfd_tyre_set: i32,
    /// Fuel selected for the pit stop, l.
    pub mfd_fuel_to_add: f32,
    /// Pressure selected for the pit stop, front left, psi.
    pub mfd_tyre_pressure_lf: f32,
    /// Pressure selected for the pit stop, front right, psi.
    pub mfd_tyre_pressure_rf: f32,
    /// Pressure selected for the pit stop, rear left, psi.
    pub mfd_tyre_pressure_lr: f32,
    /// Pressure selected for the pit stop, rear right, psi.
    pub mfd_tyre_pressure_rr: f32,
    /// 0 green, 1 fast, 2 optimum, 3 greasy, 4 damp, 5 wet, 6 flooded.
    pub track_grip_status: i32,
    /// 0 none, 1 drizzle, 2 light, 3 medium, 4 heavy, 5 thunderstorm.
    pub rain_intensity: i32,
    /// Rain intensity in 10 minutes.
    pub rain_intensity_in_10min: i32,
    /// Rain intensity in 30 minutes.
    pub rain_intensity_in_30min: i32,
    /// Tyre set on the car.
    pub current_tyre_set: i32,
    /// Tyre set planned by the strategy.
    pub strategy_tyre_set: i32,
    /// Gap to the car ahead, ms.
    pub gap_ahead: i32,
    /// Gap to the car behind, ms.
    pub gap_behind: i32,
}

const _: () = assert!(size_of::<Graphics>() == 1588);

impl Deref for Graphics {
    type Target = GraphicsHead;

    fn deref(&self) -> &GraphicsHead {
        &self.head
    }
}

impl DerefMut for Graphics {
    fn deref_mut(&mut self) -> &mut GraphicsHead {
        &mut self.head
    }
}

impl Default for Graphics {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl Frame for Graphics {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::GRAPHICS)
    }
}
