//! The clock of a capture: nanoseconds since it began, and a way to wait. It is injected, so that tests control time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::sys::sleep_until;

/// A monotonic clock, the current UTC, and a way to wait.
pub trait Clock: Send + Sync {
    /// Returns the nanoseconds since the capture began. Monotonic.
    fn now_ns(&self) -> u64;

    /// Returns the current UTC in nanoseconds since 1970. May jump.
    fn utc_ns(&self) -> i64;

    /// Returns the time on this clock at which something happened a moment ago.
    fn time_of(&self, moment: Instant) -> u64 {
        let ago = u64::try_from(moment.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.now_ns().saturating_sub(ago)
    }

    /// Waits until `moment_ns`. Returns immediately if it has passed.
    fn sleep_until_ns(&self, moment_ns: u64);
}

/// The clock of the operating system.
#[derive(Debug)]
pub struct RealClock {
    start: Instant,
}

impl RealClock {
    /// Returns a clock that starts now.
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for RealClock {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn time_of(&self, moment: Instant) -> u64 {
        let since_start = moment.saturating_duration_since(self.start);
        u64::try_from(since_start.as_nanos()).unwrap_or(u64::MAX)
    }

    fn utc_ns(&self) -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(now.as_nanos()).unwrap_or_default()
    }

    fn sleep_until_ns(&self, moment_ns: u64) {
        if let Some(moment) = self.start.checked_add(Duration::from_nanos(moment_ns)) {
            sleep_until(moment);
        }
    }
}
