//! Stream descriptors: what a stream is, and the channel table that lets a reader without game code find values by name
//! (docs/format.md, section 4).

use crate::column::Column;
use crate::cursor::{Cursor, Malformed, put_text, within};
use crate::limits;
use crate::record::NO_STREAM;

/// Number of a stream inside one tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u16);

/// What the frames of a stream are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Frames of a game.
    #[default]
    Data,
    /// A game's own description of another stream at run time.
    Describe,
    /// Marks, laps, session changes.
    Events,
    /// UTC readings.
    Clock,
    /// Keys and values.
    Metadata,
    /// Counters of loss, and "seen until".
    Status,
}

impl Role {
    fn from_number(number: u8) -> Self {
        match number {
            1 => Self::Describe,
            2 => Self::Events,
            3 => Self::Clock,
            4 => Self::Metadata,
            5 => Self::Status,
            _ => Self::Data,
        }
    }

    /// Whether gametape itself writes the stream.
    pub fn is_system(self) -> bool {
        !matches!(self, Self::Data | Self::Describe)
    }
}

/// Type of one element of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ChannelType {
    U8 = 1,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
    /// One byte, 0 is false.
    Bool,
    /// A byte of text.
    Char,
    /// A UTF-16 unit of text.
    Char16,
    Bits8,
    Bits16,
    Bits32,
    Bits64,
}

impl ChannelType {
    const ALL: [Self; 17] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F32,
        Self::F64,
        Self::Bool,
        Self::Char,
        Self::Char16,
        Self::Bits8,
        Self::Bits16,
        Self::Bits32,
        Self::Bits64,
    ];

    fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    /// Bytes of one element.
    pub fn width(self) -> usize {
        match self {
            Self::U8 | Self::I8 | Self::Bool | Self::Char | Self::Bits8 => 1,
            Self::U16 | Self::I16 | Self::Char16 | Self::Bits16 => 2,
            Self::U32 | Self::I32 | Self::F32 | Self::Bits32 => 4,
            Self::U64 | Self::I64 | Self::F64 | Self::Bits64 => 8,
        }
    }

    /// Whether elements are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Whether elements are signed integers.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// Whether a minimum and a maximum say anything.
    fn has_range(self) -> bool {
        !matches!(self, Self::Char | Self::Char16 | Self::Bits8 | Self::Bits16 | Self::Bits32 | Self::Bits64)
    }

    /// Short name, as `info` shows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Bool => "bool",
            Self::Char => "char",
            Self::Char16 => "char16",
            Self::Bits8 => "bits8",
            Self::Bits16 => "bits16",
            Self::Bits32 => "bits32",
            Self::Bits64 => "bits64",
        }
    }
}

/// Which minima and maxima the index keeps of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranges {
    /// None.
    None,
    /// One pair over all elements.
    Whole,
    /// One pair for each element.
    Each,
}

/// A named value inside a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Name as the game spells it.
    pub name: String,
    /// Type of an element.
    pub kind: ChannelType,
    /// Elements, 1 for a single value.
    pub count: u32,
    /// Where the first element stands in the frame.
    pub offset: u32,
    /// Unit, empty if there is none or it is not known.
    pub unit: String,
    /// What the index keeps.
    pub ranges: Ranges,
}

impl Channel {
    /// A channel with the ranges that suit it: each element of short arrays, the whole of long ones, none for text and bits.
    pub fn new(name: impl Into<String>, kind: ChannelType, offset: u32, count: u32, unit: impl Into<String>) -> Self {
        const EACH_UP_TO: u32 = 16;
        let ranges = match count {
            _ if !kind.has_range() => Ranges::None,
            0..=EACH_UP_TO => Ranges::Each,
            _ => Ranges::Whole,
        };
        Self { name: name.into(), kind, count, offset, unit: unit.into(), ranges }
    }

    fn end(&self) -> u64 {
        u64::from(self.offset) + u64::from(self.count) * self.kind.width() as u64
    }

    /// How many minimum/maximum pairs an index page keeps.
    pub(crate) fn slots(&self) -> usize {
        match self.ranges {
            Ranges::None => 0,
            Ranges::Whole => 1,
            Ranges::Each => self.count as usize,
        }
    }
}

/// Everything a descriptor says about a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamSpec {
    /// Name, unique in the tape.
    pub name: String,
    /// Game id, empty if there is no game behind it.
    pub game: String,
    /// How the bytes came: `shm`, `udp`, `http`, `file`.
    pub transport: String,
    /// Id of the layout.
    pub layout: String,
    /// What the frames are for.
    pub role: Role,
    /// The stream that a describe stream describes.
    pub describes: Option<StreamId>,
    /// Frames equal to the one before are not stored again.
    pub skip_unchanged: bool,
    /// Size of the frames the channel table speaks of, 0 if they vary.
    pub frame_bytes: u32,
    /// The channel table.
    pub channels: Vec<Channel>,
}

impl StreamSpec {
    /// A stream of frames that vary in size.
    pub fn rows(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A stream of frames of one size with a channel table.
    pub fn columns(name: impl Into<String>, frame_bytes: u32, channels: Vec<Channel>) -> Self {
        Self { name: name.into(), frame_bytes, channels, ..Self::default() }
    }

    /// Finds a channel by name.
    pub fn channel(&self, name: &str) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.name == name)
    }

    /// The descriptor as it is packed into the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![self.role as u8, u8::from(self.skip_unchanged)];
        out.extend_from_slice(&self.describes.map_or(NO_STREAM, |id| id.0).to_le_bytes());
        out.extend_from_slice(&self.frame_bytes.to_le_bytes());
        for text in [&self.game, &self.name, &self.transport, &self.layout] {
            put_text(&mut out, text);
        }
        out.extend_from_slice(&(self.channels.len() as u32).to_le_bytes());
        for channel in &self.channels {
            put_text(&mut out, &channel.name);
            out.extend_from_slice(&[channel.kind as u8, channel.ranges as u8]);
            out.extend_from_slice(&channel.offset.to_le_bytes());
            out.extend_from_slice(&channel.count.to_le_bytes());
            put_text(&mut out, &channel.unit);
        }
        out
    }

    /// Reads a descriptor and checks that its table is sound.
    pub fn parse(data: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(data);
        let role = Role::from_number(cursor.u8("stream role")?);
        let flags = cursor.u8("stream flags")?;
        let describes = cursor.u16("described stream")?;
        let frame_bytes = cursor.u32("frame bytes")?;
        let game = text(&mut cursor, "game id")?;
        let name = text(&mut cursor, "stream name")?;
        let transport = text(&mut cursor, "transport")?;
        let layout = text(&mut cursor, "layout id")?;
        let count = within("number of channels", u64::from(cursor.u32("number of channels")?), limits::CHANNELS)?;
        let mut channels = Vec::new();
        for _ in 0..count {
            channels.push(parse_channel(&mut cursor)?);
        }
        let spec = Self {
            name,
            game,
            transport,
            layout,
            role,
            describes: (describes != NO_STREAM).then_some(StreamId(describes)),
            skip_unchanged: flags & 1 != 0,
            frame_bytes,
            channels,
        };
        spec.check()?;
        Ok(spec)
    }

    /// Checks what the format demands of a descriptor; writers call it too.
    pub fn check(&self) -> Result<(), Malformed> {
        for (what, text) in [
            ("length of the game id", &self.game),
            ("length of the stream name", &self.name),
            ("length of the transport", &self.transport),
            ("length of the layout id", &self.layout),
        ] {
            within(what, text.len() as u64, limits::TEXT_BYTES)?;
        }
        if self.name.is_empty() {
            return Err(Malformed::Value { what: "length of the stream name", found: 0 });
        }
        within("frame bytes", u64::from(self.frame_bytes), limits::BLOCK_RAW_BYTES)?;
        within("number of channels", self.channels.len() as u64, limits::CHANNELS)?;
        self.check_channels()
    }

    fn check_channels(&self) -> Result<(), Malformed> {
        let mut names: Vec<(u32, &str)> = Vec::with_capacity(self.channels.len());
        for channel in &self.channels {
            within("length of a channel name", channel.name.len() as u64, limits::TEXT_BYTES)?;
            within("length of a unit", channel.unit.len() as u64, limits::TEXT_BYTES)?;
            if channel.name.is_empty() {
                return Err(Malformed::Value { what: "length of a channel name", found: 0 });
            }
            // Numbers sort faster than names; opening a tape does this for every channel.
            names.push((crc32c::crc32c(channel.name.as_bytes()), &channel.name));
            if channel.count == 0 {
                return Err(Malformed::Value { what: "count of a channel", found: 0 });
            }
            within("end of a channel", channel.end(), self.frame_bytes as usize)?;
        }
        names.sort_unstable();
        if let Some(at) = names.windows(2).position(|pair| pair.first() == pair.last()) {
            return Err(Malformed::Value { what: "a channel name that stands twice, number", found: at as u64 });
        }
        let sorted = self.by_offset();
        for (before, after) in sorted.windows(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?))) {
            if before.end() > u64::from(after.offset) {
                return Err(Malformed::Value {
                    what: "a channel that overlaps another, at offset",
                    found: u64::from(after.offset),
                });
            }
        }
        within("number of columns", column_count(&sorted, self.frame_bytes), limits::COLUMNS)?;
        Ok(())
    }

    /// Length of the descriptor, unpacked.
    pub(crate) fn encoded_bytes(&self) -> usize {
        let texts = [&self.game, &self.name, &self.transport, &self.layout];
        let channels = self.channels.iter().map(|channel| 14 + channel.name.len() + channel.unit.len());
        20 + texts.iter().map(|text| text.len()).sum::<usize>() + channels.sum::<usize>()
    }

    fn by_offset(&self) -> Vec<&Channel> {
        let mut sorted: Vec<_> = self.channels.iter().collect();
        // Tables usually are in order already.
        if !sorted.is_sorted_by_key(|channel| channel.offset) {
            sorted.sort_by_key(|channel| channel.offset);
        }
        sorted
    }

    /// The columns that cover a frame, by ascending offset; empty if frames vary in size.
    pub fn to_columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        let mut at = 0;
        for channel in self.by_offset() {
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

/// Number of columns, without making them.
fn column_count(by_offset: &[&Channel], frame_bytes: u32) -> u64 {
    let (mut count, mut at) = (0, 0);
    for channel in by_offset {
        count += gap_columns(at, channel.offset).count() as u64 + u64::from(channel.count);
        at = channel.end() as u32;
    }
    count + gap_columns(at, frame_bytes).count() as u64
}

/// Checks that the tables of all streams of a tape together stay within the limits.
pub(crate) fn check_tables<'a>(streams: impl Iterator<Item = &'a StreamSpec>) -> Result<(), Malformed> {
    let (mut bytes, mut channels, mut columns) = (0, 0, 0);
    for stream in streams {
        bytes += stream.encoded_bytes() as u64;
        channels += stream.channels.len() as u64;
        columns += column_count(&stream.by_offset(), stream.frame_bytes);
    }
    within("length of all stream descriptors", bytes, limits::DESCRIPTORS_BYTES)?;
    within("number of channels of all streams", channels, limits::CHANNELS_IN_TAPE)?;
    within("number of columns of all streams", columns, limits::COLUMNS_IN_TAPE)?;
    Ok(())
}

/// Integer columns for bytes that no channel covers: words where they are aligned and whole, single bytes elsewhere.
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

fn text(cursor: &mut Cursor<'_>, what: &'static str) -> Result<String, Malformed> {
    let text = cursor.text(what)?;
    within(what, text.len() as u64, limits::TEXT_BYTES)?;
    Ok(text.to_owned())
}

fn parse_channel(cursor: &mut Cursor<'_>) -> Result<Channel, Malformed> {
    let name = text(cursor, "channel name")?;
    let number = cursor.u8("channel type")?;
    let kind =
        ChannelType::from_number(number).ok_or(Malformed::UnknownCoding { what: "channel type", coding: number })?;
    let ranges = match cursor.u8("channel ranges")? {
        0 => Ranges::None,
        1 => Ranges::Whole,
        2 => Ranges::Each,
        found => return Err(Malformed::Value { what: "channel ranges", found: u64::from(found) }),
    };
    let offset = cursor.u32("channel offset")?;
    let count = cursor.u32("channel count")?;
    let unit = text(cursor, "channel unit")?;
    Ok(Channel { name, kind, count, offset, unit, ranges })
}
