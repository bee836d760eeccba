//! Reads channels by name as typed columns, without decoding the others.

use super::catalog::{BlockLocation, Located, PageCache};
use super::problem::{Problem, ProblemKind, ReadError, io_at};
use super::tape::{Tape, TapeStream};
use crate::block::{Block, absolute_times, check_column_block, checked_head};
use crate::column::{BlockDecoder, BlockHead, decode_times};
use crate::record::{HEADER_BYTES, RecordHeader, RecordKind};
use crate::source::read_full;
use crate::stream::ChannelType;

/// The values of one channel, row by row; an array channel has `count` values per row.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names are those of the channel types")]
pub enum Values {
    U8(Vec<u8>),
    I8(Vec<i8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
}

impl Values {
    /// Converts bit patterns to typed values.
    fn of(kind: ChannelType, bits: &[u64]) -> Self {
        match kind {
            ChannelType::U8 | ChannelType::Char | ChannelType::Bits8 => {
                Self::U8(bits.iter().map(|b| *b as u8).collect())
            }
            ChannelType::I8 => Self::I8(bits.iter().map(|b| *b as i8).collect()),
            ChannelType::U16 | ChannelType::Char16 | ChannelType::Bits16 => {
                Self::U16(bits.iter().map(|b| *b as u16).collect())
            }
            ChannelType::I16 => Self::I16(bits.iter().map(|b| *b as i16).collect()),
            ChannelType::U32 | ChannelType::Bits32 => Self::U32(bits.iter().map(|b| *b as u32).collect()),
            ChannelType::I32 => Self::I32(bits.iter().map(|b| *b as i32).collect()),
            ChannelType::U64 | ChannelType::Bits64 => Self::U64(bits.to_vec()),
            ChannelType::I64 => Self::I64(bits.iter().map(|b| *b as i64).collect()),
            ChannelType::F32 => Self::F32(bits.iter().map(|b| f32::from_bits(*b as u32)).collect()),
            ChannelType::F64 => Self::F64(bits.iter().map(|b| f64::from_bits(*b)).collect()),
            ChannelType::Bool => Self::Bool(bits.iter().map(|b| *b != 0).collect()),
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::I8(values) => values.len(),
            Self::U16(values) => values.len(),
            Self::I16(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::I32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Bool(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a value as the nearest `f64`.
    pub fn as_f64(&self, index: usize) -> Option<f64> {
        match self {
            Self::U8(values) => values.get(index).map(|v| f64::from(*v)),
            Self::I8(values) => values.get(index).map(|v| f64::from(*v)),
            Self::U16(values) => values.get(index).map(|v| f64::from(*v)),
            Self::I16(values) => values.get(index).map(|v| f64::from(*v)),
            Self::U32(values) => values.get(index).map(|v| f64::from(*v)),
            Self::I32(values) => values.get(index).map(|v| f64::from(*v)),
            Self::U64(values) => values.get(index).map(|v| *v as f64),
            Self::I64(values) => values.get(index).map(|v| *v as f64),
            Self::F32(values) => values.get(index).map(|v| f64::from(*v)),
            Self::F64(values) => values.get(index).copied(),
            Self::Bool(values) => values.get(index).map(|v| f64::from(u8::from(*v))),
        }
    }

    /// Formats a value exactly: integers without a decimal point, text code units as numbers.
    pub fn write(&self, index: usize, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
        match self {
            Self::U8(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::I8(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::U16(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::I16(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::U32(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::I32(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::U64(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::I64(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::F32(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::F64(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
            Self::Bool(values) => values.get(index).map_or(Ok(()), |v| write!(out, "{v}")),
        }
    }
}

/// The values of the selected channels in one block.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelBlock {
    /// Sequence number of the first row.
    pub first_seq: u64,
    /// The time of each row; empty if times are not read.
    pub times: Vec<u64>,
    /// One entry per selected channel; empty if the frames of the block differ in size from the layout.
    pub values: Vec<Values>,
}

/// A selected channel or element.
#[derive(Debug, Clone)]
struct Choice {
    kind: ChannelType,
    /// First column, and number of columns.
    column: usize,
    count: usize,
    /// Offset of the first element in a frame.
    offset: usize,
}

/// Reads selected channels of a stream, block by block.
pub struct Channels<'a> {
    tape: &'a Tape,
    stream: &'a TapeStream,
    choices: Vec<Choice>,
    with_times: bool,
    cache: PageCache,
    decoder: BlockDecoder,
    next_block: usize,
    /// The next sequence number if no frames are missing.
    expected_seq: Option<u64>,
    bits: Vec<u64>,
    reference: Vec<u64>,
    body: Vec<u8>,
    /// The start of a block record: header, head and the bytes read along with them.
    start: Vec<u8>,
    columns_of_array: Vec<Vec<u64>>,
}

impl Tape {
    /// Selects channels of a stream by name: `speedKmh`, a whole array `tyreWear`, or one element `tyreWear[2]`.
    pub fn channels<'a>(&'a self, stream: &'a TapeStream, names: &[&str]) -> Result<Channels<'a>, ReadError> {
        let choices = names.iter().map(|name| choose(stream, name)).collect::<Result<_, _>>()?;
        Ok(Channels {
            tape: self,
            stream,
            choices,
            with_times: true,
            cache: PageCache::default(),
            decoder: BlockDecoder::default(),
            next_block: 0,
            expected_seq: None,
            bits: Vec::new(),
            reference: Vec::new(),
            body: Vec::new(),
            start: Vec::new(),
            columns_of_array: Vec::new(),
        })
    }
}

fn choose(stream: &TapeStream, name: &str) -> Result<Choice, ReadError> {
    let unknown = || ReadError::NoSuchChannel {
        stream: stream.name().to_owned(),
        name: name.to_owned(),
        like: similar_names(stream, name),
    };
    let (base, element) = match name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) {
        Some((base, index)) if stream.described().channel(name).is_none() => {
            (base, Some(index.parse::<u32>().map_err(|_| unknown())?))
        }
        _ => (name, None),
    };
    let channel = stream.described().channel(base).ok_or_else(unknown)?;
    let first = element.unwrap_or(0);
    if first >= channel.count {
        return Err(unknown());
    }
    let offset = channel.offset + first * channel.kind.width() as u32;
    let column = stream.columns.partition_point(|column| column.offset < offset);
    let count = if element.is_some() { 1 } else { channel.count as usize };
    Ok(Choice { kind: channel.kind, column, count, offset: offset as usize })
}

fn similar_names(stream: &TapeStream, name: &str) -> Vec<String> {
    let wanted = name.to_lowercase();
    let near = |channel: &&crate::stream::Channel| {
        let known = channel.name.to_lowercase();
        known.contains(&wanted) || wanted.contains(&known)
    };
    stream.spec().channels.iter().filter(near).take(5).map(|channel| channel.name.clone()).collect()
}

impl Channels<'_> {
    /// Skips the times, for callers that need only values: decoding the times takes as long as decoding a channel.
    #[must_use]
    pub fn without_times(self) -> Self {
        Self { with_times: false, ..self }
    }

    /// The number of values per row of the selected channel with this index.
    pub fn count(&self, choice: usize) -> usize {
        self.choices.get(choice).map_or(0, |choice| choice.count)
    }

    /// Seeks to the block with the first frame at or after a time; earlier frames of that block are returned too.
    pub fn seek_time(&mut self, time_ns: u64) -> Result<(), ReadError> {
        let bytes = self.tape.bytes_of(self.stream.id().0);
        self.next_block = self.stream.list.find_time(&bytes, &mut self.cache, time_ns)?;
        self.expected_seq = None;
        Ok(())
    }

    /// Returns the next block of values, or `None` at the end. After an error, the next call continues after the damage.
    pub fn next_block(&mut self) -> Result<Option<ChannelBlock>, ReadError> {
        let bytes = self.tape.bytes_of(self.stream.id().0);
        let found = self.stream.list.get(&bytes, &mut self.cache, &mut self.next_block)?;
        let Some(located) = found else { return Ok(None) };
        let expected = self.expected_seq.replace(located.first_seq);
        if let Some(missing) =
            expected.and_then(|seq| located.first_seq.checked_sub(seq)).filter(|missing| *missing > 0)
        {
            let problem = Problem::missing_frames(&located, missing).of_stream(self.stream.id().0);
            self.tape.notes.add(problem.clone());
            return Err(ReadError::Damaged(problem));
        }
        self.next_block += 1;
        self.expected_seq = Some(located.end_seq());
        self.read(&located).map(Some)
    }

    pub(crate) fn read(&mut self, located: &Located) -> Result<ChannelBlock, ReadError> {
        let damaged = |problem: Problem| {
            let problem = problem.of_stream(self.stream.id().0);
            self.tape.notes.add(problem.clone());
            ReadError::Damaged(problem)
        };
        if let BlockLocation::Tape { offset, .. } = located.location {
            match self.read_columns(located, offset)? {
                Ok(Some(block)) => return Ok(block),
                Ok(None) => {}
                Err(error) => {
                    let problem = Problem::of_error(ProblemKind::Block, offset, "a block", &error);
                    let problem = problem.losing(u64::from(located.rows));
                    let problem = problem.of_stream(self.stream.id().0);
                    self.tape.notes.add(problem.clone());
                    return Err(ReadError::Damaged(problem));
                }
            }
        }
        let mut block = Block::default();
        self.tape.load_block(self.stream, located, &mut block, &mut BlockDecoder::default())?.map_err(damaged)?;
        Ok(self.pick(&block))
    }

    /// Reads only the head and the required bodies; returns `None` for a row block.
    fn read_columns(
        &mut self,
        located: &Located,
        offset: u64,
    ) -> Result<Result<Option<ChannelBlock>, crate::Malformed>, ReadError> {
        // One read covers the header, the head and often the times.
        const FIRST_READ: usize = 8 << 10;
        let source = &*self.tape.source;
        let mut start = std::mem::take(&mut self.start);
        start.resize(FIRST_READ, 0);
        let found = read_full(source, offset, &mut start).map_err(io_at(offset))?;
        start.truncate(found);
        let header = match RecordHeader::parse(start.get(..HEADER_BYTES).unwrap_or(&start), offset) {
            Ok(header) => header,
            Err(error) => return Ok(Err(error)),
        };
        if header.kind != RecordKind::ColumnBlock {
            return Ok(Ok(None));
        }
        let expected =
            header.stream == self.stream.id().0 && header.first_seq == located.first_seq && header.rows == located.rows;
        if !expected {
            return Ok(Err(crate::Malformed::Value { what: "the block offset in the index", found: offset }));
        }
        let needed = HEADER_BYTES + header.head_bytes as usize;
        if start.len() < needed {
            start.resize(needed, 0);
            let found = read_full(source, offset, &mut start).map_err(io_at(offset))?;
            start.truncate(found);
        }
        let payload = start.get(HEADER_BYTES..).unwrap_or_default();
        let parsed = check_column_block(&header, self.stream.frame_bytes())
            .and_then(|()| checked_head(&header, payload))
            .and_then(|head| {
                let (rows, bytes) = (header.rows as usize, header.payload_bytes as usize);
                Ok(BlockHead::parse(head, &self.stream.columns, rows, bytes)?)
            });
        let decoded = match parsed {
            Ok(head) => self.decode(&header, &head, payload, offset),
            Err(error) => Ok(Err(error)),
        };
        self.start = start;
        decoded
    }

    fn decode(
        &mut self,
        header: &RecordHeader,
        head: &BlockHead,
        start: &[u8],
        offset: u64,
    ) -> Result<Result<Option<ChannelBlock>, crate::Malformed>, ReadError> {
        let mut times = Vec::new();
        if self.with_times {
            self.fetch(start, offset, head.times_range())?;
            let decoded = decode_times(head, &self.body, &mut times).map_err(crate::Malformed::from);
            if let Err(error) = decoded.and_then(|()| absolute_times(header, &mut times)) {
                return Ok(Err(error));
            }
        }
        let mut values = Vec::with_capacity(self.choices.len());
        for number in 0..self.choices.len() {
            let Some(choice) = self.choices.get(number).cloned() else { continue };
            match self.decode_choice(&choice, head, start, offset)? {
                Ok(()) => values.push(Values::of(choice.kind, &self.bits)),
                Err(error) => return Ok(Err(error.into())),
            }
        }
        Ok(Ok(Some(ChannelBlock { first_seq: header.first_seq, times, values })))
    }

    /// Decodes the columns of a channel into `bits`, row by row.
    fn decode_choice(
        &mut self,
        choice: &Choice,
        head: &BlockHead,
        start: &[u8],
        offset: u64,
    ) -> Result<Result<(), crate::column::ColumnError>, ReadError> {
        let mut arrays = std::mem::take(&mut self.columns_of_array);
        arrays.resize_with(choice.count.max(arrays.len()), Vec::new);
        for (element, values) in arrays.iter_mut().enumerate().take(choice.count) {
            values.clear();
            let column = choice.column + element;
            let reference = head.reference(column);
            if let Some(other) = reference {
                self.fetch(start, offset, head.body_range(other))?;
                self.reference.clear();
                let decoded = self.decoder.decode_column(
                    head,
                    &self.stream.columns,
                    other,
                    &self.body,
                    None,
                    &mut self.reference,
                );
                if decoded.is_err() {
                    return Ok(decoded);
                }
            }
            self.fetch(start, offset, head.body_range(column))?;
            let known = reference.map(|_| self.reference.as_slice());
            let decoded = self.decoder.decode_column(head, &self.stream.columns, column, &self.body, known, values);
            if decoded.is_err() {
                return Ok(decoded);
            }
        }
        self.bits.clear();
        if choice.count == 1 {
            std::mem::swap(&mut self.bits, arrays.first_mut().unwrap_or(&mut Vec::new()));
        } else {
            for row in 0..head.rows() {
                let elements = arrays.iter().take(choice.count);
                self.bits.extend(elements.filter_map(|values| values.get(row)));
            }
        }
        self.columns_of_array = arrays;
        Ok(Ok(()))
    }

    /// Copies a part of the payload to `body`, from the bytes already read or from the file.
    fn fetch(&mut self, start: &[u8], offset: u64, range: std::ops::Range<usize>) -> Result<(), ReadError> {
        self.body.clear();
        if let Some(known) = start.get(range.clone()) {
            self.body.extend_from_slice(known);
            return Ok(());
        }
        self.body.resize(range.len(), 0);
        let at = offset + (HEADER_BYTES + range.start) as u64;
        let found = read_full(&*self.tape.source, at, &mut self.body).map_err(io_at(at))?;
        self.body.truncate(found);
        Ok(())
    }

    /// Extracts the channels from complete frames.
    fn pick(&self, block: &Block) -> ChannelBlock {
        let frame_bytes = self.stream.frame_bytes();
        let fits = (0..block.rows()).all(|row| block.frame(row).len() == frame_bytes);
        let values = self.choices.iter().map(|choice| {
            let width = choice.kind.width();
            let mut bits = Vec::new();
            for row in (0..block.rows()).filter(|_| fits) {
                let range = choice.offset..choice.offset + choice.count * width;
                let bytes = block.frame(row).get(range).unwrap_or_default();
                let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
                bits.extend(bytes.chunks_exact(width).map(number));
            }
            Values::of(choice.kind, &bits)
        });
        let times = if self.with_times { block.times.clone() } else { Vec::new() };
        ChannelBlock { first_seq: block.first_seq, times, values: values.collect() }
    }
}
