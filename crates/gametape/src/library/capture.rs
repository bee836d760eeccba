//! The fluent way to a recording: sources, where they go, who listens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::bytes::FrameWriter;
use super::decoded::{OnSample, RowWriter};
use super::listener::{Listen, OnBytes, OnFrame};
use super::running::RunningCapture;
use super::source_spec::{IntoSource, SourceSpec};
use super::start_error::StartError;
use super::typed::FrameStruct;
use crate::capture::{Clock, RealClock};
use crate::games::{Sample, SeenFrame};
use crate::sys::Prefix;

/// Captures games: from here on to a tape, to callbacks, to an iterator.
///
/// ```no_run
/// use gametape::acc;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let capture = gametape::Capture::new()
///     .source(acc::physics())
///     .on(|t, p: &acc::Physics| println!("{t:.1?} {:.0} km/h", p.speed_kmh))
///     .start()?;
/// capture.wait()?; // until Ctrl+C or the game ends
/// # Ok(()) }
/// ```
///
/// Each [`source`](Self::source) has a tape of its own, `./sessions/GAME_STREAM_YYYYMMDD_HHMMSS.gtape` unless told otherwise;
/// [`and`](Self::and) puts another source on the same tape. [`to`](Self::to), [`to_writer`](Self::to_writer) and
/// [`realtime_only`](Self::realtime_only) speak of the tape before them, [`hz`](Self::hz) of the source before it, and
/// [`names`](Self::names) of all when it comes first. Callbacks are found by the type of their frames, wherever they stand.
///
/// A game that is not there is waited for. What is wrong with all this is said by [`start`](Self::start).
pub struct Capture {
    pub(super) tapes: Vec<TapePlan>,
    pub(super) listeners: Vec<Box<dyn Listen>>,
    pub(super) folder: PathBuf,
    pub(super) metadata: Vec<(String, String)>,
    pub(super) max_duration: Option<Duration>,
    pub(super) again: bool,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) wrong: Option<StartError>,
    prefix: Prefix,
}

/// One tape and what goes on it.
pub(super) struct TapePlan {
    pub(super) sources: Vec<SourceSpec>,
    pub(super) target: Target,
}

/// Where frames go.
pub(super) enum Target {
    /// To a file with a name of our making.
    Named,
    /// To this file.
    File(PathBuf),
    /// Only to listeners.
    Nowhere,
    /// To a writer of the user's.
    Writer(Box<dyn Listen>),
}

impl Default for Capture {
    fn default() -> Self {
        Self::new()
    }
}

impl Capture {
    /// A capture of nothing yet.
    pub fn new() -> Self {
        Self {
            tapes: Vec::new(),
            listeners: Vec::new(),
            folder: "sessions".into(),
            metadata: Vec::new(),
            max_duration: None,
            again: false,
            clock: Arc::new(RealClock::start()),
            wrong: None,
            prefix: Prefix::default(),
        }
    }

    /// Adds a source with a tape of its own.
    pub fn source(mut self, source: impl IntoSource) -> Self {
        let mut source = source.into_source();
        source.set_prefix(&self.prefix);
        self.tapes.push(TapePlan { sources: vec![source], target: Target::Named });
        self
    }

    /// Adds a source to the tape of the source before it. The tape begins when all its sources are there. Names and, within a game,
    /// the rate are those of the source before it, unless said otherwise after it.
    pub fn and(self, source: impl IntoSource) -> Self {
        let mut source = source.into_source();
        self.tape("and", |tape| {
            if let Some(before) = tape.sources.last() {
                source.inherit(before);
            }
            tape.sources.push(source);
            Ok(())
        })
    }

    /// The tape before goes to this file. If it is there already, or if a second tape is needed, a number is added to the name:
    /// nothing is overwritten.
    pub fn to(self, path: impl Into<PathBuf>) -> Self {
        self.target("to", Target::File(path.into()))
    }

    /// Instead of a tape, the source before goes to a writer of your own.
    pub fn to_writer(self, writer: impl FrameWriter) -> Self {
        self.target("to_writer", Target::Writer(Box::new(OnBytes::new(None, writer))))
    }

    /// Nothing is written for the source before: only callbacks and iterators get its frames.
    pub fn realtime_only(self) -> Self {
        self.target("realtime_only", Target::Nowhere)
    }

    /// A prefix before the names of shared memory, as `gametape demo` and tests have it: for the tape before it or, before the first
    /// source, for all of them.
    pub fn names(mut self, prefix: &str) -> Self {
        let Some(prefix) = Prefix::new(prefix) else {
            self.wrong = self.wrong.or(Some(StartError::Names { prefix: prefix.into() }));
            return self;
        };
        if self.tapes.is_empty() {
            self.prefix = prefix;
            return self;
        }
        self.tape("names", |tape| {
            let named = tape.sources.iter_mut().fold(false, |named, source| source.set_prefix(&prefix) | named);
            if named { Ok(()) } else { Err(StartError::NotForThisSource { option: "names" }) }
        })
    }

    /// The source before is sampled this often a second, 1 to 1000. Unless said, as its game suggests.
    pub fn hz(self, hz: u32) -> Self {
        self.last_source("hz", |source| source.set_hz(hz))
    }

    /// Calls back with each new frame of the type that the closure takes, and the time since the beginning.
    ///
    /// The callback runs on a thread of its own. If it is slow, it misses frames ([`RunningCapture::skipped`]), and nobody else
    /// does; if it panics, that is counted and told by [`RunningCapture::wait`]. The recording is complete in either case. Frames
    /// of a [`Tape`](crate::Tape) at full speed wait for it instead.
    pub fn on<F: FrameStruct>(mut self, callback: impl FnMut(Duration, &F) + Send + 'static) -> Self {
        self.listeners.push(Box::new(OnFrame::of_type(callback)));
        self
    }

    /// Like [`on`](Self::on), for a stream by its name: for structs of your own from a tape or a source of your own.
    pub fn on_stream<F: FrameStruct>(
        mut self,
        stream: &str,
        callback: impl FnMut(Duration, &F) + Send + 'static,
    ) -> Self {
        self.listeners.push(Box::new(OnFrame::of_stream(stream, callback)));
        self
    }

    /// Like [`on_stream`](Self::on_stream), with the frames as bytes of any length.
    pub fn on_bytes(mut self, stream: &str, mut callback: impl FnMut(Duration, &[u8]) + Send + 'static) -> Self {
        let writer = move |_: &crate::format::StreamSpec, t: Duration, bytes: &[u8]| {
            callback(t, bytes);
            Ok(())
        };
        self.listeners.push(Box::new(OnBytes::new(Some(stream), writer)));
        self
    }

    /// Calls back with what the car does, in the same words for every game, after each new frame of any stream.
    pub fn on_sample(mut self, callback: impl FnMut(Duration, &Sample) + Send + 'static) -> Self {
        self.listeners.push(Box::new(OnSample(callback)));
        self
    }

    /// Like [`on_stream`](Self::on_stream), with values by the names of their channels: for games that describe their frames at
    /// run time, as iRacing does (`row.number("Speed")`).
    pub fn on_row(mut self, stream: &str, callback: impl FnMut(Duration, SeenFrame<'_>) + Send + 'static) -> Self {
        let writer = RowWriter { handler: callback, layout: None };
        self.listeners.push(Box::new(OnBytes::new(Some(stream), writer)));
        self
    }

    /// Tapes without a path go here instead of `./sessions`.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// Puts an entry into the metadata of every tape.
    pub fn note(mut self, key: &str, value: &str) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }

    /// Ends when this much is recorded.
    pub fn max_duration(mut self, longest: Duration) -> Self {
        self.max_duration = Some(longest);
        self
    }

    /// Does not end with the game, but waits for it again, with a new tape each time.
    pub fn again(mut self) -> Self {
        self.again = true;
        self
    }

    /// Uses another clock: for tests.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Starts capturing. Returns at once: whether the game is there or not.
    pub fn start(self) -> Result<RunningCapture, StartError> {
        RunningCapture::start(self)
    }

    fn target(self, option: &'static str, target: Target) -> Self {
        self.tape(option, |tape| {
            tape.target = target;
            Ok(())
        })
    }

    fn last_source(self, option: &'static str, act: impl FnOnce(&mut SourceSpec) -> Result<(), StartError>) -> Self {
        self.tape(option, |tape| tape.sources.last_mut().map_or(Ok(()), act))
    }

    fn tape(mut self, option: &'static str, act: impl FnOnce(&mut TapePlan) -> Result<(), StartError>) -> Self {
        let done = match self.tapes.last_mut() {
            Some(tape) => act(tape),
            None => Err(StartError::NoSourceYet { option }),
        };
        self.wrong = self.wrong.or(done.err());
        self
    }
}
