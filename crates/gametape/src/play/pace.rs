//! Whether the next frame is due: by the timeline while it plays, by steps while it stands still.

use super::timeline::Timeline;

/// What is to be done next.
pub(super) enum Do {
    /// Now.
    Show,
    /// At this moment of the clock.
    Wait(u64),
    /// Not before a key is pressed.
    Nap,
}

/// Where on the tape we are, and whether time passes.
pub(super) struct Pace {
    pub(super) timeline: Timeline,
    pub(super) paused: bool,
    /// Frames to show while it is paused.
    pub(super) steps: u64,
    /// The end is wanted when they are shown.
    pub(super) stop_after_steps: bool,
    /// Where it stands while it is paused.
    stands_ns: u64,
    /// When the next pass of a loop begins.
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

    /// The pass ends on its deadline, and the next one begins there.
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
