//! Reads the page. Fields behind its end are `None`: versions only append.
use super::PARTICIPANTS;
use crate::bytes::{f32_at, i32_at};
use crate::lap_frame::Pit;
use crate::project_cars::states::{self, text, time_ms};
use crate::sane::finite;

/// Offset of the sequence number.
pub(super) const SEQUENCE: usize = 7320;
/// First version with a sequence number.
const NUMBERED: u32 = 8;
const PARTICIPANT_BYTES: usize = 100;
/// No session lasts this long in seconds: the time left is in milliseconds.
const LONGEST_S: f32 = 200_000.0;

#[derive(Debug, Clone, Copy)]
pub(super) struct Page<'a>(pub(super) &'a [u8]);

impl<'a> Page<'a> {
    pub(super) fn u32(self, at: usize) -> Option<u32> {
        self.i32(at).map(i32::cast_unsigned)
    }

    pub(super) fn i32(self, at: usize) -> Option<i32> {
        i32_at(self.0, at)
    }

    /// Returns a small number, such as a state.
    pub(super) fn state(self, at: usize) -> Option<u8> {
        self.u32(at).and_then(|number| u8::try_from(number).ok())
    }

    /// Returns the number at an index of an array; `None` if it is not finite.
    pub(super) fn f32(self, at: usize, index: usize) -> Option<f32> {
        f32_at(self.0, at + index * 4).and_then(finite)
    }

    pub(super) fn flag(self, at: usize) -> Option<bool> {
        self.0.get(at).map(|byte| *byte != 0)
    }

    /// Returns a text; `None` if it is empty.
    pub(super) fn text(self, at: usize) -> Option<String> {
        text(self.text_bytes(at))
    }

    pub(super) fn text_bytes(self, at: usize) -> Option<&'a [u8]> {
        self.0.get(at..at + 64)
    }

    pub(super) fn version(self) -> Option<u32> {
        self.u32(0)
    }

    pub(super) fn game_state(self) -> Option<u8> {
        self.state(8)
    }

    pub(super) fn session_state(self) -> Option<u8> {
        self.state(12)
    }

    pub(super) fn race_state(self) -> Option<u8> {
        self.state(16)
    }

    /// Returns the number of the current write.
    pub(super) fn sequence(self) -> Option<u32> {
        self.u32(SEQUENCE).filter(|_| self.version().is_some_and(|version| version >= NUMBERED))
    }

    pub(super) fn viewed(self) -> Option<usize> {
        self.i32(20).and_then(|index| usize::try_from(index).ok())
    }

    pub(super) fn count(self) -> usize {
        let count = self.i32(24).and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        count.min(PARTICIPANTS as usize)
    }

    pub(super) fn length_m(self) -> Option<f32> {
        self.f32(6704, 0).filter(|metres| *metres > 0.0)
    }

    pub(super) fn participant(self, index: usize) -> Option<Participant<'a>> {
        let at = 28 + index * PARTICIPANT_BYTES;
        let entry = Participant(self.0.get(at..at + PARTICIPANT_BYTES).filter(|_| index < self.count())?);
        entry.is_active().then_some(entry)
    }

    pub(super) fn participants(self) -> impl Iterator<Item = (usize, Participant<'a>)> {
        (0..self.count()).filter_map(move |index| Some((index, self.participant(index)?)))
    }

    pub(super) fn own(self) -> Option<(usize, Participant<'a>)> {
        self.viewed().and_then(|index| Some((index, self.participant(index)?)))
    }

    pub(super) fn pit(self) -> Option<Pit> {
        self.state(6808).and_then(states::pit)
    }

    pub(super) fn speed_kmh(self) -> Option<f32> {
        self.f32(6848, 0).and_then(|metres_per_s| finite(metres_per_s.abs() * 3.6))
    }

    pub(super) fn fuel_l(self) -> Option<f32> {
        let (level, capacity_l) = (self.f32(6840, 0)?, self.f32(6844, 0)?);
        (level >= 0.0 && capacity_l > 0.0).then_some(level * capacity_l).and_then(finite)
    }

    pub(super) fn current_ms(self) -> Option<u32> {
        self.f32(6724, 0).and_then(time_ms)
    }

    /// Returns the time left in seconds. In races over laps it is negative. The header file says milliseconds, but the game writes seconds.
    pub(super) fn left_s(self) -> Option<f32> {
        let left = self.f32(6740, 0).filter(|left| *left >= 0.0)?;
        let longest_s = self.f32(20_576, 0).filter(|minutes| *minutes > 0.0).map(|minutes| minutes * 60.0 * 10.0);
        let is_ms = left > longest_s.unwrap_or(LONGEST_S);
        Some(if is_ms { left / 1000.0 } else { left })
    }

    pub(super) fn is_lap_invalid(self) -> Option<bool> {
        self.flag(6712)
    }

    /// Returns the time of a sector of the current lap alone, 0 to 2. It counts up while the car is in the sector.
    pub(super) fn sector_s(self, sector: usize) -> Option<f32> {
        self.f32(6752, sector).filter(|seconds| *seconds > 0.0)
    }

    pub(super) fn celsius(self, at: usize) -> Option<f32> {
        self.f32(at, 0).filter(|celsius| *celsius != 0.0)
    }
}

/// An entry of the list of cars.
#[derive(Debug, Clone, Copy)]
pub(super) struct Participant<'a>(&'a [u8]);

impl Participant<'_> {
    fn u32(self, at: usize) -> Option<u32> {
        i32_at(self.0, at).map(i32::cast_unsigned)
    }

    fn f32(self, at: usize) -> Option<f32> {
        f32_at(self.0, at).and_then(finite)
    }

    fn is_active(self) -> bool {
        self.0.first().is_some_and(|active| *active != 0) && self.name().is_some()
    }

    pub(super) fn name(self) -> Option<String> {
        text(self.0.get(1..65))
    }

    pub(super) fn world_m(self) -> Option<[f32; 3]> {
        Some([self.f32(68)?, self.f32(72)?, self.f32(76)?])
    }

    pub(super) fn along_m(self) -> Option<f32> {
        self.f32(80).filter(|metres| *metres >= 0.0)
    }

    pub(super) fn position(self) -> Option<u16> {
        self.u32(84).and_then(|position| u16::try_from(position).ok()).filter(|position| *position > 0)
    }

    pub(super) fn laps_completed(self) -> Option<u32> {
        self.u32(88).filter(|laps| *laps < 100_000)
    }

    /// Returns the sector, from 0.
    pub(super) fn sector(self) -> Option<u8> {
        i32_at(self.0, 96).and_then(|sector| u8::try_from(sector).ok()).filter(|sector| *sector < 3)
    }
}
