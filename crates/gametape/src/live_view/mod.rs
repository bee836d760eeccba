//! What the car does now, for those who look on while it is recorded.
//!
//! ```text
//! capturing thread ──tap──▶ ring ──▶ tracking thread: Tracking ──▶ Decoding, Deltas ──▶ CarSink, at most 60 times a second
//!                   (never waits)                                                      (only the newest matters)
//! ```
//!
//! The tap, the thread and the tracker are those of [`Live`](crate::laps::live::Live): the view hears the same events as the store and waits for no
//! store, so that it does not stand still while a lap is being written.

#[cfg(test)]
mod tests;
mod watching;

use std::time::Duration;

use crate::laps::Session;

pub use gametape_analysis::live::{CarNow, CarState, Reference, RunningLap};
pub(crate) use watching::Watching;

/// Screens show no more: 60 a second.
pub(crate) const EVERY: Duration = Duration::from_micros(16_667);

/// Shows the car, on the tracking thread: it must not wait.
pub trait CarSink: Send + Sync {
    /// What the car does now.
    fn car(&self, car: &CarNow<'_>);

    /// There is no car any more.
    fn gone(&self);

    /// The best lap ever of this driver, car and track, to compare with. It is asked on a thread of its own, once for each session.
    fn best_ever(&self, session: &Session) -> Option<Reference>;

    /// A part of the live view failed; the recording goes on without it. Called on the thread that failed.
    fn failed(&self, part: &'static str);
}
