//! The tape that is being written. Receives frames, counters, events and clock readings until it is closed.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

use gametape_format::write::{Accepted, AppendError, FinishError, Trouble, Writer};
use gametape_format::{Counters, StreamId, StreamSpec};
use gametape_games::About;

use super::observer::{ObservedFrame, Observer};
use super::options::{EndReason, RecorderEvent, TapeSummary};
use super::progress::Progress;
use crate::transport::Clock;
use crate::transport::Pace;
use crate::transport::{Batch, BatchFrame, Description};
use gametape_analysis::recording::GAP;

/// Interval of clock readings, which map tape time to UTC.
const CLOCK_NS: u64 = 10_000_000_000;
/// If a source does not report changes of its metadata, it is asked first after this long, then with growing intervals.
const ASK_FIRST_NS: u64 = 1_000_000_000;
const ASK_SELDOM_NS: u64 = 10_000_000_000;

/// At least what a frame takes in the journal besides its bytes.
const ROW_BYTES_AT_MOST: usize = 64;

/// Metadata key of a piece: UTC of the first piece of the session. All pieces of a session have the same value.
pub(crate) const PIECE_OF: &str = "piece_of_utc_ns";

/// Data of a tape before its file exists.
pub(super) struct Beginning {
    pub(super) start_ns: u64,
    pub(super) utc_ns: i64,
    /// UTC of the first piece of the session, if the session is written in pieces.
    pub(super) piece_of_utc_ns: Option<i64>,
    pub(super) about: About,
    pub(super) about_changes: Option<u64>,
    /// Additional metadata of the source.
    pub(super) metadata: Vec<(&'static str, String)>,
    pub(super) replay_of: Option<String>,
    pub(super) pace: Pace,
}

/// The tape broke off: it accepts no more data.
pub(super) struct BrokenOff {
    /// Number of frames of the batch that are on the tape.
    pub(super) taken: usize,
    pub(super) error: AppendError,
}

/// The last frame of a stream.
struct LastFrame {
    /// Whether unchanged frames are skipped.
    compares: bool,
    bytes: Option<Vec<u8>>,
}

impl LastFrame {
    fn of_stream(stream: &StreamSpec) -> Self {
        Self { compares: stream.skip_unchanged, bytes: None }
    }

    /// Compares the next frame with the last one, and replaces it.
    fn is_repeated_by(&mut self, next: &[u8]) -> bool {
        if !self.compares || self.bytes.as_deref() == Some(next) {
            return self.compares;
        }
        let bytes = self.bytes.get_or_insert_default();
        bytes.clear();
        bytes.extend_from_slice(next);
        false
    }
}

/// A tape that is being written.
pub(super) struct RunningTape {
    /// `None` if nothing is stored.
    writer: Option<(PathBuf, Writer)>,
    /// The last frame of each stream. Only used if there is no writer, which compares frames itself.
    last_frames: Vec<LastFrame>,
    ids: Vec<StreamId>,
    game: String,
    pub(super) begun: Beginning,
    names: Vec<String>,
    frames: Vec<u64>,
    counted: Vec<Counters>,
    last_ns: u64,
    next_clock_ns: u64,
    next_ask_ns: u64,
    ask_after_ns: u64,
}

impl RunningTape {
    pub(super) fn new(writer: Option<(PathBuf, Writer)>, begun: Beginning, description: &Description) -> Self {
        Self {
            writer,
            last_frames: description.streams.iter().map(LastFrame::of_stream).collect(),
            ids: Vec::new(),
            game: description.game.clone(),
            names: description.streams.iter().map(|stream| stream.name.clone()).collect(),
            frames: vec![0; description.streams.len()],
            counted: vec![Counters::default(); description.streams.len()],
            last_ns: begun.start_ns,
            next_clock_ns: begun.start_ns + CLOCK_NS,
            next_ask_ns: begun.start_ns + ASK_FIRST_NS,
            ask_after_ns: ASK_FIRST_NS,
            begun,
        }
    }

    /// Writes the streams and the metadata of the recording.
    pub(super) fn describe(
        &mut self,
        description: &Description,
        metadata: &[(String, String)],
    ) -> Result<(), AppendError> {
        let Some((_, writer)) = &mut self.writer else { return Ok(()) };
        for stream in &description.streams {
            self.ids.push(writer.add_stream(stream.clone())?);
        }
        let about = &self.begun.about;
        let hz = match self.begun.pace {
            // Periods are whole nanoseconds: 333 Hz becomes a period of 3003003 ns, which must be reported as 333.
            Pace::Every(period) => Some(((1e3 / period.as_secs_f64()).round() / 1e3).to_string()),
            Pace::About(_) => Some("every tick".to_owned()),
            Pace::Source => None,
        };
        let known = [
            ("recorder", Some(concat!("gametape ", env!("CARGO_PKG_VERSION")).to_owned())),
            ("system", Some(std::env::consts::OS.to_owned())),
            ("sampling_hz", hz),
            (PIECE_OF, self.begun.piece_of_utc_ns.map(|utc_ns| utc_ns.to_string())),
            ("replay_of", self.begun.replay_of.as_ref().map(|tape| format!("replay of {tape}"))),
        ];
        for (key, value) in known {
            if let Some(value) = value {
                writer.metadata(0, key, &value)?;
            }
        }
        let of_source = self.begun.metadata.iter().map(|(key, value)| (*key, value.clone()));
        for (key, value) in about_entries(about).chain(of_source) {
            writer.metadata(0, key, &value)?;
        }
        for (key, value) in metadata {
            writer.metadata(0, key, value)?;
        }
        writer.clock(0, self.begun.utc_ns)?;
        if self.begun.piece_of_utc_ns.is_some_and(|first_ns| first_ns != self.begun.utc_ns) {
            return Ok(());
        }
        writer.event(0, "session_start", about.session.as_deref().unwrap_or_default())?;
        for (kind, text) in &description.notes {
            writer.event(0, kind, text)?;
        }
        Ok(())
    }

    /// Returns the path of the file, if there is one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.writer.as_ref().map(|(path, _)| path.as_path())
    }

    /// Returns the current problems with the files.
    pub(super) fn trouble(&self) -> Trouble {
        self.writer.as_ref().map(|(_, writer)| writer.trouble()).unwrap_or_default()
    }

    /// Returns the time of the last frame, relative to the beginning of the tape.
    pub(super) fn last_time_ns(&self) -> u64 {
        self.last_ns.saturating_sub(self.begun.start_ns)
    }

    /// Returns whether a frame has to wait until the journal has room. Sources that wait for their frames get them in bursts, such as datagrams,
    /// which may be faster than the encoder prepares a journal that is large enough for them. Samples do not wait: the next one is better.
    fn has_to_wait(&self, frame: BatchFrame<'_>) -> bool {
        let writer = self.writer.as_ref().filter(|_| self.begun.pace == Pace::Source);
        writer.is_some_and(|(_, writer)| !writer.trouble().no_room && !writer.has_room(frame.bytes.len()))
    }

    /// Returns whether the journal has room for all frames of a moment. They may be parts of one page, and some of them without the others would be a page
    /// that never was. `moment` is the last moment and its answer.
    fn finds_room(&self, batch: &Batch, at: usize, frame: BatchFrame<'_>, moment: &mut Option<(u64, bool)>) -> bool {
        let Some((_, writer)) = self.writer.as_ref().filter(|_| self.begun.pace != Pace::Source) else { return true };
        if let Some((_, fits)) = moment.filter(|(time_ns, _)| *time_ns == frame.time_ns) {
            return fits;
        }
        let others = batch.frames().skip(at).take_while(|other| other.time_ns == frame.time_ns);
        let (count, bytes) = others.fold((0, 0), |(count, bytes), other| (count + 1, bytes + other.bytes.len()));
        // A frame by itself is accepted or refused by the writer. More room than needed is asked for: unchanged frames take none.
        let fits = count <= 1 || writer.has_room(bytes + count * ROW_BYTES_AT_MOST);
        *moment = Some((frame.time_ns, fits));
        fits
    }

    /// Writes the contents of the batch. Returns how many of its frames were written: the others, counters and events have to wait for room in
    /// the journal, unless it is the `last` batch.
    pub(super) fn take(
        &mut self,
        batch: &Batch,
        last: bool,
        clock: &dyn Clock,
        progress: &Progress,
        observers: &mut [Box<dyn Observer>],
    ) -> Result<usize, BrokenOff> {
        let now_ns = clock.now_ns();
        let gaps = batch.events().iter().filter(|event| event.kind == GAP);
        let mut gaps = gaps.filter_map(|event| Some((event.time_ns, event.length_ns?))).peekable();
        let mut moment = None;
        for (taken, frame) in batch.frames().enumerate() {
            if !last && self.has_to_wait(frame) {
                return Ok(taken);
            }
            if !self.finds_room(batch, taken, frame, &mut moment) {
                self.count(frame.stream, &Counters { dropped: 1, ..Counters::default() }, progress);
                continue;
            }
            // Readers of the tape see gaps and frames in the same order.
            while let Some((until_ns, length_ns)) =
                gaps.next_if(|(until_ns, length_ns)| until_ns.saturating_sub(*length_ns) < frame.time_ns)
            {
                let until_ns = until_ns.saturating_sub(self.begun.start_ns);
                observers.iter_mut().for_each(|observer| observer.gap(until_ns, length_ns));
            }
            self.frame(frame, progress, observers).map_err(|error| BrokenOff { taken, error })?;
        }
        for (index, counters) in batch.counters().iter().enumerate() {
            self.count(index, counters, progress);
        }
        for event in batch.events() {
            let time_ns = event.time_ns.saturating_sub(self.begun.start_ns);
            match (&mut self.writer, event.length_ns) {
                // If there is no space for the event, the writer counts it.
                (Some((_, writer)), Some(length_ns)) => {
                    let _ = writer.event_with_length(time_ns, &event.kind, &event.text, length_ns);
                }
                _ => self.event(event.time_ns, &event.kind, &event.text),
            }
        }
        for mark in progress.take_marks() {
            self.mark(now_ns, &mark, observers);
        }
        if now_ns >= self.next_clock_ns {
            self.next_clock_ns = now_ns + CLOCK_NS;
            let (time_ns, utc_ns) = (now_ns.saturating_sub(self.begun.start_ns), clock.utc_ns());
            observers.iter_mut().for_each(|observer| observer.clock(time_ns, utc_ns));
            if let Some((_, writer)) = &mut self.writer {
                // A failed reading can be ignored: the next one follows.
                let _ = writer.clock(time_ns, utc_ns);
            }
        }
        Ok(batch.len())
    }

    /// Writes one frame. A frame that cannot be stored is counted by the writer; an error means that the tape has broken off.
    pub(super) fn frame(
        &mut self,
        frame: BatchFrame<'_>,
        progress: &Progress,
        observers: &mut [Box<dyn Observer>],
    ) -> Result<(), AppendError> {
        let time_ns = frame.time_ns.saturating_sub(self.begun.start_ns);
        self.last_ns = self.last_ns.max(frame.time_ns);
        let unchanged = match (&mut self.writer, self.ids.get(frame.stream)) {
            (Some((_, writer)), Some(id)) => match writer.append(*id, time_ns, frame.bytes) {
                Ok(accepted) => accepted == Accepted::Unchanged,
                Err(AppendError::Failed(failure)) => return Err(AppendError::Failed(failure)),
                Err(_) => {
                    // The writer has counted it.
                    self.show_counted(frame.stream, &Counters { dropped: 1, ..Counters::default() }, progress);
                    return Ok(());
                }
            },
            _ => self.last_frames.get_mut(frame.stream).is_some_and(|last| last.is_repeated_by(frame.bytes)),
        };
        // Only after the write: observers receive what the tape accepted.
        let observed = ObservedFrame { stream: frame.stream, time_ns, bytes: frame.bytes, unchanged };
        observers.iter_mut().for_each(|observer| observer.frame(&observed));
        if !unchanged {
            progress.stored(frame.bytes.len());
            if let Some(count) = self.frames.get_mut(frame.stream) {
                *count += 1;
            }
        }
        Ok(())
    }

    /// Returns whether the game may report something new about itself.
    pub(super) fn about_is_due(&self, changes: Option<u64>, now_ns: u64) -> bool {
        match changes {
            Some(_) => changes != self.begun.about_changes,
            None => now_ns >= self.next_ask_ns,
        }
    }

    /// Writes what the game reports differently now. Values that it no longer reports stay unchanged. Returns whether anything
    /// changed.
    pub(super) fn tell_about(&mut self, about: About, changes: Option<u64>, now_ns: u64) -> bool {
        self.ask_after_ns = (self.ask_after_ns * 2).min(ASK_SELDOM_NS);
        self.next_ask_ns = now_ns + self.ask_after_ns;
        self.begun.about_changes = changes;
        let before = &self.begun.about;
        let about = About {
            game_version: about.game_version.or_else(|| before.game_version.clone()),
            car: about.car.or_else(|| before.car.clone()),
            track: about.track.or_else(|| before.track.clone()),
            track_layout: about.track_layout.or_else(|| before.track_layout.clone()),
            session: about.session.or_else(|| before.session.clone()),
        };
        if about == *before {
            return false;
        }
        let time_ns = now_ns.saturating_sub(self.begun.start_ns);
        if let Some((_, writer)) = &mut self.writer {
            for (key, value) in about_entries(&about) {
                let _ = writer.metadata(time_ns, key, &value);
            }
        }
        self.begun.about = about;
        true
    }

    /// Adds to the counters of a stream, on the tape and in the progress.
    pub(super) fn count(&mut self, stream: usize, counters: &Counters, progress: &Progress) {
        if *counters == Counters::default() {
            return;
        }
        if let (Some((_, writer)), Some(id)) = (&mut self.writer, self.ids.get(stream)) {
            writer.count(*id, counters);
        }
        self.show_counted(stream, counters, progress);
    }

    fn show_counted(&mut self, stream: usize, counters: &Counters, progress: &Progress) {
        if let Some(sum) = self.counted.get_mut(stream) {
            sum.add(counters);
            progress.counted(&Counters::of_streams(&self.counted));
        }
    }

    /// Writes a mark that the user has set.
    pub(super) fn mark(&mut self, now_ns: u64, text: &str, observers: &mut [Box<dyn Observer>]) {
        self.event(now_ns, "mark", text);
        let time_ns = now_ns.saturating_sub(self.begun.start_ns);
        observers.iter_mut().for_each(|observer| observer.mark(time_ns, text));
    }

    /// Writes an event. If there is no space for it, the writer counts it.
    pub(super) fn event(&mut self, now_ns: u64, kind: &str, text: &str) {
        let time_ns = now_ns.saturating_sub(self.begun.start_ns);
        if let Some((_, writer)) = &mut self.writer {
            let _ = writer.event(time_ns, kind, text);
        }
    }

    /// Writes the end reason and closes the file. Returns whether that succeeded; a tape that was deleted is reported as lost, not as a failure.
    pub(super) fn close(self: Box<Self>, reason: EndReason, told: &Sender<RecorderEvent>) -> bool {
        let Self { writer, game, begun, names, frames, last_ns, .. } = *self;
        let Some((path, mut writer)) = writer else { return true };
        let duration_ns = last_ns.saturating_sub(begun.start_ns);
        // Values of a single piece would be wrong for the whole session.
        if begun.piece_of_utc_ns.is_none() {
            let _ = writer.metadata(duration_ns, "end_reason", reason.as_str());
            for (name, frames) in names.iter().zip(frames) {
                let rate_hz = frames as f64 * 1e9 / (duration_ns.max(1)) as f64;
                let _ = writer.metadata(duration_ns, &format!("rate_hz.{name}"), &format!("{rate_hz:.2}"));
            }
        }
        let told_now = match writer.finish() {
            Ok(finished) => RecorderEvent::Closed(TapeSummary::new(path, game, reason, duration_ns, finished)),
            Err(error @ FinishError::TapeGone) => RecorderEvent::Lost(format!("{}: {error}", path.display())),
            Err(error) => RecorderEvent::Failed(format!("{}: {error}", path.display())),
        };
        let succeeded = !matches!(told_now, RecorderEvent::Failed(_));
        let _ = told.send(told_now);
        succeeded
    }
}

/// Returns what a game reports about itself, as metadata entries.
fn about_entries(about: &About) -> impl Iterator<Item = (&'static str, String)> {
    [
        ("game_version", &about.game_version),
        ("car", &about.car),
        ("track", &about.track),
        ("track_layout", &about.track_layout),
        ("session", &about.session),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value.clone()?)))
}
