//! The deadlines for polling the game during a match. They are periodic without drift, and the same for both endpoints.

use std::time::{Duration, Instant};

use gametape_format::Counters;

/// Periodic deadlines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    next: Instant,
    period: Duration,
}

impl Moments {
    /// Creates deadlines every `period` from `since` on, beginning with the first one that has not passed at `now`.
    pub(super) fn new(since: Instant, period: Duration, now: Instant) -> Self {
        let passed = now.saturating_duration_since(since).as_nanos().div_ceil(period.as_nanos().max(1));
        let next = since + period * u32::try_from(passed).unwrap_or(u32::MAX);
        Self { next, period }
    }

    /// Returns the next deadline.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Advances to the deadline after `now`. Returns the cost of being late: deadlines that passed are missed.
    pub(super) fn ask(&mut self, now: Instant) -> Counters {
        let late = now.saturating_duration_since(self.next);
        let missed = u32::try_from(late.as_nanos() / self.period.as_nanos().max(1)).unwrap_or(u32::MAX);
        self.next += self.period * missed.saturating_add(1);
        Counters { missed: missed.into(), late: u64::from(late > self.period / 4), ..Counters::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_do_not_drift_and_lost_ones_are_counted() {
        let start = Instant::now();
        let ms = Duration::from_millis;
        let mut moments = Moments::new(start, ms(10), start + ms(25));
        assert_eq!(moments.next(), start + ms(30));
        assert_eq!(moments.ask(start + ms(32)), Counters::default());
        assert_eq!(moments.next(), start + ms(40));
        // 35 ms late: three deadlines are missed, and the next one stays on the grid.
        assert_eq!(moments.ask(start + ms(75)), Counters { missed: 3, late: 1, ..Counters::default() });
        assert_eq!(moments.next(), start + ms(80));
        assert_eq!(Moments::new(start, ms(10), start).next(), start);
    }
}
