//! What can be asked of a player while it plays, from any thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::capture::StopFlag;

/// The keys of a player. Copies press the same keys.
#[derive(Debug, Clone, Default)]
pub struct Controls {
    commands: Arc<Mutex<VecDeque<Command>>>,
    stop: StopFlag,
    position_ns: Arc<AtomicU64>,
    paused: Arc<AtomicBool>,
}

/// One press of a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Command {
    Pause(bool),
    TogglePause,
    Step,
    SeekTo(u64),
    SeekBy(i64),
    Speed(f64),
    StopAfterSteps,
    Loop(bool),
}

impl Controls {
    /// Stands still, or goes on.
    pub fn pause(&self, pause: bool) {
        self.press(Command::Pause(pause));
    }

    /// Stands still if it plays, goes on if it stands still.
    pub fn toggle_pause(&self) {
        self.press(Command::TogglePause);
    }

    /// Shows the next frame and stands still.
    pub fn step(&self) {
        self.press(Command::Step);
    }

    /// Goes to a moment of the tape.
    pub fn seek(&self, to: Duration) {
        self.press(Command::SeekTo(nanoseconds(to)));
    }

    /// Goes ahead.
    pub fn forward(&self, by: Duration) {
        self.press(Command::SeekBy(i64::try_from(nanoseconds(by)).unwrap_or(i64::MAX)));
    }

    /// Goes back.
    pub fn back(&self, by: Duration) {
        self.press(Command::SeekBy(i64::try_from(nanoseconds(by)).map_or(i64::MIN, |ns| -ns)));
    }

    /// Goes on from here at another speed; one that cannot be played becomes the nearest that can.
    pub fn speed(&self, speed: f64) {
        // What is no number changes nothing.
        if !speed.is_nan() {
            self.press(Command::Speed(speed.clamp(super::SLOWEST, super::FASTEST)));
        }
    }

    /// At its end it begins anew, or ends.
    pub fn set_looping(&self, looping: bool) {
        self.press(Command::Loop(looping));
    }

    /// Wants the end.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// Wants the end when all that was pressed before is done.
    pub fn stop_after_steps(&self) {
        self.press(Command::StopAfterSteps);
    }

    /// Whether the end is wanted.
    pub fn stop_wanted(&self) -> bool {
        self.stop.wanted()
    }

    /// Time of the frame that was shown last.
    pub fn position(&self) -> Duration {
        Duration::from_nanos(self.position_ns.load(Ordering::Relaxed))
    }

    pub(super) fn tell_position(&self, position_ns: u64) {
        self.position_ns.store(position_ns, Ordering::Relaxed);
    }

    /// Whether it is paused: as the player does it, a moment after a key was pressed.
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    pub(super) fn tell_paused(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    fn press(&self, command: Command) {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).push_back(command);
    }

    pub(super) fn next(&self) -> Option<Command> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// More than 584 years are as good as for ever.
pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
