//! Records one source to one tape after the other. Reads the source and applies the decision of the [`Judge`] to its frames.
//!
//! Frames stay in the batch while a file is being created, and while it is not yet known whether they belong to the next session.
//! They leave the batch once they are written to a tape or discarded.

use std::sync::Arc;

use gametape_format::Counters;
use gametape_games::Presence;

use super::judge::{Judge, Look, Ruling};
use super::newest::Newest;
use super::options::EndReason;
use super::progress::Progress;
use super::tapes::{Taken, Tapes};
use crate::transport::Clock;
use crate::transport::{Batch, BatchFrame};
use crate::transport::{Pace, Source, SourceError, State};
use gametape_analysis::recording::GAP;

/// Maximum size of queued frames in memory. Later frames are dropped and counted.
const WAITING_BYTES: usize = 64 << 20;

/// A tape is closed at the latest this long after its last frames found no room in its journal.
const ROOM_NS: u64 = 2_000_000_000;
const ROOM_STEP_NS: u64 = 5_000_000;

/// Reads a source and writes its frames to tapes.
pub(super) struct Driver {
    clock: Arc<dyn Clock>,
    progress: Arc<Progress>,
    tapes: Tapes,
    judge: Judge,
    batch: Batch,
    newest: Newest,
    /// The batch's description count when the tapes were last given a description.
    described: u64,
    /// Index of the first frame in the batch that may belong to the next session.
    in_doubt: Option<usize>,
    state: Option<State>,
}

impl Driver {
    pub(super) fn new(judge: Judge, tapes: Tapes, clock: Arc<dyn Clock>, progress: Arc<Progress>) -> Self {
        Self {
            clock,
            progress,
            tapes,
            judge,
            batch: Batch::default(),
            newest: Newest::default(),
            described: 0,
            in_doubt: None,
            state: None,
        }
    }

    /// Returns the tapes of this source.
    pub(super) fn tapes(&self) -> &Tapes {
        &self.tapes
    }

    /// Reads the source once and handles the result. `counted` holds the missed and late deadlines since the last read.
    pub(super) fn look(&mut self, source: &mut dyn Source, counted: &Counters) -> Result<State, SourceError> {
        self.batch.count_all(counted);
        let mut first_new = self.batch.len();
        let state = source.read(&*self.clock, &mut self.batch)?;
        let now_ns = self.clock.now_ns();
        self.progress.at(now_ns);
        if self.state.as_ref() != Some(&state) {
            self.progress.found(&state);
            self.state = Some(state.clone());
        }
        if self.batch.described() != self.described {
            self.leave_description();
            // The new description emptied the batch before these frames were added.
            first_new = 0;
        }
        let sampled = source.pace() != Pace::Source;
        let moved = self.newest.look(self.batch.frames().skip(first_new), sampled) | self.batch.take_game_moves();
        self.finish_opening(false);
        if self.tapes.retry_is_due() {
            self.open(source);
        }
        let here = match &state {
            State::Here(presence) => Some(*presence),
            State::Away(_) => None,
            State::Ended => {
                self.take_the_rest(moved, source);
                return Ok(state);
            }
        };
        let (session, opening) = (source.session_key(), self.tapes.is_opening());
        let ruling = self.judge.rule(&Look { here, moved, session, opening, now_ns });
        self.obey(ruling, first_new, source);
        if let Some(presence) = here {
            self.tell(ruling, presence, source);
        }
        Ok(state)
    }

    fn obey(&mut self, ruling: Ruling, first_new: usize, source: &dyn Source) {
        let now_ns = self.clock.now_ns();
        match ruling {
            Ruling::Forget => {
                self.forget_first(self.batch.len());
                self.batch.clear();
            }
            Ruling::Wait => {
                if self.batch.len() > first_new {
                    self.forget_first(first_new);
                }
                // Losses before a tape begins are not losses of that tape.
                self.batch.forget_counts();
            }
            Ruling::Begin => self.open(source),
            Ruling::Keep => self.record(),
            Ruling::KeepAfterGap(away_ns) => {
                self.batch.count_all(&Counters { gaps: 1, ..Counters::default() });
                let text = format!("away for {} ms", away_ns / 1_000_000);
                self.batch.event_with_length(now_ns, GAP, &text, away_ns);
                self.record();
            }
            Ruling::Hold => {
                let clear = *self.in_doubt.get_or_insert(first_new);
                self.record_first(clear);
            }
            Ruling::End(reason) => {
                self.open_at_last(source);
                self.end_of_doubt();
                self.record_last();
                self.close(reason);
            }
            Ruling::Renew => {
                let clear = self.in_doubt.take().unwrap_or_default();
                self.record_first(clear);
                self.tapes.close(self.tapes.end_by_session(source));
                self.open(source);
            }
            Ruling::NextPiece => {
                self.record_first(first_new);
                self.tapes.close(EndReason::NextPiece);
                self.open(source);
            }
        }
        self.batch.drop_newest(WAITING_BYTES);
    }

    /// Handles the end of the source. All frames of the source may have come together with its end.
    fn take_the_rest(&mut self, moved: bool, source: &dyn Source) {
        if moved && self.tapes.is_waiting() {
            self.open(source);
        }
        self.open_at_last(source);
        self.record_last();
        self.close(EndReason::SourceEnded);
    }

    /// Handles a new description. The tape that is open or being created belongs to the old description.
    fn leave_description(&mut self) {
        let lost = self.batch.take_lost();
        self.finish_opening(true);
        if self.tapes.is_retrying() {
            // The queued frames had the old description.
            self.tapes.give_up(EndReason::NewLayout, lost);
        }
        self.tapes.count_first(&Counters { dropped: lost, ..Counters::default() });
        self.tapes.close(EndReason::NewLayout);
        self.judge.tape_ended();
        self.in_doubt = None;
        self.described = self.batch.described();
        self.newest = Newest::new(self.batch.description());
        self.tapes.describe(self.batch.description().clone());
    }

    /// Closes the open tape and waits until all files are closed.
    pub(super) fn end(&mut self, reason: EndReason, source: &dyn Source) {
        self.open_at_last(source);
        if self.in_doubt.is_none() && matches!(self.state, Some(State::Here(_))) {
            self.tapes.tell_about(source);
        }
        self.end_of_doubt();
        self.record_last();
        self.close(reason);
        self.tapes.wait_until_closed();
    }

    /// Makes a last attempt to create a tape for the queued frames.
    fn open_at_last(&mut self, source: &dyn Source) {
        self.finish_opening(true);
        if self.tapes.is_retrying() {
            self.open(source);
            self.finish_opening(true);
        }
    }

    /// Closes the open tape. If no tape could be created, the queued frames are lost and reported as lost.
    fn close(&mut self, reason: EndReason) {
        if self.tapes.is_retrying() {
            let waited = self.batch.len() as u64;
            let dropped: u64 = self.batch.counters().iter().map(|counters| counters.dropped).sum();
            self.tapes.give_up(reason, waited + dropped);
            self.batch.clear();
        }
        self.tapes.close(reason);
    }

    fn open(&mut self, source: &dyn Source) {
        if self.tapes.open(source, self.batch.frames().map(|frame| frame.time_ns).min()) {
            self.put_descriptions();
            self.record();
        }
    }

    /// Checks whether the file has been created; waits for it if `wait` is set.
    fn finish_opening(&mut self, wait: bool) {
        if self.tapes.finish_opening(wait) {
            self.put_descriptions();
        }
    }

    /// Writes the current descriptions to a new tape. A source sends them once, but every tape needs them.
    fn put_descriptions(&mut self) {
        let Some(start_ns) = self.tapes.start_ns() else { return };
        for (stream, bytes) in self.newest.described_before(&self.batch) {
            if !self.tapes.frame(BatchFrame { stream, time_ns: start_ns, bytes }) {
                return;
            }
        }
    }

    /// Writes the batch to the tape and empties it. Keeps the batch while the file of the tape is being created, and frames that have to wait.
    fn record(&mut self) {
        self.write(false);
    }

    /// Writes the last batch of a tape. Waits a while for room in its journal; the tape counts what finds none.
    fn record_last(&mut self) {
        for _ in 0..ROOM_NS / ROOM_STEP_NS {
            self.write(false);
            if self.batch.is_empty() || self.tapes.start_ns().is_none() {
                return;
            }
            self.clock.sleep_until_ns(self.clock.now_ns() + ROOM_STEP_NS);
        }
        self.write(true);
    }

    fn write(&mut self, last: bool) {
        self.in_doubt = None;
        match self.tapes.take(&self.batch, last) {
            Taken::NoTape => {}
            Taken::All => {
                self.newest.leave(self.batch.frames());
                self.batch.clear();
            }
            // The remaining frames are queued, for room or for the next tape.
            Taken::Only(count) => self.forget_first(count),
        }
    }

    /// Writes only the first `count` frames to the tape. Counters and events stay in the batch.
    fn record_first(&mut self, count: usize) {
        if self.tapes.start_ns().is_none() {
            return;
        }
        let taken = self.batch.frames().take(count).take_while(|frame| self.tapes.frame(*frame)).count();
        self.forget_first(taken);
        self.in_doubt = self.in_doubt.map(|first| first.saturating_sub(taken));
    }

    /// Removes the first `count` frames from the batch.
    fn forget_first(&mut self, count: usize) {
        self.newest.leave(self.batch.frames().take(count));
        self.batch.keep_from(count);
    }

    /// Ends the tape before another session is certain. The frames in doubt stay on this tape, which records where they begin.
    fn end_of_doubt(&mut self) {
        let first = self.in_doubt.take().and_then(|first| self.batch.frames().nth(first));
        if let Some(time_ns) = first.map(|frame| frame.time_ns) {
            self.batch.event(time_ns, "session_unclear", "another session began to show, and went away too soon");
        }
    }

    /// Records what the game reports about itself, if the frames belong to this tape.
    fn tell(&mut self, ruling: Ruling, presence: Presence, source: &dyn Source) {
        if matches!(ruling, Ruling::Keep | Ruling::KeepAfterGap(_) | Ruling::Begin | Ruling::Renew | Ruling::NextPiece)
        {
            self.tapes.tell_presence(presence);
            self.tapes.tell_about_if_due(source);
        }
    }
}

#[cfg(test)]
mod tests;
