//! Iterates over the frames of one stream, or of several streams merged by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::catalog::{BlockLocation, Located, PageCache};
use super::problem::{Problem, ProblemKind, ReadError, io_at};
use super::records::read_record;
use super::tape::{Tape, TapeStream};
use crate::Malformed;
use crate::block::Block;
use crate::column::BlockDecoder;
use crate::record::RecordHeader;
use crate::stream::StreamId;
use crate::system::Event;

/// A frame of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its stream.
    pub stream: StreamId,
    /// Its sequence number in the stream.
    pub seq: u64,
    /// Its tape time, in nanoseconds since the start.
    pub time_ns: u64,
    /// The bytes as captured from the game.
    pub data: &'a [u8],
}

/// The frames of one stream, in order.
///
/// `next` returns an error where something is damaged; the following call continues after the damage.
pub struct Frames<'a> {
    tape: &'a Tape,
    stream: &'a TapeStream,
    cache: PageCache,
    decoder: BlockDecoder,
    block: Block,
    /// The number of the block after the loaded one.
    next_block: usize,
    row: usize,
    /// The next sequence number if no frames are missing.
    expected_seq: Option<u64>,
}

impl Tape {
    /// Returns the frames of a stream from its start.
    pub fn frames<'a>(&'a self, stream: &'a TapeStream) -> Frames<'a> {
        Frames {
            tape: self,
            stream,
            cache: PageCache::default(),
            decoder: BlockDecoder::default(),
            block: Block::default(),
            next_block: 0,
            row: 0,
            expected_seq: None,
        }
    }

    /// Returns the frames of several streams merged by time. At equal times, the stream with the lower number comes first.
    pub fn merged<'a>(&'a self, streams: impl IntoIterator<Item = &'a TapeStream>) -> Merged<'a> {
        Merged {
            parts: streams.into_iter().map(|stream| self.frames(stream)).collect(),
            heap: BinaryHeap::new(),
            started: false,
            waiting: Vec::new(),
        }
    }
}

impl<'a> Frames<'a> {
    /// The stream.
    pub fn stream(&self) -> &'a TapeStream {
        self.stream
    }

    /// Returns the next frame, or `None` at the end.
    #[allow(
        clippy::should_implement_trait,
        reason = "a frame borrows from the reader, which an Iterator cannot express"
    )]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if self.peek()?.is_none() {
            return Ok(None);
        }
        let row = self.row;
        self.row += 1;
        Ok(self.frame(row))
    }

    /// Returns the time of the next frame, or `None` at the end.
    pub fn peek(&mut self) -> Result<Option<u64>, ReadError> {
        while self.row >= self.block.rows() {
            if !self.load_next()? {
                return Ok(None);
            }
        }
        Ok(self.block.times.get(self.row).copied())
    }

    /// Seeks to the first frame at or after a time.
    pub fn seek_time(&mut self, time_ns: u64) -> Result<(), ReadError> {
        let number = self.stream.list.find_time(&self.tape.bytes_of(self.stream.id().0), &mut self.cache, time_ns)?;
        self.go_to_block(number);
        while self.peek()?.is_some_and(|time| time < time_ns) {
            self.row = self.block.times.partition_point(|time| *time < time_ns).max(self.row + 1);
        }
        Ok(())
    }

    /// Seeks to the first frame at or after an event.
    pub fn seek_event(&mut self, event: &Event) -> Result<(), ReadError> {
        self.seek_time(event.at_ns)
    }

    /// Seeks to the frame with this sequence number, or to the first one after it.
    pub fn seek_seq(&mut self, seq: u64) -> Result<(), ReadError> {
        let number = self.stream.list.find_seq(&self.tape.bytes_of(self.stream.id().0), &mut self.cache, seq)?;
        self.go_to_block(number);
        if self.peek()?.is_some() {
            self.row = (seq.saturating_sub(self.block.first_seq) as usize).min(self.block.rows());
        }
        Ok(())
    }

    /// Seeks to the last frame at or before a time; returns `false` if there is none.
    pub fn seek_last_before(&mut self, time_ns: u64) -> Result<bool, ReadError> {
        let bytes = self.tape.bytes_of(self.stream.id().0);
        let mut number = self.stream.list.find_time(&bytes, &mut self.cache, time_ns.saturating_add(1))?;
        loop {
            self.go_to_block(number);
            if number < self.stream.list.len() && self.load_next()? {
                let row = self.block.times.partition_point(|time| *time <= time_ns);
                if row > 0 {
                    self.row = row - 1;
                    return Ok(true);
                }
            }
            match number.checked_sub(1) {
                Some(before) => number = before,
                None => return Ok(false),
            }
        }
    }

    /// Returns the last frame at or before a time, with its time. In a block of text, only this frame is rendered.
    pub(super) fn take_last_before(&mut self, time_ns: u64) -> Result<Option<(u64, Vec<u8>)>, ReadError> {
        let bytes = self.tape.bytes_of(self.stream.id().0);
        let number = self.stream.list.find_time(&bytes, &mut self.cache, time_ns.saturating_add(1))?;
        // It is in the block that extends beyond the time, or it is the last one before that block.
        for mut number in [Some(number), number.checked_sub(1)].into_iter().flatten() {
            if let Some(located) = self.stream.list.get(&bytes, &mut self.cache, &mut number)?
                && let BlockLocation::Tape { offset, record_bytes } = located.location
                && let Ok((header, payload)) = self.tape.read_block(self.stream, &located, offset, record_bytes)?
                && let Ok(Some(found)) = Block::decode_last_before(&header, &payload, &mut self.decoder, time_ns)
            {
                return Ok(Some(found));
            }
        }
        // Everything else, including damage and earlier blocks, is left to the general path.
        match self.seek_last_before(time_ns)? {
            true => Ok(self.next()?.map(|frame| (frame.time_ns, frame.data.to_vec()))),
            false => Ok(None),
        }
    }

    fn go_to_block(&mut self, number: usize) {
        self.next_block = number;
        self.block.clear(0, 0);
        self.row = 0;
        self.expected_seq = None;
    }

    fn frame(&self, row: usize) -> Option<Frame<'_>> {
        Some(Frame {
            stream: self.stream.id(),
            seq: self.block.first_seq + row as u64,
            time_ns: *self.block.times.get(row)?,
            data: self.block.frame(row),
        })
    }

    /// Loads the next block; returns `false` at the end.
    fn load_next(&mut self) -> Result<bool, ReadError> {
        let bytes = self.tape.bytes_of(self.stream.id().0);
        let found = self.stream.list.get(&bytes, &mut self.cache, &mut self.next_block)?;
        let Some(located) = found else { return Ok(false) };
        self.row = 0;
        let expected = self.expected_seq.replace(located.first_seq);
        if let Some(missing) = expected.and_then(|expected| located.first_seq.checked_sub(expected)).filter(|n| *n > 0)
        {
            self.block.clear(0, 0);
            return Err(self.damaged(Problem::missing_frames(&located, missing)));
        }
        self.next_block += 1;
        self.expected_seq = Some(located.end_seq());
        let result = self.tape.load_block(self.stream, &located, &mut self.block, &mut self.decoder)?;
        result.map(|()| true).map_err(|problem| {
            self.block.clear(0, 0);
            self.damaged(problem)
        })
    }

    fn damaged(&self, problem: Problem) -> ReadError {
        let problem = problem.of_stream(self.stream.id().0);
        self.tape.notes.add(problem.clone());
        ReadError::Damaged(problem)
    }
}

impl Tape {
    /// Reads one block of the file and checks that it is the one listed in the index.
    fn read_block(
        &self,
        stream: &TapeStream,
        located: &Located,
        offset: u64,
        record_bytes: u64,
    ) -> Result<Result<(RecordHeader, Vec<u8>), Problem>, ReadError> {
        let (header, payload) = match read_record(&*self.source, offset, self.bytes())? {
            Ok(record) => record,
            Err(error) => return Ok(Err(block_problem(located, offset, &error))),
        };
        let as_indexed = header.kind.is_block()
            && header.stream == stream.id().0
            && header.record_bytes() == record_bytes
            && header.first_seq == located.first_seq
            && header.rows == located.rows;
        if !as_indexed {
            let other = Malformed::Value { what: "the block offset in the index", found: offset };
            return Ok(Err(block_problem(located, offset, &other)));
        }
        Ok(Ok((header, payload)))
    }

    /// Reads and decodes one block.
    pub(crate) fn load_block(
        &self,
        stream: &TapeStream,
        located: &Located,
        block: &mut Block,
        decoder: &mut BlockDecoder,
    ) -> Result<Result<(), Problem>, ReadError> {
        match located.location {
            BlockLocation::Tape { offset, record_bytes } => {
                let (header, payload) = match self.read_block(stream, located, offset, record_bytes)? {
                    Ok(record) => record,
                    Err(problem) => return Ok(Err(problem)),
                };
                let frame_bytes = stream.frame_bytes();
                let decoded = block.decode(&header, &payload, &stream.columns, frame_bytes, decoder);
                Ok(decoded.map_err(|error| block_problem(located, offset, &error)))
            }
            BlockLocation::Journal { journal, run } => {
                let view = self.journals.get(journal);
                let seqs = located.first_seq..located.end_seq();
                let whole = match view {
                    Some(view) => view.read(stream.id().0, &run, seqs, block).map_err(io_at(run.start))?,
                    None => false,
                };
                let problem = || {
                    let problem =
                        Problem::new(ProblemKind::JournalRow, run.start, "journal rows can no longer be read");
                    let problem = problem.losing(u64::from(located.rows));
                    match view {
                        Some(view) => problem.in_journal(view.generation),
                        None => problem,
                    }
                };
                Ok(if whole { Ok(()) } else { Err(problem()) })
            }
        }
    }
}

fn block_problem(located: &Located, offset: u64, error: &Malformed) -> Problem {
    Problem::of_error(ProblemKind::Block, offset, "a block", error).losing(u64::from(located.rows))
}

/// The frames of several streams, merged by time.
pub struct Merged<'a> {
    parts: Vec<Frames<'a>>,
    /// The next time of each part, with its index.
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    started: bool,
    /// The parts to be pushed to the heap: all of them at the start, then the one whose frame was returned last.
    waiting: Vec<usize>,
}

impl Merged<'_> {
    /// Returns the next frame, or `None` at the end. After an error, the next call continues after the damage.
    #[allow(
        clippy::should_implement_trait,
        reason = "a frame borrows from the reader, which an Iterator cannot express"
    )]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if !std::mem::replace(&mut self.started, true) {
            self.waiting = (0..self.parts.len()).rev().collect();
        }
        while let Some(part) = self.waiting.last().copied() {
            // After an error the part keeps waiting: the next call tries it again, after the damage.
            if let Some(time_ns) = self.parts.get_mut(part).map_or(Ok(None), Frames::peek)? {
                self.heap.push(Reverse((time_ns, part)));
            }
            self.waiting.pop();
        }
        let Some(Reverse((_, part))) = self.heap.pop() else { return Ok(None) };
        self.waiting.push(part);
        match self.parts.get_mut(part) {
            Some(frames) => frames.next(),
            None => Ok(None),
        }
    }

    /// Seeks to the first frames at or after a time. Even after an error, all streams are positioned there, after the damage.
    pub fn seek_time(&mut self, time_ns: u64) -> Result<(), ReadError> {
        self.heap.clear();
        self.waiting.clear();
        self.started = false;
        let mut result = Ok(());
        for part in &mut self.parts {
            let sought = part.seek_time(time_ns);
            result = result.and(sought);
        }
        result
    }
}
