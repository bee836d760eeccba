//! How long the fuel lasts.

/// Laps that are averaged: what was driven long ago was driven otherwise.
const LAPS: usize = 5;

/// What the last laps took.
#[derive(Debug, Default)]
pub struct Fuel {
    used_l: Vec<f32>,
}

impl Fuel {
    /// A lap that took this much.
    pub fn used(&mut self, used_l: f32) {
        if used_l > 0.0 {
            self.used_l.push(used_l);
            if self.used_l.len() > LAPS {
                self.used_l.remove(0);
            }
        }
    }

    /// What a lap takes.
    #[must_use]
    pub fn per_lap_l(&self) -> Option<f32> {
        let laps = self.used_l.len();
        (laps > 0).then(|| self.used_l.iter().sum::<f32>() / laps as f32)
    }

    /// Laps that this much lasts.
    #[must_use]
    pub fn laps_left(&self, fuel_l: Option<f32>) -> Option<f32> {
        Option::zip(fuel_l, self.per_lap_l()).map(|(fuel, lap)| fuel / lap)
    }
}
