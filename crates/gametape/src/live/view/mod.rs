//! The current state of the car, for clients that watch a recording.
//!
//! ```text
//! capturing thread ──tap──▶ ring buffer ──▶ tracking thread: Tracking ──▶ Decoding, Deltas ──▶ CarSink, at most 60 Hz
//!                  (never blocks)                                                    (only the newest state matters)
//! ```
//!
//! The tap, the thread and the tracker belong to [`Live`](crate::live::Live). The view receives the same events as the store
//! but does not wait for it, so it does not stall while a lap is being stored.

#[cfg(test)]
mod tests;
mod watching;

use std::time::Duration;

use crate::laps::Session;

pub use gametape_analysis::live::{CarNow, CarState, Reference, RunningLap};
pub(crate) use watching::Watching;

/// Interval of updates: 60 Hz, since screens show no more.
pub(crate) const EVERY: Duration = Duration::from_micros(16_667);

/// Displays the car. Called on the tracking thread, so it must not block.
pub trait CarSink: Send + Sync {
    /// Called with the current state of the car.
    fn car(&self, car: &CarNow<'_>);

    /// Called when there is no car any more.
    fn gone(&self);

    /// Returns the best lap ever of this driver, car and track, for comparison. Called on a separate thread, once for each session.
    fn best_ever(&self, session: &Session) -> Option<Reference>;

    /// Called when a part of the live view failed, on the thread that failed. The recording continues without it.
    fn failed(&self, part: &'static str);
}
