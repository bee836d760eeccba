//! Times on a tape as UTC. Durations never come from here: a wall clock may be set back.

/// The newest reading of the wall clock.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UtcClock {
    reading: Option<(u64, i64)>,
}

impl UtcClock {
    /// At this time on the tape it was that late, nanoseconds since 1970.
    pub(super) fn read(&mut self, time_ns: u64, utc_ns: i64) {
        self.reading = Some((time_ns, utc_ns));
    }

    /// Microseconds since 1970.
    pub(super) fn at_us(&self, time_ns: u64) -> Option<i64> {
        let (read_ns, utc_ns) = self.reading?;
        let since_ns = i128::from(time_ns) - i128::from(read_ns);
        i64::try_from((i128::from(utc_ns) + since_ns) / 1000).ok()
    }
}
