//! Corner detection by speed: where the speed drops, reaches its minimum, and has recovered by half.
//!
//! Takes the speed and the brake at each grid row and returns corners in order from the start/finish line. Corners that are taken
//! flat out are not detected.

/// Smallest change in speed that counts as a drop or a recovery.
const LEAST_KMH: f64 = 8.0;
/// The same as a fraction of the speed before the change. The larger of the two applies.
const LEAST_SHARE: f64 = 0.06;
/// Brake input from which the brake counts as pressed.
const BRAKING: f64 = 0.05;

/// A corner, as row indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Corner {
    pub(super) from: usize,
    pub(super) apex: usize,
    pub(super) to: usize,
}

/// Returns the corners of a lap. Rows with unknown speed are skipped.
pub(super) fn corners(speed_kmh: &[Option<f64>], brake: Option<&[Option<f64>]>) -> Vec<Corner> {
    let known: Vec<(usize, f64)> =
        speed_kmh.iter().enumerate().filter_map(|(row, speed)| Some((row, (*speed)?))).collect();
    let extrema = extrema(&known);
    let mut found: Vec<Corner> = Vec::new();
    for (at, extremum) in extrema.iter().enumerate().filter(|(_, extremum)| extremum.is_low) {
        let Some(before) = at.checked_sub(1).and_then(|before| extrema.get(before)) else { continue };
        let after = extrema
            .get(at + 1)
            .map_or(known.last().copied().unwrap_or_default(), |extremum| (extremum.row, extremum.kmh));
        let braked = brake.and_then(|brake| {
            let pressed = |row: &usize| brake.get(*row).copied().flatten().is_some_and(|brake| brake >= BRAKING);
            (before.row..extremum.row).find(pressed)
        });
        // Without braking, the corner begins where a tenth of the speed drop is over.
        let lifted =
            || first(&known, before.row, extremum.row, |kmh| before.kmh - kmh >= (before.kmh - extremum.kmh) / 10.0);
        let from = braked.unwrap_or_else(|| lifted().unwrap_or(before.row));
        let half = first(&known, extremum.row, after.0, |kmh| kmh - extremum.kmh >= (after.1 - extremum.kmh) / 2.0);
        let to = half.unwrap_or(after.0).max(extremum.row);
        found.push(Corner { from, apex: extremum.row, to });
    }
    found
}

fn first(known: &[(usize, f64)], from: usize, to: usize, is: impl Fn(f64) -> bool) -> Option<usize> {
    known.iter().filter(|(row, _)| (from..=to).contains(row)).find(|(_, kmh)| is(*kmh)).map(|(row, _)| *row)
}

/// A local extremum of the speed.
#[derive(Debug, Clone, Copy)]
struct Extremum {
    row: usize,
    kmh: f64,
    is_low: bool,
}

/// Returns the extrema of the speed, with hysteresis: high, low, high, low, …
fn extrema(known: &[(usize, f64)]) -> Vec<Extremum> {
    let mut extrema = Vec::new();
    let Some((row, kmh)) = known.first().copied() else { return extrema };
    let (mut high, mut low) = (Extremum { row, kmh, is_low: false }, Extremum { row, kmh, is_low: true });
    let mut falls: Option<bool> = None;
    for (row, kmh) in known.iter().copied() {
        if kmh > high.kmh {
            high = Extremum { row, kmh, is_low: false };
        }
        // Of equal minima the last: the car is at its slowest until it accelerates.
        if kmh <= low.kmh {
            low = Extremum { row, kmh, is_low: true };
        }
        let least = LEAST_KMH.max(high.kmh * LEAST_SHARE);
        if falls != Some(true) && high.kmh - kmh >= least {
            extrema.push(high);
            falls = Some(true);
            low = Extremum { row, kmh, is_low: true };
        } else if falls != Some(false) && kmh - low.kmh >= LEAST_KMH.max(low.kmh * LEAST_SHARE) {
            if falls == Some(true) {
                extrema.push(low);
            }
            falls = Some(false);
            high = Extremum { row, kmh, is_low: false };
        }
    }
    extrema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_where_the_speed_falls_and_comes_back() {
        // 200 km/h, two corners of 80 and 120 km/h, and a ripple that is not a corner.
        let speed = |row: usize| {
            let dip = |at: f64, depth: f64, width: f64| depth * (-((row as f64 - at) / width).powi(2)).exp();
            200.0 - dip(100.0, 120.0, 20.0) - dip(300.0, 80.0, 15.0) - dip(400.0, 4.0, 5.0)
        };
        let speeds: Vec<_> = (0..500).map(|row| Some(speed(row))).collect();
        let brake: Vec<_> = (0..500).map(|row| Some(if (60..100).contains(&row) { 0.8 } else { 0.0 })).collect();
        let found = corners(&speeds, Some(&brake));
        let [one, two] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((one.apex, two.apex), (100, 300));
        assert_eq!(one.from, 60);
        assert!((265..295).contains(&two.from) && (301..330).contains(&two.to), "{two:?}");
        assert!((110..125).contains(&one.to), "{one:?}");
        assert_eq!(corners(&[], None), []);
        assert_eq!(corners(&[None; 50], None), []);
        assert_eq!(corners(&[Some(100.0); 50], None), []);
    }
}
