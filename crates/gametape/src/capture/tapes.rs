//! The tapes of one source, at most one at a time: creates, writes and closes them.
//!
//! ```text
//!             open                  the file is created              close
//!  Waiting ───────────▶ Opening ──────────────────────▶ Recording ───────────▶ Waiting
//!              ▲           │ cannot be created              │ breaks off
//!              └────── Retrying ◀───────────────────────────┘
//! ```
//! Files are created and closed on other threads, so the capturing thread never waits for the disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

use gametape_format::Counters;
use gametape_format::write::{AppendError, Trouble};
use gametape_games::Presence;

use super::observer::{Observer, TapeBegins};
use super::opening::Backoff;
use super::opening::Opening;
use super::options::{EndReason, NewTape, RecordOptions, RecorderEvent};
use super::progress::Progress;
use super::running_tape::{Beginning, BrokenOff, RunningTape};
use crate::transport::Clock;
use crate::transport::{Batch, BatchFrame, Description};
use crate::transport::{Source, State};

/// Interval of retries while no tape can be created.
const TRY_AGAIN_NS: u64 = 1_000_000_000;

/// The current tape, and how the previous ones ended.
pub(super) struct Tapes {
    options: Arc<RecordOptions>,
    clock: Arc<dyn Clock>,
    progress: Arc<Progress>,
    told: Sender<RecorderEvent>,
    observers: Vec<Box<dyn Observer>>,
    description: Description,
    phase: Phase,
    presence: Option<Presence>,
    closing: Vec<Closing>,
    failed: bool,
    close_failed: bool,
    /// The current problem with the disk has been reported and is not over.
    failing: bool,
    /// Pauses after tapes that broke off.
    backoff: Backoff,
    /// The problems with the files of the tape that have been reported.
    trouble: Trouble,
    last_reason: Option<EndReason>,
    /// Start and UTC of the very first piece. The start of later pieces is derived from it with the monotonic clock, so that they
    /// join without a seam and in the right order, even if the system clock is set in the meantime.
    first_piece: Option<(u64, i64)>,
    /// UTC of the first piece of the session.
    session_utc_ns: Option<i64>,
}

enum Phase {
    Waiting,
    Opening(Box<Opening>),
    Recording(Box<RunningTape>),
    /// A tape could not be created or broke off; the value is the time of the next attempt. Frames are queued.
    Retrying(u64),
}

/// A tape that is being closed.
struct Closing {
    path: Option<PathBuf>,
    thread: JoinHandle<bool>,
}

/// The result of writing a batch.
pub(super) enum Taken {
    /// There is no tape to write to.
    NoTape,
    /// All frames are on the tape.
    All,
    /// The tape broke off, or the rest has to wait: only this many frames are on it.
    Only(usize),
}

impl Tapes {
    pub(super) fn new(
        options: Arc<RecordOptions>,
        clock: Arc<dyn Clock>,
        progress: Arc<Progress>,
        told: Sender<RecorderEvent>,
        observers: Vec<Box<dyn Observer>>,
    ) -> Self {
        Self {
            options,
            clock,
            progress,
            told,
            observers,
            description: Description::default(),
            phase: Phase::Waiting,
            presence: None,
            closing: Vec::new(),
            failed: false,
            close_failed: false,
            failing: false,
            backoff: Backoff::default(),
            trouble: Trouble::default(),
            last_reason: None,
            first_piece: None,
            session_utc_ns: None,
        }
    }

    /// Returns whether a tape could not be begun or written. The recording should end.
    pub(super) fn failed(&self) -> bool {
        self.failed
    }

    /// Returns whether every tape so far was begun, written and closed.
    pub(super) fn all_is_well(&self) -> bool {
        !self.failed && !self.close_failed
    }

    /// Returns whether the game ended after a tape was recorded. A new layout or session of a running game is not an end.
    pub(super) fn game_ended(&self) -> bool {
        let ended = matches!(self.last_reason, Some(EndReason::GameEnded | EndReason::Frozen));
        ended && self.is_waiting()
    }

    /// Returns whether there is no tape, and none is being created.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.phase, Phase::Waiting)
    }

    /// Returns whether a file is being created or will be retried. Frames are queued meanwhile. Does not check the thread; see
    /// `finish_opening`.
    pub(super) fn is_opening(&self) -> bool {
        matches!(self.phase, Phase::Opening(_) | Phase::Retrying(_))
    }

    /// Returns whether it is time to retry creating a tape.
    pub(super) fn retry_is_due(&self) -> bool {
        matches!(self.phase, Phase::Retrying(at_ns) if self.clock.now_ns() >= at_ns)
    }

    /// Returns whether frames are queued for a tape that could not be created.
    pub(super) fn is_retrying(&self) -> bool {
        matches!(self.phase, Phase::Retrying(_))
    }

    /// Returns whether the thread that creates the file is still running.
    #[cfg(test)]
    pub(super) fn is_making_file(&self) -> bool {
        matches!(&self.phase, Phase::Opening(opening) if !opening.is_done())
    }

    /// Returns time 0 of the tape that is being written.
    pub(super) fn start_ns(&self) -> Option<u64> {
        match &self.phase {
            Phase::Recording(tape) => Some(tape.begun.start_ns),
            _ => None,
        }
    }

    /// Returns whether the tape has reached its maximum duration.
    pub(super) fn long_enough(&self) -> bool {
        let (Some(longest), Some(start_ns)) = (self.options.max_duration, self.start_ns()) else { return false };
        u128::from(self.clock.now_ns().saturating_sub(start_ns)) >= longest.as_nanos()
    }

    /// Sets the description for the next tapes.
    pub(super) fn describe(&mut self, description: Description) {
        self.description = description;
    }

    /// Begins a tape whose first frame has that time. Returns `true` if it can be written to immediately.
    pub(super) fn open(&mut self, source: &dyn Source, first_ns: Option<u64>) -> bool {
        let now_ns = self.clock.now_ns();
        let first_ns = first_ns.unwrap_or(now_ns);
        let start_ns = source.zero_ns().map_or(first_ns, |zero_ns| zero_ns.min(first_ns));
        let signed = |ns: u64| i64::try_from(ns).unwrap_or_default();
        let by_clock_ns = || self.clock.utc_ns() - signed(now_ns.saturating_sub(start_ns));
        let by_first_ns = |(ns, utc_ns): (u64, i64)| utc_ns + signed(start_ns.saturating_sub(ns));
        let utc_ns = self.first_piece.map_or_else(by_clock_ns, by_first_ns);
        if self.options.piece.is_some() {
            self.first_piece.get_or_insert((start_ns, utc_ns));
            let goes_on = self.last_reason == Some(EndReason::NextPiece);
            self.session_utc_ns = self.session_utc_ns.filter(|_| goes_on).or(Some(utc_ns));
        }
        let begun = Beginning {
            start_ns,
            utc_ns,
            piece_of_utc_ns: self.session_utc_ns,
            about: source.about(),
            about_changes: source.about_changes(),
            metadata: source.metadata(),
            replay_of: source.replay_of(),
            pace: source.pace(),
        };
        let Some(place) = self.options.place.clone() else {
            self.begin(None, begun);
            return true;
        };
        match Opening::start(&self.options, place, &self.description.game, begun) {
            Ok(opening) => self.phase = Phase::Opening(Box::new(opening)),
            Err(error) => self.retry(format!("cannot start a thread: {error}")),
        }
        false
    }

    /// Checks whether the file has been created; waits for it if `wait` is set. Returns `true` if the tape can be written to from
    /// now on.
    pub(super) fn finish_opening(&mut self, wait: bool) -> bool {
        let ready = |opening: &Opening| wait || opening.is_done();
        if !matches!(&self.phase, Phase::Opening(opening) if ready(opening)) {
            return false;
        }
        let Phase::Opening(opening) = std::mem::replace(&mut self.phase, Phase::Waiting) else { return false };
        match opening.finish() {
            Ok((tape, begun)) => {
                self.begin(Some(tape), begun);
                return true;
            }
            Err(error) => self.retry(error.to_string()),
        }
        false
    }

    fn begin(&mut self, new: Option<NewTape>, begun: Beginning) {
        let file = new.as_ref().map(|tape| (tape.id, tape.path.clone()));
        let path = file.as_ref().map(|(_, path)| path.clone());
        self.progress.begin(path.clone(), &self.description.game, &begun.about, begun.start_ns);
        let (game, about) = (self.description.game.clone(), begun.about.clone());
        let (utc_ns, replay_of) = (begun.utc_ns, begun.replay_of.clone());
        let mut tape = RunningTape::new(new.map(|tape| (tape.path, tape.writer)), begun, &self.description);
        match tape.describe(&self.description, &self.options.metadata) {
            Ok(()) => {}
            // The first frame meets the same error, and the tape breaks off there.
            Err(AppendError::Failed(_)) if self.options.go_on => {}
            Err(error) => self.fail(error.to_string()),
        }
        let begins = TapeBegins {
            description: &self.description,
            file: file.as_ref().map(|(id, path)| (*id, path.as_path())),
            utc_ns,
            replay_of: replay_of.as_deref(),
        };
        self.observers.iter_mut().for_each(|observer| observer.begin(&begins));
        if let Some(path) = path {
            let notes = self.description.notes.iter().map(|(_, text)| text.clone()).collect();
            let _ = self.told.send(RecorderEvent::Opened { path, game, about, notes });
        }
        self.presence = None;
        self.failing = false;
        self.trouble = Trouble::default();
        self.phase = Phase::Recording(Box::new(tape));
    }

    /// Writes the batch to the tape. Frames may have to wait for room in its journal, unless it is the `last` batch.
    pub(super) fn take(&mut self, batch: &Batch, last: bool) -> Taken {
        self.tell_trouble();
        let Phase::Recording(tape) = &mut self.phase else { return Taken::NoTape };
        if self.trouble.tape_gone {
            self.break_off(EndReason::FileGone, None);
            return Taken::Only(0);
        }
        match tape.take(batch, last, &*self.clock, &self.progress, &mut self.observers) {
            Ok(taken) if taken == batch.len() => Taken::All,
            Ok(taken) => Taken::Only(taken),
            Err(BrokenOff { taken, error }) => {
                self.break_off(EndReason::DiskFailed, Some(error));
                Taken::Only(taken)
            }
        }
    }

    /// Writes one frame to the tape. Returns `false` if there is no tape, or if it broke off before this frame.
    pub(super) fn frame(&mut self, frame: BatchFrame<'_>) -> bool {
        let Phase::Recording(tape) = &mut self.phase else { return false };
        if let Err(error) = tape.frame(frame, &self.progress, &mut self.observers) {
            self.break_off(EndReason::DiskFailed, Some(error));
            return false;
        }
        true
    }

    /// Reports problems with the tape's files once when they begin and once when they end.
    fn tell_trouble(&mut self) {
        let Phase::Recording(tape) = &mut self.phase else { return };
        let (trouble, before) = (tape.trouble(), self.trouble);
        if trouble == before {
            return;
        }
        self.trouble = trouble;
        let path = tape.path().unwrap_or(Path::new("")).display().to_string();
        let now_ns = self.clock.now_ns();
        let tell = |text: String| drop(self.told.send(RecorderEvent::Warned(text)));
        if trouble.no_room && !before.no_room {
            tape.event(
                now_ns,
                "disk_full",
                "no room on the disk: frames are kept in the journal as long as it has room",
            );
            tell(format!(
                "no space on the disk for {path}: free some space and the recording continues; until then the journal holds a few seconds of frames"
            ));
        }
        if before.no_room && !trouble.no_room {
            let dropped = self.progress.numbers().counters.dropped;
            tape.event(now_ns, "disk_has_room", &format!("{dropped} frames were lost on this tape so far"));
            tell(format!(
                "there is space on the disk again: the recording of {path} continues; {dropped} frames were lost"
            ));
        }
        if trouble.journal_gone && !before.journal_gone && !trouble.tape_gone {
            tell(format!(
                "the journal of {path} was deleted or moved: until the next one is created, a crash would lose a few seconds of frames"
            ));
        }
        if trouble.tape_gone && !before.tape_gone {
            tell(format!("{path} was deleted or moved while being recorded: closing it now"));
        }
    }

    /// Closes the tape because it accepts no more frames. If the recording is to go on, the next frames go to another tape.
    fn break_off(&mut self, reason: EndReason, error: Option<AppendError>) {
        match (self.options.go_on, error) {
            // Closing the tape reports why it failed and what to do.
            (true, _) => {}
            (false, Some(error)) => self.fail(error.to_string()),
            (false, None) => self.failed = true,
        }
        self.close(reason);
        if self.options.go_on {
            let now_ns = self.clock.now_ns();
            self.phase = Phase::Retrying(now_ns + self.backoff.after_failure(now_ns));
        }
    }

    /// Adds counters that do not belong to a particular stream.
    pub(super) fn count_first(&mut self, counters: &Counters) {
        if let Phase::Recording(tape) = &mut self.phase {
            tape.count(0, counters, &self.progress);
        }
    }

    /// Records whether the game is live, paused or in a replay, when that changes.
    pub(super) fn tell_presence(&mut self, presence: Presence) {
        let Phase::Recording(tape) = &mut self.phase else { return };
        if self.presence != Some(presence) {
            self.presence = Some(presence);
            tape.event(self.clock.now_ns(), "presence", State::Here(presence).text());
        }
    }

    /// Updates the metadata if the game may report something new. Games report more about a session once it runs.
    pub(super) fn tell_about_if_due(&mut self, source: &dyn Source) {
        let Phase::Recording(tape) = &self.phase else { return };
        if tape.about_is_due(source.about_changes(), self.clock.now_ns()) {
            self.tell_about(source);
        }
    }

    /// Updates the metadata with what the game reports now.
    pub(super) fn tell_about(&mut self, source: &dyn Source) {
        let Phase::Recording(tape) = &mut self.phase else { return };
        if tape.tell_about(source.about(), source.about_changes(), self.clock.now_ns()) {
            self.progress.about(&tape.begun.about);
        }
    }

    /// Returns why the tape ends if another session begins now.
    pub(super) fn end_by_session(&self, source: &dyn Source) -> EndReason {
        match &self.phase {
            Phase::Recording(tape) => EndReason::of_another_session(&tape.begun.about, &source.about()),
            _ => EndReason::NewSession,
        }
    }

    /// Gives up on creating a tape. `frames` queued frames are lost.
    pub(super) fn give_up(&mut self, reason: EndReason, frames: u64) {
        self.phase = Phase::Waiting;
        self.last_reason = Some(reason);
        if frames > 0 {
            let _ = self
                .told
                .send(RecorderEvent::Lost(format!("{frames} frames were lost: no tape could be created for them")));
        }
    }

    /// Closes the tape, if there is one, on a separate thread.
    pub(super) fn close(&mut self, reason: EndReason) {
        if !matches!(self.phase, Phase::Recording(_)) {
            return;
        }
        let Phase::Recording(mut tape) = std::mem::replace(&mut self.phase, Phase::Waiting) else { return };
        let end_ns = tape.last_time_ns();
        self.progress.end();
        self.last_reason = Some(reason);
        // Marks that were accepted before the end belong to this tape.
        for mark in self.progress.take_marks() {
            tape.mark(self.clock.now_ns(), &mark, &mut self.observers);
        }
        self.observers.iter_mut().for_each(|observer| observer.end(end_ns, reason));
        let (told, path) = (self.told.clone(), tape.path().map(Path::to_owned));
        let spawned =
            std::thread::Builder::new().name("gametape-close".into()).spawn(move || tape.close(reason, &told));
        match spawned {
            Ok(thread) => self.closing.push(Closing { path, thread }),
            Err(error) => self.fail(not_closed(path.as_deref(), &format!("cannot start a thread: {error}"))),
        }
        let (done, busy) = self.closing.drain(..).partition(|closing| closing.thread.is_finished());
        self.closing = busy;
        self.see_closed(done);
    }

    /// Waits until every file is closed. No tape can be begun after this.
    pub(super) fn wait_until_closed(&mut self) {
        let all = std::mem::take(&mut self.closing);
        self.see_closed(all);
        self.observers.clear();
    }

    /// Joins the threads. A thread that panicked has not reported the state of its tape.
    fn see_closed(&mut self, threads: Vec<Closing>) {
        for Closing { path, thread } in threads {
            let closed = thread.join();
            if closed.is_err() {
                let text = not_closed(path.as_deref(), "its thread panicked; please report this");
                let _ = self.told.send(RecorderEvent::Failed(text));
            }
            self.close_failed |= !closed.unwrap_or(false);
        }
    }

    /// Schedules a retry because no tape can be created now.
    fn retry(&mut self, text: String) {
        if !self.options.go_on {
            return self.fail(text);
        }
        if !std::mem::replace(&mut self.failing, true) {
            let _ = self.told.send(RecorderEvent::Warned(format!(
                "{text}; retrying every second, frames are queued in memory until then"
            )));
        }
        self.phase = Phase::Retrying(self.clock.now_ns() + TRY_AGAIN_NS);
    }

    fn fail(&mut self, text: String) {
        // Report only the first failure: the same problem would fail again and again.
        if !self.failed {
            let _ = self.told.send(RecorderEvent::Failed(text));
        }
        self.failed = true;
    }
}

fn not_closed(path: Option<&Path>, why: &str) -> String {
    let path = path.unwrap_or(Path::new("the tape")).display();
    format!(
        "{path} was not closed: {why}; the tape and its journal hold what was recorded: run `gametape recover` on it"
    )
}
