//! Corners of a lap, by its speed: where it falls, is lowest, and has come back by half.
//!
//! Takes speeds and brakes at places, gives corners from the line on. Corners that are driven flat out are none here.

/// A fall in speed that is less than this is none, nor is a rise.
const LEAST_KMH: f64 = 8.0;
/// The same as a share of the speed before it.
const LEAST_SHARE: f64 = 0.06;
/// The brake is pressed.
const BRAKING: f64 = 0.05;

/// Places of a corner, as numbers of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Corner {
    pub(super) from: usize,
    pub(super) apex: usize,
    pub(super) to: usize,
}

/// The corners of a lap. Rows whose speed is not known are passed over.
pub(super) fn corners(speed_kmh: &[Option<f64>], brake: Option<&[Option<f64>]>) -> Vec<Corner> {
    let known: Vec<(usize, f64)> =
        speed_kmh.iter().enumerate().filter_map(|(row, speed)| Some((row, (*speed)?))).collect();
    let turns = turns(&known);
    let mut found: Vec<Corner> = Vec::new();
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.is_low) {
        let Some(before) = at.checked_sub(1).and_then(|before| turns.get(before)) else { continue };
        let after = turns.get(at + 1).map_or(known.last().copied().unwrap_or_default(), |turn| (turn.row, turn.kmh));
        let braked = brake.and_then(|brake| {
            let pressed = |row: &usize| brake.get(*row).copied().flatten().is_some_and(|brake| brake >= BRAKING);
            (before.row..turn.row).find(pressed)
        });
        // Without a brake the corner begins where a tenth of the fall is over.
        let lifted = || first(&known, before.row, turn.row, |kmh| before.kmh - kmh >= (before.kmh - turn.kmh) / 10.0);
        let from = braked.unwrap_or_else(|| lifted().unwrap_or(before.row));
        let half = first(&known, turn.row, after.0, |kmh| kmh - turn.kmh >= (after.1 - turn.kmh) / 2.0);
        let to = half.unwrap_or(after.0).max(turn.row);
        found.push(Corner { from, apex: turn.row, to });
    }
    found
}

fn first(known: &[(usize, f64)], from: usize, to: usize, is: impl Fn(f64) -> bool) -> Option<usize> {
    known.iter().filter(|(row, _)| (from..=to).contains(row)).find(|(_, kmh)| is(*kmh)).map(|(row, _)| *row)
}

/// A place at which the speed turns.
#[derive(Debug, Clone, Copy)]
struct Turn {
    row: usize,
    kmh: f64,
    is_low: bool,
}

/// Where the speed turns by more than a little: high, low, high, low, …
fn turns(known: &[(usize, f64)]) -> Vec<Turn> {
    let mut turns = Vec::new();
    let Some((row, kmh)) = known.first().copied() else { return turns };
    let (mut high, mut low) = (Turn { row, kmh, is_low: false }, Turn { row, kmh, is_low: true });
    let mut falls: Option<bool> = None;
    for (row, kmh) in known.iter().copied() {
        if kmh > high.kmh {
            high = Turn { row, kmh, is_low: false };
        }
        // Of equal ones the last: the car is at its slowest until it gets faster.
        if kmh <= low.kmh {
            low = Turn { row, kmh, is_low: true };
        }
        let least = LEAST_KMH.max(high.kmh * LEAST_SHARE);
        if falls != Some(true) && high.kmh - kmh >= least {
            turns.push(high);
            falls = Some(true);
            low = Turn { row, kmh, is_low: true };
        } else if falls != Some(false) && kmh - low.kmh >= LEAST_KMH.max(low.kmh * LEAST_SHARE) {
            if falls == Some(true) {
                turns.push(low);
            }
            falls = Some(false);
            high = Turn { row, kmh, is_low: false };
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_where_the_speed_falls_and_comes_back() {
        // 200 km/h, two corners of 80 and 120 km/h, and a ripple that is none.
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
