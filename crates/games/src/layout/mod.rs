//! Layouts: map the bytes of a frame to channels.
//!
//! A channel table is either written by hand, for games with a fixed layout, or built from the game's own description.
//! A [`Layout`] guarantees that its channels lie inside the frame, do not overlap and have unique names. Bytes that no
//! channel covers (padding, undocumented data) are allowed and remain part of the frame.
mod check;
mod fingerprint;
pub(crate) mod packed;
pub(crate) mod records;

use std::borrow::Cow;

pub use check::LayoutError;

use check::check;
use fingerprint::fingerprint;

/// The type of a channel's values. Numbers are little endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Unsigned, 1 byte.
    U8,
    /// Signed, 1 byte.
    I8,
    /// Unsigned, 2 bytes.
    U16,
    /// Signed, 2 bytes.
    I16,
    /// Unsigned, 4 bytes.
    U32,
    /// Signed, 4 bytes.
    I32,
    /// Unsigned, 8 bytes.
    U64,
    /// Signed, 8 bytes.
    I64,
    /// IEEE 754, 4 bytes.
    F32,
    /// IEEE 754, 8 bytes.
    F64,
    /// 1 byte: zero is false, anything else is true.
    Bool,
    /// 1 byte of text. A channel of `count` of them is one NUL-padded string.
    Char,
    /// One UTF-16LE code unit, 2 bytes. A channel of `count` of them is one NUL-padded string.
    Char16,
    /// 32 flags in 4 bytes.
    Bits32,
}

impl Kind {
    /// Returns the size of one value in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 | Self::Bool | Self::Char => 1,
            Self::U16 | Self::I16 | Self::Char16 => 2,
            Self::U32 | Self::I32 | Self::F32 | Self::Bits32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

/// A named run of `count` consecutive values of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Name, as the game's documentation spells it.
    pub name: Cow<'static, str>,
    /// Offset of the first value from the start of the frame, in bytes. Need not be aligned.
    pub offset: u32,
    /// Type of each value.
    pub kind: Kind,
    /// Number of values; nested arrays are flattened.
    pub count: u32,
    /// `km/h`, `rad/s`, `degC` and so on; empty if there is none or it is not known. Games that describe themselves
    /// keep their own spelling.
    pub unit: Cow<'static, str>,
}

impl Channel {
    /// Creates a table entry.
    pub(crate) const fn fixed(name: &'static str, offset: u32, kind: Kind, count: u32, unit: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), offset, kind, count, unit: Cow::Borrowed(unit) }
    }

    /// Copies the entry, in a const context.
    const fn const_clone(&self) -> Self {
        // Static tables only hold borrowed text. An owned name would become empty here, which no table may contain.
        let name = if let Cow::Borrowed(name) = &self.name { name } else { "" };
        let unit = if let Cow::Borrowed(unit) = &self.unit { unit } else { "" };
        Self::fixed(name, self.offset, self.kind, self.count, unit)
    }

    const fn name_text(&self) -> &str {
        match &self.name {
            Cow::Borrowed(name) => name,
            Cow::Owned(name) => name.as_str(),
        }
    }

    const fn unit_text(&self) -> &str {
        match &self.unit {
            Cow::Borrowed(unit) => unit,
            Cow::Owned(unit) => unit.as_str(),
        }
    }

    /// Returns the size of all values in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        u64::from(self.count) * u64::from(self.kind.bytes())
    }

    /// Returns the offset of the first byte after the last value.
    #[must_use]
    pub fn end(&self) -> u64 {
        u64::from(self.offset) + self.bytes()
    }
}

/// Concatenates two tables, for pages with a common prefix. `N` is the sum of their lengths.
pub(crate) const fn joined<const N: usize>(first: &[Channel], second: &[Channel]) -> [Channel; N] {
    joined_all(&[first, second])
}

/// Concatenates several tables. `N` is their [`total`].
pub(crate) const fn joined_all<const N: usize>(tables: &[&[Channel]]) -> [Channel; N] {
    let mut joined = [const { Channel::fixed("", 0, Kind::U8, 0, "") }; N];
    let (mut next, mut table) = (0, 0);
    while table < tables.len() {
        let mut index = 0;
        while index < tables[table].len() {
            // Drop is not allowed at compile time. The replaced entry owns nothing, so forgetting it leaks nothing.
            std::mem::forget(std::mem::replace(&mut joined[next], tables[table][index].const_clone()));
            next += 1;
            index += 1;
        }
        table += 1;
    }
    joined
}

/// Returns the total number of channels of the tables.
pub(crate) const fn total(tables: &[&[Channel]]) -> usize {
    let (mut total, mut table) = (0, 0);
    while table < tables.len() {
        total += tables[table].len();
        table += 1;
    }
    total
}

/// The channels of one kind of frame, sorted by offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    id: Cow<'static, str>,
    frame_bytes: u32,
    channels: Cow<'static, [Channel]>,
    fingerprint: u64,
}

/// The layout of frames with unknown contents.
pub static NO_CHANNELS: Layout = Layout::from_table("bytes", 0, &[]);

impl Layout {
    /// Validates the channels and sorts them by offset.
    ///
    /// # Errors
    /// Returns an error for the first channel that lies outside the frame, overlaps another one, has a duplicate or
    /// empty name, or has no values. Also fails if `id` is empty.
    pub fn new(
        id: impl Into<Cow<'static, str>>,
        frame_bytes: u32,
        mut channels: Vec<Channel>,
    ) -> Result<Self, LayoutError> {
        let id = id.into();
        if id.is_empty() {
            return Err(LayoutError::NoId { frame_bytes });
        }
        channels.sort_by_key(|channel| channel.offset);
        check(frame_bytes, &channels)?;
        let fingerprint = fingerprint(frame_bytes, &channels);
        Ok(Self { id, frame_bytes, channels: Cow::Owned(channels), fingerprint })
    }

    /// Creates a layout from a table in this crate. Unchecked: a test passes every table through [`Layout::new`].
    pub(crate) const fn from_table(id: &'static str, frame_bytes: u32, channels: &'static [Channel]) -> Self {
        let fingerprint = fingerprint(frame_bytes, channels);
        Self { id: Cow::Borrowed(id), frame_bytes, channels: Cow::Borrowed(channels), fingerprint }
    }

    /// Returns the layout's id, for people and for files.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the length of every frame.
    #[must_use]
    pub fn frame_bytes(&self) -> u32 {
        self.frame_bytes
    }

    /// Returns the channels, sorted by offset.
    #[must_use]
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Returns a fingerprint, equal for layouts with identical channels: a lookup in one is valid for the other.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns the channel with exactly this name.
    #[must_use]
    pub fn channel(&self, name: &str) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Channel = Channel::fixed("a", 0, Kind::F64, 1, "s");
    const B: Channel = Channel::fixed("b", 8, Kind::Char16, 3, "");

    fn error(frame_bytes: u32, channels: &[Channel]) -> LayoutError {
        Layout::new("test", frame_bytes, channels.to_vec()).unwrap_err()
    }

    #[test]
    fn fingerprints_differ_where_channels_do() {
        let print =
            |bytes: u32, channels: &[Channel]| Layout::new("test", bytes, channels.to_vec()).unwrap().fingerprint();
        const CHANNELS: &[Channel] = &[A, B];
        static TABLE: Layout = Layout::from_table("table", 14, CHANNELS);
        assert_eq!(print(14, &[B, A]), TABLE.fingerprint());
        let others = [
            Channel { name: "c".into(), ..A },
            Channel { unit: "".into(), ..A },
            Channel { kind: Kind::U64, ..A },
            Channel { kind: Kind::U8, count: 8, ..A },
        ];
        let mut prints: Vec<u64> = others.map(|other| print(14, &[other, B])).into();
        prints.extend([print(14, &[A]), print(15, &[A, B]), TABLE.fingerprint()]);
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), 7);
    }

    #[test]
    fn channels_come_out_in_the_order_of_their_offsets() {
        let layout = Layout::new("test", 14, vec![B, A]).unwrap();
        assert_eq!(layout.channels(), [A, B]);
        assert_eq!((layout.id(), layout.frame_bytes()), ("test", 14));
        assert_eq!(layout.channel("b"), Some(&B));
        assert_eq!(layout.channel("B"), None);
    }

    #[test]
    fn bytes_without_a_channel_are_allowed() {
        assert!(Layout::new("test", 100, vec![B]).is_ok());
        assert!(Layout::new("test", 100, vec![]).is_ok());
    }

    #[test]
    fn a_channel_outside_the_frame_is_refused() {
        assert!(matches!(error(13, &[A, B]), LayoutError::OutsideFrame { end: 14, frame_bytes: 13, .. }));
        let huge = Channel::fixed("huge", u32::MAX, Kind::F64, u32::MAX, "");
        assert!(matches!(error(u32::MAX, &[huge]), LayoutError::OutsideFrame { .. }));
    }

    #[test]
    fn overlaps_are_refused_also_when_one_channel_is_inside_another() {
        let inside = Channel::fixed("inside", 4, Kind::U8, 1, "");
        assert!(matches!(error(14, &[A, inside.clone(), B]), LayoutError::Overlap { first_end: 8, .. }));
        assert!(matches!(error(14, &[inside, A]), LayoutError::Overlap { second_offset: 4, .. }));
    }

    #[test]
    fn names_are_needed_and_unique() {
        let unnamed = Channel::fixed("", 8, Kind::U8, 1, "");
        let again = Channel::fixed("a", 8, Kind::U8, 1, "");
        assert_eq!(error(14, &[A, unnamed]), LayoutError::NoName { offset: 8 });
        assert!(matches!(error(14, &[A, again]), LayoutError::DuplicateName { first_offset: 0, second_offset: 8, .. }));
        assert_eq!(Layout::new("", 14, vec![A]).unwrap_err(), LayoutError::NoId { frame_bytes: 14 });
    }

    #[test]
    fn a_channel_has_values() {
        let none = Channel::fixed("none", 0, Kind::U8, 0, "");
        assert!(matches!(error(14, &[none]), LayoutError::NoValues { .. }));
    }
}
