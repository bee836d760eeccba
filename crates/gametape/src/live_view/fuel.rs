//! Estimates how long the fuel lasts.

/// Number of laps in the moving average. Older laps may have been driven differently.
const LAPS: usize = 5;

/// Fuel used in the last laps.
#[derive(Debug, Default)]
pub(super) struct Fuel {
    used_l: Vec<f32>,
}

impl Fuel {
    /// Adds the fuel used in a lap.
    pub(super) fn used(&mut self, used_l: f32) {
        if used_l > 0.0 {
            self.used_l.push(used_l);
            if self.used_l.len() > LAPS {
                self.used_l.remove(0);
            }
        }
    }

    /// Returns the average fuel consumption per lap.
    pub(super) fn per_lap_l(&self) -> Option<f32> {
        let laps = self.used_l.len();
        (laps > 0).then(|| self.used_l.iter().sum::<f32>() / laps as f32)
    }

    /// Returns how many laps this amount of fuel lasts.
    pub(super) fn laps_left(&self, fuel_l: Option<f32>) -> Option<f32> {
        Option::zip(fuel_l, self.per_lap_l()).map(|(fuel, lap)| fuel / lap)
    }
}
