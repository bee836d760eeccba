//! The engine behind `cut`, `merge` and `recover`: copies blocks of tapes into a new one, in order of time.
//!
//! Every block is decoded and thereby verified; large blocks that lie entirely within the requested times are then
//! copied verbatim. Damaged parts are left out and reported. Memory use: one block.

use std::ops::Range;

use super::builder::{BuildError, TapeBuilder};
use crate::block::Block;
use crate::column::BlockDecoder;
use crate::read::{BlockLocation, Located, PageCache, Problem, ProblemKind, ReadError, Tape, TapeStream};
use crate::record::RecordHeader;
use crate::stream::StreamId;
use crate::system::Counters;

/// Smaller blocks are split into frames, so that merging many short tapes does not produce many short blocks.
const COPY_ROWS: usize = 512;
const COPY_BYTES: usize = 4 << 20;

/// The progress of a rewrite.
#[derive(Debug, Clone, Copy)]
pub struct RewriteProgress {
    /// Frames copied or left out so far.
    pub done_frames: u64,
    /// Total number of frames.
    pub total_frames: u64,
}

/// The result of a rewrite.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RewriteReport {
    /// Length of the new tape.
    pub bytes: u64,
    /// Number of frames in it, including system streams.
    pub frames: u64,
    /// Damage found in the sources; the damaged data is not in the new tape.
    pub problems: Vec<Problem>,
}

/// The reason why a rewrite failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// The new tape cannot be created.
    #[error(transparent)]
    Create(#[from] super::CreateError),
    /// The new tape cannot be written.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A source cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The operation is not possible with these tapes.
    #[error("{0}")]
    Refused(String),
}

/// Which frames outside the requested times are carried over, moved to the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carry {
    /// Nothing.
    Nothing,
    /// The last frame before the start, which is still current.
    Last,
    /// All frames, including those after the requested times (moved to the end).
    All,
}

/// Copies the frames of one stream of one tape.
pub(crate) struct Copier<'a> {
    tape: &'a Tape,
    stream: &'a TapeStream,
    target: StreamId,
    /// The times to copy, and the shift added to each of them.
    times: Range<u64>,
    shift: i128,
    carry: Carry,
    cache: PageCache,
    next: Option<(usize, Located)>,
    /// The next sequence number if no frames are missing.
    expected_seq: Option<u64>,
}

impl<'a> Copier<'a> {
    pub(crate) fn new(
        tape: &'a Tape,
        stream: &'a TapeStream,
        target: StreamId,
        times: Range<u64>,
        shift: i128,
        carry: Carry,
    ) -> Result<Self, ReadError> {
        let mut copier = Self {
            tape,
            stream,
            target,
            times,
            shift,
            carry,
            cache: PageCache::default(),
            next: None,
            expected_seq: None,
        };
        let start = match carry {
            Carry::All => 0,
            Carry::Nothing | Carry::Last => copier.find(copier.times.start)?,
        };
        copier.load(start)?;
        Ok(copier)
    }

    fn find(&mut self, time_ns: u64) -> Result<usize, ReadError> {
        self.stream.list.find_time(&self.tape.bytes_of(self.stream.id().0), &mut self.cache, time_ns)
    }

    fn load(&mut self, mut number: usize) -> Result<(), ReadError> {
        let bytes = self.tape.bytes_of(self.stream.id().0);
        let located = self.stream.list.get(&bytes, &mut self.cache, &mut number)?;
        let wanted = |block: &Located| block.first_ns < self.times.end || self.carry == Carry::All;
        self.next = located.filter(wanted).map(|block| (number, block));
        Ok(())
    }

    /// The time of the next block, in the new tape.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.next.map(|(_, block)| self.shifted(block.first_ns.max(self.times.start)))
    }

    fn shifted(&self, time_ns: u64) -> u64 {
        (i128::from(time_ns) + self.shift).clamp(0, i128::from(u64::MAX)) as u64
    }

    /// Appends the frame that is still current at the start.
    pub(crate) fn carry_last(&mut self, builder: &mut TapeBuilder, work: &mut Work) -> Result<(), RewriteError> {
        let Some(before) = self.times.start.checked_sub(1).filter(|_| self.carry == Carry::Last) else { return Ok(()) };
        let held = match self.tape.frame_at(self.stream, before) {
            Ok(held) => held,
            Err(ReadError::Damaged(problem)) => {
                work.problems.push(problem);
                None
            }
            Err(error) => return Err(error.into()),
        };
        if let Some((_, frame)) = held {
            builder.append(self.target, self.shifted(self.times.start), &frame)?;
        }
        Ok(())
    }

    /// Copies the next block and returns its number of frames.
    pub(crate) fn copy_block(&mut self, builder: &mut TapeBuilder, work: &mut Work) -> Result<u64, RewriteError> {
        let Some((number, located)) = self.next else { return Ok(0) };
        self.load(number + 1)?;
        let Work { block, decoder, problems } = work;
        let (target, stream) = (self.target, self.stream.id().0);
        let mut lost = |problem: Problem, builder: &mut TapeBuilder| {
            let dropped = problem.frames_lost.unwrap_or_default();
            builder.count(target, &Counters { dropped, ..Counters::default() });
            problems.push(problem.of_stream(stream));
        };
        let expected = self.expected_seq.replace(located.end_seq());
        let missing = expected.map_or(0, |expected| located.first_seq.saturating_sub(expected));
        if missing > 0 {
            lost(Problem::missing_frames(&located, missing), builder);
        }
        if let Err(problem) = self.tape.load_block(self.stream, &located, block, decoder)? {
            if problem.kind == ProblemKind::Newer {
                return Err(newer(&problem));
            }
            lost(problem, builder);
            return Ok(u64::from(located.rows));
        }
        let inside = |time: &u64| self.times.contains(time);
        let whole = block.times.first().is_some_and(inside) && block.times.last().is_some_and(inside);
        let large = block.rows() >= COPY_ROWS || block.raw_bytes() >= COPY_BYTES;
        if let BlockLocation::Tape { offset, .. } = located.location
            && whole
            && large
            && let Ok((header, payload)) = self.tape.read_record(offset)?
        {
            let first_ns = self.shifted(header.first_ns);
            let last_ns = first_ns.saturating_add(header.last_ns - header.first_ns);
            let header = RecordHeader { first_ns, last_ns, ..header };
            if first_ns < builder.last_ns(self.target) {
                lost(falls_back(&located, located.rows), builder);
            } else {
                builder.append_block(self.target, &header, &payload, block)?;
            }
        } else {
            let mut early = 0;
            for (row, time) in block.times.iter().enumerate() {
                if self.times.contains(time) || self.carry == Carry::All {
                    let time_ns = self.shifted((*time).clamp(self.times.start, self.times.end - 1));
                    if time_ns < builder.last_ns(self.target) {
                        early += 1;
                    } else {
                        builder.append(self.target, time_ns, block.frame(row))?;
                    }
                }
            }
            if early > 0 {
                lost(falls_back(&located, early), builder);
            }
        }
        Ok(u64::from(located.rows))
    }
}

/// Reports frames that are earlier than the frames before them, which a tape cannot store.
fn falls_back(block: &Located, frames: u32) -> Problem {
    let (kind, at) = match block.location {
        BlockLocation::Tape { offset, .. } => (ProblemKind::Block, offset),
        BlockLocation::Journal { run, .. } => (ProblemKind::JournalRow, run.start),
    };
    Problem::new(kind, at, "frames are earlier than the frames before them").losing(frames.into())
}

/// Reusable buffers, and the problems found.
#[derive(Default)]
pub(crate) struct Work {
    block: Block,
    decoder: BlockDecoder,
    pub(crate) problems: Vec<Problem>,
}

fn newer(problem: &Problem) -> RewriteError {
    RewriteError::Refused(format!("{problem}. Nothing was changed; use a newer gametape"))
}

/// Rejects an undamaged tape that this version cannot read completely: a rewrite would lose the newer data.
pub(crate) fn refuse_newer(tape: &Tape) -> Result<(), RewriteError> {
    match tape.problems().iter().find(|problem| problem.kind == ProblemKind::Newer) {
        Some(problem) => Err(newer(problem)),
        None => Ok(()),
    }
}

/// Adds the problems of a source to those found while copying. An unclosed tape is not a loss by itself.
pub(crate) fn add_problems(problems: &mut Vec<Problem>, tape: &Tape) {
    let expected = [ProblemKind::NotClosed, ProblemKind::JournalTail];
    for problem in tape.problems().into_iter().filter(|problem| !expected.contains(&problem.kind)) {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// Runs all copiers, always the one with the earliest next block, so that the new tape is written in order of time.
pub(crate) fn copy_all(
    copiers: &mut [Copier<'_>],
    builder: &mut TapeBuilder,
    progress: &mut dyn FnMut(RewriteProgress),
) -> Result<Vec<Problem>, RewriteError> {
    let total_frames = copiers.iter().map(|copier| copier.stream.totals().frames).sum();
    let mut done_frames = 0;
    let mut work = Work::default();
    for copier in copiers.iter_mut() {
        copier.carry_last(builder, &mut work)?;
    }
    loop {
        let next = copiers.iter_mut().filter(|copier| copier.next.is_some()).min_by_key(|copier| copier.next_ns());
        let Some(copier) = next else { return Ok(work.problems) };
        done_frames += copier.copy_block(builder, &mut work)?;
        progress(RewriteProgress { done_frames, total_frames });
    }
}
