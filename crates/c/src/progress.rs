//! Slow passes over a tape that tell how far they are, and that the caller can stop.
//!
//! Takes a tape, gives a [`Recording`] of the same frames. A stop is an error of reading.

use std::collections::BTreeMap;
use std::{fmt, io};

use gametape_analysis::Recording;
use gametape_analysis::recording::{Ending, FrameCursor, Gap, RecordedFrame};
use gametape_format::read::{ReadError, Tape};
use gametape_format::{StreamSpec, TapeId};

use crate::border::Reporter;

/// Bytes of frames between two calls of the caller: at the speed of reading, some milliseconds.
const BYTES_BETWEEN: usize = 4 << 20;
/// Bytes that count for a frame beside its own: small frames take time too.
const FRAME_BYTES: usize = 1024;

/// The error after the caller wanted to stop.
#[derive(Debug)]
struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped by the caller")
    }
}

impl std::error::Error for Stopped {}

/// Returns the error after the caller wanted to stop.
pub(crate) fn stop() -> io::Error {
    io::Error::other(Stopped)
}

/// Whether an error came from [`stop`].
pub(crate) fn is_stop(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Stopped>())
}

/// A recording that reports how far it has been read to the caller, as a part of all work.
pub(crate) struct Watched<'a> {
    pub(crate) tape: &'a Tape,
    pub(crate) reporter: &'a Reporter,
    /// What is done when all frames are read; all work is 1.
    pub(crate) share: f64,
}

struct WatchedFrames<'a> {
    frames: Box<dyn FrameCursor + 'a>,
    reporter: &'a Reporter,
    share: f64,
    end_ns: u64,
    now_ns: u64,
    since: usize,
}

impl FrameCursor for WatchedFrames<'_> {
    fn next(&mut self) -> Result<Option<RecordedFrame<'_>>, ReadError> {
        if self.since >= BYTES_BETWEEN {
            self.since = 0;
            let done = (self.now_ns as f64 / self.end_ns.max(1) as f64).clamp(0.0, 1.0);
            if !self.reporter.goes_on(done * self.share) {
                return Err(ReadError::Io { offset: 0, source: stop() });
            }
        }
        let frame = self.frames.next()?;
        if let Some(frame) = &frame {
            self.now_ns = frame.time_ns;
            self.since = self.since.saturating_add(frame.bytes.len() + FRAME_BYTES);
        }
        Ok(frame)
    }
}

impl Recording for Watched<'_> {
    fn id(&self) -> Option<TapeId> {
        Recording::id(self.tape)
    }

    fn streams(&self) -> Vec<&StreamSpec> {
        Recording::streams(self.tape)
    }

    fn span_ns(&self, stream: usize) -> Option<(u64, u64)> {
        self.tape.span_ns(stream)
    }

    fn frames_from<'a>(&'a self, from_ns: u64) -> Result<Box<dyn FrameCursor + 'a>, ReadError> {
        let frames = self.tape.frames_from(from_ns)?;
        let (reporter, share, end_ns) = (self.reporter, self.share, self.tape.end_ns());
        // Report the start at once.
        Ok(Box::new(WatchedFrames { frames, reporter, share, end_ns, now_ns: from_ns, since: BYTES_BETWEEN }))
    }

    fn frame_at(&self, stream: usize, time_ns: u64) -> Option<Vec<u8>> {
        Recording::frame_at(self.tape, stream, time_ns)
    }

    fn clock_readings(&self) -> Vec<(u64, i64)> {
        Recording::clock_readings(self.tape)
    }

    fn gaps(&self) -> Vec<Gap> {
        self.tape.gaps()
    }

    fn metadata(&self) -> BTreeMap<String, String> {
        Recording::metadata(self.tape)
    }

    fn ending(&self) -> Ending {
        self.tape.ending()
    }
}
