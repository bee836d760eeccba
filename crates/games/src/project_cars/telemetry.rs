//! A telemetry packet: the viewed car, and the places and laps of all cars.
//!
//! ```text
//!  0     3                     464                               1360
//!  | header | the viewed car, session | 56 participants of 16 bytes | track length, … |
//! ```
use crate::bytes::{array_at, f32_at};
use crate::capture::{Presence, Seen};
use crate::sane::finite;

use super::states;

/// Participants in a packet.
pub(super) const MOST_PARTICIPANTS: usize = 56;
const PARTICIPANTS_AT: usize = 464;
const PARTICIPANT_BYTES: usize = 16;

#[derive(Debug, Clone, Copy)]
pub(super) struct Telemetry<'a>(pub(super) &'a [u8]);

impl<'a> Telemetry<'a> {
    /// Returns the newest packet.
    pub(super) fn newest(seen: Seen<'a>) -> Option<Self> {
        seen.stream(super::TELEMETRY).map(|frame| Self(frame.bytes))
    }

    pub(super) fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub(super) fn u16(self, at: usize) -> Option<u16> {
        array_at(self.0, at).map(u16::from_le_bytes)
    }

    pub(super) fn i16(self, at: usize) -> Option<i16> {
        array_at(self.0, at).map(i16::from_le_bytes)
    }

    /// Returns a number; `None` if it is not finite.
    pub(super) fn f32(self, at: usize) -> Option<f32> {
        f32_at(self.0, at).filter(|number| number.is_finite())
    }

    /// Returns a time in milliseconds.
    pub(super) fn lap_ms(self, at: usize) -> Option<u32> {
        self.f32(at).and_then(states::lap_ms)
    }

    pub(super) fn presence(self) -> Presence {
        self.u8(3).map_or(Presence::Off, |states| states::presence(states & 0x7))
    }

    pub(super) fn session_state(self) -> Option<u8> {
        self.u8(3).map(|states| (states >> 4) & 0x7)
    }

    /// Returns the state of the viewed car in the race.
    pub(super) fn race_state(self) -> Option<u8> {
        self.u8(10).map(|flags| flags & 0x7)
    }

    /// Returns whether the car is still before the line at which its first lap begins. The game counts the time from the start, but the lap as
    /// invalid until then.
    pub(super) fn is_before_line(self) -> bool {
        let no_sector = self.f32(48).is_none_or(|first_sector| first_sector < 0.0);
        no_sector && self.viewed().is_some_and(|car| car.laps_completed() == Some(0))
    }

    pub(super) fn viewed_index(self) -> Option<usize> {
        let index = usize::try_from(self.u8(4)?.cast_signed()).ok()?;
        (index < self.count()).then_some(index)
    }

    pub(super) fn viewed(self) -> Option<Participant<'a>> {
        self.participant(self.viewed_index()?)
    }

    /// Returns the number of participants. Those above are stale.
    pub(super) fn count(self) -> usize {
        let count = self.u8(5).map(u8::cast_signed).and_then(|count| usize::try_from(count).ok());
        count.unwrap_or(0).min(MOST_PARTICIPANTS)
    }

    pub(super) fn participant(self, index: usize) -> Option<Participant<'a>> {
        let at = PARTICIPANTS_AT + PARTICIPANT_BYTES * index;
        let bytes = self.0.get(at..at + PARTICIPANT_BYTES)?;
        (index < self.count()).then_some(Participant(Telemetry(bytes)))
    }

    pub(super) fn track_m(self) -> Option<f32> {
        self.f32(1360).filter(|metres| *metres > 0.0)
    }

    pub(super) fn speed_kmh(self) -> Option<f32> {
        self.f32(120).and_then(|metres_per_s| finite(metres_per_s * 3.6))
    }

    pub(super) fn fuel_l(self) -> Option<f32> {
        let (level, capacity_l) = (self.f32(116)?, self.u8(111)?);
        (level >= 0.0).then(|| level * f32::from(capacity_l)).and_then(finite)
    }
}

/// One of the cars.
#[derive(Debug, Clone, Copy)]
pub(super) struct Participant<'a>(Telemetry<'a>);

impl Participant<'_> {
    /// Returns the position in the game's axes: x, y up, z. They are left-handed. It is given in metres, with quarters of x and z in the byte
    /// of the sector.
    pub(super) fn world_m(self) -> Option<[f32; 3]> {
        let [x, y, z] = [self.0.i16(0)?, self.0.i16(2)?, self.0.i16(4)?].map(f32::from);
        let quarters = self.0.u8(11)?;
        let more = |shift: u8| f32::from((quarters >> shift) & 0x3) / 4.0;
        Some([x + more(6), y, z + more(4)])
    }

    pub(super) fn lap_distance_m(self) -> Option<u16> {
        self.0.u16(6)
    }

    pub(super) fn is_active(self) -> bool {
        self.0.u8(8).is_some_and(|position| position & 0x80 != 0)
    }

    pub(super) fn race_position(self) -> Option<u16> {
        self.0.u8(8).map(|position| u16::from(position & 0x7F)).filter(|position| *position > 0)
    }

    pub(super) fn laps_completed(self) -> Option<u32> {
        self.0.u8(9).map(|laps| u32::from(laps & 0x7F))
    }

    pub(super) fn is_lap_invalid(self) -> Option<bool> {
        self.0.u8(9).map(|laps| laps & 0x80 != 0)
    }

    pub(super) fn current_lap(self) -> Option<u32> {
        self.0.u8(10).map(u32::from).filter(|lap| *lap > 0)
    }

    /// Returns the sector from 0: 2 on the grid, before the line.
    pub(super) fn sector(self) -> Option<u8> {
        (self.0.u8(11)? & 0x7).checked_sub(1)
    }

    pub(super) fn last_sector_ms(self) -> Option<u32> {
        self.0.lap_ms(12)
    }

    /// Returns the bits of the last sector time, which is finer than a millisecond.
    pub(super) fn last_sector_exact(self) -> Option<u32> {
        self.0.f32(12).map(f32::to_bits)
    }
}
