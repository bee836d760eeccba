//! Reads a complete tape and checks everything: records, blocks, index, footer, journals.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::problem::{Problem, ProblemKind, ReadError, io_at};
use super::scan::{Hop, Scan};
use super::tape::{Tape, TapeStream};
use crate::block::checked_head;
use crate::footer::PageRef;
use crate::index::{BlockEntry, page_runs, parse_run};
use crate::record::{HEADER_BYTES, RecordHeader, RecordKind};
use crate::source::read_full;

/// Progress is reported every this many frames.
const PROGRESS_FRAMES: u64 = 4096;

/// The progress of a verification.
#[derive(Debug, Clone, Copy)]
pub struct VerifyProgress {
    /// Bytes checked so far.
    pub done_bytes: u64,
    /// Total number of bytes.
    pub total_bytes: u64,
}

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verified {
    /// Number of intact blocks.
    pub blocks: u64,
    /// Number of readable frames in data and describe streams, including those in journals.
    pub frames: u64,
    /// Size of the tape.
    pub bytes: u64,
    /// All problems found.
    pub problems: Vec<Problem>,
}

impl Verified {
    /// Whether there are no problems.
    pub fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }
}

/// A digest of the blocks before a page, of constant size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Listed {
    blocks: u64,
    hash: u64,
}

impl Listed {
    fn of(entries: &[BlockEntry]) -> Self {
        let mut listed = Self::default();
        entries.iter().for_each(|entry| listed.add(entry));
        listed
    }

    fn add(&mut self, entry: &BlockEntry) {
        let mut hasher = DefaultHasher::new();
        (self.hash, entry).hash(&mut hasher);
        *self = Self { blocks: self.blocks + 1, hash: hasher.finish() };
    }
}

impl Tape {
    /// Reads and checks everything.
    pub fn verify(&self, progress: &mut dyn FnMut(VerifyProgress)) -> Result<Verified, ReadError> {
        let mut verified = Verified { bytes: self.bytes(), ..Verified::default() };
        let indexed = self.check_records()?;
        let total: u64 = self.streams().map(|stream| stream.totals().frames).sum();
        let mut done = 0;
        for stream in self.streams() {
            let mut frames = self.frames(stream);
            loop {
                match frames.next() {
                    Ok(Some(_)) => {
                        verified.frames += u64::from(!stream.spec().role.is_system());
                        done += 1;
                        if done % PROGRESS_FRAMES == 0 {
                            let part = u128::from(self.bytes()) * u128::from(done) / u128::from(total.max(done));
                            progress(VerifyProgress { done_bytes: part as u64, total_bytes: self.bytes() });
                        }
                    }
                    Ok(None) => break,
                    Err(ReadError::Damaged(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            verified.blocks += stream.list.len() as u64;
        }
        progress(VerifyProgress { done_bytes: self.bytes(), total_bytes: self.bytes() });
        self.check_system_frames();
        if self.is_complete() {
            self.check_totals(&indexed);
        }
        verified.problems = self.problems();
        let damaged = verified.problems.iter().filter(|problem| problem.kind == ProblemKind::Block).count();
        verified.blocks = verified.blocks.saturating_sub(damaged as u64);
        verified.problems.sort_by_key(|problem| (problem.journal.is_some(), problem.journal, problem.offset));
        Ok(verified)
    }

    /// Scans all records: every byte belongs to one, and the index lists the existing blocks.
    fn check_records(&self) -> Result<BTreeMap<u16, (u64, u64)>, ReadError> {
        let mut scan = Scan::new(&*self.source, HEADER_BYTES as u64, self.bytes());
        let mut frames: BTreeMap<u16, (u64, u64)> = BTreeMap::new();
        let mut loose: BTreeMap<u16, Listed> = BTreeMap::new();
        loop {
            match scan.hop().map_err(io_at(0))? {
                Hop::Record(header) => match header.kind {
                    kind if kind.is_block() => {
                        let (count, blocks) = frames.entry(header.stream).or_default();
                        *count += u64::from(header.rows);
                        *blocks += 1;
                        loose.entry(header.stream).or_default().add(&BlockEntry::of(&header));
                    }
                    RecordKind::IndexPage => {
                        let listed = loose.remove(&header.stream).unwrap_or_default();
                        self.check_page(&header, listed)?;
                    }
                    _ => self.check_plain(&header)?,
                },
                Hop::Damage { at, bytes } => {
                    let text = format!("{bytes} bytes are damaged");
                    self.notes.add(Problem::new(ProblemKind::Record, at, text));
                }
                Hop::Cut(header) => {
                    if self.is_complete() || self.journals.is_empty() {
                        let text = "the last record is truncated or still being written";
                        self.notes
                            .add(Problem::new(ProblemKind::CutRecord, header.offset, text).of_stream(header.stream));
                    }
                    return Ok(frames);
                }
                Hop::End { .. } => return Ok(frames),
            }
        }
    }

    fn check_plain(&self, header: &RecordHeader) -> Result<(), ReadError> {
        let mut payload = vec![0; header.payload_bytes as usize];
        let at = header.offset + HEADER_BYTES as u64;
        let found = read_full(&*self.source, at, &mut payload).map_err(io_at(at))?;
        payload.truncate(found);
        if let Err(error) = checked_head(header, &payload) {
            let kind = if header.kind == RecordKind::Footer { ProblemKind::Footer } else { ProblemKind::Stream };
            self.notes.add(Problem::new(kind, header.offset, format!("a record is damaged: {error}")));
        }
        Ok(())
    }

    /// Checks a page's entries against the blocks before it, and that all its runs can be read.
    fn check_page(&self, header: &RecordHeader, listed: Listed) -> Result<(), ReadError> {
        let wrong = |text: String| {
            self.notes.add(Problem::new(ProblemKind::Index, header.offset, text).of_stream(header.stream))
        };
        let page = PageRef::of(header);
        let Some(stream) = self.streams.get(&header.stream) else { return Ok(()) };
        let bytes = self.bytes_of(header.stream);
        match bytes.page(&page, None)? {
            Ok((_, parsed)) if Listed::of(&parsed.entries) != listed => {
                wrong("an index page does not match the blocks before it".into());
            }
            Ok(_) => {}
            Err(problem) => {
                self.notes.add(problem);
                return Ok(());
            }
        }
        let mut run_end = header.head_bytes as usize;
        for (at, length, crc) in self.page_runs(header, stream)? {
            run_end = at.saturating_add(length);
            let mut run = vec![0; length.min((header.payload_bytes as usize).saturating_sub(at))];
            let offset = header.offset + (HEADER_BYTES + at) as u64;
            let found = read_full(&*self.source, offset, &mut run).map_err(io_at(offset))?;
            run.truncate(found);
            if let Err(error) = parse_run(&run, crc, header.rows as usize) {
                wrong(format!("ranges of an index page are damaged: {error}"));
            }
        }
        if run_end != header.payload_bytes as usize {
            wrong("an index page has trailing bytes".into());
        }
        Ok(())
    }

    fn page_runs(&self, header: &RecordHeader, stream: &TapeStream) -> Result<Vec<(usize, usize, u32)>, ReadError> {
        let mut head = vec![0; header.head_bytes as usize];
        let at = header.offset + HEADER_BYTES as u64;
        let found = read_full(&*self.source, at, &mut head).map_err(io_at(at))?;
        head.truncate(found);
        Ok(page_runs(header, &head, stream.slots()).unwrap_or_else(|error| {
            let text = format!("an index page is damaged: {error}");
            self.notes.add(Problem::new(ProblemKind::Index, header.offset, text).of_stream(header.stream));
            Vec::new()
        }))
    }

    /// Checks the totals in the footer against the blocks found.
    fn check_totals(&self, frames: &BTreeMap<u16, (u64, u64)>) {
        for stream in self.streams() {
            let (there, blocks) = frames.get(&stream.id().0).copied().unwrap_or_default();
            let listed = stream.list.len() as u64;
            if blocks != listed {
                let text = format!("the index lists {listed} blocks, but {blocks} were found");
                self.notes.add(Problem::new(ProblemKind::Index, self.bytes(), text).of_stream(stream.id().0));
            }
            if there != stream.totals().frames {
                let text = format!("the footer declares {} frames, but {there} were found", stream.totals().frames);
                let problem = Problem::new(ProblemKind::MissingFrames, self.bytes(), text).of_stream(stream.id().0);
                self.notes.add(problem);
            }
        }
    }
}
