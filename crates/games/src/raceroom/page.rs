//! Reads fields of a page of a known structure. Offsets are those of version 3.5. -1 stands for a missing value and becomes `None`.
use super::structure::{DRIVERS, NUM_CARS, SelfDescription, Structure, TICK};
use crate::bytes::{f32_at, f64_at, i32_at};
use crate::capture::Presence;
use crate::lap_frame::Pit;
use crate::sane::{finite, ms};
use crate::text::char_text;

/// Sector times: cumulative, the last one is the lap time.
pub(super) type Triple = [Option<f32>; 3];

/// Session phase from which on cars drive.
pub(super) const GREEN: i32 = 5;
pub(super) const FORMATION: i32 = 3;
/// Session types.
pub(super) const RACE: i32 = 2;

/// A page whose structure is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page<'a> {
    bytes: &'a [u8],
    structure: Structure,
}

impl<'a> Page<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        let structure = SelfDescription::of(bytes)?.structure()?;
        Some(Self { bytes, structure })
    }

    fn at(self, offset: u32) -> Option<usize> {
        self.structure.place(offset).map(|place| place as usize)
    }

    /// Returns an integer as it is in the page.
    pub(super) fn raw(self, offset: u32) -> Option<i32> {
        i32_at(self.bytes, self.at(offset)?)
    }

    /// Returns an integer that is not negative.
    pub(super) fn whole(self, offset: u32) -> Option<i32> {
        self.raw(offset).filter(|number| *number >= 0)
    }

    /// Returns a flag.
    pub(super) fn flag(self, offset: u32) -> Option<bool> {
        self.whole(offset).map(|number| number != 0)
    }

    /// Returns the number at an index of an array of numbers that may be negative.
    pub(super) fn signed(self, offset: u32, index: usize) -> Option<f32> {
        f32_at(self.bytes, self.at(offset)? + index * 4).and_then(finite)
    }

    /// Returns the number at an index of an array of numbers that are not negative.
    pub(super) fn number_of(self, offset: u32, index: usize) -> Option<f32> {
        self.signed(offset, index).filter(|number| *number >= 0.0)
    }

    pub(super) fn number(self, offset: u32) -> Option<f32> {
        self.number_of(offset, 0)
    }

    /// Returns the double at an index of an array.
    pub(super) fn double(self, offset: u32, index: usize) -> Option<f64> {
        f64_at(self.bytes, self.at(offset)? + index * 8).filter(|number| number.is_finite())
    }

    /// Returns a text; `None` if it is empty.
    pub(super) fn text(self, offset: u32) -> Option<String> {
        text(self.bytes.get(self.at(offset)?..)?)
    }

    /// Returns the bytes of a text.
    pub(super) fn text_bytes(self, offset: u32) -> &'a [u8] {
        let at = self.at(offset).unwrap_or(usize::MAX);
        self.bytes.get(at..).and_then(|rest| rest.get(..64)).unwrap_or_default()
    }

    pub(super) fn tick(self) -> Option<i32> {
        self.raw(TICK)
    }

    /// Returns the simulation time, which falls when the session is restarted.
    pub(super) fn simulation_ms(self) -> Option<f64> {
        self.double(48, 0).filter(|seconds| *seconds >= 0.0).map(|seconds| seconds * 1000.0)
    }

    /// Returns the session type; `None` in the menus.
    pub(super) fn session_type(self) -> Option<i32> {
        self.whole(780)
    }

    pub(super) fn session_phase(self) -> Option<i32> {
        self.whole(796)
    }

    /// Returns who drives the viewed car: 0 the player, 1 the game, 2 another player, 3 a replay.
    pub(super) fn control(self) -> Option<i32> {
        self.whole(1388)
    }

    pub(super) fn presence(self) -> Presence {
        let is = |offset| self.flag(offset) == Some(true);
        match self.session_type() {
            None => Presence::Off,
            Some(_) if is(28) || self.control() == Some(3) => Presence::Replay,
            Some(_) if is(20) || is(24) => Presence::Paused,
            Some(_) => Presence::Live,
        }
    }

    /// Returns where the car is; the garage is only known from version 3.5 on.
    pub(super) fn pit(self) -> Option<Pit> {
        let stands = (self.whole(904) == Some(3)).then_some(true);
        let garage = self.flag(36).filter(|in_garage| *in_garage);
        Pit::of(garage.or(stands), self.flag(848))
    }

    /// Returns cumulative sector times.
    pub(super) fn triple(self, offset: u32) -> Triple {
        [0, 1, 2].map(|index| self.signed(offset, index).filter(|seconds| *seconds > 0.0))
    }

    pub(super) fn speed_kmh(self) -> Option<f32> {
        self.signed(1392, 0).and_then(|metres_per_s| finite(metres_per_s.abs() * 3.6))
    }

    /// Returns the position of the player's car in the game's axes, which are left-handed.
    pub(super) fn world_m(self) -> Option<[f32; 3]> {
        let [x, y, z] = [0, 1, 2].map(|index| self.double(56, index).and_then(|metres| finite(metres as f32)));
        Some([x?, y?, z?])
    }

    /// Returns the slot of the viewed car.
    pub(super) fn slot(self) -> Option<i32> {
        self.whole(1288)
    }

    /// Returns the entries of all cars. The number of cars can be a frame late.
    pub(super) fn drivers(self) -> impl Iterator<Item = Driver<'a>> {
        let count = self.whole(NUM_CARS).max(self.whole(988)).unwrap_or(0);
        let count = u32::try_from(count).unwrap_or(0).min(DRIVERS);
        (0..count).filter_map(move |index| {
            let bytes = self.structure.entry_bytes() as usize;
            let at = self.structure.drivers_at() as usize + index as usize * bytes;
            Some(Driver { bytes: self.bytes.get(at..at + bytes)?, structure: self.structure })
        })
    }
}

/// The entry of a car.
#[derive(Debug, Clone, Copy)]
pub(super) struct Driver<'a> {
    bytes: &'a [u8],
    structure: Structure,
}

impl Driver<'_> {
    fn at(self, offset: u32) -> Option<usize> {
        self.structure.place_of_driver(offset).map(|place| place as usize)
    }

    pub(super) fn whole(self, offset: u32) -> Option<i32> {
        i32_at(self.bytes, self.at(offset)?).filter(|number| *number >= 0)
    }

    pub(super) fn number(self, offset: u32) -> Option<f32> {
        f32_at(self.bytes, self.at(offset)?).and_then(finite).filter(|number| *number >= 0.0)
    }

    pub(super) fn triple(self, offset: u32) -> Triple {
        let second = |index: usize| f32_at(self.bytes, self.at(offset)? + index * 4).and_then(finite);
        [0, 1, 2].map(|index| second(index).filter(|seconds| *seconds > 0.0))
    }

    pub(super) fn name(self) -> Option<String> {
        text(self.bytes)
    }
}

fn text(field: &[u8]) -> Option<String> {
    let field = field.get(..64)?;
    Some(char_text(field).trim().to_owned()).filter(|text| !text.is_empty())
}

/// Converts seconds.
pub(super) fn time_ms(seconds: f32) -> Option<u32> {
    ms(f64::from(seconds) * 1000.0)
}

/// Returns the time of each sector alone, in whole milliseconds that add up to the lap time.
pub(super) fn single_ms(triple: Triple) -> [Option<u32>; 3] {
    let [first, second, lap] = triple.map(|seconds| seconds.and_then(time_ms));
    let less = |until: Option<u32>, from: Option<u32>| until?.checked_sub(from?).filter(|ms| *ms > 0);
    [first, less(second, first), less(lap, second)]
}

/// Returns the bits of the times, which change when new times arrive.
pub(super) fn bits(triple: Triple) -> [u32; 3] {
    triple.map(|seconds| seconds.map_or(0, f32::to_bits))
}
