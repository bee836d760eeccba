//! One source, one tape after the other: decides when a tape begins and ends, and what goes on it.
//!
//! ```text
//!            the game is there and its frames move
//!  Waiting ────────────────────────────────────────▶ Opening ──▶ Recording
//!     ▲                                             (a thread       │
//!     │    game away, frozen, other session or      makes the file; │
//!     └──────── layout, long enough, stopped ◀────── frames wait) ◀─┘
//! ```
//! Files are made and closed on other threads; the capturing thread that calls [`Driver::take`] never waits for the disk. Frames
//! that come while a file is being made, or while it is not yet clear whether they belong to the next session, wait in the batch.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

use gametape_format::write::{CreateError, Writer};
use gametape_format::{Counters, Role};
use gametape_games::Presence;

use super::batch::{Batch, BatchFrame, Description};
use super::clock::Clock;
use super::observer::Observer;
use super::options::{EndReason, RecordOptions, Split, Told};
use super::progress::Progress;
use super::running_tape::{Beginning, RunningTape};
use super::source::{Pace, Source, State};

/// A game that is away this long has ended. Shorter absences are gaps.
const AWAY_GRACE_NS: u64 = 1_500_000_000;
/// A running game of which nothing moves this long has crashed or hangs.
const FROZEN_NS: u64 = 30_000_000_000;
/// A session must be seen this long before a tape is begun for it: games change their pages one after the other.
const NEW_SESSION_NS: u64 = 500_000_000;
/// Frames wait in memory up to this many bytes; what comes then is lost, and counted.
const WAITING_BYTES: usize = 64 << 20;

/// Takes what a source gives and keeps it.
pub(super) struct Driver {
    options: Arc<RecordOptions>,
    clock: Arc<dyn Clock>,
    progress: Arc<Progress>,
    told: Sender<Told>,
    observers: Vec<Box<dyn Observer>>,
    phase: Phase,
    /// The newest frame of each stream: what does not differ from it has not moved.
    newest: Vec<Vec<u8>>,
    described: u64,
    description: Description,
    /// Whether this description has given frames before.
    looked: bool,
    moved_ns: Option<u64>,
    away_since_ns: Option<u64>,
    /// Since when the game says that it is in another session.
    next_session: Option<u64>,
    presence: Option<Presence>,
    closing: Vec<JoinHandle<()>>,
    failed: bool,
    last_reason: Option<EndReason>,
    frames_before: usize,
}

/// Whether frames belong to the session that is being recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Session {
    Same,
    /// It says so, but not for long enough.
    Unclear,
    Another,
}

enum Phase {
    Waiting,
    Opening(JoinHandle<Result<(PathBuf, Writer), CreateError>>, Box<Beginning>),
    Recording(Box<RunningTape>),
}

impl Driver {
    pub(super) fn new(
        options: Arc<RecordOptions>,
        clock: Arc<dyn Clock>,
        progress: Arc<Progress>,
        told: Sender<Told>,
        observers: Vec<Box<dyn Observer>>,
    ) -> Self {
        Self {
            options,
            clock,
            progress,
            told,
            observers,
            phase: Phase::Waiting,
            newest: Vec::new(),
            described: 0,
            description: Description::default(),
            looked: false,
            last_reason: None,
            moved_ns: None,
            away_since_ns: None,
            next_session: None,
            presence: None,
            closing: Vec::new(),
            failed: false,
            frames_before: 0,
        }
    }

    /// Whether a tape could not be begun or kept: there is no point in going on.
    pub(super) fn failed(&self) -> bool {
        self.failed
    }

    /// Whether the game ended, after a tape of it: a new layout or session of a game that goes on is no end.
    pub(super) fn game_ended(&self) -> bool {
        let ended = matches!(self.last_reason, Some(EndReason::GameEnded | EndReason::Frozen));
        ended && self.is_waiting()
    }

    /// Whether there is no tape, and none is being made.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.phase, Phase::Waiting)
    }

    /// Whether the tape is as long as it was asked to be.
    pub(super) fn long_enough(&self) -> bool {
        let (Some(longest), Phase::Recording(tape)) = (self.options.max_duration, &self.phase) else { return false };
        u128::from(self.clock.now_ns().saturating_sub(tape.begun.start_ns)) >= longest.as_nanos()
    }

    /// To be called before each read: what the batch holds then has been here before.
    pub(super) fn before_read(&mut self, batch: &Batch) {
        self.frames_before = batch.len();
    }

    /// Takes what one read gave.
    pub(super) fn take(&mut self, state: &State, source: &dyn Source, batch: &mut Batch) {
        let now_ns = self.clock.now_ns();
        self.progress.found(state);
        self.progress.at(now_ns);
        if batch.described() != self.described {
            self.leave_description(batch.take_lost());
            self.described = batch.described();
            self.description = batch.description().clone();
            self.looked = false;
            self.newest = vec![Vec::new(); batch.description().streams.len()];
            self.frames_before = 0;
        }
        let moved = self.look_for_movement(source.pace(), batch, now_ns);
        match state {
            State::Here(presence) => self.here(*presence, moved, source, batch, now_ns),
            State::Away(_) => self.away(batch, now_ns),
            State::Ended => {
                if moved && self.is_waiting() {
                    // All it ever had came with its end.
                    self.open(source, batch);
                }
                self.finish_opening(batch, true);
                self.record(batch, now_ns);
                self.close(EndReason::SourceEnded);
            }
        }
    }

    /// The source describes itself in another way: what is open, or being made, was for the old one.
    fn leave_description(&mut self, lost: u64) {
        let mut old = Batch::default();
        old.describe(std::mem::take(&mut self.description));
        self.finish_opening(&old, true);
        if let Phase::Recording(tape) = &mut self.phase {
            tape.count_first(&Counters { dropped: lost, ..Counters::default() });
        }
        self.close(EndReason::NewLayout);
    }

    /// Closes what is open and waits until every file is whole.
    pub(super) fn end(&mut self, reason: EndReason, batch: &mut Batch) {
        self.finish_opening(batch, true);
        let now_ns = self.clock.now_ns();
        self.record(batch, now_ns);
        self.close(reason);
        for thread in self.closing.drain(..) {
            let _ = thread.join();
        }
        self.observers.clear();
    }

    fn look_for_movement(&mut self, pace: Pace, batch: &mut Batch, now_ns: u64) -> bool {
        let sampled = !matches!(pace, Pace::Source);
        let mut moved = batch.take_game_moves();
        for frame in batch.frames().skip(self.frames_before) {
            let Some(newest) = self.newest.get_mut(frame.stream) else { continue };
            if newest != frame.bytes {
                // What the first look finds in memory may be hours old; the first datagram is not.
                moved |= self.looked || !sampled;
                newest.clear();
                newest.extend_from_slice(frame.bytes);
            }
        }
        self.looked |= batch.len() > self.frames_before;
        if moved {
            self.moved_ns = Some(now_ns);
        }
        moved
    }

    fn here(&mut self, presence: Presence, moved: bool, source: &dyn Source, batch: &mut Batch, now_ns: u64) {
        if let Some(since_ns) = self.away_since_ns.take() {
            self.came_back(since_ns, now_ns, batch);
        }
        let session = self.session(source.session_key(), now_ns);
        if session == Session::Unclear {
            return;
        }
        if matches!(self.phase, Phase::Waiting) {
            // What waited for a new session moves: it is how the session became known.
            if !moved && session != Session::Another {
                // A page that does not move may be all that a game left behind. What was seen last waits for the first movement.
                if batch.len() > self.frames_before {
                    batch.keep_from(self.frames_before);
                }
                // What is noticed before a tape begins is no loss of that tape.
                batch.forget_counts();
                return;
            }
            self.open(source, batch);
        }
        self.finish_opening(batch, false);
        if matches!(self.phase, Phase::Recording(_)) {
            self.tell_presence(presence, now_ns);
            self.tell_about(source, now_ns);
            self.record(batch, now_ns);
        } else if batch.frame_bytes() > WAITING_BYTES {
            batch.drop_frames();
        }
        let frozen = presence == Presence::Live
            && self.moved_ns.is_some_and(|moved_ns| now_ns.saturating_sub(moved_ns) >= FROZEN_NS);
        if frozen {
            self.keep_what_waits(batch, now_ns);
            self.close(EndReason::Frozen);
        }
    }

    fn away(&mut self, batch: &mut Batch, now_ns: u64) {
        if matches!(self.phase, Phase::Waiting) {
            batch.clear();
            return;
        }
        self.finish_opening(batch, false);
        self.record(batch, now_ns);
        let since_ns = *self.away_since_ns.get_or_insert(now_ns);
        if now_ns.saturating_sub(since_ns) >= AWAY_GRACE_NS && self.options.split == Split::Session {
            self.keep_what_waits(batch, now_ns);
            self.close(EndReason::GameEnded);
        }
    }

    /// The game ended while its tape was still being made: what waits for the tape belongs on it.
    fn keep_what_waits(&mut self, batch: &mut Batch, now_ns: u64) {
        self.finish_opening(batch, true);
        self.record(batch, now_ns);
    }

    /// The game was away for a moment: that is a gap in every stream.
    fn came_back(&mut self, since_ns: u64, now_ns: u64, batch: &mut Batch) {
        batch.count_all(&Counters { gaps: 1, ..Counters::default() });
        if let Phase::Recording(tape) = &mut self.phase {
            let text = format!("away for {} ms", now_ns.saturating_sub(since_ns) / 1_000_000);
            tape.event(now_ns, "gap", &text);
        }
    }

    /// Which session the batch belongs to; closes the tape when it is another one.
    fn session(&mut self, key: Option<u64>, now_ns: u64) -> Session {
        let (Phase::Recording(tape), Some(key)) = (&mut self.phase, key) else { return Session::Same };
        let current = *tape.begun.session.get_or_insert(key);
        if self.options.split == Split::None || key == current {
            self.next_session = None;
            return Session::Same;
        }
        match self.next_session {
            // Whichever it is by now: the old session is over.
            Some(since_ns) if now_ns.saturating_sub(since_ns) >= NEW_SESSION_NS => {
                self.close(EndReason::NewSession);
                Session::Another
            }
            since_ns => {
                self.next_session = since_ns.or(Some(now_ns));
                Session::Unclear
            }
        }
    }

    fn open(&mut self, source: &dyn Source, batch: &Batch) {
        let now_ns = self.clock.now_ns();
        self.moved_ns = Some(now_ns);
        let first_ns = batch.frames().next().map_or(now_ns, |frame| frame.time_ns);
        let start_ns = source.zero_ns().map_or(first_ns, |zero_ns| zero_ns.min(first_ns));
        let utc_ns = self.clock.utc_ns() - i64::try_from(now_ns.saturating_sub(start_ns)).unwrap_or_default();
        let begun = Beginning {
            start_ns,
            utc_ns,
            about: source.about(),
            replay_of: source.replay_of(),
            session: source.session_key(),
            pace: source.pace(),
        };
        let Some(place) = self.options.place.clone() else {
            self.begin(None, begun, batch);
            return;
        };
        let (options, game, about) = (Arc::clone(&self.options), batch.description().game.clone(), begun.about.clone());
        let thread = std::thread::Builder::new()
            .name("gametape-open".into())
            .spawn(move || options.create(&place, &game, &about, utc_ns));
        match thread {
            Ok(thread) => self.phase = Phase::Opening(thread, Box::new(begun)),
            Err(error) => self.fail(format!("cannot start a thread: {error}")),
        }
    }

    fn finish_opening(&mut self, batch: &Batch, wait: bool) {
        let Phase::Opening(thread, _) = &self.phase else { return };
        if !wait && !thread.is_finished() {
            return;
        }
        let Phase::Opening(thread, begun) = std::mem::replace(&mut self.phase, Phase::Waiting) else { return };
        match thread.join() {
            Ok(Ok(writer)) => self.begin(Some(writer), *begun, batch),
            Ok(Err(error)) => self.fail(error.to_string()),
            Err(_) => self.fail("the thread that made the tape ended: please report it".into()),
        }
    }

    fn begin(&mut self, writer: Option<(PathBuf, Writer)>, begun: Beginning, batch: &Batch) {
        let description = batch.description();
        let path = writer.as_ref().map(|(path, _)| path.clone());
        self.progress.begin(path.clone(), &description.game, &begun.about, begun.start_ns);
        let (game, about) = (description.game.clone(), begun.about.clone());
        let mut tape = RunningTape::new(writer, begun, description);
        if let Err(error) = tape.describe(description, &self.options.metadata) {
            self.fail(error.to_string());
        }
        for observer in &mut self.observers {
            observer.begin(description);
        }
        // A source describes itself once; every tape needs it.
        for (index, stream) in description.streams.iter().enumerate() {
            let known = self.newest.get(index).filter(|frame| !frame.is_empty());
            if stream.role == Role::Describe
                && let Some(bytes) = known
                && !batch.frames().any(|frame| frame.stream == index)
            {
                let frame = BatchFrame { stream: index, time_ns: tape.begun.start_ns, bytes };
                let _ = tape.frame(frame, &self.progress, &mut self.observers);
            }
        }
        if let Some(path) = path {
            let _ = self.told.send(Told::Opened { path, game, about });
        }
        self.presence = None;
        self.phase = Phase::Recording(Box::new(tape));
    }

    /// Puts the batch onto the tape and empties it.
    fn record(&mut self, batch: &mut Batch, now_ns: u64) {
        let Phase::Recording(tape) = &mut self.phase else { return };
        if let Err(error) = tape.take(batch, now_ns, &*self.clock, &self.progress, &mut self.observers) {
            self.fail(error.to_string());
        }
        batch.clear();
    }

    fn tell_presence(&mut self, presence: Presence, now_ns: u64) {
        let Phase::Recording(tape) = &mut self.phase else { return };
        if self.presence != Some(presence) {
            self.presence = Some(presence);
            tape.event(now_ns, "presence", State::Here(presence).text());
        }
    }

    /// Games say more about a session once it runs.
    fn tell_about(&mut self, source: &dyn Source, now_ns: u64) {
        if let Phase::Recording(tape) = &mut self.phase
            && tape.clock_is_due(now_ns)
        {
            tape.tell_about(&source.about(), now_ns);
        }
    }

    fn close(&mut self, reason: EndReason) {
        self.away_since_ns = None;
        self.moved_ns = None;
        self.next_session = None;
        let Phase::Recording(mut tape) = std::mem::replace(&mut self.phase, Phase::Waiting) else { return };
        self.progress.end();
        self.last_reason = Some(reason);
        let now_ns = self.clock.now_ns();
        // Marks that were promised before the end belong to this tape.
        for mark in self.progress.take_marks() {
            tape.event(now_ns, "mark", &mark);
        }
        self.closing.retain(|thread| !thread.is_finished());
        let told = self.told.clone();
        let spawned =
            std::thread::Builder::new().name("gametape-close".into()).spawn(move || tape.close(reason, &told));
        match spawned {
            Ok(thread) => self.closing.push(thread),
            Err(error) => self.fail(format!("cannot start a thread to close the tape: {error}")),
        }
    }

    fn fail(&mut self, text: String) {
        self.failed = true;
        let _ = self.told.send(Told::Failed(text));
    }
}
