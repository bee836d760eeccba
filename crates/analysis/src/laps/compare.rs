//! Lap comparison by track position: where one lap was faster than another, and by how much.
//!
//! Takes the columns of several laps on the same position grid, and returns the deltas and the time gained or lost on each stretch and in
//! each corner. The first lap is the reference: a positive delta means that a lap is slower.

use super::columns::{ColumnsError, LapColumns, MOST_ROWS, shares_of_grid, thin};
use super::corners::corners;

/// Maximum number of laps compared at once.
pub const MOST_LAPS: usize = 8;
/// Number of stretches that a lap is divided into, to show where time was gained and lost.
const STRETCHES: usize = 25;

/// Largest step that is fine enough to detect corners, and to locate lost time within a stretch.
const FINE_STEP_M: f64 = 5.0;

/// The grid on which laps are read for a comparison: the grid of the result, or a finer one that contains its rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FineGrid {
    /// Distance between two rows.
    pub step_m: f64,
    every: usize,
}

impl FineGrid {
    /// Returns the grid for a result with this step.
    #[must_use]
    pub fn of(step_m: f64, length_m: f64) -> Self {
        // Stay within the maximum number of rows of a lap.
        let most = (MOST_ROWS as f64 / 2.0 * step_m / length_m).max(1.0);
        let every = (step_m / FINE_STEP_M).ceil().clamp(1.0, most).floor();
        Self { step_m: step_m / every, every: every as usize }
    }

    /// Reduces the rows to those of the result.
    pub fn thin(self, compared: &mut Comparison, laps: &mut [LapColumns]) {
        thin(&mut compared.distance_m, self.every);
        compared.delta_ms.iter_mut().for_each(|delta| thin(delta, self.every));
        laps.iter_mut().for_each(|lap| lap.thin(self.every));
    }
}

/// A stretch of the lap.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// Start, as a distance from the line.
    pub from_m: f64,
    /// End, as a distance from the line.
    pub to_m: f64,
    /// Time that each lap loses on it; negative is gained, `None` is unknown. Time lost where a lap was not observed counts towards the
    /// stretch in which it is observed again, so that all stretches add up to the difference of the laps.
    pub lost_ms: Vec<Option<f64>>,
}

/// A corner, as driven in the reference lap.
#[derive(Debug, Clone, PartialEq)]
pub struct Corner {
    /// Number, from 1, counted from the line.
    pub n: u32,
    /// Where the reference brakes for it.
    pub from_m: f64,
    /// Where the reference has its minimum speed.
    pub apex_m: f64,
    /// Where the reference has recovered half of the speed.
    pub to_m: f64,
    /// Minimum speed of each lap.
    pub min_speed_kmh: Vec<Option<f64>>,
    /// Time that each lap loses in it; negative is gained.
    pub lost_ms: Vec<Option<f64>>,
}

/// The result of a lap comparison.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// Distance of each row from the line.
    pub distance_m: Vec<f64>,
    /// For each lap, its delta to the reference at each row; positive is slower.
    pub delta_ms: Vec<Vec<Option<f64>>>,
    /// The lap in stretches of equal length.
    pub stretches: Vec<Stretch>,
    /// The corners of the reference; empty if its speed is not among the columns.
    pub corners: Vec<Corner>,
}

/// Compares laps whose columns are all on the position grid with this step.
///
/// # Errors
/// If the step or the length is not a positive number, or if there are too many rows.
pub fn compare(laps: &[LapColumns], length_m: f64, step_m: f64) -> Result<Comparison, ColumnsError> {
    let distance_m: Vec<f64> = shares_of_grid(step_m, length_m)?.into_iter().map(|share| share * length_m).collect();
    let Some(reference) = laps.first() else { return Ok(Comparison { distance_m, ..Comparison::default() }) };
    let delta_ms: Vec<Vec<Option<f64>>> = laps.iter().map(|lap| deltas(&reference.time_ms, &lap.time_ms)).collect();
    let edge = |number: usize| length_m * number as f64 / STRETCHES as f64;
    let lost: Vec<_> = delta_ms.iter().map(|delta| lost_on_stretches(&distance_m, delta, edge)).collect();
    let stretches = (0..STRETCHES).map(|number| Stretch {
        from_m: edge(number),
        to_m: edge(number + 1),
        lost_ms: lost.iter().map(|lost| lost.get(number).copied().flatten()).collect(),
    });
    let stretches = stretches.filter(|stretch| stretch.lost_ms.iter().any(Option::is_some)).collect();
    let corners = corners_of(laps, reference, &distance_m, &delta_ms);
    Ok(Comparison { distance_m, delta_ms, stretches, corners })
}

fn deltas(reference: &[Option<f64>], lap: &[Option<f64>]) -> Vec<Option<f64>> {
    reference.iter().zip(lap).map(|(reference, lap)| Some((*lap)? - (*reference)?)).collect()
}

/// Returns the time lost on each stretch: from the last known delta before it to the last one in it.
fn lost_on_stretches(distance_m: &[f64], delta: &[Option<f64>], edge: impl Fn(usize) -> f64) -> Vec<Option<f64>> {
    // If a lap is known from its line on, no time is lost at its start, even if it began before the line.
    let mut before = match delta.first() {
        Some(Some(_)) => Some(0.0),
        _ => delta.iter().flatten().next().copied(),
    };
    let stretch = |number: usize| {
        let (from_m, to_m) = (edge(number), edge(number + 1));
        let is_last = number + 1 == STRETCHES;
        let within = distance_m.partition_point(|place| *place < from_m)..if is_last {
            distance_m.len()
        } else {
            distance_m.partition_point(|place| *place <= to_m)
        };
        let inside = || delta.get(within.clone())?.iter().rev().flatten().next().copied();
        let end = delta_at(distance_m, delta, to_m).filter(|_| !is_last).or_else(inside)?;
        Some(end - before.replace(end)?)
    };
    (0..STRETCHES).map(stretch).collect()
}

/// Returns the delta at a position, interpolated between the rows around it.
fn delta_at(distance_m: &[f64], delta: &[Option<f64>], place_m: f64) -> Option<f64> {
    let next = distance_m.partition_point(|place| *place < place_m);
    let (to_m, to) = (*distance_m.get(next)?, (*delta.get(next)?)?);
    if to_m == place_m {
        return Some(to);
    }
    let before = next.checked_sub(1)?;
    let (from_m, from) = (*distance_m.get(before)?, (*delta.get(before)?)?);
    Some(from + (to - from) * (place_m - from_m) / (to_m - from_m))
}

/// Returns the time lost in a range of rows, from the first known delta to the last.
fn lost(delta: &[Option<f64>], first: usize, last: usize) -> Option<f64> {
    let rows = delta.get(first..last)?;
    let begin = rows.iter().position(Option::is_some)?;
    let end = rows.iter().rposition(Option::is_some).filter(|end| *end > begin)?;
    Some((*rows.get(end)?)? - (*rows.get(begin)?)?)
}

fn corners_of(laps: &[LapColumns], reference: &LapColumns, places: &[f64], deltas: &[Vec<Option<f64>>]) -> Vec<Corner> {
    let Some(speed) = reference.column("speed_kmh") else { return Vec::new() };
    let brake = reference.column("brake").map(|column| column.values.as_slice());
    let place = |row: usize| places.get(row).copied().unwrap_or_default();
    let found = corners(&speed.values, brake);
    let corner = |(n, rows): (u32, &super::corners::Corner)| {
        let lowest = |lap: &LapColumns| {
            let speeds = lap.column("speed_kmh")?.values.get(rows.from..=rows.to)?;
            speeds.iter().flatten().copied().min_by(f64::total_cmp)
        };
        Corner {
            n,
            from_m: place(rows.from),
            apex_m: place(rows.apex),
            to_m: place(rows.to),
            min_speed_kmh: laps.iter().map(lowest).collect(),
            lost_ms: deltas.iter().map(|delta| lost(delta, rows.from, rows.to + 1)).collect(),
        }
    };
    (1..).zip(&found).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laps::Column;

    /// A lap of 5000 m on a grid of 5 m, driven at this pace in milliseconds per lap at each lap fraction.
    fn lap(ms_per_share: impl Fn(f64) -> f64) -> LapColumns {
        let shares = shares_of_grid(5.0, 5_000.0).unwrap();
        let (mut time_ms, mut before) = (0.0, 0.0);
        let times = shares.iter().map(|share| {
            time_ms += ms_per_share(*share) * (share - before);
            before = *share;
            Some(time_ms)
        });
        LapColumns { time_ms: times.collect(), share: shares.iter().copied().map(Some).collect(), ..Default::default() }
    }

    #[test]
    fn time_is_lost_where_the_second_lap_is_slower() {
        let slow = |share: f64| if (0.4..0.6).contains(&share) { 110_000.0 } else { 100_000.0 };
        let compared = compare(&[lap(|_| 100_000.0), lap(slow), lap(|_| 100_000.0)], 5_000.0, 5.0).unwrap();
        assert_eq!(compared.distance_m.len(), 1001);
        assert_eq!(compared.distance_m.last(), Some(&5_000.0));
        let [own, second, third] = compared.delta_ms.as_slice() else { panic!() };
        assert!((second.last().unwrap().unwrap() - 2_000.0).abs() < 11.0, "{:?}", second.last());
        assert!(own.iter().chain(third).all(|delta| *delta == Some(0.0)));
        let middle = |stretch: &&Stretch| stretch.from_m >= 1_990.0 && stretch.to_m <= 3_010.0;
        let lost: f64 = compared.stretches.iter().filter(middle).map(|stretch| stretch.lost_ms[1].unwrap()).sum();
        assert!((lost - 2_000.0).abs() < 120.0, "{lost}");
        assert_eq!(compared.stretches.len(), 25);
        assert!(compared.stretches[0].lost_ms[1].unwrap().abs() < 1e-6);
    }

    #[test]
    fn stretches_are_the_difference_of_the_laps_whatever_the_step_is() {
        let slow = |share: f64| 100_000.0 + 2_730.0 * (share * 37.0).sin().powi(2);
        for step_m in [0.5, 3.0, 5.0, 7.3, 100.0, 210.0, 500.0] {
            for length_m in [683.0, 5_000.0, 25_378.3] {
                if shares_of_grid(step_m, length_m).is_err() {
                    continue;
                }
                let fine = FineGrid::of(step_m, length_m);
                let shares = shares_of_grid(fine.step_m, length_m).unwrap();
                let at = |speed: &dyn Fn(f64) -> f64| {
                    let time_ms = shares.iter().map(|share| Some(speed(*share) * share)).collect();
                    LapColumns { time_ms, ..LapColumns::default() }
                };
                let mut laps = [at(&|_| 100_000.0), at(&slow)];
                // Unknown in the middle of one lap and shortly before its end.
                let rows = laps[1].time_ms.len();
                if rows > 200 {
                    laps[1].time_ms[rows / 3..rows / 2].fill(None);
                    laps[1].time_ms[rows - 9..rows - 1].fill(None);
                }
                let mut compared = compare(&laps, length_m, fine.step_m).unwrap();
                let sum: f64 = compared.stretches.iter().filter_map(|stretch| stretch.lost_ms[1]).sum();
                let expected = slow(1.0) - 100_000.0;
                assert!((sum - expected).abs() < 1e-6, "{step_m} m of {length_m} m: {sum} of {expected}");
                let before = compared.stretches.clone();
                fine.thin(&mut compared, &mut laps);
                let places: Vec<_> =
                    shares_of_grid(step_m, length_m).unwrap().iter().map(|share| share * length_m).collect();
                assert_eq!(
                    (compared.distance_m.len(), compared.delta_ms[1].len()),
                    (places.len(), places.len()),
                    "{step_m}"
                );
                assert!(compared.distance_m.iter().zip(&places).all(|(one, other)| (one - other).abs() < 1e-6));
                assert_eq!((compared.stretches, laps[0].time_ms.len()), (before, places.len()));
            }
        }
    }

    #[test]
    fn what_was_not_seen_is_not_known() {
        let (whole, mut hole) = (lap(|_| 100_000.0), lap(|_| 100_000.0));
        hole.time_ms.iter_mut().skip(300).take(200).for_each(|time| *time = None);
        let compared = compare(&[whole, hole], 5_000.0, 5.0).unwrap();
        assert_eq!(compared.delta_ms[1].iter().filter(|delta| delta.is_none()).count(), 200);
        assert_eq!(compared.stretches.iter().filter(|stretch| stretch.lost_ms[1].is_none()).count(), 4);
        assert!(compared.stretches.iter().all(|stretch| stretch.lost_ms[0] == Some(0.0)));
        assert!(compare(&[], 0.0, 5.0).is_err() && compare(&[], 1e9, 0.001).is_err());
    }

    #[test]
    fn a_corner_tells_the_lowest_speed_and_what_was_lost_in_it() {
        let with_speed = |mut lap: LapColumns, low: f64| {
            let speed = |row: usize| 200.0 - (200.0 - low) * (-((row as f64 - 500.0) / 30.0).powi(2)).exp();
            let values = (0..lap.time_ms.len()).map(|row| Some(speed(row))).collect();
            lap.columns.push(Column { name: "speed_kmh".into(), unit: "km/h".into(), values });
            lap
        };
        let slow = |share: f64| if (0.49..0.51).contains(&share) { 150_000.0 } else { 100_000.0 };
        let laps = [with_speed(lap(|_| 100_000.0), 80.0), with_speed(lap(slow), 60.0)];
        let compared = compare(&laps, 5_000.0, 5.0).unwrap();
        let [corner] = compared.corners.as_slice() else { panic!("{:?}", compared.corners) };
        assert_eq!((corner.n, corner.apex_m), (1, 2_500.0));
        assert_eq!(corner.min_speed_kmh, [Some(80.0), Some(60.0)]);
        assert!((corner.lost_ms[1].unwrap() - 1_000.0).abs() < 60.0 && corner.lost_ms[0] == Some(0.0), "{corner:?}");
    }
}
