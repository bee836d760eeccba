//! Reads and decompresses the frames of a ksana or shm-debugger file in order.
//!
//! ```text
//! ksana                                shm-debugger
//! 0 4  length of this header, 12       0 4  compressed length
//! 4 4  compressed length               4 4  raw length
//! 8 4  raw length                      8    zlib stream
//! 12   in container 2: skipped up to the header's length, then the zlib stream
//! ```
//! There is no index, no count and no end mark, but each zlib stream ends with a checksum. A frame is therefore intact only if it
//! decompresses to its end. After a damaged frame, the reader searches for the next intact one.

use std::ops::Range;

use flate2::{Decompress, FlushDecompress, Status};
use gametape_format::limits::BLOCK_RAW_BYTES;

use super::head::{Container, HEAD_BYTES, Head};
use crate::import::ImportError;
use crate::import::source::{Source, chunks};

/// Longest frame that is decompressed: what a tape can hold. Real ones stay below 2 MB.
const MAX_RAW_BYTES: usize = BLOCK_RAW_BYTES;

/// Longest compressed frame: zlib adds little even to incompressible data.
const MAX_PACKED_BYTES: u32 = 17 << 20;

/// The longest frame header of container 2.
const MAX_HEADER_BYTES: u32 = 64 << 10;

/// Maximum bytes decompressed in vain while searching for intact frames after damage.
const SEARCH_BYTES: u64 = 256 << 20;

/// A problem with a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum FrameProblem {
    #[error("the file ends inside the frame's header")]
    HeaderCut,
    #[error("the frame's header says that it is {found} bytes long, which cannot be")]
    HeaderLength { found: u32 },
    #[error("the file ends inside the frame: {found} of {expected} packed bytes are there")]
    Cut { expected: u32, found: u64 },
    #[error("the frame is said to be {found} bytes long, at most {MAX_PACKED_BYTES} are read")]
    PackedLength { found: u32 },
    #[error("the frame unpacks to more than {MAX_RAW_BYTES} bytes, which no tape holds")]
    TooLarge,
    #[error("the frame cannot be unpacked: its zlib stream is damaged")]
    Zlib,
    #[error("the frame's zlib stream does not end")]
    Unfinished,
    #[error("the frame unpacks to {found} bytes, its header says {expected}")]
    RawLength { expected: u32, found: usize },
    #[error("the frame's header says that it is {found} bytes long, it is 12")]
    OddHeader { found: u32 },
    #[error("{bytes} bytes stand between the end of the frame's zlib stream and the end of the frame")]
    Behind { bytes: u64 },
}

/// A range of the file.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) range: Range<u64>,
    /// Whether it is a frame; [`Frames::raw`] then returns its decompressed bytes.
    pub(super) whole: bool,
    pub(super) problem: Option<FrameProblem>,
    /// Ranges in it that belong neither to the frame's header nor to its zlib stream.
    pub(super) unknown: [Range<u64>; 2],
}

/// Why there is no intact frame at an offset.
struct Broken {
    problem: FrameProblem,
    /// End of the frame according to its header.
    declared_end: Option<u64>,
}

/// Reads frames in order.
pub(super) struct Frames<'a> {
    source: &'a Source,
    container: Container,
    at: u64,
    packed: Vec<u8>,
    raw: Vec<u8>,
    search_bytes: u64,
}

impl<'a> Frames<'a> {
    pub(super) fn new(source: &'a Source, head: &Head) -> Self {
        let (packed, raw) = (Vec::new(), Vec::new());
        Self { source, container: head.container, at: HEAD_BYTES, packed, raw, search_bytes: SEARCH_BYTES }
    }

    /// Returns the decompressed bytes of the last frame.
    pub(super) fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Returns the next frame, or the next range without one.
    pub(super) fn next(&mut self) -> Result<Option<Stretch>, ImportError> {
        let start = self.at;
        if start >= self.source.bytes {
            return Ok(None);
        }
        let stretch = match self.frame_at(start)? {
            Ok(frame) => frame,
            Err(Broken { problem, declared_end }) => {
                let next = self.next_whole(start, declared_end)?;
                Stretch { range: start..next, whole: false, problem: Some(problem), unknown: [0..0, 0..0] }
            }
        };
        self.at = stretch.range.end;
        Ok(Some(stretch))
    }

    /// Decompresses the frame at an offset.
    fn frame_at(&mut self, start: u64) -> Result<Result<Stretch, Broken>, ImportError> {
        let broken = |problem, declared_end| Ok(Err(Broken { problem, declared_end }));
        let left = self.source.bytes - start;
        let header_bytes = if self.container == Container::V0 { 8 } else { 12 };
        if left < header_bytes {
            return broken(FrameProblem::HeaderCut, None);
        }
        self.source.read_into(&(start..start + header_bytes), &mut self.packed)?;
        let number = |at: usize| {
            let bytes = self.packed.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u32::from_le_bytes).unwrap_or_default()
        };
        let (header, packed, raw) = match self.container {
            Container::V0 => (8, number(0), number(4)),
            _ => (number(0), number(4), number(8)),
        };
        let header_bytes = match self.container {
            // ksana's own reader does not skip the additional bytes of a longer header.
            Container::V1 if header >= 12 => 12,
            Container::V2 if (12..=MAX_HEADER_BYTES).contains(&header) => u64::from(header),
            Container::V0 => 8,
            _ => return broken(FrameProblem::HeaderLength { found: header }, None),
        };
        let data = start + header_bytes;
        let end = data + u64::from(packed);
        if end > self.source.bytes {
            let found = self.source.bytes.saturating_sub(data);
            return broken(FrameProblem::Cut { expected: packed, found }, None);
        }
        if packed > MAX_PACKED_BYTES {
            return broken(FrameProblem::PackedLength { found: packed }, Some(end));
        }
        self.source.read_into(&(data..end), &mut self.packed)?;
        Ok(match inflate(&self.packed, raw, &mut self.raw) {
            Err(problem) => Err(Broken { problem, declared_end: Some(end) }),
            Ok(used) => {
                let (found, behind) = (self.raw.len(), end - data - used);
                let problem = match u64::from(raw) == found as u64 {
                    false => Some(FrameProblem::RawLength { expected: raw, found }),
                    true if behind > 0 => Some(FrameProblem::Behind { bytes: behind }),
                    true if u64::from(header) != header_bytes => Some(FrameProblem::OddHeader { found: header }),
                    true => None,
                };
                Ok(Stretch {
                    range: start..end,
                    whole: true,
                    problem,
                    unknown: [start + 12.min(header_bytes)..data, data + used..end],
                })
            }
        })
    }

    /// Returns the offset of the next intact frame after a damaged one; the end of the file if none is found.
    fn next_whole(&mut self, damaged: u64, declared_end: Option<u64>) -> Result<u64, ImportError> {
        let end = self.source.bytes;
        if let Some(declared) = declared_end
            && (declared == end || self.try_frame(declared)?)
        {
            return Ok(declared);
        }
        let pattern = if self.container == Container::V0 { 10 } else { 14 };
        let mut window = Vec::new();
        for chunk in chunks(damaged + 1..end) {
            // A frame header may continue in the next chunk.
            self.source.read_into(&(chunk.start..end.min(chunk.end + pattern - 1)), &mut window)?;
            for (index, at) in window.windows(pattern as usize).enumerate() {
                if !self.may_begin(at) {
                    continue;
                }
                if self.search_bytes == 0 {
                    return Ok(end);
                }
                let place = chunk.start + index as u64;
                if self.try_frame(place)? {
                    return Ok(place);
                }
            }
        }
        Ok(end)
    }

    /// Returns whether these bytes look like the start of a frame: a usual header and the start of a zlib stream.
    fn may_begin(&self, bytes: &[u8]) -> bool {
        let zlib = match (self.container, bytes) {
            (Container::V0, [_, _, _, _, _, _, _, _, zlib @ ..]) => zlib,
            (Container::V1 | Container::V2, [12, 0, 0, 0, _, _, _, _, _, _, _, _, zlib @ ..]) => zlib,
            _ => return false,
        };
        matches!(zlib, [0x78, flags] if (0x7800 + u32::from(*flags)).is_multiple_of(31))
    }

    /// Returns whether there is an intact frame at an offset. Its lengths must match its header.
    fn try_frame(&mut self, place: u64) -> Result<bool, ImportError> {
        let whole = self.frame_at(place)?.is_ok_and(|frame| frame.problem.is_none());
        let tried = (self.packed.len() + self.raw.len()) as u64;
        self.search_bytes = self.search_bytes.saturating_sub(tried.max(64));
        Ok(whole)
    }
}

/// Decompresses a zlib stream. Returns how many bytes of `packed` it occupies.
fn inflate(packed: &[u8], expected: u32, raw: &mut Vec<u8>) -> Result<u64, FrameProblem> {
    let mut zlib = Decompress::new(true);
    raw.clear();
    // The length in the file is only a hint; the buffer grows as the stream requires.
    raw.reserve((expected as usize).clamp(1 << 10, 1 << 20));
    loop {
        let input = usize::try_from(zlib.total_in()).ok().and_then(|done| packed.get(done..)).unwrap_or_default();
        let before = (zlib.total_in(), zlib.total_out());
        let status = zlib.decompress_vec(input, raw, FlushDecompress::None).map_err(|_| FrameProblem::Zlib)?;
        if raw.len() > MAX_RAW_BYTES {
            return Err(FrameProblem::TooLarge);
        }
        if status == Status::StreamEnd {
            return Ok(zlib.total_in());
        }
        if raw.len() == raw.capacity() {
            raw.reserve(raw.len().min(MAX_RAW_BYTES + 1 - raw.len()).max(1));
        } else if before == (zlib.total_in(), zlib.total_out()) {
            return Err(FrameProblem::Unfinished);
        }
    }
}
