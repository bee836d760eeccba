//! Stream descriptors: what a stream is, and the channel table that lets a reader without game code find values by name
//! (docs/format.md, section 4).

use crate::column::Column;
use crate::cursor::{Malformed, put_text, within};
use crate::descriptor::Descriptor;
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
    pub(crate) fn from_number(number: u8) -> Self {
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

    pub(crate) fn from_number(number: u8) -> Option<Self> {
        // They are numbered from 1 on.
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
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

    /// A stream of frames that are JSON texts: a writer splits them into a skeleton and columns of values.
    pub fn json(name: impl Into<String>) -> Self {
        Self { name: name.into(), layout: Self::TEXT_LAYOUTS[0].into(), ..Self::default() }
    }

    /// A stream of frames that are other texts with numbers in them, split in the same way.
    pub fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), layout: Self::TEXT_LAYOUTS[1].into(), ..Self::default() }
    }

    /// Layout ids of streams whose frames are text.
    const TEXT_LAYOUTS: [&str; 2] = ["json", "text"];

    /// Whether the frames are text that a writer splits.
    pub fn is_text(&self) -> bool {
        self.frame_bytes == 0 && Self::TEXT_LAYOUTS.contains(&self.layout.as_str())
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
        Ok(Descriptor::parse(data)?.0.to_spec())
    }

    /// Checks what the format demands of a descriptor; writers call it too.
    pub fn check(&self) -> Result<(), Malformed> {
        Descriptor::of(self).check()
    }

    /// Length of the descriptor, unpacked.
    pub(crate) fn encoded_bytes(&self) -> usize {
        let texts = [&self.game, &self.name, &self.transport, &self.layout];
        let channels = self.channels.iter().map(|channel| 14 + channel.name.len() + channel.unit.len());
        20 + texts.iter().map(|text| text.len()).sum::<usize>() + channels.sum::<usize>()
    }

    /// The columns that cover a frame, by ascending offset; empty if frames vary in size.
    pub fn to_columns(&self) -> Vec<Column> {
        Descriptor::of(self).columns()
    }
}

/// Checks that the tables of all streams of a tape together stay within the limits.
pub(crate) fn check_tables<'a>(streams: impl Iterator<Item = &'a StreamSpec>) -> Result<(), Malformed> {
    let (mut bytes, mut channels, mut columns) = (0, 0, 0);
    for stream in streams {
        bytes += stream.encoded_bytes() as u64;
        channels += stream.channels.len() as u64;
        columns += Descriptor::of(stream).column_count();
    }
    within("length of all stream descriptors", bytes, limits::DESCRIPTORS_BYTES)?;
    within("number of channels of all streams", channels, limits::CHANNELS_IN_TAPE)?;
    within("number of columns of all streams", columns, limits::COLUMNS_IN_TAPE)?;
    Ok(())
}
