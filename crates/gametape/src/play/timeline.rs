//! Maps tape times to absolute deadlines, which do not drift at any speed.

/// A tape time pinned to a clock time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeline {
    clock_ns: u64,
    tape_ns: u64,
    speed: f64,
}

impl Timeline {
    pub(super) fn new(clock_ns: u64, tape_ns: u64, speed: f64) -> Self {
        Self { clock_ns, tape_ns, speed }
    }

    /// Pins a tape time to a clock time.
    pub(super) fn pin(&mut self, clock_ns: u64, tape_ns: u64) {
        (self.clock_ns, self.tape_ns) = (clock_ns, tape_ns);
    }

    /// Returns the deadline of a tape time, on the clock.
    pub(super) fn due_ns(&self, tape_ns: u64) -> u64 {
        let distance_ns = tape_ns.saturating_sub(self.tape_ns);
        // At normal speed there is no rounding at all, even after days.
        let real_ns = if self.speed == 1.0 { distance_ns } else { (distance_ns as f64 / self.speed) as u64 };
        self.clock_ns.saturating_add(real_ns)
    }

    /// Returns the tape time at a clock time.
    pub(super) fn tape_ns(&self, clock_ns: u64) -> u64 {
        let real_ns = clock_ns.saturating_sub(self.clock_ns);
        self.tape_ns.saturating_add((real_ns as f64 * self.speed) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_exact_and_follow_the_speed() {
        let hour_ns = 3_600_000_000_000;
        let timeline = Timeline::new(1000, 500, 1.0);
        assert_eq!((timeline.due_ns(500), timeline.due_ns(500 + hour_ns)), (1000, 1000 + hour_ns));
        assert_eq!(timeline.due_ns(0), 1000, "what is before the beginning is due at once");
        let mut fast = Timeline::new(0, 0, 10.0);
        assert_eq!(fast.due_ns(hour_ns), hour_ns / 10);
        assert_eq!(fast.tape_ns(hour_ns / 10), hour_ns);
        fast.pin(700, 50);
        assert_eq!(fast.due_ns(150), 710);
        assert_eq!(Timeline::new(0, 0, 0.1).due_ns(100), 1000);
    }
}
