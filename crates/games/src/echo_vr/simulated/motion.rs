//! Smooth motion as sums of sines, and orthogonal directions.

use std::f64::consts::TAU;

use super::chance::Chance;

/// Number of sines per motion.
const SINES: u64 = 4;

/// A position or a direction.
pub(super) type Vector = [f64; 3];

/// A value that varies smoothly.
#[derive(Debug, Clone)]
pub(super) struct Wander {
    sines: Vec<(f64, f64, f64)>,
}

impl Wander {
    /// Stays within ±`reach`, with frequencies between `slow_hz` and `fast_hz`.
    pub(super) fn new(chance: Chance, reach: f64, slow_hz: f64, fast_hz: f64) -> Self {
        let sines = (0..SINES).map(|number| {
            let of = chance.of(number);
            let hz = slow_hz * (fast_hz / slow_hz).powf((number as f64 + of.share(0)) / SINES as f64);
            // Slow oscillations have larger amplitudes.
            let width = reach / SINES as f64 * (slow_hz / hz).sqrt() * of.between(1, 0.7, 1.3);
            (width, hz * TAU, of.between(2, 0.0, TAU))
        });
        Self { sines: sines.collect() }
    }

    pub(super) fn at(&self, seconds: f64) -> f64 {
        self.sines.iter().map(|(width, speed, phase)| width * (speed * seconds + phase).sin()).sum()
    }

    /// Returns the rate of change per second.
    pub(super) fn slope(&self, seconds: f64) -> f64 {
        self.sines.iter().map(|(width, speed, phase)| width * speed * (speed * seconds + phase).cos()).sum()
    }
}

/// Three values that vary smoothly.
#[derive(Debug, Clone)]
pub(super) struct Wander3([Wander; 3]);

impl Wander3 {
    pub(super) fn new(chance: Chance, reach: Vector, slow_hz: f64, fast_hz: f64) -> Self {
        let [x, y, z] = reach;
        let of = |number: u64, reach: f64| Wander::new(chance.of(number), reach, slow_hz, fast_hz);
        Self([of(11, x), of(12, y), of(13, z)])
    }

    pub(super) fn at(&self, seconds: f64) -> Vector {
        let [x, y, z] = &self.0;
        [x.at(seconds), y.at(seconds), z.at(seconds)]
    }

    pub(super) fn slope(&self, seconds: f64) -> Vector {
        let [x, y, z] = &self.0;
        [x.slope(seconds), y.slope(seconds), z.slope(seconds)]
    }
}

pub(super) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn scaled(a: Vector, by: f64) -> Vector {
    [a[0] * by, a[1] * by, a[2] * by]
}

/// Forward, left and up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Basis {
    pub(super) forward: Vector,
    pub(super) left: Vector,
    pub(super) up: Vector,
}

impl Basis {
    /// Creates a basis from yaw, pitch and roll in radians.
    pub(super) fn of([yaw, pitch, roll]: Vector) -> Self {
        let (sin_yaw, cos_yaw) = yaw.sin_cos();
        let (sin_pitch, cos_pitch) = pitch.sin_cos();
        let (sin_roll, cos_roll) = roll.sin_cos();
        let forward = [sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch];
        let flat_left = [cos_yaw, 0.0, -sin_yaw];
        let flat_up = [-sin_yaw * sin_pitch, cos_pitch, -cos_yaw * sin_pitch];
        let left = add(scaled(flat_left, cos_roll), scaled(flat_up, sin_roll));
        let up = add(scaled(flat_up, cos_roll), scaled(flat_left, -sin_roll));
        Self { forward, left, up }
    }

    /// Transforms a position from the body's axes to world axes.
    pub(super) fn to_world(self, [left, up, forward]: Vector) -> Vector {
        add(add(scaled(self.left, left), scaled(self.up, up)), scaled(self.forward, forward))
    }
}
