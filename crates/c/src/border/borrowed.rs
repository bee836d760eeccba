//! A cursor that keeps its tape alive: a handle cannot borrow from another one.

use std::sync::Arc;

use gametape_format::read::{Frame, Frames, Merged, ReadError, Tape};

use crate::status::Failure;

enum Which<'a> {
    One(Box<Frames<'a>>),
    All(Merged<'a>),
}

/// The frames of one stream, or of all streams of the game in the order of time.
pub(crate) struct Cursor {
    // Before the tape: dropped first.
    frames: Which<'static>,
    _tape: Arc<Tape>,
}

/// A frame whose bytes are where the cursor has them, until its next call.
pub(crate) struct Found {
    pub(crate) stream: u16,
    pub(crate) seq: u64,
    pub(crate) time_ns: u64,
    pub(crate) data: *const u8,
    pub(crate) length: usize,
}

impl Cursor {
    /// Opens a cursor on a stream, or on all streams of the game.
    pub(crate) fn new(tape: Arc<Tape>, stream: Option<&str>) -> Result<Self, Failure> {
        // SAFETY: the tape is behind an `Arc` that lives as long as the cursor and is dropped after the frames, and `Arc` never moves it. The
        // reference leaves this type only inside `frames`, which is private and lends frames for as long as the cursor is borrowed.
        let borrowed: &'static Tape = unsafe { &*Arc::as_ptr(&tape) };
        let frames = match stream {
            Some(name) => Which::One(Box::new(borrowed.frames(borrowed.stream_named(name)?))),
            None => Which::All(borrowed.merged(gametape_analysis::recording::streams_of_games(borrowed))),
        };
        Ok(Self { frames, _tape: tape })
    }

    /// Moves before the first frame at or after a time.
    pub(crate) fn seek(&mut self, time_ns: u64) -> Result<(), ReadError> {
        match &mut self.frames {
            Which::One(frames) => frames.seek_time(time_ns),
            Which::All(frames) => frames.seek_time(time_ns),
        }
    }

    /// Returns the next frame, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Found>, ReadError> {
        let frame = match &mut self.frames {
            Which::One(frames) => frames.next(),
            Which::All(frames) => frames.next(),
        };
        let found = |Frame { stream, seq, time_ns, data }| Found {
            stream: stream.0,
            seq,
            time_ns,
            data: data.as_ptr(),
            length: data.len(),
        };
        Ok(frame?.map(found))
    }
}
