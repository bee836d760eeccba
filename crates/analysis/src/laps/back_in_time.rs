//! Flashbacks and rewinds: the player goes back in time, and what was driven after that moment no longer counts.
//!
//! ```text
//!  lap 3 ─────────A──────────▶│ lap 4 ────B       B: the player goes back to A
//!                 └───────────┴───────────┘       undone: the end of lap 3, and lap 4, which is aborted
//!                 A─────────▶│ lap 4 ─▶           lap 3 is running again, as it was at A
//! ```
//!
//! While a game in which this is possible runs, the state of the lap is kept once a second. The lap that the player returns to continues with
//! the state at that moment: sectors, validity, coverage and fuel are those of the laps that the game counts.

use std::collections::VecDeque;

use super::event::Event;
use super::finished::plain;
use super::open_session::{OpenSession, Shared, Step};
use super::running::{Moment, RunningLap};
use super::thresholds::{CHECKPOINT_MS, MOST_CHECKPOINTS};
use super::words::{LapState, ReasonCode, ReasonSource};

/// The state of a lap at a moment.
#[derive(Debug, Clone)]
struct Checkpoint {
    lap: RunningLap,
    at: Moment,
}

/// The newest states, in the order of the game's time.
#[derive(Debug, Default)]
pub(super) struct Checkpoints(VecDeque<Checkpoint>);

impl Checkpoints {
    fn keep(&mut self, lap: &RunningLap, now: &Moment) {
        let is_early = |last: &Checkpoint| {
            last.lap.told == lap.told && lap.timer_ms(now) - last.lap.timer_ms(&last.at) < CHECKPOINT_MS
        };
        if self.0.back().is_some_and(is_early) {
            return;
        }
        if self.0.len() >= MOST_CHECKPOINTS {
            self.0.pop_front();
        }
        self.0.push_back(Checkpoint { lap: lap.clone(), at: *now });
    }

    /// Drops what comes after a moment of the game, and returns the newest state of the same lap before it.
    fn back_to(&mut self, now: &Moment) -> Option<Checkpoint> {
        let (laps, timer_ms) = Option::zip(now.frame.laps_completed, now.frame.running_ms)?;
        let at = |checkpoint: &Checkpoint| {
            Option::zip(checkpoint.at.frame.laps_completed, checkpoint.at.frame.running_ms).unwrap_or_default()
        };
        while self.0.pop_back_if(|checkpoint| at(checkpoint) > (laps, timer_ms)).is_some() {}
        self.0.back().filter(|checkpoint| at(checkpoint).0 == laps).cloned()
    }
}

impl OpenSession {
    /// Keeps the state of the running lap, if the player can go back to it.
    pub(super) fn keep_checkpoint(&mut self, now: &Moment) {
        if now.frame.back_in_time.is_none() || self.closing.as_ref().is_some_and(|closing| closing.done.is_none()) {
            return;
        }
        if let Some(lap) = self.running.as_ref().filter(|lap| lap.told.is_some() && lap.counted_from == self.counted) {
            self.checkpoints.keep(lap, now);
        }
    }

    /// Handles a frame of an earlier moment of the session: `code` says how the player went back.
    pub(super) fn go_back(
        &mut self,
        shared: &mut Shared,
        code: ReasonCode,
        now: &Moment,
        since_ns: u64,
        out: &mut Vec<Event>,
    ) -> Step {
        let target = self.checkpoints.back_to(now);
        let told = target.as_ref().and_then(|target| target.lap.told);
        let first_undone = match told {
            Some((_, tape_lap)) => tape_lap,
            None => self.first_tape_lap_of(now),
        };
        let is_undone = |lap: &super::model::Lap| lap.tape_lap >= first_undone && lap.state != LapState::Aborted;
        if told.is_none() && self.laps.iter().any(|done| is_undone(&done.lap)) {
            // No flashback leads back this far.
            return Step::Restarted(since_ns);
        }
        (self.late, self.early_record) = (None, None);
        (self.leap, self.first_line, self.put_into_pits) = (None, None, false);
        let (closing, running) = (self.closing.take(), self.running.take());
        let mut ended_before = [closing.as_ref().map(|closing| &closing.lap), running.as_ref()]
            .into_iter()
            .flatten()
            .any(|lap| lap.told.is_some() && lap.told == told && lap.ended_before);
        let undecided = closing.filter(|closing| closing.done.is_none());
        let ends = [undecided.map(|closing| (closing.lap, closing.cross_ns)), running.map(|lap| (lap, now.time_ns))];
        for (lap, end_ns) in ends.into_iter().flatten().filter(|(lap, _)| lap.told.is_some() && lap.told != told) {
            self.abort(shared, lap, code, end_ns, now, out);
        }
        let mut reopened = false;
        for mut done in std::mem::take(&mut self.laps) {
            if told.is_some_and(|(id, _)| id == done.lap.id) {
                (reopened, ended_before) = (true, ended_before || done.lap.state != LapState::Provisional);
                continue;
            }
            if done.lap.tape_lap > first_undone && done.lap.state != LapState::Aborted {
                let was_final = done.lap.state == LapState::Final;
                done.supersede(code);
                let lap = done.lap.clone();
                out.push(if was_final { Event::LapAmended(lap) } else { Event::LapAborted(lap) });
            }
            self.laps.push(done);
        }
        if let Some(target) = target {
            self.resume(target, code, ended_before, reopened, now, out);
        }
        self.counted = now.frame.laps_completed;
        self.look_for_bests(out);
        Step::Same
    }

    /// Returns the number on the tape of the first lap that a return to this moment undoes.
    fn first_tape_lap_of(&self, now: &Moment) -> u32 {
        let number = now.frame.laps_completed.map(|laps| laps.saturating_add(1));
        let of_number = self.laps.iter().filter(|done| done.lap.number >= number && number.is_some());
        of_number.map(|done| done.lap.tape_lap).min().unwrap_or(u32::MAX)
    }

    /// Continues a lap as it was at a checkpoint.
    fn resume(
        &mut self,
        target: Checkpoint,
        code: ReasonCode,
        ended_before: bool,
        reopened: bool,
        now: &Moment,
        out: &mut Vec<Event>,
    ) {
        let Checkpoint { mut lap, at } = target;
        let since_ms = (lap.timer_ms(now) - lap.timer_ms(&at)).max(0.0);
        lap.start_ms = now.clock_ms - lap.timer_ms(now);
        lap.ended_before |= ended_before;
        lap.reason(code, Some(now));
        // As if the frame of the checkpoint had come just before this one.
        let time_ns = now.time_ns.saturating_sub((since_ms * 1e6) as u64).max(lap.start_ns);
        self.before = Some(Moment { time_ns, clock_ms: now.clock_ms - since_ms, frame: at.frame });
        if reopened {
            let model = self.running_model(&lap);
            out.push(Event::LapAmended(model.clone()));
            out.push(Event::LapOpened(model));
        }
        self.running = Some(lap);
    }
}

impl super::bests::Done {
    /// Marks a lap as undone.
    fn supersede(&mut self, code: ReasonCode) {
        let lap = &mut self.lap;
        lap.state = LapState::Aborted;
        (lap.time_ms, lap.time_source, lap.complete, lap.eligible) = (None, None, false, false);
        (self.record, self.driven_m) = (None, None);
        if !lap.has(code) {
            lap.reasons.push(plain(code, ReasonSource::Tool));
        }
    }
}
