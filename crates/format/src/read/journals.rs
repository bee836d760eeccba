//! Journals from a reader's point of view: found beside the tape, walked once, with rows gathered into runs that are
//! read like blocks.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::problem::{Notes, Problem, ProblemKind};
use super::tape::TapeStream;
use crate::block::Block;
use crate::journal::{JournalHeader, RowHeader, RowKind, Step, Walker};
use crate::limits;
use crate::record::{HEADER_BYTES, TapeId};
use crate::source::{ReadAt, read_full};

/// A row that is this much later than the previous one starts another run.
const LEAP_NS: u64 = 10_000_000_000;

/// Consecutive rows of one stream in one journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) first_seq: u64,
    pub(crate) rows: u32,
    pub(crate) first_ns: u64,
    pub(crate) last_ns: u64,
    pub(crate) raw_bytes: u32,
    /// Start of the byte range of the journal that contains its rows, possibly among others.
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Run {
    pub(crate) fn end_seq(&self) -> u64 {
        self.first_seq + u64::from(self.rows)
    }
}

/// One journal file, as far as it has been walked.
pub(crate) struct JournalView {
    tape_id: TapeId,
    pub(crate) generation: u64,
    /// How much shorter the file is than its original size.
    cut_bytes: u64,
    pub(crate) tape_bytes: u64,
    source: Box<dyn ReadAt>,
    walked_to: u64,
    pub(crate) runs: BTreeMap<u16, Vec<Run>>,
}

impl JournalView {
    /// Reads the header. Returns a problem if it is not a journal of this tape; an unreadable tape id matches any.
    /// Returns `None` if the journal was created but never used: it is still empty, since the header is written before
    /// the recorder gets the journal.
    pub(crate) fn open(source: Box<dyn ReadAt>, tape: Option<TapeId>) -> io::Result<Result<Option<Self>, Problem>> {
        let mut bytes = [0; 4096];
        let found = read_full(&*source, 0, &mut bytes)?;
        if bytes.iter().all(|byte| *byte == 0) {
            return Ok(Ok(None));
        }
        let wrong = |text: String| Ok(Err(Problem::new(ProblemKind::JournalHeader, 0, text)));
        let header = match JournalHeader::parse(bytes.get(..found.min(HEADER_BYTES)).unwrap_or_default()) {
            Ok(header) => header,
            Err(error) => return wrong(format!("a journal cannot be read: {error}")),
        };
        if tape.is_some_and(|tape| tape != header.tape_id) {
            return wrong(format!("a journal belongs to another tape ({})", header.tape_id));
        }
        if source.size()? > limits::JOURNAL_BYTES {
            return wrong(format!("a journal is larger than {} bytes", limits::JOURNAL_BYTES));
        }
        Ok(Ok(Some(Self {
            tape_id: header.tape_id,
            generation: header.generation,
            cut_bytes: header.file_bytes.saturating_sub(source.size()?),
            tape_bytes: header.tape_bytes,
            source,
            walked_to: HEADER_BYTES as u64,
            runs: BTreeMap::new(),
        })))
    }

    /// Continues where an earlier view of the same journal stopped.
    pub(crate) fn take_over(&mut self, known: &mut Self) {
        self.walked_to = known.walked_to;
        self.runs = std::mem::take(&mut known.runs);
    }

    /// The size of the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.source.size().unwrap_or_default()
    }

    pub(crate) fn run_count(&self) -> usize {
        self.runs.values().map(Vec::len).sum()
    }

    /// Reads the rows that are new since the last walk. `runs` counts those of all journals.
    pub(crate) fn walk(
        &mut self,
        thorough: bool,
        runs_left: &mut usize,
        notes: &Notes,
        describe: &mut dyn FnMut(u16, u64, &[u8]),
    ) -> io::Result<()> {
        let size = self.source.size()?;
        if self.cut_bytes > 0 {
            let text = format!("the journal is truncated: {} bytes are missing", self.cut_bytes);
            notes.add(Problem::new(ProblemKind::JournalRow, size, text).in_journal(self.generation));
        }
        let mut walker = Walker::new(self.tape_id, self.generation, self.walked_to, thorough);
        loop {
            match walker.step(&*self.source, size)? {
                Step::Row { at, header } => {
                    let end = at + header.row_bytes();
                    match header.kind {
                        RowKind::Frame => {
                            let runs = self.runs.entry(header.stream).or_default();
                            if !extend(runs, &header, at, end, runs_left) {
                                let text = "the rows of the journal form too many runs; this one is left out";
                                let problem = Problem::new(ProblemKind::JournalRow, at, text).of_stream(header.stream);
                                notes.add(problem.in_journal(self.generation).losing(1));
                            }
                        }
                        RowKind::Stream => describe(header.stream, at, walker.payload()),
                        RowKind::Other(_) => {}
                    }
                    self.walked_to = end;
                }
                Step::Damage { at, bytes, row } => {
                    let text = format!("{bytes} bytes of the journal are damaged");
                    let problem = Problem::new(ProblemKind::JournalRow, at, text).in_journal(self.generation);
                    notes.add(match row {
                        Some(row) => problem.of_stream(row.stream).losing(1),
                        None => problem,
                    });
                    self.walked_to = at + bytes;
                }
                Step::End { at, leftover } => {
                    if leftover > 0 {
                        let text = format!(
                            "{leftover} bytes after the last row of the journal: a frame that was being written, or damage"
                        );
                        notes.add(Problem::new(ProblemKind::JournalTail, at, text).in_journal(self.generation));
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Reads the rows of a stream with sequence numbers in `seqs` from a run.
    pub(crate) fn read(
        &self,
        stream: u16,
        run: &Run,
        seqs: std::ops::Range<u64>,
        block: &mut Block,
    ) -> io::Result<bool> {
        block.clear(seqs.start, 0);
        // Thorough: there may be damaged rows of other streams between the rows of this run.
        let mut walker = Walker::new(self.tape_id, self.generation, run.start, true);
        while block.end_seq() < seqs.end {
            let step = match walker.step_to(&*self.source, run.end, stream)? {
                Some(step) => step,
                None => walker.step(&*self.source, run.end)?,
            };
            match step {
                Step::Row { header, .. } => {
                    if header.kind == RowKind::Frame && header.stream == stream && header.seq == block.end_seq() {
                        block.push(header.time_ns, walker.payload());
                    }
                }
                Step::Damage { .. } => {}
                Step::End { .. } => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// Adds a row to the last run or starts another one; returns `false` if there are too many.
fn extend(runs: &mut Vec<Run>, row: &RowHeader, start: u64, end: u64, runs_left: &mut usize) -> bool {
    // A row whose time decreases also starts a new run, and stays alone in it, whatever follows.
    let fell_back = match runs.as_slice() {
        [.., before, run] => run.rows == 1 && run.first_ns < before.last_ns,
        _ => false,
    };
    if let Some(run) = runs.last_mut().filter(|_| !fell_back) {
        let fits = (run.rows as usize) < limits::BLOCK_ROWS
            && run.raw_bytes as usize + row.payload_bytes as usize <= limits::BLOCK_RAW_BYTES;
        // A time that jumps ahead may be wrong, as the rows after it will show. Then it must be possible to leave out this row alone.
        let leap_ns = row.time_ns.checked_sub(run.last_ns);
        if run.end_seq() == row.seq && fits && leap_ns.is_some_and(|leap_ns| leap_ns <= LEAP_NS) {
            run.rows += 1;
            run.raw_bytes += row.payload_bytes;
            run.last_ns = row.time_ns;
            run.end = end;
            return true;
        }
    }
    let Some(left) = runs_left.checked_sub(1) else { return false };
    let sound = row.seq < u64::MAX - limits::BLOCK_ROWS as u64;
    if sound {
        *runs_left = left;
        runs.push(Run {
            first_seq: row.seq,
            rows: 1,
            first_ns: row.time_ns,
            last_ns: row.time_ns,
            raw_bytes: row.payload_bytes,
            start,
            end,
        });
    }
    sound
}

/// Parses the stream descriptor in a journal row.
pub(crate) fn parse_descriptor(id: u16, payload: &[u8]) -> Result<TapeStream, crate::Malformed> {
    crate::cursor::within("stream descriptor", payload.len() as u64, limits::DESCRIPTOR_BYTES)?;
    TapeStream::new(id, payload.to_vec())
}

/// Returns the journals beside a tape, by generation.
pub(crate) fn journal_paths(tape: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(name) = tape.file_name() else { return Ok(Vec::new()) };
    let mut prefix = name.to_owned();
    prefix.push("-journal-");
    let directory = tape.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let file_name = entry.file_name();
        let rest = file_name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        let number = rest.and_then(|rest| std::str::from_utf8(rest).ok()).and_then(|rest| rest.parse::<u64>().ok());
        if let Some(number) = number {
            found.push((number, entry.path()));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}
