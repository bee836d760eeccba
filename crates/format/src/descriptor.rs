//! Stream descriptors that borrow their texts (docs/format.md, section 4): parsed, checked and converted into columns.
//!
//! Opening a tape parses a descriptor for every stream, often with hundreds of channels. The texts stay in the original
//! bytes until a [`StreamSpec`] is requested.

use std::borrow::Cow;

use crate::column::Column;
use crate::cursor::{Cursor, Malformed, within};
use crate::limits;
use crate::record::NO_STREAM;
use crate::stream::{Channel, ChannelType, Ranges, Role, StreamId, StreamSpec};

/// The size of the shortest possible channel in a descriptor.
const LEAST_CHANNEL_BYTES: usize = 14;

/// A channel whose texts are borrowed UTF-8.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChannelRef<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) kind: ChannelType,
    pub(crate) count: u32,
    pub(crate) offset: u32,
    pub(crate) unit: &'a [u8],
    pub(crate) ranges: Ranges,
}

/// The part of a channel that is needed to read its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChannelLayout {
    pub(crate) kind: ChannelType,
    pub(crate) count: u32,
    pub(crate) offset: u32,
}

impl ChannelLayout {
    pub(crate) fn of(channel: &Channel) -> Self {
        Self { kind: channel.kind, count: channel.count, offset: channel.offset }
    }
}

/// A parsed descriptor.
#[derive(Debug, Clone)]
pub(crate) struct Descriptor<'a> {
    pub(crate) role: Role,
    pub(crate) skip_unchanged: bool,
    pub(crate) describes: Option<StreamId>,
    pub(crate) frame_bytes: u32,
    pub(crate) game: &'a [u8],
    pub(crate) name: &'a [u8],
    pub(crate) transport: &'a [u8],
    pub(crate) layout: &'a [u8],
    pub(crate) channels: Vec<ChannelRef<'a>>,
}

impl<'a> Descriptor<'a> {
    /// Parses a descriptor, checks its table for consistency and also returns its length.
    pub(crate) fn parse(data: &'a [u8]) -> Result<(Self, usize), Malformed> {
        let mut cursor = Cursor::new(data);
        let (mut descriptor, count) = Self::start(&mut cursor)?;
        descriptor.channels.reserve_exact(count.min(data.len() / LEAST_CHANNEL_BYTES));
        for _ in 0..count {
            let channel = ChannelRef::parse(&mut cursor)?;
            check_utf8(channel.name, "channel name")?;
            check_utf8(channel.unit, "channel unit")?;
            descriptor.channels.push(channel);
        }
        descriptor.check()?;
        Ok((descriptor, data.len() - cursor.rest().len()))
    }

    /// Parses everything before the channels and returns it with the number of channels.
    fn start(cursor: &mut Cursor<'a>) -> Result<(Self, usize), Malformed> {
        let role = Role::from_number(cursor.u8("stream role")?);
        let flags = cursor.u8("stream flags")?;
        let describes = cursor.u16("described stream")?;
        let frame_bytes = cursor.u32("frame bytes")?;
        let mut text = |what| text(cursor, what).and_then(|text| check_utf8(text, what).map(|()| text));
        let [game, name, transport, layout] =
            [text("game id")?, text("stream name")?, text("transport")?, text("layout id")?];
        let count = within("number of channels", u64::from(cursor.u32("number of channels")?), limits::CHANNELS)?;
        let describes = (describes != NO_STREAM).then_some(StreamId(describes));
        let skip_unchanged = flags & 1 != 0;
        let channels = Vec::new();
        Ok((Self { role, skip_unchanged, describes, frame_bytes, game, name, transport, layout, channels }, count))
    }

    /// Looks up a channel by name in the bytes of a descriptor that has been parsed before.
    pub(crate) fn find_channel(data: &'a [u8], name: &str) -> Option<ChannelLayout> {
        let mut cursor = Cursor::new(data);
        let (_, count) = Self::start(&mut cursor).ok()?;
        let mut channels = (0..count).map_while(|_| ChannelRef::parse(&mut cursor).ok());
        let found = channels.find(|channel| channel.name == name.as_bytes())?;
        Some(ChannelLayout { kind: found.kind, count: found.count, offset: found.offset })
    }

    /// Borrows the contents of a specification.
    pub(crate) fn of(spec: &'a StreamSpec) -> Self {
        Self {
            role: spec.role,
            skip_unchanged: spec.skip_unchanged,
            describes: spec.describes,
            frame_bytes: spec.frame_bytes,
            game: spec.game.as_bytes(),
            name: spec.name.as_bytes(),
            transport: spec.transport.as_bytes(),
            layout: spec.layout.as_bytes(),
            channels: spec.channels.iter().map(ChannelRef::of).collect(),
        }
    }

    /// Copies the texts into a specification.
    pub(crate) fn to_spec(&self) -> StreamSpec {
        StreamSpec {
            name: owned(self.name),
            game: owned(self.game),
            transport: owned(self.transport),
            layout: owned(self.layout),
            role: self.role,
            describes: self.describes,
            skip_unchanged: self.skip_unchanged,
            frame_bytes: self.frame_bytes,
            channels: self.channels.iter().copied().map(ChannelRef::to_channel).collect(),
        }
    }

    /// Checks the descriptor against the rules of the format.
    pub(crate) fn check(&self) -> Result<(), Malformed> {
        for (what, text) in [
            ("length of the game id", self.game),
            ("length of the stream name", self.name),
            ("length of the transport", self.transport),
            ("length of the layout id", self.layout),
        ] {
            within(what, text.len() as u64, limits::TEXT_BYTES)?;
        }
        if self.name.is_empty() {
            return Err(Malformed::Value { what: "length of the stream name", found: 0 });
        }
        within("frame bytes", u64::from(self.frame_bytes), limits::BLOCK_RAW_BYTES)?;
        within("number of channels", self.channels.len() as u64, limits::CHANNELS)?;
        for channel in &self.channels {
            within("length of a channel name", channel.name.len() as u64, limits::TEXT_BYTES)?;
            within("length of a unit", channel.unit.len() as u64, limits::TEXT_BYTES)?;
            if channel.name.is_empty() {
                return Err(Malformed::Value { what: "length of a channel name", found: 0 });
            }
            if channel.count == 0 {
                return Err(Malformed::Value { what: "count of a channel", found: 0 });
            }
            within("end of a channel", channel.end(), self.frame_bytes as usize)?;
        }
        if let Some(found) = self.duplicate_name() {
            return Err(Malformed::Value { what: "channel number (duplicate name)", found });
        }
        let sorted = self.by_offset();
        for (before, after) in sorted.iter().zip(sorted.iter().skip(1)) {
            if before.end() > u64::from(after.offset) {
                let found = u64::from(after.offset);
                return Err(Malformed::Value { what: "channel offset (overlaps another channel)", found });
            }
        }
        within("number of columns", self.column_count(), limits::COLUMNS)?;
        Ok(())
    }

    fn duplicate_name(&self) -> Option<u64> {
        // Hashes sort faster than names, and collisions are rare.
        let key = |channel: &ChannelRef<'a>| quick_hash(channel.name);
        let mut keys: Vec<u32> = self.channels.iter().map(key).collect();
        keys.sort_unstable();
        if keys.is_sorted_by(|a, b| a < b) {
            return None;
        }
        let mut names: Vec<(u32, &[u8])> = self.channels.iter().map(|channel| (key(channel), channel.name)).collect();
        names.sort_unstable();
        names.iter().zip(names.iter().skip(1)).position(|(a, b)| a == b).map(|at| at as u64)
    }

    fn by_offset(&self) -> Cow<'_, [ChannelRef<'a>]> {
        // Most tables are already in order.
        if self.channels.is_sorted_by_key(|channel| channel.offset) {
            return Cow::Borrowed(&self.channels);
        }
        let mut sorted = self.channels.clone();
        sorted.sort_by_key(|channel| channel.offset);
        Cow::Owned(sorted)
    }

    /// Counts the columns without creating them.
    pub(crate) fn column_count(&self) -> u64 {
        let (mut count, mut at) = (0, 0);
        for channel in self.by_offset().iter() {
            count += gap_columns(at, channel.offset).count() as u64 + u64::from(channel.count);
            at = channel.end() as u32;
        }
        count + gap_columns(at, self.frame_bytes).count() as u64
    }

    /// Returns the columns that cover a frame, by ascending offset; empty if frames vary in size.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::with_capacity(self.column_count() as usize);
        let mut at = 0;
        for channel in self.by_offset().iter() {
            columns.extend(gap_columns(at, channel.offset));
            let width = channel.kind.width();
            columns.extend((0..channel.count).map(|element| Column {
                offset: channel.offset + element * width as u32,
                width: width as u8,
                float: channel.kind.is_float(),
            }));
            at = channel.end() as u32;
        }
        columns.extend(gap_columns(at, self.frame_bytes));
        columns
    }
}

impl<'a> ChannelRef<'a> {
    fn parse(cursor: &mut Cursor<'a>) -> Result<Self, Malformed> {
        let name = text(cursor, "channel name")?;
        let number = cursor.u8("channel type")?;
        let kind = ChannelType::from_number(number)
            .ok_or(Malformed::UnknownCoding { what: "channel type", coding: number })?;
        let ranges = match cursor.u8("channel ranges")? {
            0 => Ranges::None,
            1 => Ranges::Whole,
            2 => Ranges::Each,
            found => return Err(Malformed::Value { what: "channel ranges", found: u64::from(found) }),
        };
        let offset = cursor.u32("channel offset")?;
        let count = cursor.u32("channel count")?;
        let unit = text(cursor, "channel unit")?;
        Ok(Self { name, kind, count, offset, unit, ranges })
    }

    fn of(channel: &'a Channel) -> Self {
        let Channel { name, kind, count, offset, unit, ranges } = channel;
        let (name, unit) = (name.as_bytes(), unit.as_bytes());
        Self { name, kind: *kind, count: *count, offset: *offset, unit, ranges: *ranges }
    }

    fn to_channel(self) -> Channel {
        let Self { name, kind, count, offset, unit, ranges } = self;
        Channel { name: owned(name), kind, count, offset, unit: owned(unit), ranges }
    }

    fn end(&self) -> u64 {
        u64::from(self.offset) + u64::from(self.count) * self.kind.width() as u64
    }
}

/// Reads a `u16` length and that many bytes of text.
fn text<'a>(cursor: &mut Cursor<'a>, what: &'static str) -> Result<&'a [u8], Malformed> {
    let length = cursor.u16(what)?;
    cursor.bytes(within(what, u64::from(length), limits::TEXT_BYTES)?, what)
}

fn check_utf8(text: &[u8], what: &'static str) -> Result<(), Malformed> {
    // Nearly all names are ASCII, which is faster to check.
    if text.is_ascii() || std::str::from_utf8(text).is_ok() { Ok(()) } else { Err(Malformed::Text { what }) }
}

fn owned(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// A fast hash for short texts. A poor distribution costs only time.
fn quick_hash(text: &[u8]) -> u32 {
    let (words, rest) = text.as_chunks::<8>();
    let rest = rest.iter().fold(text.len() as u64, |word, &byte| word << 8 | u64::from(byte));
    let words = words.iter().map(|word| u64::from_le_bytes(*word)).chain([rest]);
    let mixed = words.fold(0, |hash: u64, word| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (mixed >> 32) as u32
}

/// Returns integer columns for the bytes that no channel covers: whole words where alignment allows, single bytes elsewhere.
fn gap_columns(from: u32, to: u32) -> impl Iterator<Item = Column> {
    let mut at = from;
    std::iter::from_fn(move || {
        if at >= to {
            return None;
        }
        let width = if at.is_multiple_of(4) && to - at >= 4 { 4 } else { 1 };
        let column = Column { offset: at, width, float: false };
        at += u32::from(width);
        Some(column)
    })
}
