//! Reads the text in pieces, compressed or not. Holds one piece in memory.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::archive::{Archive, EchoReplayError, Method};
use crate::import::problems::Problems;
use crate::import::{ImportError, Source};

const READ_BYTES: u64 = 256 << 10;
const PIECE_BYTES: usize = 1 << 20;
/// Real replays compress to a quarter, at best to a hundredth where nothing moves; deflate itself can reach a thousandth.
const MOST_RATIO: u64 = 400;
/// Outputs up to this size are never treated as a zip bomb.
const HARMLESS_BYTES: u64 = 64 << 20;

/// A piece of the text.
pub(super) struct Piece<'a> {
    pub(super) bytes: &'a [u8],
    /// How far the reader is in the file.
    pub(super) offset: u64,
}

/// Reads the text in order.
pub(super) struct Unpack<'a> {
    source: &'a Source,
    archive: &'a Archive,
    inflate: Decompress,
    at: u64,
    packed: Vec<u8>,
    /// How many bytes of `packed` are consumed.
    used: usize,
    piece: Vec<u8>,
    unpacked: u64,
    crc: Crc,
    ended: bool,
}

impl<'a> Unpack<'a> {
    pub(super) fn new(source: &'a Source, archive: &'a Archive) -> Self {
        Self {
            source,
            archive,
            inflate: Decompress::new(false),
            at: archive.data.start,
            packed: Vec::new(),
            used: 0,
            piece: Vec::new(),
            unpacked: 0,
            crc: Crc::new(),
            ended: false,
        }
    }

    /// Returns the next piece, or `None` at the end. A broken archive ends early and adds a problem.
    pub(super) fn next(&mut self, problems: &mut Problems) -> Result<Option<Piece<'_>>, ImportError> {
        if self.ended {
            return Ok(None);
        }
        match self.archive.method {
            Method::Stored => self.read_stored()?,
            Method::Deflate => self.inflate(problems)?,
        }
        self.unpacked += self.piece.len() as u64;
        let packed = self.at - self.archive.data.start;
        if self.unpacked > HARMLESS_BYTES && self.unpacked / packed.max(1) > MOST_RATIO {
            return Err(EchoReplayError::Bomb { offset: self.at, packed, unpacked: self.unpacked }.into());
        }
        if self.archive.expected.is_some() {
            self.crc.update(&self.piece);
        }
        if self.ended {
            self.check(problems);
        }
        Ok(Some(Piece { bytes: &self.piece, offset: self.at }))
    }

    fn fill(&mut self) -> Result<(), ImportError> {
        let end = self.archive.data.end.min(self.at + READ_BYTES);
        self.source.read_into(&(self.at..end), &mut self.packed)?;
        self.at = end;
        self.used = 0;
        Ok(())
    }

    fn read_stored(&mut self) -> Result<(), ImportError> {
        self.fill()?;
        std::mem::swap(&mut self.piece, &mut self.packed);
        self.ended = self.at >= self.archive.data.end;
        Ok(())
    }

    fn inflate(&mut self, problems: &mut Problems) -> Result<(), ImportError> {
        self.piece.clear();
        self.piece.reserve(PIECE_BYTES);
        while !self.ended && self.piece.len() < self.piece.capacity() {
            if self.used == self.packed.len() && self.at < self.archive.data.end {
                self.fill()?;
            }
            let input = self.packed.get(self.used..).unwrap_or_default();
            let before = (self.inflate.total_in(), self.inflate.total_out());
            let result = self.inflate.decompress_vec(input, &mut self.piece, FlushDecompress::None);
            let read = (self.inflate.total_in() - before.0) as usize;
            self.used += read;
            let place = self.at - (self.packed.len() - self.used) as u64;
            match result {
                Ok(Status::StreamEnd) => self.ended = true,
                Ok(_) if read > 0 || self.inflate.total_out() > before.1 => {}
                Ok(_) if self.used == self.packed.len() && self.at >= self.archive.data.end => {
                    problems.add(format!("byte {place}: the archive ends inside the replay; what is whole was kept"));
                    self.ended = true;
                }
                Ok(_) if self.used == self.packed.len() => {}
                Ok(_) => {
                    problems.add(format!("byte {place}: the archive is damaged; what stands before it was kept"));
                    self.ended = true;
                }
                Err(error) => {
                    problems
                        .add(format!("byte {place}: the archive is damaged ({error}); what stands before it was kept"));
                    self.ended = true;
                }
            }
        }
        Ok(())
    }

    /// Compares length and checksum with those in the archive.
    fn check(&self, problems: &mut Problems) {
        let Some((bytes, crc)) = self.archive.expected else { return };
        if bytes != self.unpacked {
            problems.add(format!("the archive says that the replay has {bytes} bytes, it has {}", self.unpacked));
        } else if crc != self.crc.sum() {
            problems.add("the checksum of the replay in the archive does not fit: something in it is damaged");
        }
    }
}
