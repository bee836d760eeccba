//! The moments at which the game is asked while a match is on: fixed, so that nothing drifts, and the same for both kinds of answers.

use std::time::{Duration, Instant};

use gametape_format::Counters;

/// Moments that are a period apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    next: Instant,
    period: Duration,
}

impl Moments {
    /// The first one is the first of these that is not over.
    pub(super) fn new(since: Instant, period: Duration, now: Instant) -> Self {
        let passed = now.saturating_duration_since(since).as_nanos().div_ceil(period.as_nanos().max(1));
        let next = since + period * u32::try_from(passed).unwrap_or(u32::MAX);
        Self { next, period }
    }

    /// The moment that comes next.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// A question is asked now, for the moment that came next. Gives what being late has cost: moments that are over are missed.
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
        // 35 ms late: three moments are gone, and the next one is where it always was.
        assert_eq!(moments.ask(start + ms(75)), Counters { missed: 3, late: 1, ..Counters::default() });
        assert_eq!(moments.next(), start + ms(80));
        assert_eq!(Moments::new(start, ms(10), start).next(), start);
    }
}
