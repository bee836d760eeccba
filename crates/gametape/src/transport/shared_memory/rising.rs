//! A counter of the game that clients expect to increase, across loops and seeks.

/// Passes a counter through unchanged, but adds an offset after a jump back so that it keeps increasing. Nothing is changed without
/// a jump.
#[derive(Debug, Default)]
pub(super) struct Rising {
    shift: i32,
    last: Option<i32>,
    jumped: bool,
}

impl Rising {
    /// Marks a jump: the next value need not follow the last one.
    pub(super) fn jump(&mut self) {
        self.jumped = true;
    }

    /// Returns the value to show for a value of the tape.
    pub(super) fn show(&mut self, value: i32) -> i32 {
        if std::mem::take(&mut self.jumped)
            && let Some(last) = self.last
            // Counters wrap around: compare the wrapping difference.
            && value.wrapping_add(self.shift).wrapping_sub(last) <= 0
        {
            self.shift = last.wrapping_add(1).wrapping_sub(value);
        }
        let shown = value.wrapping_add(self.shift);
        self.last = Some(shown);
        shown
    }

    /// Like [`show`](Self::show), for approximate values: a value that is slightly too low is shown as the next one.
    pub(super) fn show_about(&mut self, value: i32) -> i32 {
        const LITTLE: std::ops::Range<i32> = 0..8;
        let too_low = self.last.map(|last| last.wrapping_sub(value.wrapping_add(self.shift)));
        if !self.jumped && too_low.is_some_and(|by| LITTLE.contains(&by)) {
            return self.step();
        }
        self.show(value)
    }

    /// Returns the next value, if the tape has none.
    pub(super) fn step(&mut self) -> i32 {
        self.jumped = false;
        let next = self.last.map_or(1, |last| last.wrapping_add(1));
        self.last = Some(next);
        next
    }

    /// Returns the last value that was shown.
    pub(super) fn last(&self) -> Option<i32> {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(counter: &mut Rising, values: &[i32]) -> Vec<i32> {
        values.iter().map(|value| counter.show(*value)).collect()
    }

    #[test]
    fn without_a_jump_every_value_is_shown_as_it_is() {
        let mut counter = Rising::default();
        // A game that was restarted counts from the beginning, and is shown so.
        assert_eq!(shown(&mut counter, &[7, 8, 12, 1, 2]), [7, 8, 12, 1, 2]);
        assert_eq!(counter.shift, 0);
    }

    #[test]
    fn after_a_jump_back_it_goes_on_rising_and_after_one_ahead_nothing_changes() {
        let mut counter = Rising::default();
        assert_eq!(shown(&mut counter, &[7, 8, 9]), [7, 8, 9]);
        counter.jump();
        assert_eq!(shown(&mut counter, &[100, 101]), [100, 101]);
        counter.jump();
        assert_eq!(shown(&mut counter, &[7, 9, 10]), [102, 104, 105]);
        counter.jump();
        assert_eq!(shown(&mut counter, &[7, 8]), [106, 107]);
    }

    #[test]
    fn values_that_are_a_little_too_low_rise_and_others_are_shown_as_they_are() {
        let mut counter = Rising::default();
        let shown: Vec<i32> = [7, 8, 8, 8, 11, 900, 1, 2].iter().map(|value| counter.show_about(*value)).collect();
        assert_eq!(shown, [7, 8, 9, 10, 11, 900, 1, 2]);
    }

    #[test]
    fn a_counter_that_wraps_around_still_rises() {
        let mut counter = Rising::default();
        assert_eq!(shown(&mut counter, &[i32::MAX]), [i32::MAX]);
        counter.jump();
        assert_eq!(shown(&mut counter, &[5, 6]), [i32::MIN, i32::MIN + 1]);
    }
}
