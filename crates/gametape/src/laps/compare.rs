//! Two laps by the place on the track: where one was faster, and by how much.
//!
//! Takes two traces, gives a grid of places with both laps on it and the stretches where time was won or lost. The first lap is the reference: a positive
//! difference means that the second one is slower.

use super::trace::TracePoint;

/// Parts into which a lap is divided to say where time was won and lost.
const STRETCHES: usize = 25;

/// Both laps at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridPoint {
    /// Distance from the line, along the lap.
    pub distance_m: f32,
    /// The first lap.
    pub a: TracePoint,
    /// The second lap.
    pub b: TracePoint,
    /// How much later the second one is there, since the line.
    pub delta_ms: f64,
}

/// A part of the lap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Where it begins, from the line.
    pub from_m: f32,
    /// Where it ends.
    pub to_m: f32,
    /// How much time the second lap loses on it; negative is won.
    pub lost_ms: f64,
}

/// Two laps, compared.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// Both laps on a grid.
    pub grid: Vec<GridPoint>,
    /// The lap in parts of equal length.
    pub stretches: Vec<Stretch>,
}

/// Compares two laps on a grid of this step. Places that one of them has no frames around are left out.
#[must_use]
pub fn compare(a: &[TracePoint], b: &[TracePoint], length_m: f32, step_m: f32) -> Comparison {
    if !(length_m.is_finite() && length_m > 0.0 && step_m > 0.0) {
        return Comparison::default();
    }
    let steps = ((length_m / step_m).ceil() as usize).min(MOST_STEPS);
    let mut grid = Vec::with_capacity(steps);
    let (mut at_a, mut at_b) = (0, 0);
    for step in 0..=steps {
        let distance_m = (step as f32 * step_m).min(length_m);
        let share = distance_m / length_m;
        if let (Some(a), Some(b)) = (between(a, share, &mut at_a), between(b, share, &mut at_b)) {
            grid.push(GridPoint { distance_m, a, b, delta_ms: b.time_ms - a.time_ms });
        }
    }
    let stretches = stretches(&grid, length_m);
    Comparison { grid, stretches }
}

/// More steps than anybody reads.
const MOST_STEPS: usize = 100_000;
/// Frames further apart than this share of the lap say nothing about what is between them.
const WIDEST_SHARE: f32 = 0.02;

/// The lap at a place, between the two frames around it. Places rise from call to call.
fn between(points: &[TracePoint], share: f32, at: &mut usize) -> Option<TracePoint> {
    while points.get(*at + 1).is_some_and(|next| next.share <= share) {
        *at += 1;
    }
    let (from, to) = (points.get(*at)?, points.get(*at + 1)?);
    let width = to.share - from.share;
    if share < from.share || width > WIDEST_SHARE || width <= 0.0 {
        return None;
    }
    let part = (share - from.share) / width;
    let mix = |from: Option<f32>, to: Option<f32>| Option::zip(from, to).map(|(from, to)| from + (to - from) * part);
    Some(TracePoint {
        share,
        time_ms: from.time_ms + (to.time_ms - from.time_ms) * f64::from(part),
        speed_kmh: mix(from.speed_kmh, to.speed_kmh),
        throttle: mix(from.throttle, to.throttle),
        brake: mix(from.brake, to.brake),
        steering: mix(from.steering, to.steering),
    })
}

fn stretches(grid: &[GridPoint], length_m: f32) -> Vec<Stretch> {
    let edge = |number: usize| length_m * number as f32 / STRETCHES as f32;
    let parts = (0..STRETCHES).map(|number| (edge(number), edge(number + 1)));
    let lost = |(from_m, to_m): (f32, f32)| {
        let first = grid.partition_point(|point| point.distance_m < from_m);
        let last = grid.partition_point(|point| point.distance_m <= to_m).checked_sub(1)?;
        let (first, last) = (grid.get(first)?, grid.get(last)?);
        (last.distance_m > first.distance_m).then_some(Stretch {
            from_m,
            to_m,
            lost_ms: last.delta_ms - first.delta_ms,
        })
    };
    parts.filter_map(lost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lap(ms_per_share: impl Fn(f32) -> f64) -> Vec<TracePoint> {
        let mut time_ms = 0.0;
        (0..=1000)
            .map(|step| {
                let share = step as f32 / 1000.0;
                time_ms += ms_per_share(share) / 1000.0;
                TracePoint { share, time_ms, speed_kmh: Some(100.0), throttle: Some(1.0), brake: None, steering: None }
            })
            .collect()
    }

    #[test]
    fn time_is_lost_where_the_second_lap_is_slower() {
        let (a, b) = (lap(|_| 100_000.0), lap(|share| if (0.4..0.6).contains(&share) { 110_000.0 } else { 100_000.0 }));
        let compared = compare(&a, &b, 5_000.0, 5.0);
        assert!(compared.grid.len() >= 999, "{}", compared.grid.len());
        let last = compared.grid.last().unwrap();
        assert!((last.delta_ms - 2_000.0).abs() < 25.0, "{}", last.delta_ms);
        let lost: f64 = compared
            .stretches
            .iter()
            .filter(|part| part.from_m >= 1_990.0 && part.to_m <= 3_010.0)
            .map(|part| part.lost_ms)
            .sum();
        assert!((lost - 2_000.0).abs() < 120.0, "{lost}");
        assert!(compared.stretches[0].lost_ms.abs() < 1.0);
    }

    #[test]
    fn what_was_not_seen_is_left_out() {
        let whole = lap(|_| 100_000.0);
        let hole: Vec<_> = whole.iter().copied().filter(|point| !(0.3..0.5).contains(&point.share)).collect();
        let compared = compare(&whole, &hole, 1_000.0, 5.0);
        assert!(compared.grid.iter().all(|point| !(302.0..499.0).contains(&point.distance_m)));
        assert_eq!(compare(&[], &whole, 1_000.0, 5.0), Comparison::default());
        assert_eq!(compare(&whole, &whole, 0.0, 5.0).grid, []);
    }
}
