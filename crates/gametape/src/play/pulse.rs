//! iRacing's event that new data is there. Clients on Windows wait for it, up to 32 ms, when they start and at each read.
//!
//! Only Windows has named events. There [`Pulse::signal`] has to be called for each row, and at least every [`Pulse::EVERY_NS`]: whatever the
//! rate of the tape, and while it stands still.

use std::io;

use crate::sys::Prefix;

/// Its name.
#[cfg(windows)]
const EVENT: &str = "IRSDKDataValidEvent";

/// The event.
#[derive(Debug)]
pub(super) struct Pulse(#[cfg(windows)] crate::sys::Event);

impl Pulse {
    /// The longest time between two signals; `None` where nobody can wait for them.
    pub(super) const EVERY_NS: Option<u64> = if cfg!(windows) { Some(15_000_000) } else { None };

    /// Makes the event, not signalled.
    #[cfg_attr(not(windows), allow(unused_variables, reason = "there are no names of events"))]
    pub(super) fn create(prefix: &Prefix) -> io::Result<Self> {
        Ok(Self(
            #[cfg(windows)]
            crate::sys::Event::create(&prefix.section(EVENT))?,
        ))
    }

    /// Wakes all that wait. As the game does it: who comes a moment later waits for the next one.
    pub(super) fn signal(&self) {
        // Who misses one hears the next.
        #[cfg(windows)]
        let _ = self.0.pulse();
    }
}
