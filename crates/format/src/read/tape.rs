//! A tape that is open for reading: closed, crashed or still being written.
//!
//! Opening finds the streams and their blocks; the sibling modules read frames, channels and overviews from there.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::catalog::{BlockList, TapeBytes};
use super::closed_file::ClosedFile;
use super::described::Described;
use super::journals::JournalView;
use super::open::{TableBudget, open_files};
use super::problem::{Notes, Problem, ReadError, io_at};
#[cfg(feature = "write")]
use super::records::read_record;
use super::records::{read_file_header, read_trailer};
use crate::column::Column;
use crate::cursor::Malformed;
use crate::footer::Totals;
use crate::ranges::{self, Slot};
#[cfg(feature = "write")]
use crate::record::RecordHeader;
use crate::record::{FileHeader, HEADER_BYTES, TapeId, VERSION};
use crate::source::{ReadAt, Seekable, open_regular};
use crate::stream::{Role, StreamId, StreamSpec};
use crate::system::Status;

/// One stream of an open tape.
#[derive(Debug)]
pub struct TapeStream {
    id: StreamId,
    name: String,
    role: Role,
    frame_bytes: usize,
    described: Described,
    slots: OnceLock<Vec<Slot>>,
    pub(crate) columns: Vec<Column>,
    pub(crate) list: BlockList,
    pub(super) totals: Totals,
    pub(super) status: Status,
}

impl TapeStream {
    /// Creates a stream from its unpacked descriptor, or returns what is wrong with it.
    pub(super) fn new(id: u16, descriptor: Vec<u8>) -> Result<Self, Malformed> {
        let (described, (name, role, frame_bytes, columns)) = Described::new(descriptor, |descriptor| {
            let name = String::from_utf8_lossy(descriptor.name).into_owned();
            (name, descriptor.role, descriptor.frame_bytes as usize, descriptor.columns())
        })?;
        Ok(Self {
            id: StreamId(id),
            name,
            role,
            frame_bytes,
            described,
            slots: OnceLock::new(),
            columns,
            list: BlockList::default(),
            totals: Totals::default(),
            status: Status::default(),
        })
    }

    /// Its number in this tape.
    pub fn id(&self) -> StreamId {
        self.id
    }

    /// Its specification.
    pub fn spec(&self) -> &StreamSpec {
        self.described.spec()
    }

    /// Its name. Also available from [`spec`](Self::spec), whose first call is slow.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn frame_bytes(&self) -> usize {
        self.frame_bytes
    }

    pub(super) fn described(&self) -> &Described {
        &self.described
    }

    /// The slots of its ranges, created on first use.
    pub(crate) fn slots(&self) -> &[Slot] {
        self.slots.get_or_init(|| ranges::slots(self.spec()))
    }

    /// Frames, bytes and times.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The losses recorded for it.
    pub fn status(&self) -> &Status {
        &self.status
    }
}

/// A tape that is open for reading.
pub struct Tape {
    pub(crate) source: Box<dyn ReadAt>,
    pub(super) path: Option<PathBuf>,
    pub(super) header: Option<FileHeader>,
    pub(super) size: u64,
    pub(super) complete: bool,
    pub(super) scanned_to: u64,
    pub(crate) streams: BTreeMap<u16, TapeStream>,
    pub(crate) journals: Vec<JournalView>,
    pub(crate) notes: Notes,
    pub(super) budget: TableBudget,
}

impl Tape {
    /// Opens a file, together with its journals if it was not closed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let path = path.as_ref();
        let file = open_regular(path).map_err(io_at(0))?;
        let size = file.size().map_err(io_at(0))?;
        let closed = ClosedFile::new(file, size).map_err(io_at(0))?;
        // A closed tape needs no journals, and looking for them would cost more than everything else.
        if read_trailer(&closed, size).map_err(io_at(0))?.is_some() {
            return Self::from_parts(Box::new(closed), Vec::new(), Some(path.to_owned()));
        }
        let (file, journals) = open_files(path).map_err(io_at(0))?;
        Self::from_parts(Box::new(file), journals, Some(path.to_owned()))
    }

    /// The file it was opened from; `None` if it was not opened from a file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Opens a tape in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ReadError> {
        Self::from_parts(Box::new(bytes), Vec::new(), None)
    }

    /// Opens a tape from anything that implements `Read` and `Seek`.
    pub fn from_reader(reader: impl Read + Seek + Send + 'static) -> Result<Self, ReadError> {
        Self::from_parts(Box::new(Seekable::new(reader)), Vec::new(), None)
    }

    /// Opens a tape and its journals from sources of any kind.
    pub fn from_sources(tape: Box<dyn ReadAt>, journals: Vec<Box<dyn ReadAt>>) -> Result<Self, ReadError> {
        Self::from_parts(tape, journals, None)
    }

    fn from_parts(
        source: Box<dyn ReadAt>,
        journals: Vec<Box<dyn ReadAt>>,
        path: Option<PathBuf>,
    ) -> Result<Self, ReadError> {
        let size = source.size().map_err(io_at(0))?;
        let notes = Notes::default();
        let header = read_file_header(&*source, &notes)?;
        let mut tape = Self {
            source,
            path,
            header,
            size,
            complete: false,
            scanned_to: HEADER_BYTES as u64,
            streams: BTreeMap::new(),
            journals: Vec::new(),
            budget: TableBudget::default(),
            notes,
        };
        if !tape.open_closed()? {
            tape.open_journals(journals)?;
            tape.walk_journals(true)?;
            tape.scan()?;
            tape.finish_lists()?;
            tape.note_if_not_closed();
        }
        Ok(tape)
    }

    /// Looks for data that a recorder has added since the tape was opened or refreshed. Returns whether there is any.
    pub fn refresh(&mut self) -> Result<bool, ReadError> {
        let Some(path) = self.path.clone().filter(|_| !self.complete) else { return Ok(false) };
        let before: u64 = self.streams.values().map(|stream| stream.totals.frames).sum();
        let (file, journals) = open_files(&path).map_err(io_at(0))?;
        let size = file.size().map_err(io_at(0))?;
        if size < self.size || read_trailer(&file, size).map_err(io_at(size))?.is_some() {
            // Closed, or replaced by another file: discard all previous state.
            *self = Self::open(&path)?;
            return Ok(true);
        }
        self.source = Box::new(file);
        self.size = size;
        let mut old = std::mem::take(&mut self.journals);
        self.open_journals(journals)?;
        for journal in &mut self.journals {
            if let Some(known) = old.iter_mut().find(|known| known.generation == journal.generation) {
                journal.take_over(known);
            }
        }
        self.walk_journals(false)?;
        self.scan()?;
        self.finish_lists()?;
        let after: u64 = self.streams.values().map(|stream| stream.totals.frames).sum();
        Ok(after != before)
    }

    /// The identity of the tape, if the header or the footer could be read.
    pub fn id(&self) -> Option<TapeId> {
        self.header.map(|header| header.tape_id)
    }

    /// The format version.
    pub fn version(&self) -> u16 {
        self.header.map_or(VERSION, |header| header.version)
    }

    /// UTC at tape time 0, in nanoseconds since 1970, if known.
    pub fn start_utc_ns(&self) -> Option<i64> {
        self.header.and_then(|header| header.start_utc_ns)
    }

    /// Whether the tape was closed.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether a recorder is writing to this tape now. A tape that is neither closed nor being written lost its recorder. Always `false` for a
    /// tape that is not a file, and without the feature `write`.
    pub fn is_being_written(&self) -> bool {
        #[cfg(feature = "write")]
        return !self.complete && self.path.as_deref().is_some_and(crate::write::is_being_written);
        #[cfg(not(feature = "write"))]
        false
    }

    /// Whether some frames come from a journal.
    pub fn uses_journal(&self) -> bool {
        let in_journal = |located: &super::catalog::Located| {
            matches!(located.location, super::catalog::BlockLocation::Journal { .. })
        };
        self.streams.values().any(|stream| stream.list.tail.iter().any(in_journal))
    }

    /// The length of the tape file.
    pub fn bytes(&self) -> u64 {
        self.size
    }

    /// All streams, by number.
    pub fn streams(&self) -> impl Iterator<Item = &TapeStream> {
        self.streams.values()
    }

    /// Returns a stream by number.
    pub fn stream(&self, id: StreamId) -> Option<&TapeStream> {
        self.streams.get(&id.0)
    }

    /// Returns a stream by name.
    pub fn stream_named(&self, name: &str) -> Result<&TapeStream, ReadError> {
        self.streams.values().find(|stream| stream.name == name).ok_or_else(|| ReadError::NoSuchStream {
            name: name.to_owned(),
            known: self.streams.values().map(|stream| stream.name.clone()).collect(),
        })
    }

    /// Returns the first stream with a role.
    pub fn stream_of_role(&self, role: Role) -> Option<&TapeStream> {
        self.streams.values().find(|stream| stream.role == role)
    }

    /// The problems found so far. Damage inside blocks is found when they are read; `verify` reads them all.
    pub fn problems(&self) -> Vec<Problem> {
        self.notes.all()
    }

    /// Reads a complete record.
    #[cfg(feature = "write")]
    pub(crate) fn read_record(
        &self,
        offset: u64,
    ) -> Result<Result<(RecordHeader, Vec<u8>), crate::Malformed>, ReadError> {
        read_record(&*self.source, offset, self.size)
    }

    pub(crate) fn bytes_of(&self, stream: u16) -> TapeBytes<'_> {
        TapeBytes { source: &*self.source, stream, notes: &self.notes }
    }
}
