//! The speed plan: the fastest speed at every point of the track, with braking zones before the corners.
use super::vehicle::{grip_ms2, left_of, mass_kg, resistance_n};
use crate::track::Track;

const STEP_M: f64 = 1.0;
/// No straight is long enough for more.
const TOP_MS: f64 = 79.0;
/// What a good driver uses of the grip, in corners and on the brakes.
const CORNER_USE: f64 = 0.95;
const BRAKE_USE: f64 = 0.92;
/// The plan is made for this much fuel.
const FUEL_L: f64 = 40.0;

/// The speed to have at each place.
#[derive(Debug, Clone)]
pub(crate) struct SpeedPlan {
    speeds_ms: Vec<f64>,
    step_m: f64,
}

impl SpeedPlan {
    /// The plan for a track.
    #[must_use]
    pub(crate) fn new(track: &Track) -> Self {
        let count = (track.length_m() / STEP_M).round() as usize;
        let step_m = track.length_m() / count as f64;
        let bends: Vec<f64> = (0..count).map(|index| track.at(index as f64 * step_m).curvature.abs()).collect();
        let mut speeds_ms: Vec<f64> = bends.iter().map(|bend| corner_speed_ms(*bend)).collect();
        // Twice around: the first corner is braked for at the end of the lap before.
        for index in (0..2 * count).rev() {
            let (here, next) = (index % count, (index + 1) % count);
            let next_ms = speeds_ms[next];
            let across = next_ms * next_ms * bends[here];
            let mass = mass_kg(FUEL_L);
            let tyres = left_of(BRAKE_USE * grip_ms2(next_ms, mass, 1.0), across);
            let braking = tyres + resistance_n(next_ms, mass) / mass;
            speeds_ms[here] = speeds_ms[here].min((next_ms * next_ms + 2.0 * braking * step_m).sqrt());
        }
        Self { speeds_ms, step_m }
    }

    /// The speed to have at a distance from the line.
    #[must_use]
    pub(crate) fn at(&self, distance_m: f64) -> f64 {
        let along = (distance_m / self.step_m).rem_euclid(self.speeds_ms.len() as f64);
        let index = (along as usize).min(self.speeds_ms.len() - 1);
        let (a, b) = (self.speeds_ms[index], self.speeds_ms[(index + 1) % self.speeds_ms.len()]);
        a + (b - a) * (along - index as f64)
    }
}

/// The speed at which a turn of this curvature takes what the driver uses of the grip.
fn corner_speed_ms(curvature: f64) -> f64 {
    let mass = mass_kg(FUEL_L);
    // Grip grows with the square of the speed: a + b v² = v² curvature.
    let standing = CORNER_USE * grip_ms2(0.0, mass, 1.0);
    let by_speed = CORNER_USE * grip_ms2(1.0, mass, 1.0) - standing;
    if curvature <= by_speed + standing / (TOP_MS * TOP_MS) {
        return TOP_MS;
    }
    (standing / (curvature - by_speed)).sqrt().min(TOP_MS)
}
