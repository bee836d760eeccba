//! Exponential backoff between tapes that fail one after the other.

/// A failure within this time after the previous one counts as consecutive.
const RECENT_NS: u64 = 60_000_000_000;
const FIRST_NS: u64 = 1_000_000_000;
const LONGEST_NS: u64 = 60_000_000_000;

/// Doubles the pause with every failure that follows another one within a minute. There is no pause after the first failure: most
/// causes disappear with the old file, and frames must not wait.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    last_ns: Option<u64>,
    pause_ns: u64,
}

impl Backoff {
    /// Returns how long to wait after a failure at `now_ns`, in nanoseconds.
    pub(super) fn after_failure(&mut self, now_ns: u64) -> u64 {
        let again = self
            .last_ns
            .replace(now_ns)
            .is_some_and(|last_ns| now_ns.saturating_sub(last_ns) < RECENT_NS.saturating_add(self.pause_ns));
        self.pause_ns = match again {
            true => (self.pause_ns * 2).clamp(FIRST_NS, LONGEST_NS),
            false => 0,
        };
        self.pause_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_while_tapes_break_off_and_begin_anew_after_one_that_lasted() {
        let (mut backoff, mut now_ns) = (Backoff::default(), 5);
        let pauses: Vec<u64> = (0..9)
            .map(|_| {
                let pause_ns = backoff.after_failure(now_ns);
                now_ns += pause_ns + 1_000_000;
                pause_ns / 1_000_000_000
            })
            .collect();
        assert_eq!(pauses, [0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(backoff.after_failure(now_ns + 2 * RECENT_NS), 0);
    }
}
