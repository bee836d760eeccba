//! Rows of the stream `laps`: where the car is on its lap.
//!
//! ```text
//!  0  f64  lapDistance      m     from the line
//!  8  f64  lapTime          s     since the line
//! 16  f64  lastLapTime      s     of the lap that ended last
//! 24  f32  lapPosition            0 to 1
//! 28  i32  lapsCompleted
//! 32  u8   beforeFirstLine        no line has been crossed yet
//! 33  3 bytes, zero
//! ```
//! An unknown number is NaN.
use crate::bytes::{f32_at, f64_at, i32_at};
use crate::layout::{Channel, Kind, Layout};

const CHANNELS: &[Channel] = &[
    Channel::fixed("lapDistance", 0, Kind::F64, 1, "m"),
    Channel::fixed("lapTime", 8, Kind::F64, 1, "s"),
    Channel::fixed("lastLapTime", 16, Kind::F64, 1, "s"),
    Channel::fixed("lapPosition", 24, Kind::F32, 1, ""),
    Channel::fixed("lapsCompleted", 28, Kind::I32, 1, ""),
    Channel::fixed("beforeFirstLine", 32, Kind::Bool, 1, ""),
];

/// The layout of the rows.
pub static LAPS_36: Layout = Layout::from_table("lap-file-laps-36", 36, CHANNELS);

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LapFileRow {
    /// Distance from the line, in metres.
    pub lap_distance_m: Option<f64>,
    /// Time since the line, in seconds.
    pub lap_time_s: Option<f64>,
    /// Time of the lap that ended last, in seconds.
    pub last_lap_time_s: Option<f64>,
    /// Track position, 0 to 1.
    pub position: Option<f32>,
    /// Completed laps.
    pub laps_completed: u32,
    /// No line has been crossed yet.
    pub before_first_line: bool,
}

impl LapFileRow {
    /// Returns the row as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 36] {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN).to_le_bytes();
        let mut bytes = [0; 36];
        let laps = i32::try_from(self.laps_completed).unwrap_or(i32::MAX).to_le_bytes();
        let parts: [(usize, &[u8]); 6] = [
            (0, &number(self.lap_distance_m)),
            (8, &number(self.lap_time_s)),
            (16, &number(self.last_lap_time_s)),
            (24, &self.position.unwrap_or(f32::NAN).to_le_bytes()),
            (28, &laps),
            (32, &[u8::from(self.before_first_line)]),
        ];
        for (at, part) in parts {
            if let Some(room) = bytes.get_mut(at..at + part.len()) {
                room.copy_from_slice(part);
            }
        }
        bytes
    }

    /// Parses a row. Returns `None` if it is too short or its lap count is negative.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| f64_at(bytes, at).map(|value| Some(value).filter(|value| value.is_finite()));
        Some(Self {
            lap_distance_m: number(0)?,
            lap_time_s: number(8)?.filter(|seconds| *seconds >= 0.0),
            last_lap_time_s: number(16)?.filter(|seconds| *seconds > 0.0),
            position: f32_at(bytes, 24).map(|value| Some(value).filter(|value| (0.0..=1.0).contains(value)))?,
            laps_completed: i32_at(bytes, 28).and_then(|laps| u32::try_from(laps).ok())?,
            before_first_line: bytes.get(32..36).map(|flags| flags.first() != Some(&0))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_as_it_was_written_and_what_is_unknown_stays_unknown() {
        let row = LapFileRow {
            lap_distance_m: Some(12.5),
            lap_time_s: Some(0.75),
            last_lap_time_s: Some(65.163),
            position: Some(0.25),
            laps_completed: 3,
            before_first_line: false,
        };
        assert_eq!(LapFileRow::parse(&row.to_bytes()), Some(row));
        let unknown = LapFileRow { before_first_line: true, ..LapFileRow::default() };
        assert_eq!(LapFileRow::parse(&unknown.to_bytes()), Some(unknown));
        assert_eq!(LapFileRow::parse(&row.to_bytes()[..35]), None);
        assert_eq!(LapFileRow::parse(&[0xFF; 36]), None, "a negative lap count");
    }
}
