//! iRacing's data-valid event. Clients on Windows wait for it, for up to 32 ms, when they start and on each read.
//!
//! Only Windows has named events. There, [`DataValidEvent::signal`] must be called for each row, and at least every [`DataValidEvent::EVERY_NS`],
//! whatever the rate of the tape, and even while paused.

use std::io;

use crate::sys::Prefix;

/// Name of the event.
#[cfg(windows)]
const EVENT: &str = "IRSDKDataValidEvent";

/// The event.
#[derive(Debug)]
pub(super) struct DataValidEvent(#[cfg(windows)] crate::sys::Event);

impl DataValidEvent {
    /// Maximum time between two signals; `None` if the platform has no named events.
    pub(super) const EVERY_NS: Option<u64> = if cfg!(windows) { Some(15_000_000) } else { None };

    /// Creates the event in the nonsignaled state.
    #[cfg_attr(not(windows), allow(unused_variables, reason = "named events exist only on Windows"))]
    pub(super) fn create(prefix: &Prefix) -> io::Result<Self> {
        Ok(Self(
            #[cfg(windows)]
            crate::sys::Event::create(&prefix.section(EVENT))?,
        ))
    }

    /// Wakes all waiting threads, like the game does. Threads that wait later get the next signal.
    pub(super) fn signal(&self) {
        // If a signal fails, the next one follows.
        #[cfg(windows)]
        let _ = self.0.pulse();
    }
}
