//! Decompresses the zstd frames of a file, one after another. Damage costs only the affected frame: decoding resumes at the next one.
//!
//! The content of a frame is held back until the frame has been read to its end and its checksum verified, unless it is
//! too large; so nothing is returned that turns out to be wrong later. A frame that is truncated by the end of the file
//! is returned as far as it goes.

mod input;
#[cfg(any(not(feature = "zstd"), test))]
mod pure;
#[cfg(feature = "zstd")]
mod with_c;

use std::io::{self, Read};

pub(crate) use input::Input;
#[cfg(not(feature = "zstd"))]
use pure::PureBackend as Backend;
#[cfg(feature = "zstd")]
use with_c::CBackend as Backend;

use crate::dictionary::{self, Dictionary};
use crate::limits::Limits;

/// The maximum length of a zstd frame header that must be examined: magic number, descriptor, window, dictionary id.
const FRAME_HEAD_BYTES: usize = 10;

/// Checks that a dictionary can be loaded.
pub(crate) fn check_dictionary(dictionary: &Dictionary) -> Result<(), String> {
    Backend::new(&Limits::default(), Some(dictionary)).map(|_| ()).map_err(|error| error.to_string())
}

/// The magic number of a zstd frame.
pub(crate) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The maximum size of content held back.
const HOLD_BYTES: usize = 4 << 20;

/// How far into a file with a damaged start a zstd frame is searched for.
const START_BYTES: usize = 64 << 10;

/// Whether a source is compressed. If its first bytes are neither those of zstd nor of a record, its start is damaged,
/// and a frame further on decides. Only in that case does this wait for more than a few bytes, since the source may be a live stream.
pub(crate) fn is_source_packed<R: Read>(input: &mut Input<R>) -> io::Result<bool> {
    let start = input.peek(8)?;
    if begins_frame(start) || begins_record(start) {
        return Ok(begins_frame(start));
    }
    Ok(is_packed(input.peek(START_BYTES)?))
}

/// The same for the first bytes of a file.
pub(crate) fn is_packed(start: &[u8]) -> bool {
    begins_frame(start) || !begins_record(start) && start.windows(ZSTD_MAGIC.len()).any(|window| window == ZSTD_MAGIC)
}

fn begins_record(start: &[u8]) -> bool {
    let first_key = crate::wire::varint(start).ok().and_then(|(_, rest)| rest.first());
    matches!(first_key, Some(0x0a | 0x12 | 0x1a))
}

fn begins_frame(start: &[u8]) -> bool {
    start.starts_with(&ZSTD_MAGIC) || is_skippable(start)
}

fn is_skippable(start: &[u8]) -> bool {
    matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// The result of one decoder step.
pub(crate) enum Step {
    /// There is more of this frame.
    More,
    /// The frame has ended and is intact.
    Done,
}

/// The reason why a decoder stopped.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The file ends inside the frame.
    Truncated,
    /// The frame is damaged.
    Damaged(String),
    /// The file could not be read.
    Io(io::Error),
}

/// An item decoded from a file.
#[derive(Debug)]
pub(crate) enum Unpacked {
    /// Content of the frame at this offset of the file.
    Content { frame_offset: u64, bytes: Vec<u8> },
    /// A frame, or bytes between frames, that cannot be decoded. What follows is not contiguous with what came before.
    Damaged { offset: u64, bytes: u64, cause: String },
    /// A frame compressed with a dictionary that is not available. What follows is not contiguous with what came before.
    NeedsDictionary { offset: u64, bytes: u64, id: u32 },
    /// The file ends inside a frame.
    Truncated { offset: u64 },
    /// The content would become too large. Nothing more is read.
    Bomb { raw_bytes: u64, packed_bytes: u64 },
}

/// Decompresses a file.
pub(crate) struct Unpacker<R> {
    input: Input<R>,
    backend: Backend,
    limits: Limits,
    /// The id of the available dictionary.
    dictionary: Option<u32>,
    /// Whether a frame was decompressed with the dictionary.
    used_dictionary: bool,
    /// Offset of the current frame; `None` between frames.
    frame: Option<u64>,
    held: Vec<u8>,
    /// Whether the frame is too large to be held back.
    released: bool,
    raw_bytes: u64,
    over: bool,
}

impl<R: Read> Unpacker<R> {
    pub(crate) fn new(input: Input<R>, limits: &Limits, dictionary: Option<&Dictionary>) -> io::Result<Self> {
        Ok(Self {
            input,
            backend: Backend::new(limits, dictionary)?,
            limits: *limits,
            dictionary: dictionary.map(Dictionary::id),
            used_dictionary: false,
            frame: None,
            held: Vec::new(),
            released: false,
            raw_bytes: 0,
            over: false,
        })
    }

    /// Whether a frame was decompressed with the dictionary.
    pub(crate) fn used_dictionary(&self) -> bool {
        self.used_dictionary
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Unpacked>> {
        loop {
            if self.over {
                return Ok(None);
            }
            if self.frame.is_none()
                && let Some(found) = self.begin()?
            {
                return Ok(found);
            }
            let Some(frame_offset) = self.frame else { continue };
            let step = self.backend.step(&mut self.input, &mut self.held);
            if self.is_bomb() {
                self.over = true;
                let (raw_bytes, packed_bytes) = (self.raw_bytes + self.held.len() as u64, self.input.read_bytes());
                return Ok(Some(Unpacked::Bomb { raw_bytes, packed_bytes }));
            }
            match step {
                Ok(Step::More) => {
                    if self.held.len() >= HOLD_BYTES || (self.released && !self.held.is_empty()) {
                        self.released = true;
                        return Ok(Some(self.content(frame_offset)));
                    }
                }
                Ok(Step::Done) => {
                    self.frame = None;
                    if !self.held.is_empty() {
                        return Ok(Some(self.content(frame_offset)));
                    }
                }
                Err(fault) => return self.fault(frame_offset, fault).map(Some),
            }
        }
    }

    fn content(&mut self, frame_offset: u64) -> Unpacked {
        self.raw_bytes += self.held.len() as u64;
        Unpacked::Content { frame_offset, bytes: std::mem::take(&mut self.held) }
    }

    fn is_bomb(&self) -> bool {
        let raw = self.raw_bytes + self.held.len() as u64;
        let allowed =
            self.limits.free_bytes.saturating_add(self.input.read_bytes().saturating_mul(self.limits.expansion));
        raw > allowed
    }

    /// Looks for the next frame. `Some(None)` means the end of the file.
    #[allow(clippy::option_option)]
    fn begin(&mut self) -> io::Result<Option<Option<Unpacked>>> {
        let offset = self.input.offset();
        let start = self.input.peek(FRAME_HEAD_BYTES)?;
        if start.is_empty() {
            self.over = true;
            return Ok(Some(None));
        }
        if start.starts_with(&ZSTD_MAGIC) {
            let wanted = dictionary::id_of_frame(start);
            if let Some(id) = wanted.filter(|id| self.dictionary != Some(*id)) {
                let bytes = self.pass_over(offset)?;
                return Ok(Some(Some(Unpacked::NeedsDictionary { offset, bytes, id })));
            }
            self.used_dictionary |= wanted.is_some();
            self.frame = Some(offset);
            self.released = false;
            self.held.clear();
            self.backend.begin(wanted.is_some())?;
            return Ok(None);
        }
        if let (true, Some(length)) =
            (is_skippable(start), start.get(4..8).and_then(|length| length.first_chunk::<4>()))
        {
            let length = u64::from(u32::from_le_bytes(*length)) + 8;
            if self.input.skip(length)? < length {
                self.over = true;
                return Ok(Some(Some(Unpacked::Truncated { offset })));
            }
            return Ok(None);
        }
        self.search(offset, "no zstd frame starts here".to_owned()).map(|found| Some(Some(found)))
    }

    /// Resumes where the next frame may start.
    fn search(&mut self, from: u64, cause: String) -> io::Result<Unpacked> {
        let bytes = self.pass_over(from)?;
        Ok(Unpacked::Damaged { offset: from, bytes, cause })
    }

    /// Searches for the start of the next frame after `from`; returns the number of bytes skipped.
    fn pass_over(&mut self, from: u64) -> io::Result<u64> {
        self.frame = None;
        self.input.rewind(from.saturating_add(1));
        // A decoder that rejects the header of a frame has consumed nothing: the same frame must not be found again.
        if self.input.offset() <= from {
            self.input.skip(1)?;
        }
        let end = loop {
            let start = self.input.peek(4)?;
            if start.len() < 4 {
                let rest = start.len() as u64;
                self.input.skip(rest)?;
                break self.input.offset();
            }
            if begins_frame(start) {
                break self.input.offset();
            }
            self.input.skip(1)?;
        };
        Ok(end - from)
    }

    fn fault(&mut self, frame_offset: u64, fault: Fault) -> io::Result<Unpacked> {
        match fault {
            Fault::Io(error) => Err(error),
            Fault::Truncated => {
                // The part before the truncation is returned. The next call reports the truncation.
                if self.held.is_empty() {
                    self.over = true;
                    return Ok(Unpacked::Truncated { offset: frame_offset });
                }
                Ok(self.content(frame_offset))
            }
            Fault::Damaged(cause) => {
                // It counts towards the bomb limit all the same: there can be many frames that fail late.
                self.raw_bytes += self.held.len() as u64;
                self.held.clear();
                self.search(frame_offset, cause)
            }
        }
    }
}
