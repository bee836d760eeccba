//! Maps tape time to UTC. Never used for durations: a wall clock may be set back.

/// The newest wall clock reading.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UtcClock {
    reading: Option<(u64, i64)>,
}

impl UtcClock {
    /// Sets the newest reading: `time_ns` on the tape is `utc_ns`, in nanoseconds since 1970.
    pub(super) fn read(&mut self, time_ns: u64, utc_ns: i64) {
        self.reading = Some((time_ns, utc_ns));
    }

    /// Returns a tape time as UTC, in microseconds since 1970, or `None` before the first reading.
    pub(super) fn at_us(&self, time_ns: u64) -> Option<i64> {
        let (read_ns, utc_ns) = self.reading?;
        let since_ns = i128::from(time_ns) - i128::from(read_ns);
        i64::try_from((i128::from(utc_ns) + since_ns) / 1000).ok()
    }
}
