//! Lap records, which are part of updates.
use super::reader::Reader;
use crate::sane::{lap_ms, running_ms};

/// Most splits of a lap that are accepted. Laps of the game have three.
const MOST_SPLITS: usize = 8;

/// A lap of a car, as an update reports it.
///
/// ```text
/// i32 lap time ms · u16 car · u16 driver · u8 n · n × i32 split ms · u8 invalid · u8 valid for best · u8 out-lap · u8 in-lap
/// ```
/// A time that is not known is 2147483647.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LapRecord {
    /// Lap time, as it was sent.
    pub raw_ms: i32,
    /// Index of the car.
    pub car: u16,
    /// Index of the driver in the car.
    pub driver: u16,
    splits: [i32; MOST_SPLITS],
    split_count: usize,
    /// The game does not count the lap.
    pub is_invalid: bool,
    /// The lap can become the best lap.
    pub is_valid_for_best: bool,
    /// The lap left the pits.
    pub is_out_lap: bool,
    /// The lap ended in the pits.
    pub is_in_lap: bool,
}

impl LapRecord {
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (raw_ms, car, driver) = (reader.i32()?, reader.u16()?, reader.u16()?);
        let split_count = usize::from(reader.u8()?);
        let mut splits = [0; MOST_SPLITS];
        for split in splits.get_mut(..split_count)? {
            *split = reader.i32()?;
        }
        Some(Self {
            raw_ms,
            car,
            driver,
            splits,
            split_count,
            is_invalid: reader.flag()?,
            is_valid_for_best: reader.flag()?,
            is_out_lap: reader.flag()?,
            is_in_lap: reader.flag()?,
        })
    }

    /// Returns the time of a lap that has ended; `None` if there is none.
    #[must_use]
    pub fn time_ms(&self) -> Option<u32> {
        lap_ms(self.raw_ms)
    }

    /// Returns the time of a lap that is being driven.
    #[must_use]
    pub fn running_ms(&self) -> Option<u32> {
        running_ms(self.raw_ms)
    }

    /// Returns the time of each sector by itself; `None` for those that are not known.
    pub fn splits_ms(&self) -> impl Iterator<Item = Option<u32>> {
        self.splits.iter().take(self.split_count).map(|split| lap_ms(*split))
    }
}
