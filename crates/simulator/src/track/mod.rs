//! The drawn track: a closed centre line with corners and straights, three sectors, and a pit lane beside the start straight.
//!
//! Maps a distance from the start line to a position, in metres of world coordinates as games use them (x and z on the ground, y up).
mod curve;
mod pit_lane;
mod shape;

pub use pit_lane::PitLane;
pub(super) use pit_lane::smooth_step;

use curve::{CurvePoint, curve_at};

/// Places are tabled at about this distance from each other.
const TABLE_STEP_M: f64 = 0.5;
/// Half of the width between the white lines.
pub const HALF_WIDTH_M: f64 = 6.0;

/// A place on the line of the track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackPoint {
    /// East.
    pub x: f64,
    /// North.
    pub z: f64,
    /// Direction of travel, of length 1.
    pub tangent: (f64, f64),
    /// 1 / radius in 1/m; positive turns left.
    pub curvature: f64,
}

impl TrackPoint {
    /// The place this far to the left.
    #[must_use]
    pub fn left(&self, offset_m: f64) -> (f64, f64) {
        (self.x - self.tangent.1 * offset_m, self.z + self.tangent.0 * offset_m)
    }
}

/// The height of the track and how it changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Height {
    /// Metres.
    pub y: f64,
    /// Metres up for each metre ahead.
    pub slope: f64,
    /// Change of the slope for each metre ahead.
    pub bend: f64,
}

/// A place where the track turns the most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// Metres from the start line.
    pub apex_m: f64,
    /// 1 / radius at the apex; positive turns left.
    pub curvature: f64,
}

/// The track.
#[derive(Debug, Clone)]
pub struct Track {
    table: Vec<TrackPoint>,
    step_m: f64,
    length_m: f64,
    corners: Vec<Corner>,
}

impl Track {
    /// The one track there is.
    #[must_use]
    pub fn ring() -> Self {
        let points = shape::scaled_points();
        let (parameters, step_m) = evenly_spaced(&points);
        let table: Vec<TrackPoint> =
            parameters.iter().map(|parameter| place_of(&curve_at(&points, *parameter))).collect();
        let length_m = step_m * table.len() as f64;
        let corners = corners(&table, step_m);
        Self { table, step_m, length_m, corners }
    }

    /// Length of a lap.
    #[must_use]
    pub fn length_m(&self) -> f64 {
        self.length_m
    }

    /// Where the second and the third sector begin.
    #[must_use]
    pub fn sector_starts_m(&self) -> [f64; 2] {
        shape::SECTOR_STARTS.map(|share| share * self.length_m)
    }

    /// The corners in the order of driving.
    #[must_use]
    pub fn corners(&self) -> &[Corner] {
        &self.corners
    }

    /// The pit lane.
    #[must_use]
    pub fn pit_lane(&self) -> PitLane {
        PitLane::of_lap(self.length_m)
    }

    /// The place at a distance from the line; any number, laps before and after are the same track.
    #[must_use]
    pub fn at(&self, distance_m: f64) -> TrackPoint {
        let along = distance_m.rem_euclid(self.length_m) / self.step_m;
        let index = (along as usize).min(self.table.len() - 1);
        let t = along - index as f64;
        let (a, b) = (&self.table[index], &self.table[(index + 1) % self.table.len()]);
        let mix = |from: f64, to: f64| from + (to - from) * t;
        // A parabola would do; the cubic through both tangents has no kinks that a derivative would show.
        let cubic = |from: f64, from_slope: f64, to: f64, to_slope: f64| {
            let (from_slope, to_slope) = (from_slope * self.step_m, to_slope * self.step_m);
            let (t2, t3) = (t * t, t * t * t);
            (2.0 * t3 - 3.0 * t2 + 1.0) * from
                + (t3 - 2.0 * t2 + t) * from_slope
                + (3.0 * t2 - 2.0 * t3) * to
                + (t3 - t2) * to_slope
        };
        let (tx, tz) = (mix(a.tangent.0, b.tangent.0), mix(a.tangent.1, b.tangent.1));
        let norm = (tx * tx + tz * tz).sqrt();
        TrackPoint {
            x: cubic(a.x, a.tangent.0, b.x, b.tangent.0),
            z: cubic(a.z, a.tangent.1, b.z, b.tangent.1),
            tangent: (tx / norm, tz / norm),
            curvature: mix(a.curvature, b.curvature),
        }
    }

    /// The height at a distance from the line.
    #[must_use]
    pub fn height(&self, distance_m: f64) -> Height {
        let mut height = Height { y: shape::HEIGHT_OF_LINE_M, slope: 0.0, bend: 0.0 };
        for (waves, amplitude_m, phase) in shape::HILLS {
            let per_m = std::f64::consts::TAU * waves / self.length_m;
            let angle = per_m * distance_m + phase;
            height.y += amplitude_m * angle.sin();
            height.slope += amplitude_m * per_m * angle.cos();
            height.bend -= amplitude_m * per_m * per_m * angle.sin();
        }
        height
    }

    /// How far `to` is ahead of `from`, from minus half a lap to half a lap.
    #[must_use]
    pub fn ahead_m(&self, from_m: f64, to_m: f64) -> f64 {
        let half = self.length_m / 2.0;
        (to_m - from_m + half).rem_euclid(self.length_m) - half
    }
}

fn place_of(point: &CurvePoint) -> TrackPoint {
    TrackPoint { x: point.x, z: point.z, tangent: point.tangent(), curvature: point.curvature() }
}

/// Parameters of places that are equally far from each other along the curve, and how far.
fn evenly_spaced(points: &[(f64, f64)]) -> (Vec<f64>, f64) {
    const PARTS: usize = 256;
    let parts = points.len() * PARTS;
    let mut lengths = Vec::with_capacity(parts + 1);
    let mut length = 0.0;
    lengths.push(0.0);
    for part in 0..parts {
        // The middle of a part stands for it: its error is far below a millimetre at this fineness.
        let middle = (part as f64 + 0.5) / PARTS as f64;
        length += curve_at(points, middle).stretch() / PARTS as f64;
        lengths.push(length);
    }
    let count = (length / TABLE_STEP_M).round();
    let step_m = length / count;
    let mut part = 0;
    let parameters = (0..count as usize).map(|index| {
        let wanted = index as f64 * step_m;
        while part + 1 < parts && lengths[part + 1] <= wanted {
            part += 1;
        }
        let share = (wanted - lengths[part]) / (lengths[part + 1] - lengths[part]);
        (part as f64 + share) / PARTS as f64
    });
    (parameters.collect(), step_m)
}

/// Where the curvature is larger than anywhere near.
fn corners(table: &[TrackPoint], step_m: f64) -> Vec<Corner> {
    const LEAST_CURVATURE: f64 = 1.0 / 160.0;
    let near = (40.0 / step_m) as usize;
    let bend = |index: usize| table[index % table.len()].curvature.abs();
    let is_apex = |index: usize| {
        bend(index) > LEAST_CURVATURE
            && (1..=near).all(|d| bend(index) >= bend(index + d) && bend(index) > bend(index + table.len() - d))
    };
    let apexes = (0..table.len()).filter(|index| is_apex(*index));
    apexes.map(|index| Corner { apex_m: index as f64 * step_m, curvature: table[index].curvature }).collect()
}

#[cfg(test)]
mod tests;
