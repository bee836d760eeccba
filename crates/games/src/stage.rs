//! Runs over a rally stage: from the start to the finish, once. For games that do not report that a run has ended.
//!
//! Takes the stage time and the progress of every frame. A run is finished when the car reaches the end of the stage: the progress passes 1, or
//! will pass it before the next frame, as far as its last step shows. Games clear their packets, or stop sending, right after the line, so the
//! frame behind it may never come. The time is interpolated to the line: the frames alone are up to 17 ms early at 60 Hz.

/// A run that ends at less than this progress was given up.
const NEAR_END: f64 = 0.999;
/// Shortest run: a clock that has just begun is not that of a run that ends.
const SHORTEST_S: f64 = 10.0;
/// A stage time that falls by more than this is that of another run.
const FELL_S: f64 = 0.1;
/// A step of the clock that is shorter than this part of the previous one is not a whole step.
const SLOWED: f64 = 0.9;

/// A frame of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StageFrame {
    /// Time since the start, with penalties.
    pub(crate) time_s: f64,
    /// Part of the stage that lies behind the car, 0 to 1.
    pub(crate) progress: f64,
}

/// The runs since the stage was loaded.
#[derive(Debug, Clone, Default)]
pub(crate) struct StageRuns {
    before: Option<StageFrame>,
    /// Progress and time from the frame before that to the previous one.
    step: Option<StageFrame>,
    /// The current run is finished; its clock may run on or stand.
    over: bool,
    /// The car has not reached the line yet. Its next frame, if there is one, tells the time better.
    predicted: bool,
    finished: u32,
    time_s: Option<f64>,
}

impl StageRuns {
    /// Adds a frame.
    pub(crate) fn frame(&mut self, now: StageFrame) {
        let Some(before) = self.before.replace(now) else { return };
        if now.time_s < before.time_s - FELL_S {
            self.leave(before);
            (self.over, self.predicted, self.step) = (false, false, None);
            return;
        }
        let step = StageFrame { time_s: now.time_s - before.time_s, progress: now.progress - before.progress };
        let last_step = self.step.replace(step);
        if now.time_s < SHORTEST_S || (self.over && !self.predicted) {
            return;
        }
        if now.progress >= 1.0 && step.progress > 0.0 && before.progress < 1.0 {
            // A clock that went less far than before has stopped at the line.
            let stopped = last_step.is_some_and(|last| step.time_s < SLOWED * last.time_s);
            let share = if stopped { 1.0 } else { (1.0 - before.progress) / step.progress };
            self.finish_with(before.time_s + step.time_s * share);
        } else if now.progress >= NEAR_END && now.progress < 1.0 && now.progress + step.progress >= 1.0 {
            self.finish_with(time_at_end(now, step));
            self.predicted = true;
        }
    }

    /// Ends the run: the game has left the stage. Returns whether that finished it.
    pub(crate) fn end(&mut self) -> bool {
        let finished = self.finished;
        if let Some(before) = self.before.take() {
            self.leave(before);
        }
        (self.over, self.predicted, self.step) = (false, false, None);
        self.finished > finished
    }

    /// Ends the run with the time that the game reports.
    pub(crate) fn finish_with(&mut self, time_s: f64) {
        if !self.over {
            self.finished = self.finished.saturating_add(1);
        }
        (self.over, self.predicted, self.time_s) = (true, false, Some(time_s));
    }

    /// Returns the number of finished runs.
    pub(crate) fn finished(&self) -> u32 {
        self.finished
    }

    /// Returns the time of the last finished run.
    pub(crate) fn time_s(&self) -> Option<f64> {
        self.time_s
    }

    /// Finishes the run if its last frame was just before the end.
    fn leave(&mut self, last: StageFrame) {
        if !self.over && last.time_s >= SHORTEST_S && last.progress >= NEAR_END {
            let step = self.step.unwrap_or(StageFrame { time_s: 0.0, progress: 0.0 });
            self.finish_with(time_at_end(last, step));
        }
    }
}

/// Returns the time at the end of the stage if the car goes on as in its last step; that of the frame if it was not moving.
fn time_at_end(last: StageFrame, step: StageFrame) -> f64 {
    let left = (1.0 - last.progress).max(0.0);
    let goes_on = step.progress > 0.0 && left / step.progress < 10.0;
    last.time_s + if goes_on { step.time_s.max(0.0) * left / step.progress } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(frames: &[(f64, f64)]) -> StageRuns {
        let mut runs = StageRuns::default();
        frames.iter().for_each(|(time_s, progress)| runs.frame(StageFrame { time_s: *time_s, progress: *progress }));
        runs
    }

    fn result(runs: &StageRuns) -> (u32, Option<i64>) {
        (runs.finished(), runs.time_s().map(|seconds| (seconds * 1000.0).round() as i64))
    }

    #[test]
    fn a_run_is_finished_by_its_last_frame_before_the_line() {
        let frames = [(100.0, 0.999_0), (100.1, 0.999_5), (100.2, 0.999_9)];
        assert_eq!(result(&runs(&frames)), (1, Some(100_225)));
        assert_eq!(result(&runs(&frames[..2])), (1, Some(100_200)));
        assert_eq!(result(&runs(&frames[..1])), (0, None));
    }

    #[test]
    fn a_run_that_passes_the_line_is_timed_between_two_frames_and_counted_once() {
        let frames = [(100.0, 0.995), (101.0, 1.005), (102.0, 1.015), (102.0, 1.015), (0.0, 1.02), (0.0, 0.0)];
        assert_eq!(result(&runs(&frames)), (1, Some(100_500)));
    }

    #[test]
    fn a_clock_that_stops_at_the_line_shows_the_time() {
        let frames = [(100.0, 0.999), (100.1, 0.999_6), (100.167, 1.000_2), (100.167, 1.000_8)];
        assert_eq!(result(&runs(&frames)), (1, Some(100_167)));
    }

    #[test]
    fn a_clock_that_falls_finishes_a_run_near_its_end_and_no_other() {
        assert_eq!(result(&runs(&[(99.0, 0.998), (100.0, 0.999_2), (0.0, 0.0)])), (1, Some(100_667)));
        assert_eq!(result(&runs(&[(99.0, 0.5), (100.0, 0.51), (0.0, 0.0)])), (0, None));
        let mut two = runs(&[(50.0, 0.999), (50.1, 1.001), (0.0, 0.0), (59.9, 0.998_5), (60.0, 0.999_1)]);
        assert!(two.end());
        assert_eq!(two.finished(), 2);
    }

    #[test]
    fn a_penalty_or_a_car_that_stands_before_the_line_is_not_a_finish() {
        let mut given_up = runs(&[(25.6, 0.065), (40.6, 0.065), (43.0, 0.067)]);
        assert!(!given_up.end());
        assert_eq!(result(&runs(&[(99.0, 0.999_2), (100.0, 0.999_2), (101.0, 0.999_2)])), (0, None));
    }
}
