//! Laps by the place on the track: where one was faster than another, and by how much.
//!
//! Takes the columns of several laps on the same grid of places, gives differences of time, and the stretches and corners where time was won or
//! lost. The first lap is the reference: a positive difference means that a lap is slower.

use super::columns::{ColumnsError, LapColumns, shares_of_grid};
use super::corners::corners;

/// Laps that are compared at once, at most.
pub const MOST_LAPS: usize = 8;
/// Parts into which a lap is divided to say where time was won and lost.
const STRETCHES: usize = 25;

/// A part of the lap.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// Where it begins, from the line.
    pub from_m: f64,
    /// Where it ends.
    pub to_m: f64,
    /// How much time each lap loses on it; negative is won, `None` if it is not known.
    pub lost_ms: Vec<Option<f64>>,
}

/// A corner of the reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Corner {
    /// From 1, from the line on.
    pub n: u32,
    /// Where the reference brakes for it.
    pub from_m: f64,
    /// Where the reference is at its slowest.
    pub apex_m: f64,
    /// Where the reference has got back half of the speed.
    pub to_m: f64,
    /// The lowest speed of each lap.
    pub min_speed_kmh: Vec<Option<f64>>,
    /// How much time each lap loses in it; negative is won.
    pub lost_ms: Vec<Option<f64>>,
}

/// Laps, compared.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// Places, from the line.
    pub distance_m: Vec<f64>,
    /// For each lap how much later it is at each place than the reference, since the line.
    pub delta_ms: Vec<Vec<Option<f64>>>,
    /// The lap in parts of equal length.
    pub stretches: Vec<Stretch>,
    /// The corners of the reference; none if its speed is not among the columns.
    pub corners: Vec<Corner>,
}

/// Compares laps whose columns are all on the grid with this step.
///
/// # Errors
/// If it is no grid.
pub fn compare(laps: &[LapColumns], length_m: f64, step_m: f64) -> Result<Comparison, ColumnsError> {
    let distance_m: Vec<f64> = shares_of_grid(step_m, length_m)?.into_iter().map(|share| share * length_m).collect();
    let Some(reference) = laps.first() else { return Ok(Comparison { distance_m, ..Comparison::default() }) };
    let delta_ms: Vec<Vec<Option<f64>>> = laps.iter().map(|lap| deltas(&reference.time_ms, &lap.time_ms)).collect();
    let edge = |number: usize| length_m * number as f64 / STRETCHES as f64;
    let stretches = (0..STRETCHES).map(|number| {
        let (from_m, to_m) = (edge(number), edge(number + 1));
        let first = distance_m.partition_point(|place| *place < from_m);
        let last = distance_m.partition_point(|place| *place <= to_m);
        let lost_ms = delta_ms.iter().map(|delta| lost(delta, first, last)).collect();
        Stretch { from_m, to_m, lost_ms }
    });
    let stretches = stretches.filter(|stretch| stretch.lost_ms.iter().any(Option::is_some)).collect();
    let corners = corners_of(laps, reference, &distance_m, &delta_ms);
    Ok(Comparison { distance_m, delta_ms, stretches, corners })
}

fn deltas(reference: &[Option<f64>], lap: &[Option<f64>]) -> Vec<Option<f64>> {
    reference.iter().zip(lap).map(|(reference, lap)| Some((*lap)? - (*reference)?)).collect()
}

/// What is lost from the first known difference to the last in some rows.
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

    /// A lap of 100 s and 5000 m on a grid of 5 m, slower by this much at each share.
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
