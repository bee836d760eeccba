//! Finds the streams and blocks of a tape, either by footer and index or by scanning the records, and reads its journals.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io;
use std::path::Path;

use super::journals::{JournalView, journal_paths, parse_descriptor};
use super::problem::{Problem, ProblemKind, ReadError, io_at};
use super::records::{read_block, read_footer, read_record, read_trailer};
use super::scan::{Hop, Scan};
use super::tape::{Tape, TapeStream};
use crate::block::{Block, checked_head};
use crate::column::BlockDecoder;
use crate::footer::PageRef;
use crate::index::{BlockEntry, IndexPage};
use crate::limits;
use crate::pack;
use crate::record::{FileHeader, HEADER_BYTES, RecordHeader, RecordKind, Trailer};
use crate::source::{ReadAt, open_regular};

/// How much the tables of all streams have used of their limits, and the names in use.
#[derive(Debug, Default)]
pub(super) struct TableBudget {
    bytes: usize,
    channels: usize,
    columns: usize,
    names: HashSet<String>,
}

impl TableBudget {
    /// Adds one more stream, or returns why it must be left out.
    fn take(&mut self, stream: &TapeStream) -> Result<(), Problem> {
        let wrong = |text: &str| Err(Problem::new(ProblemKind::Stream, 0, text).of_stream(stream.id().0));
        let bytes = self.bytes + stream.described().bytes;
        let channels = self.channels + stream.described().channels;
        let columns = self.columns + stream.columns.len();
        let too_many = channels > limits::CHANNELS_IN_TAPE || columns > limits::COLUMNS_IN_TAPE;
        if too_many || bytes > limits::DESCRIPTORS_BYTES {
            return wrong("the streams have too many channels");
        }
        if !self.names.insert(stream.name().to_owned()) {
            return wrong("two streams have the same name");
        }
        (self.bytes, self.channels, self.columns) = (bytes, channels, columns);
        Ok(())
    }
}

impl Tape {
    /// Opens by trailer and footer. Returns `false` if the tape was not closed or its end is damaged.
    pub(super) fn open_closed(&mut self) -> Result<bool, ReadError> {
        let Some(trailer) = read_trailer(&*self.source, self.size).map_err(io_at(self.size))? else { return Ok(false) };
        let footer = match read_footer(&*self.source, &trailer, self.size)? {
            Ok(footer) => footer,
            Err(problem) => {
                self.notes.add(problem);
                return Ok(false);
            }
        };
        self.take_header_copy(footer.header, trailer.footer_offset);
        let mut streams = BTreeMap::new();
        let mut budget = TableBudget::default();
        for summary in footer.streams {
            let mut stream = match self.read_descriptor(summary.descriptor_offset, Some(summary.id.0))? {
                Ok(stream) => stream,
                // Scanning the records finds what the footer does not.
                Err(problem) => {
                    self.notes.add(problem);
                    return Ok(false);
                }
            };
            stream.list.pages = summary.pages;
            stream.totals = summary.totals;
            stream.status = summary.status;
            let wrong = |text| Problem::new(ProblemKind::Footer, trailer.footer_offset, text).of_stream(summary.id.0);
            // Checked before the next one is read: the descriptors of a hostile file would not all fit into memory.
            let checked = if streams.contains_key(&summary.id.0) {
                Err(wrong("the footer lists a stream twice"))
            } else if !stream.list.check_pages(trailer.footer_offset) {
                Err(wrong("the footer's list of index pages is invalid"))
            } else {
                budget.take(&stream)
            };
            if let Err(problem) = checked {
                self.notes.add(problem);
                return Ok(false);
            }
            streams.insert(summary.id.0, stream);
        }
        self.streams = streams;
        self.complete = true;
        Ok(true)
    }

    /// Uses the copy of the file header in the footer if the header itself is damaged; otherwise the two must agree.
    fn take_header_copy(&mut self, copy: FileHeader, offset: u64) {
        let header = *self.header.get_or_insert(copy);
        if header != copy {
            let text = if header.tape_id == copy.tape_id {
                "the file header and its copy in the footer differ: one of them was changed".to_owned()
            } else {
                let (id, other) = (header.tape_id, copy.tape_id);
                format!("the file header has the tape id {id}, its copy in the footer {other}: one of them was changed")
            };
            self.notes.add(Problem::new(ProblemKind::FileHeader, offset, text));
        }
    }

    fn read_descriptor(&self, offset: u64, id: Option<u16>) -> Result<Result<TapeStream, Problem>, ReadError> {
        let wrong =
            |error: &crate::Malformed| Problem::of_error(ProblemKind::Stream, offset, "a stream descriptor", error);
        let (header, payload) = match read_record(&*self.source, offset, self.size)? {
            Ok(record) => record,
            Err(error) => return Ok(Err(wrong(&error))),
        };
        if header.kind != RecordKind::Stream || id.is_some_and(|id| id != header.stream) {
            let other = crate::Malformed::Value { what: "the descriptor offset in the footer", found: offset };
            return Ok(Err(wrong(&other)));
        }
        let parsed = checked_head(&header, &payload)
            .and_then(|payload| Ok(pack::unpack(payload, limits::DESCRIPTOR_BYTES)?))
            .and_then(|bytes| TapeStream::new(header.stream, bytes));
        Ok(parsed.map_err(|error| wrong(&error).of_stream(header.stream)))
    }

    pub(super) fn open_journals(&mut self, sources: Vec<Box<dyn ReadAt>>) -> Result<(), ReadError> {
        let mut unused = 0;
        for source in sources {
            match JournalView::open(source, self.id()).map_err(io_at(0))? {
                Ok(Some(journal)) => self.journals.push(journal),
                Ok(None) => unused += 1,
                Err(problem) => self.notes.add(problem),
            }
        }
        self.journals.sort_by_key(|journal| journal.generation);
        // From the second generation on, there are always at least two, with consecutive numbers.
        let numbers: Vec<u64> = self.journals.iter().map(|journal| journal.generation).collect();
        let gap = numbers.iter().zip(numbers.iter().skip(1)).any(|(a, b)| a.checked_add(1) != Some(*b));
        let alone = numbers.len() == 1 && unused == 0 && numbers.first().is_some_and(|first| *first > 0);
        if gap || alone {
            let text = "a journal of this tape is missing: frames may be missing";
            self.notes.add(Problem::new(ProblemKind::JournalMissing, 0, text));
        }
        Ok(())
    }

    /// Reads the rows of the journals. The streams described there are known from here on, so that blocks whose
    /// descriptor in the tape is damaged can be read.
    pub(super) fn walk_journals(&mut self, thorough: bool) -> Result<(), ReadError> {
        let mut journals = std::mem::take(&mut self.journals);
        let notes = std::mem::take(&mut self.notes);
        let known: usize = journals.iter().map(JournalView::run_count).sum();
        let mut runs_left = limits::JOURNAL_RUNS.saturating_sub(known);
        // Newest first: a row in it means that the journals before it are complete. In the opposite order, rows could
        // be written to an older journal after it was read and appear as a gap.
        let walked = journals.iter_mut().rev().try_for_each(|journal| {
            let generation = journal.generation;
            journal.walk(thorough, &mut runs_left, &notes, &mut |id, at, payload| match parse_descriptor(id, payload) {
                Ok(stream) => self.add_stream(stream, at),
                Err(error) => {
                    let problem = Problem::new(ProblemKind::Stream, at, error.to_string());
                    notes.add(problem.of_stream(id).in_journal(generation));
                }
            })
        });
        // Keep the problems with streams that were noted on the way.
        self.notes.all().into_iter().for_each(|problem| notes.add(problem));
        self.journals = journals;
        self.notes = notes;
        walked.map_err(io_at(0))
    }

    /// Scans the records, starting where the last scan ended.
    pub(super) fn scan(&mut self) -> Result<(), ReadError> {
        // Blocks after this offset may have been torn by a power cut, while their frames are still in a journal.
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
                        // Data added later may complete it.
                        self.scanned_to = at;
                        return Ok(());
                    }
                    from = at + bytes;
                }
                Hop::Cut(header) => {
                    let text = "the last record is truncated or still being written";
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
                Ok(stream) => self.add_stream(stream, header.offset),
                Err(problem) => self.notes.add(problem),
            },
            RecordKind::ColumnBlock | RecordKind::RowBlock => self.take_block(header, synced_to)?,
            RecordKind::IndexPage => self.take_page(header)?,
            RecordKind::Footer => self.take_footer(header)?,
            RecordKind::Other(_) => {}
        }
        Ok(())
    }

    fn add_stream(&mut self, stream: TapeStream, offset: u64) {
        let id = stream.id().0;
        if self.streams.contains_key(&id) {
            return;
        }
        let wrong = |text: &str| Problem::new(ProblemKind::Stream, offset, text).of_stream(id);
        if self.streams.len() >= limits::STREAMS {
            return self.notes.add(wrong("there are too many streams"));
        }
        match self.budget.take(&stream) {
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
            self.notes.add(problem("a block of a stream without a descriptor".into()));
            return Ok(());
        };
        if loose >= limits::LOOSE_BLOCKS {
            self.notes.add(problem("too many blocks that are not in an index page; run `gametape recover`".into()));
            return Ok(());
        }
        if header.offset >= synced_to {
            let mut block = Block::default();
            let whole = read_block(&*self.source, header, stream, &mut block, &mut BlockDecoder::default())?;
            if let Err(error) = whole {
                // Its frames are in the journal; if they are not, the gap in the sequence numbers is reported.
                let text = format!("a block was not finished: {error}");
                self.notes.add(Problem { frames_lost: None, ..problem(text) });
                return Ok(());
            }
        }
        stream.list.loose.push(BlockEntry::of(header));
        Ok(())
    }

    /// Replaces the loose blocks that a page lists with the page.
    fn take_page(&mut self, header: &RecordHeader) -> Result<(), ReadError> {
        let page = PageRef::of(header);
        let parsed: Result<IndexPage, Problem> =
            self.bytes_of(header.stream).page(&page, None)?.map(|(_, parsed)| parsed);
        let Some(stream) = self.streams.get_mut(&header.stream) else { return Ok(()) };
        match parsed {
            Ok(parsed) => stream.list.take_page(page, &parsed.entries),
            Err(problem) => self.notes.add(problem),
        }
        Ok(())
    }

    /// Handles a footer without a trailer that points to it: the tape was closed and its end is damaged. If there are
    /// journals, it is about to be closed, or the recorder was killed while closing it.
    fn take_footer(&mut self, header: &RecordHeader) -> Result<(), ReadError> {
        let has_trailer = read_trailer(&*self.source, self.size).map_err(io_at(self.size))?.is_some();
        if !has_trailer && !self.journals.is_empty() {
            return Ok(());
        }
        let trailer = Trailer { footer_offset: header.offset, footer_bytes: header.record_bytes() };
        match read_footer(&*self.source, &trailer, self.size)? {
            Ok(footer) => {
                self.take_header_copy(footer.header, header.offset);
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

    /// After a scan: joins blocks and journal rows, counts frames and reads the last status.
    pub(super) fn finish_lists(&mut self) -> Result<(), ReadError> {
        for journal in &self.journals {
            for id in journal.runs.keys().filter(|id| !self.streams.contains_key(id)) {
                let text = "rows of a stream without a descriptor";
                self.notes
                    .add(Problem::new(ProblemKind::JournalRow, 0, text).of_stream(*id).in_journal(journal.generation));
            }
        }
        let file_bytes = self.journals.iter().map(JournalView::bytes).fold(self.size, u64::saturating_add);
        for stream in self.streams.values_mut() {
            stream.list.rebuild_tail(stream.id().0, &self.journals, file_bytes, &self.notes);
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

    pub(super) fn note_if_not_closed(&mut self) {
        if self.complete {
            return;
        }
        if self.journals.is_empty() && read_trailer(&*self.source, self.size).is_ok_and(|trailer| trailer.is_some()) {
            // Closed, with a damaged footer: all records are present.
            self.complete = true;
            return;
        }
        let text = "the tape was not closed: its recorder is still running or was killed";
        self.notes.add(Problem::new(ProblemKind::NotClosed, self.size, text));
        if self.journals.is_empty() {
            let text = "the tape was not closed and its journal is missing: the last seconds may be missing";
            self.notes.add(Problem::new(ProblemKind::JournalMissing, self.size, text));
        }
    }
}

/// Opens the journals before the tape: frames that left a journal before then are in the tape.
pub(super) fn open_files(path: &Path) -> io::Result<(File, Vec<Box<dyn ReadAt>>)> {
    const TRIES: usize = 100;
    for _ in 0..TRIES {
        let paths = journal_paths(path)?;
        let opened: io::Result<Vec<File>> = paths.iter().map(open_regular).collect();
        let files = match opened {
            Ok(files) => files,
            // A generation was removed between listing and opening: list again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let tape = open_regular(path)?;
        // A directory is not listed atomically: a generation created and another removed meanwhile could both be
        // missing from the list.
        if journal_paths(path)? == paths {
            let journals = files.into_iter().map(|file| Box::new(file) as Box<dyn ReadAt>).collect();
            return Ok((tape, journals));
        }
    }
    Err(io::Error::other("the journals of this tape change faster than they can be opened"))
}
