//! The builder of a capture: sources, targets, listeners.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::bytes::FrameWriter;
use super::decoded::{OnSample, RowWriter};
use super::listener::{Listen, OnBytes, OnFrame};
use super::running::RunningCapture;
use super::source_spec::{IntoSource, SourceSpec};
use super::start_error::StartError;
use crate::capture::{Clock, Destination, Observer, RealClock, RecordOptions, UdpSettings};
use crate::games::{Sample, SeenFrame};
use crate::sys::Prefix;
use crate::tape::FrameStruct;

/// Captures games to tapes, callbacks and iterators.
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
/// Each [`source`](Self::source) gets its own tape, `./sessions/GAME_STREAM_YYYYMMDD_HHMMSS.gtape` by default;
/// [`and`](Self::and) adds another source to the same tape. [`to`](Self::to), [`to_writer`](Self::to_writer) and
/// [`realtime_only`](Self::realtime_only) apply to the tape before them, [`hz`](Self::hz) to the source before it, and
/// [`names`](Self::names) to all sources when it comes first. Callbacks are matched by the type of their frames, in any position.
///
/// If a game is not running, the capture waits for it. [`start`](Self::start) reports all configuration errors.
pub struct Capture {
    pub(super) tapes: Vec<TapePlan>,
    pub(super) listeners: Vec<Box<dyn Listen>>,
    #[cfg(feature = "watch")]
    pub(super) on_file: Vec<super::replay_folder::OnFile>,
    pub(super) options: RecordOptions,
    pub(super) again: bool,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) wrong: Option<StartError>,
    prefix: Prefix,
}

/// A tape and its sources.
pub(super) struct TapePlan {
    pub(super) sources: Vec<SourceSpec>,
    pub(super) target: Target,
    pub(super) observers: Vec<Box<dyn Observer>>,
}

/// The target of frames.
pub(super) enum Target {
    /// Where the options say, by default a file with a generated name.
    Named,
    /// This file.
    File(PathBuf),
    /// Listeners only.
    Nowhere,
    /// A custom writer.
    Writer(Box<dyn Listen>),
}

impl Default for Capture {
    fn default() -> Self {
        Self::new()
    }
}

impl Capture {
    /// Creates a capture without sources.
    pub fn new() -> Self {
        Self {
            tapes: Vec::new(),
            listeners: Vec::new(),
            #[cfg(feature = "watch")]
            on_file: Vec::new(),
            options: RecordOptions::new(Some(Destination::Folder("sessions".into()))),
            again: false,
            clock: Arc::new(RealClock::start()),
            wrong: None,
            prefix: Prefix::default(),
        }
    }

    /// Adds a source with its own tape.
    pub fn source(mut self, source: impl IntoSource) -> Self {
        let mut source = source.into_source();
        source.set_prefix(&self.prefix);
        self.tapes.push(TapePlan { sources: vec![source], target: Target::Named, observers: Vec::new() });
        self
    }

    /// Adds a source to the tape of the previous source. The tape begins when all its sources are available. The prefix and, for the same
    /// game, the rate are inherited from the previous source unless set afterwards.
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

    /// Writes the previous tape to this file. If the file exists, or if a second tape is needed, a number is added to the name:
    /// nothing is overwritten.
    pub fn to(self, path: impl Into<PathBuf>) -> Self {
        self.target("to", Target::File(path.into()))
    }

    /// Passes the frames of the previous source to a custom writer instead of a tape.
    pub fn to_writer(self, writer: impl FrameWriter) -> Self {
        self.target("to_writer", Target::Writer(Box::new(OnBytes::new(None, writer))))
    }

    /// Writes nothing for the previous source: only callbacks and iterators get its frames.
    pub fn realtime_only(self) -> Self {
        self.target("realtime_only", Target::Nowhere)
    }

    /// Sets a prefix for the names of shared memory, as used by `gametape demo` and tests: for the previous tape or, before the first
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

    /// Sets the sampling rate of the previous source, 1 to 1000 Hz. The default depends on the game.
    pub fn hz(self, hz: u32) -> Self {
        self.last_source("hz", |source| source.set_hz(hz))
    }

    /// Sets where datagrams of the previous source are received, from whom, and who else gets them, for a supported game that sends over UDP
    /// (`&games::f1::F1_25`). By default, on the usual ports, from programs on this machine.
    pub fn udp(self, settings: UdpSettings) -> Self {
        self.last_source("udp", |source| source.set_udp(settings))
    }

    /// Calls back with each new frame of the closure's type and the time since the start of the recording.
    ///
    /// The callback runs on its own thread. A slow callback misses frames ([`RunningCapture::skipped`]) without affecting other
    /// listeners. Panics are counted and reported by [`RunningCapture::wait`]. The recording is complete in either case. A
    /// [`Tape`](crate::Tape) at full speed waits for the callback instead.
    pub fn on<F: FrameStruct>(mut self, callback: impl FnMut(Duration, &F) + Send + 'static) -> Self {
        self.listeners.push(Box::new(OnFrame::of_type(callback)));
        self
    }

    /// Like [`on`](Self::on), for a stream by name: for custom structs from a tape or a custom source.
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

    /// Calls back with a normalized sample, in the same units for every game, after each new frame of any stream.
    pub fn on_sample(mut self, callback: impl FnMut(Duration, &Sample) + Send + 'static) -> Self {
        self.listeners.push(Box::new(OnSample(callback)));
        self
    }

    /// Like [`on_stream`](Self::on_stream), with values by channel name: for games that describe their frames at run time, like iRacing
    /// (`row.number("Speed")`).
    pub fn on_row(mut self, stream: &str, callback: impl FnMut(Duration, SeenFrame<'_>) + Send + 'static) -> Self {
        let writer = RowWriter { handler: callback, layout: None };
        self.listeners.push(Box::new(OnBytes::new(Some(stream), writer)));
        self
    }

    /// Calls back with each file, or folder of a match, that the replay folders of this capture find
    /// ([`Watch`](crate::watch::Watch)), when it is complete.
    ///
    /// The callback runs on the thread of the watch. A slow callback delays later finds; none is skipped. A find whose callback was interrupted
    /// by the end of the process is found again by a watch with [`remember_in`](crate::watch::Watch::remember_in). Panics are counted and
    /// reported by [`RunningCapture::wait`].
    #[cfg(feature = "watch")]
    pub fn on_file(mut self, callback: impl FnMut(&crate::watch::Found) + Send + 'static) -> Self {
        self.on_file.push(Box::new(callback));
        self
    }

    /// Observes the previous tape on its recorder's thread, without a queue in between: for example with
    /// [`Live`](crate::live::Live::observer), which tracks laps.
    pub fn observer(self, observer: Box<dyn Observer>) -> Self {
        self.tape("observer", |tape| {
            tape.observers.push(observer);
            Ok(())
        })
    }

    /// Sets all options of the recording at once, including what [`folder`](Self::folder), [`note`](Self::note) and
    /// [`max_duration`](Self::max_duration) have set before.
    pub fn options(mut self, options: RecordOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the folder for tapes without a path. The default is `./sessions`.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.options.place = Some(Destination::Folder(folder.into()));
        self
    }

    /// Adds a metadata entry to every tape.
    pub fn note(mut self, key: &str, value: &str) -> Self {
        self.options.metadata.push((key.into(), value.into()));
        self
    }

    /// Ends the capture after this recorded duration.
    pub fn max_duration(mut self, longest: Duration) -> Self {
        self.options.max_duration = Some(longest);
        self
    }

    /// Waits for the game again after it ends, with a new tape each time, instead of ending the capture.
    pub fn again(mut self) -> Self {
        self.again = true;
        self
    }

    /// Uses another clock, for tests.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Starts capturing. Returns immediately, whether the game is running or not.
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
