//! A closed uniform cubic B-spline over hand-drawn control points.
//!
//! Its curvature is continuous, as a car needs it, and four collinear points in a row give a straight.

/// A place on the curve with its first two derivatives by the parameter.
#[derive(Debug, Clone, Copy)]
pub(super) struct CurvePoint {
    pub(super) x: f64,
    pub(super) z: f64,
    dx: f64,
    dz: f64,
    ddx: f64,
    ddz: f64,
}

impl CurvePoint {
    /// Length of the first derivative: metres for each unit of the parameter.
    pub(super) fn stretch(&self) -> f64 {
        (self.dx * self.dx + self.dz * self.dz).sqrt()
    }

    /// Direction of travel, of length 1.
    pub(super) fn tangent(&self) -> (f64, f64) {
        (self.dx / self.stretch(), self.dz / self.stretch())
    }

    /// 1 / radius; positive turns left.
    pub(super) fn curvature(&self) -> f64 {
        (self.dx * self.ddz - self.dz * self.ddx) / self.stretch().powi(3)
    }
}

/// The curve of these points at `parameter`; each point is worth 1, and the curve starts again after the last.
pub(super) fn curve_at(points: &[(f64, f64)], parameter: f64) -> CurvePoint {
    let count = points.len();
    let span = parameter.floor();
    let t = parameter - span;
    let first = (span as i64).rem_euclid(count as i64) as usize;
    let place = [
        (1.0 - t).powi(3) / 6.0,
        (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
        (-3.0 * t * t * t + 3.0 * t * t + 3.0 * t + 1.0) / 6.0,
        t * t * t / 6.0,
    ];
    let slope =
        [-(1.0 - t).powi(2) / 2.0, (3.0 * t * t - 4.0 * t) / 2.0, (-3.0 * t * t + 2.0 * t + 1.0) / 2.0, t * t / 2.0];
    let bend = [1.0 - t, 3.0 * t - 2.0, 1.0 - 3.0 * t, t];
    let sum = |weights: &[f64; 4]| {
        weights.iter().enumerate().fold((0.0, 0.0), |(x, z), (offset, weight)| {
            let (point_x, point_z) = points[(first + offset) % count];
            (x + weight * point_x, z + weight * point_z)
        })
    };
    let ((x, z), (dx, dz), (ddx, ddz)) = (sum(&place), sum(&slope), sum(&bend));
    CurvePoint { x, z, dx, dz, ddx, ddz }
}
