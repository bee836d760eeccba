//! iRacing's event that new data is there. Clients on Windows wait for it, up to 32 ms, when they start and at each read.
//!
//! Only Windows has named events. There [`Pulse::signal`] has to be called for each row, and at least every [`Pulse::EVERY_NS`]: whatever the
//! rate of the tape, and while it stands still.

use std::io;

use crate::sys::Prefix;

/// The event.
#[derive(Debug)]
pub(super) struct Pulse;

impl Pulse {
    /// The longest time between two signals; `None` where nobody can wait for them.
    pub(super) const EVERY_NS: Option<u64> = if cfg!(windows) { Some(15_000_000) } else { None };

    /// Makes the event, not signalled.
    pub(super) fn create(_prefix: &Prefix) -> io::Result<Self> {
        Ok(Self)
    }

    /// Wakes all that wait.
    pub(super) fn signal(&self) {}
}
