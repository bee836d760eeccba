//! One engine behind `cut`, `merge` and `recover`: copies blocks of tapes into a new one, in order of time.
//!
//! Every block is decoded and so verified; large ones that lie wholly inside the wanted times are then copied as they are.
//! What is damaged is left out and reported. Memory: one block.

use std::ops::Range;

use super::builder::{BuildError, TapeBuilder};
use crate::block::Block;
use crate::column::BlockDecoder;
use crate::read::{Located, PageCache, Place, Problem, ProblemKind, ReadError, Tape, TapeStream};
use crate::record::RecordHeader;
use crate::stream::StreamId;
use crate::system::Counters;

/// Smaller blocks are taken apart, so that many short tapes do not become one with many short blocks.
const COPY_ROWS: usize = 512;
const COPY_BYTES: usize = 4 << 20;

/// How far a rewrite has come.
#[derive(Debug, Clone, Copy)]
pub struct RewriteProgress {
    /// Frames copied or left out.
    pub done_frames: u64,
    /// Frames there are.
    pub total_frames: u64,
}

/// What a rewrite did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RewriteReport {
    /// Length of the new tape.
    pub bytes: u64,
    /// Frames on it, those of system streams included.
    pub frames: u64,
    /// Damage that was met; what it held is not on the new tape.
    pub problems: Vec<Problem>,
}

/// Why a rewrite failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// The new tape cannot be made.
    #[error(transparent)]
    Create(#[from] super::CreateError),
    /// The new tape cannot be written.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A source cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The tapes do not allow it.
    #[error("{0}")]
    Refused(String),
}

/// What of a stream outside the wanted times goes along, moved to their begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carry {
    /// Nothing.
    Nothing,
    /// The last frame: it still holds.
    Last,
    /// All frames, also those behind the wanted times (moved to their end).
    All,
}

/// Copies the frames of one stream of one tape.
pub(crate) struct Copier<'a> {
    tape: &'a Tape,
    stream: &'a TapeStream,
    target: StreamId,
    /// Times to copy, and what is added to each of them.
    times: Range<u64>,
    shift: i128,
    carry: Carry,
    cache: PageCache,
    next: Option<(usize, Located)>,
    /// What follows if nothing is missing.
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

    /// Time in the new tape from which the next block is.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.next.map(|(_, block)| self.shifted(block.first_ns.max(self.times.start)))
    }

    fn shifted(&self, time_ns: u64) -> u64 {
        (i128::from(time_ns) + self.shift).clamp(0, i128::from(u64::MAX)) as u64
    }

    /// Puts the frame that holds at the begin in front.
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

    /// Copies the next block; gives the number of frames that were in it.
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
        if let Place::Tape { offset, .. } = located.place
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

/// Frames that lie before the ones in front of them: a tape cannot have them.
fn falls_back(block: &Located, frames: u32) -> Problem {
    let (kind, at) = match block.place {
        Place::Tape { offset, .. } => (ProblemKind::Block, offset),
        Place::Journal { run, .. } => (ProblemKind::JournalRow, run.start),
    };
    Problem::new(kind, at, "frames have earlier times than the frames before them").losing(frames.into())
}

/// Buffers that are used again and again, and what was found wrong.
#[derive(Default)]
pub(crate) struct Work {
    block: Block,
    decoder: BlockDecoder,
    pub(crate) problems: Vec<Problem>,
}

fn newer(problem: &Problem) -> RewriteError {
    RewriteError::Refused(format!("{problem}. Nothing was changed; use a newer gametape"))
}

/// Refuses a tape that this version cannot read whole although nothing is damaged: a rewrite would lose what is new.
pub(crate) fn refuse_newer(tape: &Tape) -> Result<(), RewriteError> {
    match tape.problems().iter().find(|problem| problem.kind == ProblemKind::Newer) {
        Some(problem) => Err(newer(problem)),
        None => Ok(()),
    }
}

/// Adds what was found wrong with a source to what was met while copying. That a tape was not closed is no loss by itself.
pub(crate) fn add_problems(problems: &mut Vec<Problem>, tape: &Tape) {
    let expected = [ProblemKind::NotClosed, ProblemKind::JournalTail];
    for problem in tape.problems().into_iter().filter(|problem| !expected.contains(&problem.kind)) {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// Runs all copiers, the one with the earliest next block first, so that the new tape is laid down in order of time.
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
