//! Reads the blocks of LZ4 frames in order, each with its offset in the file.
//!
//! ```text
//! 04 22 4D 18 | FLG | BD | [content size 8] | [dictionary id 4] | HC | blocks | 00 00 00 00 | [content checksum 4]
//! block: u32 length (top bit: stored as it is), bytes, [checksum 4]
//! FLG: version 01 in bits 7-6, 5 independent blocks, 4 block checksums, 3 content size, 2 content checksum, 0 dictionary
//! BD:  bits 6-4: 4 = 64 KiB, 5 = 256 KiB, 6 = 1 MiB, 7 = 4 MiB
//! ```
//! lz4_flex decompresses the blocks. Its frame reader is not used, because it does not report where it stopped in a damaged file.
//! A block may refer to the 64 KiB before it, so nothing can be decompressed after a damaged block.

use std::hash::Hasher as _;
use std::ops::Range;

use lz4_flex::block::decompress_into_with_dict;
use twox_hash::XxHash32;

use crate::import::{ImportError, Source};

/// Magic number of a frame.
pub(super) const MAGIC: [u8; 4] = [0x04, 0x22, 0x4D, 0x18];

/// How far back a block may refer.
const WINDOW_BYTES: usize = 64 << 10;

/// The next item in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A block at this offset; [`Blocks::data`] returns its decompressed bytes.
    Data { offset: u64 },
    /// A frame ended with its end mark and a correct checksum.
    End,
    /// Nothing more can be decompressed.
    Stop { rest: Range<u64>, why: Stop },
}

/// Why nothing more can be decompressed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Stop {
    #[error("the file ends")]
    EndOfFile,
    #[error("the file ends without an end mark: its recorder did not close it, and what it still held is lost")]
    NoEndMark,
    #[error("the file ends inside {part}")]
    Cut { part: &'static str },
    #[error("no LZ4 frame begins here")]
    NoFrame,
    #[error("the LZ4 frame's header cannot be: {what}")]
    Header { what: &'static str },
    #[error("the LZ4 block is said to be {found} bytes long, at most {most} can be")]
    BlockLength { found: u32, most: usize },
    #[error("the LZ4 block is damaged")]
    Block,
    #[error("the checksum of {of} does not fit")]
    Checksum { of: &'static str },
}

/// The fields of a frame header.
#[derive(Debug)]
struct Frame {
    block_bytes: usize,
    independent: bool,
    block_checksums: bool,
    content: Option<XxHash32>,
}

/// Reads blocks in order.
pub(super) struct Blocks<'a> {
    source: &'a Source,
    at: u64,
    frame: Option<Frame>,
    packed: Vec<u8>,
    data: Vec<u8>,
    /// The bytes that the next block may refer to.
    window: Vec<u8>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(source: &'a Source, start: u64) -> Self {
        let (packed, data, window) = (Vec::new(), Vec::new(), Vec::new());
        Self { source, at: start, frame: None, packed, data, window }
    }

    /// Returns the decompressed bytes of the last block.
    pub(super) fn data(&self) -> &[u8] {
        &self.data
    }

    pub(super) fn next(&mut self) -> Result<Step, ImportError> {
        let mut start = self.at;
        let end = self.source.bytes;
        let stop = |start: u64, why| Ok(Step::Stop { rest: start..end, why });
        let frame = match self.frame.take() {
            Some(frame) => frame,
            None => match self.begin_frame()? {
                Ok(frame) => frame,
                Err(why) => return stop(start, why),
            },
        };
        start = self.at;
        match self.block(frame)? {
            Ok(step) => Ok(step),
            Err(why) => stop(start, why),
        }
    }

    /// Reads the next bytes; `None` if fewer are left.
    fn take(&mut self, bytes: u64) -> Result<Option<&[u8]>, ImportError> {
        let Some(end) = self.at.checked_add(bytes).filter(|end| *end <= self.source.bytes) else { return Ok(None) };
        self.source.read_into(&(self.at..end), &mut self.packed)?;
        self.at = end;
        Ok(Some(&self.packed))
    }

    fn take_u32(&mut self) -> Result<Option<u32>, ImportError> {
        Ok(self.take(4)?.and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes))
    }

    fn begin_frame(&mut self) -> Result<Result<Frame, Stop>, ImportError> {
        const PART: &str = "the LZ4 frame's header";
        if self.at >= self.source.bytes {
            return Ok(Err(Stop::EndOfFile));
        }
        match self.take(4)? {
            Some(bytes) if *bytes == MAGIC => {}
            _ => return Ok(Err(Stop::NoFrame)),
        }
        let Some(&[flags, sizes]) = self.take(2)? else { return Ok(Err(Stop::Cut { part: PART })) };
        let extra = if flags & 0x08 != 0 { 8 } else { 0 } + if flags & 0x01 != 0 { 4 } else { 0 };
        let Some(more) = self.take(extra + 1)? else { return Ok(Err(Stop::Cut { part: PART })) };
        let (extra, checksum) = more.split_at(more.len().saturating_sub(1));
        let expected = XxHash32::oneshot(0, &[&[flags, sizes], extra].concat()).to_le_bytes();
        let block_bytes = match sizes >> 4 & 7 {
            4 => 64 << 10,
            5 => 256 << 10,
            6 => 1 << 20,
            7 => 4 << 20,
            _ => return Ok(Err(Stop::Header { what: "no such block size is known" })),
        };
        if flags >> 6 != 1 {
            return Ok(Err(Stop::Header { what: "its version is not 1" }));
        }
        if flags & 0x01 != 0 {
            return Ok(Err(Stop::Header { what: "it needs a dictionary" }));
        }
        if checksum.first() != expected.get(1) {
            return Ok(Err(Stop::Checksum { of: PART }));
        }
        self.window.clear();
        let content = (flags & 0x04 != 0).then(|| XxHash32::with_seed(0));
        let (independent, block_checksums) = (flags & 0x20 != 0, flags & 0x10 != 0);
        Ok(Ok(Frame { block_bytes, independent, block_checksums, content }))
    }

    fn block(&mut self, mut frame: Frame) -> Result<Result<Step, Stop>, ImportError> {
        let offset = self.at;
        let length = match self.take_u32()? {
            Some(0) => return self.end_frame(frame),
            Some(length) => length,
            None if offset == self.source.bytes => return Ok(Err(Stop::NoEndMark)),
            None => return Ok(Err(Stop::Cut { part: "the length of an LZ4 block" })),
        };
        let (stored, length) = (length >> 31 != 0, length & 0x7FFF_FFFF);
        let most = frame.block_bytes;
        if length as usize > most {
            return Ok(Err(Stop::BlockLength { found: length, most }));
        }
        if self.take(u64::from(length))?.is_none() {
            return Ok(Err(Stop::Cut { part: "an LZ4 block" }));
        }
        let window: &[u8] = if frame.independent { &[] } else { &self.window };
        if stored {
            self.packed.clone_into(&mut self.data);
        } else {
            self.data.resize(most, 0);
            match decompress_into_with_dict(&self.packed, &mut self.data, window) {
                Ok(bytes) => self.data.truncate(bytes),
                Err(_) => return Ok(Err(Stop::Block)),
            }
        }
        if frame.block_checksums {
            let expected = XxHash32::oneshot(0, &self.packed);
            match self.take_u32()? {
                None => return Ok(Err(Stop::Cut { part: "the checksum of an LZ4 block" })),
                Some(found) if found != expected => return Ok(Err(Stop::Checksum { of: "an LZ4 block" })),
                Some(_) => {}
            }
        }
        if let Some(content) = &mut frame.content {
            content.write(&self.data);
        }
        self.window.extend_from_slice(&self.data);
        self.window.drain(..self.window.len().saturating_sub(WINDOW_BYTES));
        self.frame = Some(frame);
        Ok(Ok(Step::Data { offset }))
    }

    fn end_frame(&mut self, frame: Frame) -> Result<Result<Step, Stop>, ImportError> {
        let Some(content) = frame.content else { return Ok(Ok(Step::End)) };
        Ok(match self.take_u32()? {
            None => Err(Stop::Cut { part: "the checksum of the content" }),
            Some(found) if u64::from(found) != content.finish() => Err(Stop::Checksum { of: "the content" }),
            Some(_) => Ok(Step::End),
        })
    }
}
