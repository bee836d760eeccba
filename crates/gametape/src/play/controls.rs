//! Controls of a running player, usable from any thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::capture::StopFlag;

/// A remote control for a player. Clones control the same player.
#[derive(Debug, Clone, Default)]
pub struct Controls {
    commands: Arc<Mutex<VecDeque<Command>>>,
    stop: StopFlag,
    position_ns: Arc<AtomicU64>,
    paused: Arc<AtomicBool>,
}

/// A command for the player.
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
    /// Pauses or resumes.
    pub fn pause(&self, pause: bool) {
        self.press(Command::Pause(pause));
    }

    /// Pauses if it is playing, resumes if it is paused.
    pub fn toggle_pause(&self) {
        self.press(Command::TogglePause);
    }

    /// Shows the next frame and pauses.
    pub fn step(&self) {
        self.press(Command::Step);
    }

    /// Seeks to a time on the tape.
    pub fn seek(&self, to: Duration) {
        self.press(Command::SeekTo(nanoseconds(to)));
    }

    /// Seeks forward.
    pub fn forward(&self, by: Duration) {
        self.press(Command::SeekBy(i64::try_from(nanoseconds(by)).unwrap_or(i64::MAX)));
    }

    /// Seeks backward.
    pub fn back(&self, by: Duration) {
        self.press(Command::SeekBy(i64::try_from(nanoseconds(by)).map_or(i64::MIN, |ns| -ns)));
    }

    /// Changes the speed from the current position on. The speed is clamped to the supported range.
    pub fn speed(&self, speed: f64) {
        // NaN is ignored.
        if !speed.is_nan() {
            self.press(Command::Speed(speed.clamp(super::SLOWEST, super::FASTEST)));
        }
    }

    /// Sets whether the player starts over at the end.
    pub fn set_looping(&self, looping: bool) {
        self.press(Command::Loop(looping));
    }

    /// Requests the stop.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// Requests the stop after all earlier commands.
    pub fn stop_after_steps(&self) {
        self.press(Command::StopAfterSteps);
    }

    /// Returns whether a stop was requested.
    pub fn stop_wanted(&self) -> bool {
        self.stop.wanted()
    }

    /// Returns the time of the last frame that was shown.
    pub fn position(&self) -> Duration {
        Duration::from_nanos(self.position_ns.load(Ordering::Relaxed))
    }

    pub(super) fn tell_position(&self, position_ns: u64) {
        self.position_ns.store(position_ns, Ordering::Relaxed);
    }

    /// Returns whether the player is paused. Updated by the player shortly after a command.
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

/// Converts to nanoseconds. Saturates at 584 years.
pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
