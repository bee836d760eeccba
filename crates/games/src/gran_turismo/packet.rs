//! A plain packet of any kind, and what its flags reveal about the game.
//!
//! There is no sign for replays. The demo cars of the menus have the on-track flag clear, like no car that the player drives.
use super::GT6;
use super::cipher::{GT6_MAGIC, MAGIC};
use crate::bytes::array_at;
use crate::capture::{Presence, Seen, SeenFrame};
use crate::sane::finite;

/// Bits of `flags`.
const ON_TRACK: u16 = 1 << 0;
const PAUSED: u16 = 1 << 1;
const LOADING: u16 = 1 << 2;
pub(super) const TRACTION_CONTROL: u16 = 1 << 11;

/// The car code shares its place with the ratios of a ninth and tenth gear. As an integer, a ratio is larger than any car code.
const MOST_CAR_CODE: i32 = 100_000;

/// A packet that begins with the right magic number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl<'a> Packet<'a> {
    /// Returns the packet in a frame; `None` if the frame is none, as those of an unknown kind.
    pub(super) fn of(frame: SeenFrame<'a>) -> Option<Self> {
        let big_endian = frame.stream == GT6;
        let magic = if big_endian { GT6_MAGIC } else { MAGIC };
        let is_packet = array_at(frame.bytes, 0) == Some(magic);
        is_packet.then_some(Self { bytes: frame.bytes, big_endian })
    }

    /// Returns the newest packet. The player may have changed the packet kind, so several streams may have one.
    pub(super) fn newest(seen: Seen<'a>) -> Option<Self> {
        seen.0.iter().filter_map(|frame| Self::of(*frame)).max_by_key(|packet| packet.id())
    }

    pub(super) fn u8(self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    pub(super) fn i16(self, at: usize) -> Option<i16> {
        let bytes = array_at(self.bytes, at)?;
        Some(if self.big_endian { i16::from_be_bytes(bytes) } else { i16::from_le_bytes(bytes) })
    }

    pub(super) fn i32(self, at: usize) -> Option<i32> {
        let bytes = array_at(self.bytes, at)?;
        Some(if self.big_endian { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) })
    }

    /// Returns a number; `None` if it is not finite.
    pub(super) fn f32(self, at: usize) -> Option<f32> {
        self.i32(at).map(|bits| f32::from_bits(bits.cast_unsigned())).and_then(finite)
    }

    pub(super) fn vector(self, at: usize) -> Option<[f32; 3]> {
        Some([self.f32(at)?, self.f32(at + 4)?, self.f32(at + 8)?])
    }

    pub(super) fn id(self) -> Option<i32> {
        self.i32(0x70)
    }

    pub(super) fn speed_kmh(self) -> Option<f32> {
        self.f32(0x4C).and_then(|metres_per_s| finite(metres_per_s * 3.6))
    }

    pub(super) fn flags(self) -> u16 {
        self.i16(0x8E).unwrap_or(0).cast_unsigned()
    }

    /// Returns the current lap: 0 is the lap out of the pits of a time trial; `None` outside of a session.
    pub(super) fn lap(self) -> Option<u16> {
        self.i16(0x74).and_then(|lap| u16::try_from(lap).ok())
    }

    /// Returns the number of laps of a race; `None` if it is not limited.
    pub(super) fn total_laps(self) -> Option<u16> {
        self.i16(0x76).and_then(|laps| u16::try_from(laps).ok()).filter(|laps| *laps > 0)
    }

    /// Returns whether the race is over for the car, which has begun a lap more than the race has.
    pub(super) fn is_cooling_down(self) -> bool {
        Option::zip(self.lap(), self.total_laps()).is_some_and(|(lap, total)| lap > total)
    }

    pub(super) fn car_code(self) -> Option<i32> {
        self.i32(0x124).filter(|code| (1..=MOST_CAR_CODE).contains(code))
    }

    pub(super) fn presence(self) -> Presence {
        let is = |flag| self.flags() & flag != 0;
        match () {
            // All values are unreliable. A restart can only be recognized by this gap.
            () if is(LOADING) => Presence::Off,
            () if is(ON_TRACK) && is(PAUSED) => Presence::Paused,
            () if is(ON_TRACK) => Presence::Live,
            () if self.flags() == 0 && self.lap().is_none() => Presence::Off,
            () => Presence::Replay,
        }
    }
}
