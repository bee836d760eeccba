//! Script steps that set one value of the board each.
use super::Script;
use crate::board::{SessionKind, Status};

impl Script {
    /// What the game says that it does. The game's time runs on: see [`Script::pause`] and [`Script::replay`].
    #[must_use]
    pub fn status(self, status: Status) -> Self {
        self.set(move |board| board.status = status)
    }

    /// Kind of session, and nothing else: see [`Script::new_session`].
    #[must_use]
    pub fn session(self, kind: SessionKind) -> Self {
        self.set(move |board| board.session = kind)
    }

    /// Which session of the weekend.
    #[must_use]
    pub fn session_index(self, index: i32) -> Self {
        self.set(move |board| board.session_index = index)
    }

    /// Laps completed.
    #[must_use]
    pub fn completed_laps(self, laps: i32) -> Self {
        self.set(move |board| board.completed_laps = laps)
    }

    /// Time of the running lap; it goes on from here.
    #[must_use]
    pub fn current_ms(self, ms: i32) -> Self {
        self.set(move |board| board.current_ms = f64::from(ms))
    }

    /// Whether the time of the running lap runs.
    #[must_use]
    pub fn timer_runs(self, runs: bool) -> Self {
        self.set(move |board| board.timer_runs = runs)
    }

    /// Time of the last lap.
    #[must_use]
    pub fn last_ms(self, ms: Option<i32>) -> Self {
        self.set(move |board| board.last_ms = ms)
    }

    /// Time of the best lap.
    #[must_use]
    pub fn best_ms(self, ms: Option<i32>) -> Self {
        self.set(move |board| board.best_ms = ms)
    }

    /// The sector the car is in, from 0.
    #[must_use]
    pub fn sector(self, index: i32) -> Self {
        self.set(move |board| board.sector = index)
    }

    /// What the game says about the last sector: in this game the time from the line to its end.
    #[must_use]
    pub fn last_sector_ms(self, ms: i32) -> Self {
        self.set(move |board| board.last_sector_ms = ms)
    }

    /// From now on sectors are timed alone, as in Assetto Corsa, and not from the line on.
    #[must_use]
    pub fn sectors_alone(self) -> Self {
        self.set(|board| board.sectors_alone = true)
    }

    /// Whether the running lap is valid.
    #[must_use]
    pub fn valid(self, valid: bool) -> Self {
        self.set(move |board| board.valid = valid)
    }

    /// The running lap is invalid from now on.
    #[must_use]
    pub fn cut(self) -> Self {
        self.valid(false)
    }

    /// In the box or not.
    #[must_use]
    pub fn in_box(self, within: bool) -> Self {
        self.set(move |board| board.in_box = within)
    }

    /// In the pit lane or not.
    #[must_use]
    pub fn in_pit_lane(self, within: bool) -> Self {
        self.set(move |board| board.in_pit_lane = within)
    }

    /// Time left; it runs on from here. `None` is no limit.
    #[must_use]
    pub fn time_left_ms(self, ms: Option<f64>) -> Self {
        self.set(move |board| board.time_left_ms = ms)
    }

    /// Time of day; it runs on from here.
    #[must_use]
    pub fn clock_s(self, seconds: f64) -> Self {
        self.set(move |board| board.clock_s = seconds)
    }

    /// Distance driven in the stint.
    #[must_use]
    pub fn distance_m(self, metres: f64) -> Self {
        self.set(move |board| board.distance_m = metres)
    }

    /// Position on the track, 0 to 1. The driving car says itself where it is: see [`Script::teleport`].
    #[must_use]
    pub fn position(self, share: f64) -> Self {
        self.set(move |board| board.position = share)
    }

    /// The flag shown to the driver.
    #[must_use]
    pub fn flag(self, flag: i32) -> Self {
        self.set(move |board| board.flag = flag)
    }

    /// Kind of penalty.
    #[must_use]
    pub fn penalty(self, penalty: i32) -> Self {
        self.set(move |board| board.penalty = penalty)
    }

    /// Tyre set on the car.
    #[must_use]
    pub fn tyre_set(self, set: i32) -> Self {
        self.set(move |board| board.tyre_set = set)
    }

    /// Whether the set-up menu is open.
    #[must_use]
    pub fn setup_menu(self, open: bool) -> Self {
        self.set(move |board| board.setup_menu = open)
    }
}
