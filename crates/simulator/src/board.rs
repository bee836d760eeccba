//! The board: session, lap times, sectors, pits and flags as the game shows them, one field each.
//!
//! The referee of the driving car keeps it up to date, and scripts set its fields. [`pages`](super::pages) writes it into the graphics page.

/// What the game is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// In a menu, or gone.
    Off = 0,
    /// Shows a replay.
    Replay = 1,
    /// Drives.
    Live = 2,
    /// Stands still.
    Pause = 3,
}

/// Kind of session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs, reason = "names of the game")]
pub enum SessionKind {
    Unknown = -1,
    Practice = 0,
    Qualify = 1,
    Race = 2,
    Hotlap = 3,
    TimeAttack = 4,
    Drift = 5,
    Drag = 6,
    Hotstint = 7,
    Superpole = 8,
}

/// What the game shows of session and laps.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// What the game is doing.
    pub status: Status,
    /// Kind of session.
    pub session: SessionKind,
    /// Which session of the weekend.
    pub session_index: i32,
    /// Laps completed.
    pub completed_laps: i32,
    /// Time of the running lap.
    pub current_ms: f64,
    /// Whether that time runs.
    pub timer_runs: bool,
    /// Time of the last lap.
    pub last_ms: Option<i32>,
    /// Time of the best valid lap.
    pub best_ms: Option<i32>,
    /// The sector the car is in, from 0.
    pub sector: i32,
    /// Time from the line to the end of the last sector that was completed; that of the sector alone with `sectors_alone`.
    pub last_sector_ms: i32,
    /// The time of a sector is shown alone, as Assetto Corsa does, and not from the line on.
    pub sectors_alone: bool,
    /// When the running sector began, since the line.
    pub sector_began_ms: i32,
    /// Whether the running lap is valid.
    pub valid: bool,
    /// In the box.
    pub in_box: bool,
    /// In the pit lane.
    pub in_pit_lane: bool,
    /// Time left; `None` where there is no limit.
    pub time_left_ms: Option<f64>,
    /// Time of day.
    pub clock_s: f64,
    /// How many times faster than ours the time of day runs.
    pub clock_speed: f64,
    /// Distance driven in the stint.
    pub distance_m: f64,
    /// Position on the track, 0 to 1.
    pub position: f64,
    /// The flag shown to the driver.
    pub flag: i32,
    /// Kind of penalty.
    pub penalty: i32,
    /// Tyre set on the car.
    pub tyre_set: i32,
    /// Whether the set-up menu is open.
    pub setup_menu: bool,
}

/// What the game writes for a time that there is not.
pub const NO_TIME_MS: i32 = i32::MAX;

impl Board {
    /// A session that begins.
    #[must_use]
    pub fn new(session: SessionKind, time_left_ms: Option<f64>) -> Self {
        Self {
            status: Status::Live,
            session,
            session_index: 0,
            completed_laps: 0,
            current_ms: 0.0,
            timer_runs: true,
            last_ms: None,
            best_ms: None,
            sector: 0,
            last_sector_ms: 0,
            sectors_alone: false,
            sector_began_ms: 0,
            valid: true,
            in_box: false,
            in_pit_lane: false,
            time_left_ms,
            clock_s: 13.0 * 3600.0,
            clock_speed: 1.0,
            distance_m: 0.0,
            position: 0.0,
            flag: 0,
            penalty: 0,
            tyre_set: 1,
            setup_menu: false,
        }
    }

    /// A millisecond of the game's time.
    pub fn advance(&mut self) {
        if self.timer_runs {
            self.current_ms += 1.0;
        }
        self.time_left_ms = self.time_left_ms.map(|left| (left - 1.0).max(0.0));
        self.clock_s = (self.clock_s + self.clock_speed / 1000.0).rem_euclid(86_400.0);
    }

    /// A sector ended; `lap_ms` is the time since the line.
    pub fn finish_sector(&mut self, lap_ms: i32) {
        self.sector += 1;
        self.last_sector_ms = if self.sectors_alone { lap_ms - self.sector_began_ms } else { lap_ms };
        self.sector_began_ms = lap_ms;
    }

    /// The line was crossed at the end of a lap of this time. What the last sector took is not shown: the game leaves the time of the sector before.
    pub fn finish_lap(&mut self, time_ms: i32) {
        self.completed_laps += 1;
        self.last_ms = Some(time_ms);
        if self.valid {
            self.best_ms = Some(self.best_ms.map_or(time_ms, |best| best.min(time_ms)));
        }
        self.begin_lap(0.0);
    }

    /// The line was crossed, `since_ms` ago.
    pub fn begin_lap(&mut self, since_ms: f64) {
        self.current_ms = since_ms;
        self.timer_runs = true;
        self.sector_began_ms = 0;
        self.sector = 0;
        self.valid = true;
    }

    /// The session starts over: no laps, the time left and the time of day as at the start.
    pub fn restart(&mut self, time_left_ms: Option<f64>, clock_s: f64) {
        *self = Self {
            status: self.status,
            session_index: self.session_index,
            clock_s,
            clock_speed: self.clock_speed,
            sectors_alone: self.sectors_alone,
            ..Self::new(self.session, time_left_ms)
        };
    }

    /// The car is back in its box: the running lap is gone, the session goes on.
    pub fn return_to_garage(&mut self) {
        self.begin_lap(0.0);
        self.timer_runs = false;
        self.distance_m = 0.0;
        (self.in_box, self.in_pit_lane) = (true, true);
    }
}
