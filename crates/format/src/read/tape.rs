//! A tape that is open for reading: closed, crashed or still being written.
//!
//! Opening finds the streams and their blocks; frames, channels and overviews are read from there (see the sibling modules).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::catalog::{BlockList, TapeBytes};
use super::journals::{JournalView, journal_paths, parse_descriptor};
use super::looks_like::looks_like;
use super::problem::{Problem, ProblemKind, ReadError, io_at};
use super::scan::{Hop, Scan};
use crate::block::{Block, checked_head};
use crate::column::{BlockDecoder, Column};
use crate::footer::{Footer, PageRef, Totals};
use crate::index::{BlockEntry, IndexPage};
use crate::limits;
use crate::pack;
use crate::ranges::{self, Slot};
use crate::record::{FileHeader, HEADER_BYTES, RecordHeader, RecordKind, TRAILER_BYTES, TapeId, Trailer, VERSION};
use crate::source::{ReadAt, Seekable, read_full};
use crate::stream::{Role, StreamId, StreamSpec};
use crate::system::Status;

/// How many problems are remembered; a hostile file could have any number.
const MAX_PROBLEMS: usize = 1000;

/// Problems found while reading.
#[derive(Debug, Default)]
pub(crate) struct Notes(Mutex<Vec<Problem>>);

impl Notes {
    pub(crate) fn add(&self, problem: Problem) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MAX_PROBLEMS && !all.contains(&problem) {
            all.push(problem);
        }
    }

    fn all(&self) -> Vec<Problem> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One stream of an open tape.
#[derive(Debug)]
pub struct TapeStream {
    id: StreamId,
    spec: StreamSpec,
    pub(crate) columns: Vec<Column>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) list: BlockList,
    totals: Totals,
    status: Status,
}

impl TapeStream {
    fn new(id: u16, spec: StreamSpec) -> Self {
        Self {
            id: StreamId(id),
            columns: spec.to_columns(),
            slots: ranges::slots(&spec),
            list: BlockList::default(),
            totals: Totals::default(),
            status: Status::default(),
            spec,
        }
    }

    /// Its number on this tape.
    pub fn id(&self) -> StreamId {
        self.id
    }

    /// Its description.
    pub fn spec(&self) -> &StreamSpec {
        &self.spec
    }

    /// Frames, bytes and times.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// What was lost and noticed while it was recorded.
    pub fn status(&self) -> &Status {
        &self.status
    }
}

/// A tape that is open for reading.
pub struct Tape {
    pub(crate) source: Box<dyn ReadAt>,
    path: Option<PathBuf>,
    header: Option<FileHeader>,
    size: u64,
    complete: bool,
    scanned_to: u64,
    pub(crate) streams: BTreeMap<u16, TapeStream>,
    pub(crate) journals: Vec<JournalView>,
    pub(crate) notes: Notes,
}

impl Tape {
    /// Opens a file, with the journals beside it if it was not closed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(io_at(0))?;
        let size = file.size().map_err(io_at(0))?;
        let is_closed = read_trailer(&file, size).map_err(io_at(0))?.is_some();
        // A closed tape needs no journals; to look for them would cost more than all the rest.
        let (file, journals) = if is_closed { (file, Vec::new()) } else { open_files(path).map_err(io_at(0))? };
        Self::from_parts(Box::new(file), journals, Some(path.to_owned()))
    }

    /// Opens a tape that is in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ReadError> {
        Self::from_parts(Box::new(bytes), Vec::new(), None)
    }

    /// Opens a tape behind anything that reads and seeks.
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

    /// Looks for what a recorder has added since the tape was opened or refreshed. Gives whether there is anything new.
    pub fn refresh(&mut self) -> Result<bool, ReadError> {
        let Some(path) = self.path.clone().filter(|_| !self.complete) else { return Ok(false) };
        let before: u64 = self.streams.values().map(|stream| stream.totals.frames).sum();
        let (file, journals) = open_files(&path).map_err(io_at(0))?;
        self.source = Box::new(file);
        self.size = self.source.size().map_err(io_at(0))?;
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
        let trailer = read_trailer(&*self.source, self.size).map_err(io_at(self.size))?;
        if trailer.is_some() {
            self.complete = true;
            self.journals.clear();
            self.finish_lists()?;
        }
        let after: u64 = self.streams.values().map(|stream| stream.totals.frames).sum();
        Ok(after != before || self.complete)
    }

    /// Identity of the tape, if header or footer could be read.
    pub fn id(&self) -> Option<TapeId> {
        self.header.map(|header| header.tape_id)
    }

    /// Format version.
    pub fn version(&self) -> u16 {
        self.header.map_or(VERSION, |header| header.version)
    }

    /// UTC at time 0, nanoseconds since 1970, if known.
    pub fn start_utc_ns(&self) -> Option<i64> {
        self.header.and_then(|header| header.start_utc_ns)
    }

    /// Whether the tape was closed.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether some frames come from a journal.
    pub fn uses_journal(&self) -> bool {
        let in_journal =
            |located: &super::catalog::Located| matches!(located.place, super::catalog::Place::Journal { .. });
        self.streams.values().any(|stream| stream.list.tail.iter().any(in_journal))
    }

    /// Length of the tape file.
    pub fn bytes(&self) -> u64 {
        self.size
    }

    /// All streams, by number.
    pub fn streams(&self) -> impl Iterator<Item = &TapeStream> {
        self.streams.values()
    }

    /// A stream by number.
    pub fn stream(&self, id: StreamId) -> Option<&TapeStream> {
        self.streams.get(&id.0)
    }

    /// A stream by name.
    pub fn stream_named(&self, name: &str) -> Result<&TapeStream, ReadError> {
        self.streams.values().find(|stream| stream.spec.name == name).ok_or_else(|| ReadError::NoSuchStream {
            name: name.to_owned(),
            known: self.streams.values().map(|stream| stream.spec.name.clone()).collect(),
        })
    }

    /// The first stream of a role.
    pub fn stream_of_role(&self, role: Role) -> Option<&TapeStream> {
        self.streams.values().find(|stream| stream.spec.role == role)
    }

    /// What was found wrong so far. Damage inside blocks shows when they are read; `verify` reads them all.
    pub fn problems(&self) -> Vec<Problem> {
        self.notes.all()
    }

    /// Frames that are missing between the blocks of a stream.
    #[cfg(feature = "write")]
    pub(crate) fn missing_frames(&self, stream: &TapeStream) -> Result<u64, ReadError> {
        let mut cache = super::catalog::PageCache::default();
        let (mut missing, mut expected, mut number) = (0, None, 0);
        while let Some(block) = stream.list.get(&self.bytes_of(stream.id.0), &mut cache, &mut number)? {
            missing += block.first_seq.saturating_sub(expected.unwrap_or(block.first_seq));
            expected = Some(block.end_seq());
            number += 1;
        }
        Ok(missing)
    }

    /// Reads a record whole.
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

    /// Opens by trailer and footer. `false` if the tape was not closed or its end is damaged.
    fn open_closed(&mut self) -> Result<bool, ReadError> {
        let Some(trailer) = read_trailer(&*self.source, self.size).map_err(io_at(self.size))? else { return Ok(false) };
        let footer = match read_footer(&*self.source, &trailer, self.size)? {
            Ok(footer) => footer,
            Err(problem) => {
                self.notes.add(problem);
                return Ok(false);
            }
        };
        self.header = self.header.or(Some(footer.header));
        let mut streams = BTreeMap::new();
        for summary in footer.streams {
            let spec = match self.read_descriptor(summary.descriptor_offset, Some(summary.id.0))? {
                Ok((_, spec)) => spec,
                // The way through the records finds what the footer cannot.
                Err(problem) => {
                    self.notes.add(problem);
                    return Ok(false);
                }
            };
            let mut stream = TapeStream::new(summary.id.0, spec);
            stream.list.pages = summary.pages;
            stream.totals = summary.totals;
            stream.status = summary.status;
            let sound = stream.list.check_pages(trailer.footer_offset);
            let twice = streams.insert(summary.id.0, stream).is_some();
            // Checked each time: the descriptors of a hostile file would not all fit into memory.
            let wrong = |text| Problem::new(ProblemKind::Footer, trailer.footer_offset, text).of_stream(summary.id.0);
            let checked = match (sound, twice) {
                (true, false) => check_tables(streams.values()),
                (false, _) => Err(wrong("the footer's list of index pages makes no sense")),
                (_, true) => Err(wrong("the footer names a stream twice")),
            };
            if let Err(problem) = checked {
                self.notes.add(problem);
                return Ok(false);
            }
        }
        self.streams = streams;
        self.complete = true;
        Ok(true)
    }

    fn read_descriptor(&self, offset: u64, id: Option<u16>) -> Result<Result<(u16, StreamSpec), Problem>, ReadError> {
        let wrong =
            |text: String| Problem::new(ProblemKind::Stream, offset, format!("a stream descriptor is damaged: {text}"));
        let (header, payload) = match read_record(&*self.source, offset, self.size)? {
            Ok(record) => record,
            Err(error) => return Ok(Err(wrong(error.to_string()))),
        };
        if header.kind != RecordKind::Stream || id.is_some_and(|id| id != header.stream) {
            return Ok(Err(wrong("another record stands in its place".into())));
        }
        let parsed = checked_head(&header, &payload)
            .and_then(|payload| Ok(pack::unpack(payload, limits::DESCRIPTOR_BYTES)?))
            .and_then(|bytes| StreamSpec::parse(&bytes));
        Ok(parsed.map(|spec| (header.stream, spec)).map_err(|error| wrong(error.to_string()).of_stream(header.stream)))
    }

    fn open_journals(&mut self, sources: Vec<Box<dyn ReadAt>>) -> Result<(), ReadError> {
        for source in sources {
            match JournalView::open(source, self.id()).map_err(io_at(0))? {
                Ok(journal) => self.journals.extend(journal),
                Err(problem) => self.notes.add(problem),
            }
        }
        self.journals.sort_by_key(|journal| journal.generation);
        Ok(())
    }

    /// Takes in the rows of the journals. Streams that they describe are known from here on, so that blocks can be read whose
    /// descriptor in the tape is damaged.
    fn walk_journals(&mut self, thorough: bool) -> Result<(), ReadError> {
        let mut journals = std::mem::take(&mut self.journals);
        let notes = std::mem::take(&mut self.notes);
        let known: usize = journals.iter().map(JournalView::run_count).sum();
        let mut runs_left = limits::JOURNAL_RUNS.saturating_sub(known);
        let walked = journals.iter_mut().try_for_each(|journal| {
            let generation = journal.generation;
            journal.walk(thorough, &mut runs_left, &notes, &mut |id, at, payload| match parse_descriptor(payload) {
                Ok(spec) => self.add_stream(id, spec, at),
                Err(error) => {
                    let problem = Problem::new(ProblemKind::Stream, at, error.to_string());
                    notes.add(problem.of_stream(id).in_journal(generation));
                }
            })
        });
        // What went wrong with streams was noted on the way.
        self.notes.all().into_iter().for_each(|problem| notes.add(problem));
        self.journals = journals;
        self.notes = notes;
        walked.map_err(io_at(0))
    }

    /// Hops over the records from where the last scan ended.
    fn scan(&mut self) -> Result<(), ReadError> {
        // Blocks behind this may have been torn by a power cut, while their frames are still in a journal.
        let synced_to = self.journals.iter().map(|journal| journal.tape_bytes).min().unwrap_or(u64::MAX);
        let mut from = self.scanned_to;
        loop {
            let hop = Scan::new(&*self.source, from, self.size).hop().map_err(io_at(from))?;
            match hop {
                Hop::Record(header) => {
                    self.take_record(&header, synced_to)?;
                    from = header.end();
                }
                Hop::Damage { at, bytes } => {
                    // Less than a header at the end of a live tape is a record that is just being written.
                    let partial = at + bytes == self.size && bytes < HEADER_BYTES as u64 && !self.journals.is_empty();
                    if !partial {
                        let text = format!("{bytes} bytes are damaged");
                        self.notes.add(Problem::new(ProblemKind::Record, at, text));
                    }
                    if at + bytes == self.size {
                        // What is added later may make it whole.
                        self.scanned_to = at;
                        return Ok(());
                    }
                    from = at + bytes;
                }
                Hop::Cut(header) => {
                    let text = "the last record is cut off or still being written";
                    let problem = Problem::new(ProblemKind::CutRecord, header.offset, text).of_stream(header.stream);
                    let lost = if header.kind.is_block() { u64::from(header.rows) } else { 0 };
                    if self.journals.is_empty() {
                        self.notes.add(problem.losing(lost));
                    }
                    self.scanned_to = from;
                    return Ok(());
                }
                Hop::End { at } => {
                    self.scanned_to = at;
                    return Ok(());
                }
            }
        }
    }

    fn take_record(&mut self, header: &RecordHeader, synced_to: u64) -> Result<(), ReadError> {
        match header.kind {
            RecordKind::Stream => match self.read_descriptor(header.offset, None)? {
                Ok((id, spec)) => self.add_stream(id, spec, header.offset),
                Err(problem) => self.notes.add(problem),
            },
            RecordKind::ColumnBlock | RecordKind::RowBlock => self.take_block(header, synced_to)?,
            RecordKind::IndexPage => self.take_page(header)?,
            RecordKind::Footer => self.take_footer(header)?,
            RecordKind::Other(_) => {}
        }
        Ok(())
    }

    fn add_stream(&mut self, id: u16, spec: StreamSpec, offset: u64) {
        if self.streams.contains_key(&id) {
            return;
        }
        let wrong = |text: &str| Problem::new(ProblemKind::Stream, offset, text).of_stream(id);
        if self.streams.len() >= limits::STREAMS {
            return self.notes.add(wrong("there are too many streams"));
        }
        let stream = TapeStream::new(id, spec);
        match check_tables(self.streams.values().chain([&stream])) {
            Ok(()) => drop(self.streams.insert(id, stream)),
            Err(problem) => self.notes.add(Problem { offset, ..problem }),
        }
    }

    fn take_block(&mut self, header: &RecordHeader, synced_to: u64) -> Result<(), ReadError> {
        let loose: usize = self.streams.values().map(|stream| stream.list.loose.len()).sum();
        let problem = |text: String| {
            let lost = u64::from(header.rows);
            Problem::new(ProblemKind::Block, header.offset, text).of_stream(header.stream).losing(lost)
        };
        let Some(stream) = self.streams.get_mut(&header.stream) else {
            self.notes.add(problem("a block of a stream that no descriptor describes".into()));
            return Ok(());
        };
        if loose >= limits::LOOSE_BLOCKS {
            self.notes.add(problem("too many blocks that no index page lists; use recover".into()));
            return Ok(());
        }
        if header.offset >= synced_to {
            let mut block = Block::default();
            let whole = read_block(&*self.source, header, stream, &mut block, &mut BlockDecoder::default())?;
            if let Err(error) = whole {
                // Its frames are in the journal; if they are not, the hole in the numbers is reported.
                let text = format!("a block was not finished: {error}");
                self.notes.add(Problem { frames_lost: None, ..problem(text) });
                return Ok(());
            }
        }
        stream.list.loose.push(BlockEntry::of(header));
        Ok(())
    }

    /// A page stands for the loose blocks that it lists.
    fn take_page(&mut self, header: &RecordHeader) -> Result<(), ReadError> {
        let page = PageRef {
            offset: header.offset,
            record_bytes: header.record_bytes() as u32,
            blocks: header.rows,
            first_seq: header.first_seq,
            first_ns: header.first_ns,
            last_ns: header.last_ns,
        };
        let parsed: Result<IndexPage, Problem> =
            self.bytes_of(header.stream).page(&page, None)?.map(|(_, parsed)| parsed);
        let Some(stream) = self.streams.get_mut(&header.stream) else { return Ok(()) };
        match parsed {
            Ok(parsed) => stream.list.take_page(page, &parsed.entries),
            Err(problem) => self.notes.add(problem),
        }
        Ok(())
    }

    /// A footer without a trailer that leads to it: the tape was closed and its end is damaged, unless there are journals: then
    /// it is about to be closed, or the recorder was ended while it did that.
    fn take_footer(&mut self, header: &RecordHeader) -> Result<(), ReadError> {
        let has_trailer = read_trailer(&*self.source, self.size).map_err(io_at(self.size))?.is_some();
        if !has_trailer && !self.journals.is_empty() {
            return Ok(());
        }
        let trailer = Trailer { footer_offset: header.offset, footer_bytes: header.record_bytes() };
        match read_footer(&*self.source, &trailer, self.size)? {
            Ok(footer) => {
                self.header = self.header.or(Some(footer.header));
                for summary in footer.streams {
                    if let Some(stream) = self.streams.get_mut(&summary.id.0) {
                        stream.status = summary.status;
                    }
                }
                if !has_trailer {
                    let text = "the trailer is missing or damaged";
                    self.notes.add(Problem::new(ProblemKind::Trailer, header.end(), text));
                }
                self.complete = true;
            }
            Err(problem) => self.notes.add(problem),
        }
        Ok(())
    }

    /// After a scan: joins blocks and journal rows, counts, and reads the last status.
    fn finish_lists(&mut self) -> Result<(), ReadError> {
        for journal in &self.journals {
            for id in journal.runs.keys().filter(|id| !self.streams.contains_key(id)) {
                let text = "rows of a stream that no descriptor describes";
                self.notes
                    .add(Problem::new(ProblemKind::JournalRow, 0, text).of_stream(*id).in_journal(journal.generation));
            }
        }
        for stream in self.streams.values_mut() {
            stream.list.rebuild_tail(stream.id.0, &self.journals, &self.notes);
            stream.totals = stream.list.totals();
        }
        if !self.complete {
            let status = self.read_status();
            for (id, state) in status {
                if let Some(stream) = self.streams.get_mut(&id.0) {
                    stream.status = state;
                }
            }
        }
        Ok(())
    }

    fn note_if_not_closed(&mut self) {
        if self.complete {
            return;
        }
        let text = "the tape was not closed: its recorder is still running or was ended";
        self.notes.add(Problem::new(ProblemKind::NotClosed, self.size, text));
        if self.journals.is_empty() {
            let text = "the tape was not closed and its journal is missing: the last seconds may be missing";
            self.notes.add(Problem::new(ProblemKind::JournalMissing, self.size, text));
        }
    }
}

/// Checks that the tables of all streams together stay within the limits, and that names are unique.
fn check_tables<'a>(streams: impl Iterator<Item = &'a TapeStream>) -> Result<(), Problem> {
    let (mut bytes, mut channels, mut columns) = (0, 0, 0);
    let mut names = std::collections::HashSet::new();
    for stream in streams {
        let wrong = |text: &str| Err(Problem::new(ProblemKind::Stream, 0, text).of_stream(stream.id.0));
        bytes += stream.spec.encoded_bytes();
        channels += stream.spec.channels.len();
        columns += stream.columns.len();
        let too_many = channels > limits::CHANNELS_IN_TAPE || columns > limits::COLUMNS_IN_TAPE;
        if too_many || bytes > limits::DESCRIPTORS_BYTES {
            return wrong("the streams have too many channels");
        }
        if !names.insert(stream.spec.name.as_str()) {
            return wrong("two streams have the same name");
        }
    }
    Ok(())
}

/// Opens the journals before the tape: what left a journal before then is in the tape.
fn open_files(path: &Path) -> io::Result<(File, Vec<Box<dyn ReadAt>>)> {
    const TRIES: usize = 100;
    for _ in 0..TRIES {
        let opened: io::Result<Vec<File>> = journal_paths(path)?.iter().map(File::open).collect();
        match opened {
            Ok(files) => {
                let journals = files.into_iter().map(|file| Box::new(file) as Box<dyn ReadAt>).collect();
                return Ok((File::open(path)?, journals));
            }
            // A generation was dropped between listing and opening: list again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("the journals of this tape change faster than they can be opened"))
}

fn read_file_header(source: &dyn ReadAt, notes: &Notes) -> Result<Option<FileHeader>, ReadError> {
    let mut bytes = [0; 512];
    let found = read_full(source, 0, &mut bytes).map_err(io_at(0))?;
    let start = bytes.get(..found).unwrap_or_default();
    match FileHeader::parse(start.get(..HEADER_BYTES).unwrap_or(start)) {
        Ok(header) if header.version == VERSION => Ok(Some(header)),
        Ok(header) => Err(ReadError::UnknownVersion { version: header.version, known: VERSION }),
        Err(error) => {
            if !is_damaged_tape(source, start) {
                return Err(ReadError::NotATape { looks_like: looks_like(start) });
            }
            let text = format!("the file header is damaged: {error}");
            notes.add(Problem::new(ProblemKind::FileHeader, 0, text));
            Ok(None)
        }
    }
}

/// A header that is wrong, but magic or the first record say that this was a tape.
fn is_damaged_tape(source: &dyn ReadAt, start: &[u8]) -> bool {
    let record = start.get(HEADER_BYTES..2 * HEADER_BYTES).unwrap_or_default();
    let has_record = RecordHeader::parse(record, HEADER_BYTES as u64).is_ok();
    let size = source.size().unwrap_or_default();
    let has_trailer = read_trailer(source, size).ok().flatten().is_some();
    (FileHeader::is_tape(start) && start.len() >= HEADER_BYTES) || has_record || has_trailer
}

fn read_trailer(source: &dyn ReadAt, size: u64) -> io::Result<Option<Trailer>> {
    let Some(at) = size.checked_sub(TRAILER_BYTES as u64) else { return Ok(None) };
    let mut bytes = [0; TRAILER_BYTES];
    let found = read_full(source, at, &mut bytes)?;
    Ok(Trailer::parse(bytes.get(..found).unwrap_or_default()).ok())
}

fn read_footer(source: &dyn ReadAt, trailer: &Trailer, size: u64) -> Result<Result<Footer, Problem>, ReadError> {
    let wrong = |text: String| {
        Problem::new(ProblemKind::Footer, trailer.footer_offset, format!("the footer is damaged: {text}"))
    };
    let (header, payload) = match read_record(source, trailer.footer_offset, size)? {
        Ok(record) => record,
        Err(error) => return Ok(Err(wrong(error.to_string()))),
    };
    if header.kind != RecordKind::Footer || header.record_bytes() != trailer.footer_bytes {
        return Ok(Err(wrong("another record stands in its place".into())));
    }
    let footer = checked_head(&header, &payload)
        .and_then(|payload| Ok(pack::unpack(payload, limits::FOOTER_BYTES)?))
        .and_then(|bytes| Footer::parse(&bytes));
    Ok(footer.map_err(|error| wrong(error.to_string())))
}

/// Reads a record whole: its header is checked, its payload is not.
pub(crate) fn read_record(
    source: &dyn ReadAt,
    offset: u64,
    size: u64,
) -> Result<Result<(RecordHeader, Vec<u8>), crate::Malformed>, ReadError> {
    let mut bytes = [0; HEADER_BYTES];
    let found = read_full(source, offset, &mut bytes).map_err(io_at(offset))?;
    let header = match RecordHeader::parse(bytes.get(..found).unwrap_or_default(), offset) {
        Ok(header) => header,
        Err(error) => return Ok(Err(error)),
    };
    let available = size.saturating_sub(offset.saturating_add(HEADER_BYTES as u64));
    if u64::from(header.payload_bytes) > available {
        let needed = header.payload_bytes as usize;
        return Ok(Err(crate::Malformed::Short { what: "the record", needed, available: available as usize }));
    }
    let mut payload = vec![0; header.payload_bytes as usize];
    let found = read_full(source, offset + HEADER_BYTES as u64, &mut payload).map_err(io_at(offset))?;
    payload.truncate(found);
    Ok(Ok((header, payload)))
}

/// Reads and decodes a block whose header was read before.
pub(crate) fn read_block(
    source: &dyn ReadAt,
    header: &RecordHeader,
    stream: &TapeStream,
    block: &mut Block,
    decoder: &mut BlockDecoder,
) -> Result<Result<(), crate::Malformed>, ReadError> {
    let (found, payload) = match read_record(source, header.offset, u64::MAX)? {
        Ok(record) => record,
        Err(error) => return Ok(Err(error)),
    };
    if found != *header {
        return Ok(Err(crate::Malformed::Value { what: "a record that changed, at offset", found: header.offset }));
    }
    let frame_bytes = stream.spec.frame_bytes as usize;
    Ok(block.decode(&found, &payload, &stream.columns, frame_bytes, decoder))
}
