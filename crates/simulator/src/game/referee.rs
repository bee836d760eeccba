//! The referee: times the start line and the sectors to a fraction of a millisecond, checks the track limits, and updates the board.
use crate::board::Board;
use crate::track::{HALF_WIDTH_M, Track};

/// Beyond the white line by this much all four wheels are out.
const CAR_HALF_WIDTH_M: f64 = 1.0;

/// The referee of one car.
#[derive(Debug, Clone)]
pub(super) struct Referee {
    lap_m: f64,
    sector_starts_m: [f64; 2],
    /// Whether the next crossing of the line ends a lap; it does not on the way from the grid or in a flying start.
    pub(super) lap_counts: bool,
}

/// What happened in a millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Observed {
    /// The line was crossed.
    pub(super) line: bool,
    /// A lap began there: not so on the way from the grid, where it began with the lights.
    pub(super) begins: bool,
    /// That ended a lap, of this time, which was valid or not.
    pub(super) lap: Option<(i32, bool)>,
}

impl Referee {
    pub(super) fn new(track: &Track) -> Self {
        Self { lap_m: track.length_m(), sector_starts_m: track.sector_starts_m(), lap_counts: true }
    }

    /// The car was at `from_m` a millisecond ago and went this far. The board's time stands at the end of the millisecond.
    pub(super) fn watch(&mut self, board: &mut Board, from_m: f64, advanced_m: f64) -> Observed {
        let mut seen = Observed::default();
        if advanced_m <= 0.0 {
            return seen;
        }
        // How much of the millisecond is left after the crossing.
        let left_ms = |at_m: f64| 1.0 - (at_m - from_m) / advanced_m;
        let to_m = from_m + advanced_m;
        for (sector, start_m) in self.sector_starts_m.into_iter().enumerate() {
            if from_m < start_m && to_m >= start_m && board.sector == sector as i32 {
                board.finish_sector((board.current_ms - left_ms(start_m)).round() as i32);
            }
        }
        if from_m < self.lap_m && to_m >= self.lap_m {
            let since_ms = left_ms(self.lap_m);
            self.line(board, since_ms, &mut seen);
        }
        seen
    }

    fn line(&mut self, board: &mut Board, since_ms: f64, seen: &mut Observed) {
        seen.line = true;
        seen.begins = self.lap_counts || !board.timer_runs;
        if self.lap_counts {
            let time_ms = (board.current_ms - since_ms).round() as i32;
            seen.lap = Some((time_ms, board.valid));
            board.finish_lap(time_ms);
            board.begin_lap(since_ms);
        } else if board.timer_runs {
            // From the grid: the time of the first lap runs since the start.
            board.sector = 0;
        } else {
            board.begin_lap(since_ms);
        }
        self.lap_counts = true;
    }

    /// All four wheels beyond the lines make the lap invalid.
    pub(super) fn judge(board: &mut Board, offset_m: f64) {
        if !board.in_pit_lane && offset_m.abs() > HALF_WIDTH_M + CAR_HALF_WIDTH_M {
            board.valid = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::SessionKind;

    fn board(current_ms: f64) -> Board {
        Board { current_ms, ..Board::new(SessionKind::Practice, None) }
    }

    #[test]
    fn a_crossing_inside_a_millisecond_is_timed_where_it_was() {
        let mut referee = Referee::new(&Track::ring());
        let mut board = Board { sector: 2, ..board(36_001.0) };
        // 60 mm in this millisecond, a quarter of it before the line.
        let seen = referee.watch(&mut board, referee.lap_m - 0.015, 0.06);
        assert_eq!(seen, Observed { line: true, begins: true, lap: Some((36_000, true)) });
        assert!((board.current_ms - 0.75).abs() < 1e-9, "{}", board.current_ms);
        assert_eq!(
            (board.completed_laps, board.last_ms, board.best_ms, board.sector),
            (1, Some(36_000), Some(36_000), 0)
        );
    }

    #[test]
    fn sectors_are_cumulative_and_only_the_next_one_counts() {
        let mut referee = Referee::new(&Track::ring());
        let [second_m, third_m] = referee.sector_starts_m;
        let mut board = board(12_000.6);
        referee.watch(&mut board, third_m - 0.01, 0.06);
        assert_eq!(board.sector, 0, "a sector was skipped");
        referee.watch(&mut board, second_m - 0.03, 0.06);
        assert_eq!((board.sector, board.last_sector_ms), (1, 12_000));
        board.current_ms = 24_500.0;
        referee.watch(&mut board, third_m - 0.06, 0.06);
        assert_eq!((board.sector, board.last_sector_ms), (2, 24_500));
    }

    #[test]
    fn the_first_crossing_after_a_flying_start_begins_the_lap() {
        let mut referee = Referee::new(&Track::ring());
        referee.lap_counts = false;
        let mut board = Board { timer_runs: false, ..board(0.0) };
        let seen = referee.watch(&mut board, referee.lap_m - 0.03, 0.06);
        assert_eq!((seen.line, seen.lap, board.completed_laps), (true, None, 0));
        assert!(board.timer_runs && referee.lap_counts && (board.current_ms - 0.5).abs() < 1e-9);
    }

    #[test]
    fn an_invalid_lap_is_the_last_but_not_the_best() {
        let mut referee = Referee::new(&Track::ring());
        let mut board = Board { best_ms: Some(37_000), ..board(36_000.0) };
        Referee::judge(&mut board, -6.9);
        assert!(board.valid);
        Referee::judge(&mut board, -7.1);
        assert!(!board.valid);
        let seen = referee.watch(&mut board, referee.lap_m - 0.06, 0.06);
        assert_eq!(seen.lap, Some((36_000, false)));
        assert_eq!((board.last_ms, board.best_ms, board.valid), (Some(36_000), Some(37_000), true));
    }
}
