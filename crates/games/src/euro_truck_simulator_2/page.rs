//! Reads the page. All fields that are read here are at the same offset in revisions 10 to 12.
use crate::bytes::{array_at, f32_at, f64_at, i32_at};
use crate::capture::Presence;
use crate::sane::finite;
use crate::text::char_text;

/// Offset of the time.
pub(super) const TIME: u32 = 8;
/// Revisions of the plugin that have this page. Later ones may differ.
pub(super) const REVISIONS: std::ops::RangeInclusive<u32> = 10..=12;

#[derive(Debug, Clone, Copy)]
pub(super) struct Page<'a>(pub(super) &'a [u8]);

impl<'a> Page<'a> {
    pub(super) fn u32(self, at: usize) -> Option<u32> {
        i32_at(self.0, at).map(i32::cast_unsigned)
    }

    pub(super) fn i32(self, at: usize) -> Option<i32> {
        i32_at(self.0, at)
    }

    /// Returns the number at an index of an array; `None` if it is not finite.
    pub(super) fn f32(self, at: usize, index: usize) -> Option<f32> {
        f32_at(self.0, at + index * 4).and_then(finite)
    }

    pub(super) fn f64(self, at: usize, index: usize) -> Option<f64> {
        f64_at(self.0, at + index * 8).filter(|number| number.is_finite())
    }

    pub(super) fn flag(self, at: usize) -> bool {
        self.0.get(at).is_some_and(|byte| *byte != 0)
    }

    /// Returns a text; `None` if it is empty.
    pub(super) fn text(self, at: usize) -> Option<String> {
        Some(char_text(self.text_bytes(at)).trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns the bytes of a text field.
    pub(super) fn text_bytes(self, at: usize) -> &'a [u8] {
        self.0.get(at..at + 64).unwrap_or_default()
    }

    /// Returns the time in µs, which stops in pauses.
    pub(super) fn time_us(self) -> Option<u64> {
        array_at(self.0, TIME as usize).map(u64::from_le_bytes)
    }

    pub(super) fn revision(self) -> Option<u32> {
        self.u32(40).filter(|revision| (1..=999).contains(revision))
    }

    /// Returns which game writes the page: 1 or 2.
    pub(super) fn game(self) -> Option<u32> {
        self.u32(52).filter(|game| *game > 0)
    }

    /// Returns whether the fields are where they are read.
    pub(super) fn is_known(self) -> bool {
        self.revision().is_some_and(|revision| REVISIONS.contains(&revision))
    }

    pub(super) fn presence(self) -> Presence {
        match (self.flag(0), self.flag(4)) {
            (false, _) => Presence::Off,
            (true, true) => Presence::Paused,
            (true, false) => Presence::Live,
        }
    }

    pub(super) fn is_on_job(self) -> bool {
        self.flag(4300)
    }
}
