//! Decides whether the next frame is due: by the timeline during playback, by steps while paused. The timeline maps tape times to absolute
//! deadlines.

/// What to do next.
pub(super) enum Do {
    /// Show the frame now.
    Show,
    /// Wait until this time of the clock.
    Wait(u64),
    /// Wait for a command.
    Nap,
}

/// Position on the tape, and whether time advances.
pub(super) struct Pace {
    pub(super) timeline: Timeline,
    pub(super) paused: bool,
    /// Frames to show while paused.
    pub(super) steps: u64,
    /// Stop once the steps are done.
    pub(super) stop_after_steps: bool,
    /// Position while paused.
    stands_ns: u64,
    /// Start of the next pass of a loop.
    again_ns: Option<u64>,
}

impl Pace {
    pub(super) fn new(now_ns: u64, tape_ns: u64, speed: f64) -> Self {
        let timeline = Timeline::new(now_ns, tape_ns, speed);
        Self { timeline, paused: false, steps: 0, stop_after_steps: false, stands_ns: tape_ns, again_ns: None }
    }

    pub(super) fn position_ns(&self, now_ns: u64) -> u64 {
        if self.paused { self.stands_ns } else { self.timeline.tape_ns(now_ns) }
    }

    pub(super) fn begin(&mut self, now_ns: u64, at_ns: u64) {
        self.timeline.pin(self.again_ns.take().unwrap_or(now_ns), at_ns);
        self.stands_ns = at_ns;
    }

    /// Ends a pass. The next one starts at its deadline.
    pub(super) fn end(&mut self, at_ns: u64) {
        self.again_ns = (!self.paused).then(|| self.timeline.due_ns(at_ns));
        self.steps = self.steps.saturating_sub(u64::from(self.paused));
    }

    pub(super) fn pause(&mut self, pause: bool, now_ns: u64) {
        if pause && !self.paused {
            self.stands_ns = self.timeline.tape_ns(now_ns);
        }
        if !pause && self.paused {
            self.timeline.pin(now_ns, self.stands_ns);
        }
        self.paused = pause;
    }

    /// Changes the speed from the current position on.
    pub(super) fn change_speed(&mut self, speed: f64, now_ns: u64) {
        let here_ns = self.position_ns(now_ns);
        self.timeline = Timeline::new(now_ns, here_ns, speed);
    }

    pub(super) fn what_now(&self, tape_ns: u64, now_ns: u64) -> Do {
        if self.paused {
            return if self.steps > 0 { Do::Show } else { Do::Nap };
        }
        let due_ns = self.timeline.due_ns(tape_ns);
        if now_ns >= due_ns { Do::Show } else { Do::Wait(due_ns) }
    }

    pub(super) fn shown(&mut self, tape_ns: u64, stepped: bool) {
        if self.paused {
            self.stands_ns = tape_ns;
            self.steps = self.steps.saturating_sub(u64::from(stepped));
        }
    }
}

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
    fn another_speed_goes_on_from_here() {
        let mut pace = Pace::new(0, 100, 1.0);
        assert_eq!(pace.position_ns(1_000), 1_100);
        pace.change_speed(10.0, 1_000);
        assert_eq!((pace.position_ns(1_000), pace.position_ns(1_050)), (1_100, 1_600));
        pace.pause(true, 1_050);
        pace.change_speed(0.5, 2_000);
        assert_eq!(pace.position_ns(9_000), 1_600, "what stands still stays where it is");
        pace.pause(false, 9_000);
        assert_eq!(pace.position_ns(9_100), 1_650);
    }

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
