//! The pit lane: beside the start straight, on the inside, across the start line.
//!
//! ```text
//!   leaves the track      lane begins        line   box       lane ends       on the track again
//!  ─────┬──────────────────────┬───────────────┼─────┬─────────────┬──────────────────────┬─────▶
//!     -190                   -110              0    +25           +90                   +170  metres
//! ```

/// Where the pit lane is, in metres before (negative) and after the start line, and what holds in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitLane {
    /// Here a car leaves the track.
    pub leave_m: f64,
    /// From here on a car is in the pit lane.
    pub begin_m: f64,
    /// Here it stops.
    pub box_m: f64,
    /// From here on it is no longer in the pit lane.
    pub end_m: f64,
    /// Here it is on the track again.
    pub join_m: f64,
    /// How far to the left of the track's line the lane is.
    pub offset_m: f64,
    /// The speed that the limiter keeps to, a little below what is allowed.
    pub limit_ms: f64,
    lap_m: f64,
}

impl PitLane {
    pub(super) fn of_lap(lap_m: f64) -> Self {
        Self {
            leave_m: -190.0,
            begin_m: -110.0,
            box_m: 25.0,
            end_m: 90.0,
            join_m: 170.0,
            offset_m: 13.0,
            limit_ms: 77.0 / 3.6,
            lap_m,
        }
    }

    /// A distance from the line as metres before or after the nearest passing of it.
    #[must_use]
    pub fn around_line_m(&self, distance_m: f64) -> f64 {
        let half = self.lap_m / 2.0;
        (distance_m + half).rem_euclid(self.lap_m) - half
    }

    /// Whether a car that takes the lane is in it at this distance from the line.
    #[must_use]
    pub fn is_within(&self, distance_m: f64) -> bool {
        (self.begin_m..self.end_m).contains(&self.around_line_m(distance_m))
    }

    /// Whether a car that takes the lane is off the track's line at this distance from the line.
    #[must_use]
    pub fn is_beside(&self, distance_m: f64) -> bool {
        (self.leave_m..self.join_m).contains(&self.around_line_m(distance_m))
    }

    /// How far left of the track's line a car in the lane drives.
    #[must_use]
    pub fn line_m(&self, distance_m: f64) -> f64 {
        let at = self.around_line_m(distance_m);
        let entered = smooth_step((at - self.leave_m) / (self.begin_m - self.leave_m));
        let left = smooth_step((at - self.end_m) / (self.join_m - self.end_m));
        self.offset_m * (entered - left)
    }
}

/// From 0 to 1 with neither a kink nor a jump of curvature at the ends.
#[must_use]
pub(crate) fn smooth_step(share: f64) -> f64 {
    let t = share.clamp(0.0, 1.0);
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}
