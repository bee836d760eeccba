//! Fuel consumption, and how many laps the fuel lasts.

/// Number of laps averaged. Older laps may have been driven at another pace.
const LAPS: usize = 5;

/// Fuel used by the last laps.
#[derive(Debug, Default)]
pub struct Fuel {
    used_l: Vec<f32>,
}

impl Fuel {
    /// Adds the fuel used by a lap. Values of 0 or less are ignored.
    pub fn used(&mut self, used_l: f32) {
        if used_l > 0.0 {
            self.used_l.push(used_l);
            if self.used_l.len() > LAPS {
                self.used_l.remove(0);
            }
        }
    }

    /// Returns the average fuel used per lap, or `None` before the first lap.
    #[must_use]
    pub fn per_lap_l(&self) -> Option<f32> {
        let laps = self.used_l.len();
        (laps > 0).then(|| self.used_l.iter().sum::<f32>() / laps as f32)
    }

    /// Returns the number of laps that `fuel_l` lasts.
    #[must_use]
    pub fn laps_left(&self, fuel_l: Option<f32>) -> Option<f32> {
        Option::zip(fuel_l, self.per_lap_l()).map(|(fuel, lap)| fuel / lap)
    }
}
