//! Variables that samples are made of: looked up by name once per layout, then read by offset.
use crate::bytes::{f32_at, f64_at, i32_at};
use crate::layout::{Kind, Layout};

/// Front left, front right, rear left, rear right, as the game abbreviates them.
const WHEELS: [&str; 4] = ["LF", "RF", "LR", "RR"];

/// One variable; empty if the layout has none of that name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowVar(Option<Found>);

#[derive(Debug, Clone, Copy)]
struct Found {
    offset: usize,
    kind: Kind,
    count: usize,
    /// Conversion factor from the game's unit.
    factor: f64,
}

impl RowVar {
    pub(super) fn of(layout: &Layout, name: &str) -> Self {
        Self(layout.channel(name).map(|channel| Found {
            offset: channel.offset as usize,
            kind: channel.kind,
            count: channel.count as usize,
            factor: if channel.unit == "Pa" { 0.001 } else { 1.0 },
        }))
    }

    /// Returns the value as a number, whatever its kind; pressures in kPa. `None` unless it is finite.
    pub(super) fn number(self, row: &[u8]) -> Option<f64> {
        let found = self.0?;
        let value = match found.kind {
            Kind::F32 => f32_at(row, found.offset)?.into(),
            Kind::F64 => f64_at(row, found.offset)?,
            Kind::I32 | Kind::Bits32 => i32_at(row, found.offset)?.into(),
            Kind::Bool => f64::from(*row.get(found.offset)? != 0),
            _ => return None,
        };
        Some(value * found.factor).filter(|value| value.is_finite())
    }

    /// Returns the value in single precision.
    pub(super) fn f32(self, row: &[u8]) -> Option<f32> {
        self.number(row).map(|value| value as f32).filter(|value| value.is_finite())
    }

    /// Returns the value as an integer; a fraction is truncated.
    pub(super) fn whole(self, row: &[u8]) -> Option<i32> {
        self.number(row).filter(|value| value.abs() < 2_147_483_648.0).map(|value| value as i32)
    }

    /// Returns whether the value is nonzero.
    pub(super) fn is(self, row: &[u8]) -> Option<bool> {
        self.number(row).map(|value| value != 0.0)
    }

    /// Returns the values of an integer array.
    pub(super) fn wholes(self, row: &[u8]) -> Option<impl Iterator<Item = i32> + '_> {
        let found = self.0.filter(|found| matches!(found.kind, Kind::I32 | Kind::Bits32))?;
        Some((0..found.count).map_while(move |index| i32_at(row, found.offset + index * 4)))
    }
}

/// All variables that samples are made of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SampleVars {
    pub(super) is_on_track: RowVar,
    pub(super) is_on_track_car: RowVar,
    pub(super) is_replay: RowVar,
    pub(super) replay_frames_behind: RowVar,
    pub(super) track_surface: RowVar,
    pub(super) on_pit_road: RowVar,
    pub(super) in_pit_stall: RowVar,
    pub(super) speed: RowVar,
    pub(super) rpm: RowVar,
    pub(super) gear: RowVar,
    pub(super) throttle: RowVar,
    pub(super) brake: RowVar,
    pub(super) clutch: RowVar,
    pub(super) steering: RowVar,
    pub(super) lap_share: RowVar,
    pub(super) lap_distance: RowVar,
    pub(super) latitude: RowVar,
    pub(super) longitude: RowVar,
    pub(super) altitude: RowVar,
    pub(super) lateral: RowVar,
    pub(super) vertical: RowVar,
    pub(super) longitudinal: RowVar,
    pub(super) heading: RowVar,
    pub(super) pitch: RowVar,
    pub(super) roll: RowVar,
    pub(super) fuel: RowVar,
    pub(super) abs_active: RowVar,
    pub(super) abs_level: RowVar,
    pub(super) tc_level: RowVar,
    pub(super) lap_time: RowVar,
    pub(super) last_lap: RowVar,
    pub(super) best_lap: RowVar,
    pub(super) time_left: RowVar,
    pub(super) laps_completed: RowVar,
    pub(super) race_position: RowVar,
    pub(super) surfaces_of_cars: RowVar,
    pub(super) flags: RowVar,
    pub(super) air: RowVar,
    pub(super) track: RowVar,
    pub(super) wheels: [WheelVars; 4],
}

/// The variables of one wheel. Left and right of a tyre are as seen by the driver.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WheelVars {
    pub(super) surface: [RowVar; 3],
    pub(super) carcass: [RowVar; 3],
    pub(super) tread: [RowVar; 3],
    pub(super) pressure: RowVar,
    pub(super) brake: RowVar,
    pub(super) shock: RowVar,
}

impl SampleVars {
    pub(super) fn of(layout: &Layout) -> Self {
        let at = |name: &str| RowVar::of(layout, name);
        let or = |name: &str, other: &str| if layout.channel(name).is_some() { at(name) } else { at(other) };
        Self {
            is_on_track: at("IsOnTrack"),
            is_on_track_car: at("IsOnTrackCar"),
            is_replay: at("IsReplayPlaying"),
            replay_frames_behind: at("ReplayFrameNumEnd"),
            track_surface: at("PlayerTrackSurface"),
            on_pit_road: at("OnPitRoad"),
            in_pit_stall: at("PlayerCarInPitStall"),
            speed: at("Speed"),
            rpm: at("RPM"),
            gear: at("Gear"),
            throttle: at("Throttle"),
            brake: at("Brake"),
            clutch: at("Clutch"),
            steering: at("SteeringWheelAngle"),
            lap_share: at("LapDistPct"),
            lap_distance: at("LapDist"),
            latitude: at("Lat"),
            longitude: at("Lon"),
            altitude: at("Alt"),
            lateral: at("LatAccel"),
            vertical: at("VertAccel"),
            longitudinal: at("LongAccel"),
            heading: or("YawNorth", "Yaw"),
            pitch: at("Pitch"),
            roll: at("Roll"),
            fuel: at("FuelLevel"),
            abs_active: at("BrakeABSactive"),
            abs_level: at("dcABS"),
            tc_level: at("dcTractionControl"),
            lap_time: at("LapCurrentLapTime"),
            last_lap: at("LapLastLapTime"),
            best_lap: at("LapBestLapTime"),
            time_left: at("SessionTimeRemain"),
            laps_completed: at("LapCompleted"),
            race_position: at("PlayerCarPosition"),
            surfaces_of_cars: at("CarIdxTrackSurface"),
            flags: at("SessionFlags"),
            air: at("AirTemp"),
            track: or("TrackTempCrew", "TrackTemp"),
            wheels: WHEELS.map(|wheel| WheelVars::of(layout, wheel)),
        }
    }
}

impl WheelVars {
    fn of(layout: &Layout, wheel: &str) -> Self {
        let at = |name: &str| RowVar::of(layout, &format!("{wheel}{name}"));
        Self {
            surface: ["tempL", "tempM", "tempR"].map(at),
            carcass: ["tempCL", "tempCM", "tempCR"].map(at),
            tread: ["wearL", "wearM", "wearR"].map(at),
            pressure: at("pressure"),
            brake: at("brakeTemp"),
            shock: at("shockDefl"),
        }
    }
}
