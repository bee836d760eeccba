//! Stream descriptors: the properties of a stream, and the channel table that lets a reader without game-specific code
//! find values by name (docs/format.md, section 4).

use crate::column::Column;
use crate::cursor::{Malformed, put_text, within};
use crate::descriptor::Descriptor;
use crate::limits;
use crate::record::NO_STREAM;

/// The number of a stream within its tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u16);

/// The purpose of a stream's frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Frames captured from a game.
    #[default]
    Data,
    /// A game's own run-time description of another stream.
    Describe,
    /// Marks, laps, session changes.
    Events,
    /// UTC readings.
    Clock,
    /// Key-value pairs.
    Metadata,
    /// Loss counters, and "seen until" times.
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

/// The type of a channel's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
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
    /// One byte; 0 is false.
    Bool,
    /// A byte of text.
    Char,
    /// A UTF-16 code unit of text.
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
        // Numbers start at 1.
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// The size of one element in bytes.
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

    /// Whether a minimum and a maximum are meaningful.
    fn has_range(self) -> bool {
        !matches!(self, Self::Char | Self::Char16 | Self::Bits8 | Self::Bits16 | Self::Bits32 | Self::Bits64)
    }

    /// Finds a type by its short name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The short name, as `info` shows it.
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

/// Which minima and maxima the index stores for a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranges {
    /// None.
    None,
    /// One pair for all elements together.
    Whole,
    /// One pair per element.
    Each,
}

/// A named value inside a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// The name as the game spells it.
    pub name: String,
    /// Type of an element.
    pub kind: ChannelType,
    /// Number of elements, 1 for a single value.
    pub count: u32,
    /// Offset of the first element in the frame.
    pub offset: u32,
    /// The unit; empty if there is none or it is unknown.
    pub unit: String,
    /// Which ranges the index stores.
    pub ranges: Ranges,
}

impl Channel {
    /// Creates a channel with suitable ranges: one per element for short arrays, one for the whole of long arrays, none
    /// for text and bits.
    pub fn new(name: impl Into<String>, kind: ChannelType, offset: u32, count: u32, unit: impl Into<String>) -> Self {
        const EACH_UP_TO: u32 = 16;
        let ranges = match count {
            _ if !kind.has_range() => Ranges::None,
            0..=EACH_UP_TO => Ranges::Each,
            _ => Ranges::Whole,
        };
        Self { name: name.into(), kind, count, offset, unit: unit.into(), ranges }
    }

    /// The number of minimum/maximum pairs in an index page.
    pub(crate) fn slots(&self) -> usize {
        match self.ranges {
            Ranges::None => 0,
            Ranges::Whole => 1,
            Ranges::Each => self.count as usize,
        }
    }
}

/// The contents of a stream descriptor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamSpec {
    /// The name, unique within the tape.
    pub name: String,
    /// The game id; empty if the stream does not come from a game.
    pub game: String,
    /// How the bytes were received: `shm`, `udp`, `http`, `file`.
    pub transport: String,
    /// The layout id.
    pub layout: String,
    /// The purpose of the frames.
    pub role: Role,
    /// The stream that a describe stream describes.
    pub describes: Option<StreamId>,
    /// Whether frames identical to the previous one are not stored again.
    pub skip_unchanged: bool,
    /// The frame size to which the channel table refers, or 0 if sizes vary.
    pub frame_bytes: u32,
    /// The channel table.
    pub channels: Vec<Channel>,
}

impl StreamSpec {
    /// A stream of frames of varying size.
    pub fn rows(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A stream of JSON frames, which a writer splits into a skeleton and columns of values.
    pub fn json(name: impl Into<String>) -> Self {
        Self { name: name.into(), layout: Self::TEXT_LAYOUTS[0].into(), ..Self::default() }
    }

    /// A stream of frames of other text with numbers in it, split in the same way.
    pub fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), layout: Self::TEXT_LAYOUTS[1].into(), ..Self::default() }
    }

    /// The layout ids of streams whose frames are text.
    const TEXT_LAYOUTS: [&str; 2] = ["json", "text"];

    /// Whether the frames are text that a writer splits.
    pub fn is_text(&self) -> bool {
        self.frame_bytes == 0 && Self::TEXT_LAYOUTS.contains(&self.layout.as_str())
    }

    /// A stream of fixed-size frames with a channel table.
    pub fn columns(name: impl Into<String>, frame_bytes: u32, channels: Vec<Channel>) -> Self {
        Self { name: name.into(), frame_bytes, channels, ..Self::default() }
    }

    /// Finds a channel by name.
    pub fn channel(&self, name: &str) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.name == name)
    }

    /// Serializes the descriptor, unpacked.
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

    /// Parses a descriptor and checks its table for consistency.
    pub fn parse(data: &[u8]) -> Result<Self, Malformed> {
        Ok(Descriptor::parse(data)?.0.to_spec())
    }

    /// Checks the descriptor against the rules of the format. Writers call this too.
    pub fn check(&self) -> Result<(), Malformed> {
        Descriptor::of(self).check()
    }

    /// The length of the serialized descriptor, unpacked.
    pub(crate) fn encoded_bytes(&self) -> usize {
        let texts = [&self.game, &self.name, &self.transport, &self.layout];
        let channels = self.channels.iter().map(|channel| 14 + channel.name.len() + channel.unit.len());
        20 + texts.iter().map(|text| text.len()).sum::<usize>() + channels.sum::<usize>()
    }

    /// Returns the columns that cover a frame, by ascending offset; empty if frames vary in size.
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
