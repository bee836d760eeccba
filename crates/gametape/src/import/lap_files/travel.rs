//! The distance that a car has driven: by the file's own distance, by its speed, or by its positions.

/// Metres of a degree of latitude.
const METRES_PER_DEGREE: f64 = 111_320.0;
/// Rows further apart than this are not integrated: the logger was off.
const LONGEST_STEP_S: f64 = 5.0;
/// Positions further apart than this in a second are not driven.
const FASTEST_M_PER_S: f64 = 150.0;

/// A geographic position in degrees.
pub(super) type Place = (f64, f64);

/// Accumulates the distance driven.
#[derive(Debug, Clone, Default)]
pub(super) struct Travel {
    driven_m: f64,
    any: bool,
    speed: Option<(f64, f64)>,
    place: Option<(f64, Place)>,
}

impl Travel {
    /// Adds a row. `metres_per_s` takes precedence over `place`; both may be unknown. Returns the distance so far.
    pub(super) fn step(&mut self, time_s: f64, metres_per_s: Option<f64>, place: Option<Place>) -> Option<f64> {
        let is_near = |from_s: f64| (0.0..=LONGEST_STEP_S).contains(&(time_s - from_s));
        if let Some(speed) = metres_per_s.filter(|speed| speed.is_finite()) {
            if let Some((from_s, from)) = self.speed.filter(|(from_s, _)| is_near(*from_s)) {
                self.driven_m += (from + speed).max(0.0) / 2.0 * (time_s - from_s);
            }
            self.speed = Some((time_s, speed));
            self.any = true;
        } else if let Some(place) = place.filter(|_| self.speed.is_none()) {
            if let Some((from_s, from)) = self.place.filter(|(from_s, _)| is_near(*from_s)) {
                let metres = apart_m(from, place);
                let most = FASTEST_M_PER_S * (time_s - from_s).max(0.1);
                self.driven_m += if metres <= most { metres } else { 0.0 };
            }
            self.place = Some((time_s, place));
            self.any = true;
        }
        self.any.then_some(self.driven_m)
    }
}

/// Returns east and north of `from`, in metres.
pub(super) fn metres_from(from: Place, to: Place) -> (f64, f64) {
    let east_deg = (to.1 - from.1 + 180.0).rem_euclid(360.0) - 180.0;
    (east_deg * METRES_PER_DEGREE * from.0.to_radians().cos(), (to.0 - from.0) * METRES_PER_DEGREE)
}

/// Returns the distance between two places.
pub(super) fn apart_m(from: Place, to: Place) -> f64 {
    let (east, north) = metres_from(from, to);
    east.hypot(north)
}

/// Returns which fraction of the way from one place to another lies before the line between two points; `None` if it is not crossed.
pub(super) fn crossing(from: Place, to: Place, line: (Place, Place)) -> Option<f64> {
    let ((dx, dy), (ax, ay), (bx, by)) = (metres_from(from, to), metres_from(from, line.0), metres_from(from, line.1));
    let (lx, ly) = (bx - ax, by - ay);
    let cross = dx * ly - dy * lx;
    if cross == 0.0 || !cross.is_finite() {
        return None;
    }
    let along = (ax * ly - ay * lx) / cross;
    let beside = (ax * dy - ay * dx) / cross;
    ((0.0..1.0).contains(&along) && (0.0..=1.0).contains(&beside)).then_some(along)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_integrated_and_gaps_are_not() {
        let mut travel = Travel::default();
        assert_eq!(travel.step(0.0, None, None), None);
        assert_eq!(travel.step(1.0, Some(10.0), None), Some(0.0));
        assert_eq!(travel.step(2.0, Some(20.0), None), Some(15.0));
        assert_eq!(travel.step(100.0, Some(20.0), None), Some(15.0));
        assert_eq!(travel.step(99.0, Some(f64::NAN), None), Some(15.0));
    }

    #[test]
    fn places_are_integrated_and_jumps_are_not() {
        let mut travel = Travel::default();
        travel.step(0.0, None, Some((50.0, 8.0)));
        let north = travel.step(1.0, None, Some((50.0 + 50.0 / METRES_PER_DEGREE, 8.0))).unwrap();
        assert!((north - 50.0).abs() < 0.01, "{north}");
        assert_eq!(travel.step(2.0, None, Some((51.0, 8.0))), Some(north));
    }

    #[test]
    fn a_line_is_crossed_between_its_ends_only() {
        let line = ((50.0, 8.000), (50.0, 8.001));
        let share = crossing((49.9999, 8.0005), (50.0003, 8.0005), line).unwrap();
        assert!((share - 0.25).abs() < 1e-6, "{share}");
        assert_eq!(crossing((49.9999, 8.002), (50.0003, 8.002), line), None);
        assert_eq!(crossing((50.0001, 8.0005), (50.0003, 8.0005), line), None);
        assert_eq!(crossing((50.0001, 8.0005), (50.0001, 8.0005), line), None);
    }
}
