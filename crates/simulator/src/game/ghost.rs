//! The ghost of the best lap: times by position, for the delta of the current lap.

/// A time is kept at about this distance from the next.
const STEP_M: f64 = 4.0;

/// Times of the running lap and of the best one, by place.
#[derive(Debug, Clone, Default)]
pub(super) struct Ghost {
    running: Vec<f64>,
    best: Vec<f64>,
}

impl Ghost {
    /// The running lap is here at this time.
    pub(super) fn pass(&mut self, along_m: f64, lap_ms: f64) {
        let index = (along_m / STEP_M) as usize;
        // A car that skipped a part of the lap has no times for it; those of the place it came to stand in.
        while self.running.len() <= index {
            self.running.push(lap_ms);
        }
    }

    /// The running lap is over or gone; it may become the best.
    pub(super) fn finish(&mut self, is_best: bool) {
        if is_best {
            std::mem::swap(&mut self.best, &mut self.running);
        }
        self.running.clear();
    }

    /// A session without laps.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// How much later than the best lap, if there is one.
    pub(super) fn delta_ms(&self, along_m: f64, lap_ms: f64) -> Option<i32> {
        let along = along_m / STEP_M;
        let index = along as usize;
        let from = *self.best.get(index)?;
        let to = self.best.get(index + 1).copied().unwrap_or(from);
        Some((lap_ms - (from + (to - from) * (along - index as f64))).round() as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_to_the_best_lap_at_the_same_place() {
        let mut ghost = Ghost::default();
        let mut lap = |ms_per_m: f64, is_best: bool| {
            (0..1600).for_each(|m| ghost.pass(f64::from(m), f64::from(m) * ms_per_m));
            let delta = ghost.delta_ms(800.0, 800.0 * ms_per_m);
            ghost.finish(is_best);
            delta
        };
        assert_eq!(lap(23.0, true), None);
        assert_eq!(lap(23.5, false), Some(400));
        assert_eq!(lap(22.5, true), Some(-400));
        assert_eq!(lap(22.5, false), Some(0));
    }
}
