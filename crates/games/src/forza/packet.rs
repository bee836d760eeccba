//! A datagram, with its fields at the offsets of its length.
use super::Series;
use crate::bytes::{array_at, f32_at, i32_at};
use crate::sane::finite;

/// Offsets in every datagram.
const IS_RACE_ON: usize = 0;
const TIMESTAMP: usize = 4;
pub(super) const MAX_RPM: usize = 8;
pub(super) const IDLE_RPM: usize = 12;
pub(super) const RPM: usize = 16;
pub(super) const ACCELERATION: usize = 20;
pub(super) const YAW: usize = 56;
pub(super) const PITCH: usize = 60;
pub(super) const ROLL: usize = 64;
pub(super) const WHEEL_ROTATION: usize = 100;
const RUMBLE_STRIP: usize = 116;
pub(super) const COMBINED_SLIP: usize = 180;
pub(super) const SUSPENSION: usize = 196;
const CAR: usize = 212;
const CLASS: usize = 216;
const PERFORMANCE: usize = 220;
const DRIVETRAIN: usize = 224;
const CYLINDERS: usize = 228;

/// Where the "Dash" block begins in datagrams of Horizon.
const HORIZON_DASH: usize = 244;

/// Offsets from the start of the "Dash" block.
pub(super) const POSITION: usize = 0;
pub(super) const SPEED: usize = 12;
pub(super) const TIRE_TEMP: usize = 24;
pub(super) const DISTANCE: usize = 48;
pub(super) const BEST_LAP: usize = 52;
pub(super) const LAST_LAP: usize = 56;
pub(super) const CURRENT_LAP: usize = 60;
pub(super) const RACE_TIME: usize = 64;
const LAP_NUMBER: usize = 68;
pub(super) const RACE_POSITION: usize = 70;
pub(super) const ACCEL: usize = 71;
pub(super) const BRAKE: usize = 72;
pub(super) const CLUTCH: usize = 73;
pub(super) const GEAR: usize = 75;
pub(super) const STEER: usize = 76;

/// Offsets in datagrams of 331 bytes.
pub(super) const TIRE_WEAR: usize = 311;
const TRACK: usize = 327;

/// A datagram of a known length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet<'a> {
    bytes: &'a [u8],
    /// Where the "Dash" block begins.
    dash: Option<usize>,
}

/// The car, as the game numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CarId {
    pub(super) ordinal: i32,
    pub(super) class: i32,
    pub(super) performance: i32,
}

impl<'a> Packet<'a> {
    /// Returns `None` if no game of the series sends datagrams of this length.
    pub(super) fn of(series: Series, bytes: &'a [u8]) -> Option<Self> {
        let dash = match (series, bytes.len()) {
            (Series::Motorsport, 232) => None,
            (Series::Motorsport, 311 | 331) => Some(232),
            (Series::Horizon, 323 | 324) => Some(HORIZON_DASH),
            _ => return None,
        };
        Some(Self { bytes, dash })
    }

    fn is_horizon(self) -> bool {
        self.dash == Some(HORIZON_DASH)
    }

    pub(super) fn is_race_on(self) -> bool {
        i32_at(self.bytes, IS_RACE_ON) == Some(1)
    }

    /// The console's clock, which also runs while the game is paused. It wraps.
    pub(super) fn timestamp_ms(self) -> u32 {
        array_at(self.bytes, TIMESTAMP).map_or(0, u32::from_le_bytes)
    }

    pub(super) fn has_dash(self) -> bool {
        self.dash.is_some()
    }

    /// Returns a number of the part that all lengths have; `None` if it is NaN or infinite.
    pub(super) fn sled(self, offset: usize) -> Option<f32> {
        f32_at(self.bytes, offset).and_then(finite)
    }

    /// Returns a number of the "Dash" block; `None` if it is missing, NaN or infinite.
    pub(super) fn dash(self, offset: usize) -> Option<f32> {
        f32_at(self.bytes, self.dash? + offset).and_then(finite)
    }

    pub(super) fn dash_byte(self, offset: usize) -> Option<u8> {
        self.bytes.get(self.dash? + offset).copied()
    }

    /// Completed laps.
    pub(super) fn lap_number(self) -> Option<u16> {
        array_at(self.bytes, self.dash? + LAP_NUMBER).map(u16::from_le_bytes)
    }

    /// World position.
    pub(super) fn world_m(self) -> Option<[f32; 3]> {
        let [x, y, z] = [0, 4, 8].map(|axis| self.dash(POSITION + axis));
        Some([x?, y?, z?]).filter(|place| *place != [0.0; 3])
    }

    /// The car; `None` while there is none.
    pub(super) fn car(self) -> Option<CarId> {
        let [ordinal, class, performance] = [CAR, CLASS, PERFORMANCE].map(|at| i32_at(self.bytes, at));
        let car = CarId { ordinal: ordinal?, class: class?, performance: performance? };
        Some(car).filter(|car| car.ordinal > 0)
    }

    /// The track, only in datagrams of Motorsport (2023). While not driving, the field holds 0, which is also the number of a track.
    pub(super) fn track(self) -> Option<i32> {
        i32_at(self.bytes, TRACK).filter(|_| self.bytes.len() == 331 && self.is_race_on())
    }

    /// Returns whether the player is in an event. Horizon also sends in free roam, with the clocks at 0 and without a race position.
    /// World Time Attack looks the same: it fills no lap field.
    pub(super) fn is_event(self) -> bool {
        let clocks = [CURRENT_LAP, RACE_TIME].map(|at| self.dash(at));
        !self.is_horizon()
            || self.dash_byte(RACE_POSITION).is_some_and(|position| position > 0)
            || self.lap_number().is_some_and(|lap| lap > 0)
            || clocks.into_iter().flatten().any(|seconds| seconds > 0.0)
    }

    /// Returns whether this is certainly a datagram of the game. The length alone is not enough, and there is no magic number.
    pub(super) fn is_certain(self) -> bool {
        self.is_pause() || self.is_plausible()
    }

    /// Every field is 0 except the time.
    fn is_pause(self) -> bool {
        let behind = self.bytes.get(TIMESTAMP + 4..).unwrap_or_default();
        self.timestamp_ms() != 0 && i32_at(self.bytes, IS_RACE_ON) == Some(0) && behind.iter().all(|byte| *byte == 0)
    }

    fn is_plausible(self) -> bool {
        let whole = |at: usize, within: std::ops::RangeInclusive<i32>| {
            i32_at(self.bytes, at).is_some_and(|value| within.contains(&value))
        };
        let number = |at: usize, within: std::ops::RangeInclusive<f32>| {
            f32_at(self.bytes, at).is_some_and(|value| within.contains(&value))
        };
        let speed = self.dash.is_none_or(|dash| number(dash + SPEED, 0.0..=1_000.0));
        whole(IS_RACE_ON, 0..=1)
            && [MAX_RPM, IDLE_RPM, RPM].into_iter().all(|at| number(at, 0.0..=100_000.0))
            && self.sled(IDLE_RPM) <= self.sled(MAX_RPM)
            // Acceleration, velocity and rotation.
            && (0..9).all(|axis| number(ACCELERATION + axis * 4, -10_000.0..=10_000.0))
            && [YAW, PITCH, ROLL].into_iter().all(|at| number(at, -6.3..=6.3))
            && (0..4).all(|wheel| whole(RUMBLE_STRIP + wheel * 4, 0..=1))
            && whole(CAR, 0..=1_000_000)
            && whole(CLASS, 0..=8)
            && whole(PERFORMANCE, 0..=999)
            && whole(DRIVETRAIN, 0..=2)
            && whole(CYLINDERS, 0..=64)
            // While driving, the time is set, and so is the engine speed limit or the car.
            && (self.timestamp_ms() != 0 && (number(MAX_RPM, 1.0..=100_000.0) || whole(CAR, 1..=1_000_000)))
            && speed
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables::layout_of;
    use super::*;

    #[test]
    fn offsets_are_those_of_the_tables() {
        for (bytes, dash) in [(232, None), (311, Some(232)), (331, Some(232)), (323, Some(244)), (324, Some(244))] {
            let layout = layout_of(bytes).unwrap();
            assert_eq!(layout.frame_bytes(), u32::from(bytes));
            let at = |name: &str| layout.channel(name).map(|channel| channel.offset as usize);
            for (name, offset) in [
                ("IsRaceOn", IS_RACE_ON),
                ("TimestampMS", TIMESTAMP),
                ("EngineMaxRpm", MAX_RPM),
                ("EngineIdleRpm", IDLE_RPM),
                ("CurrentEngineRpm", RPM),
                ("Acceleration", ACCELERATION),
                ("Yaw", YAW),
                ("Pitch", PITCH),
                ("Roll", ROLL),
                ("WheelRotationSpeed", WHEEL_ROTATION),
                ("WheelOnRumbleStrip", RUMBLE_STRIP),
                ("TireCombinedSlip", COMBINED_SLIP),
                ("SuspensionTravelMeters", SUSPENSION),
                ("CarOrdinal", CAR),
                ("CarClass", CLASS),
                ("CarPerformanceIndex", PERFORMANCE),
                ("DrivetrainType", DRIVETRAIN),
                ("NumCylinders", CYLINDERS),
            ] {
                assert_eq!(at(name), Some(offset), "{name} of {bytes}");
            }
            for (name, offset) in [
                ("Position", POSITION),
                ("Speed", SPEED),
                ("TireTemp", TIRE_TEMP),
                ("DistanceTraveled", DISTANCE),
                ("BestLap", BEST_LAP),
                ("LastLap", LAST_LAP),
                ("CurrentLap", CURRENT_LAP),
                ("CurrentRaceTime", RACE_TIME),
                ("LapNumber", LAP_NUMBER),
                ("RacePosition", RACE_POSITION),
                ("Accel", ACCEL),
                ("Brake", BRAKE),
                ("Clutch", CLUTCH),
                ("Gear", GEAR),
                ("Steer", STEER),
            ] {
                assert_eq!(at(name), dash.map(|dash| dash + offset), "{name} of {bytes}");
            }
            let tail = (bytes == 331).then_some((TIRE_WEAR, TRACK));
            assert_eq!(Option::zip(at("TireWear"), at("TrackOrdinal")), tail);
        }
    }
}
