//! Traces of the laps of a session, and the live delta to the best of them.

use gametape_games::Sample;

use super::reference::Reference;
use crate::laps::Id;

/// Number of laps whose traces are kept. If the best lap is revoked, an earlier one becomes the reference again.
const KEPT: usize = 8;

/// Lap traces of a session.
#[derive(Default)]
pub struct Deltas {
    running: Reference,
    driven: Vec<(Id, Reference)>,
    best: Option<Id>,
}

impl Deltas {
    /// Starts the trace of a new lap. `before` is the id of the lap that just ended, if any.
    pub fn lap_begins(&mut self, before: Option<Id>) {
        let driven = std::mem::take(&mut self.running);
        let Some(id) = before else { return };
        self.driven.push((id, driven));
        if self.driven.len() > KEPT
            && let Some(oldest) = self.driven.iter().position(|(id, _)| Some(*id) != self.best)
        {
            self.driven.remove(oldest);
        }
    }

    /// Sets the best lap, the reference for deltas.
    pub fn best_is(&mut self, best: Option<Id>) {
        self.best = best;
    }

    /// Adds the car's current position to the trace of the running lap.
    pub fn add(&mut self, sample: &Sample, since_line_ns: Option<u64>) {
        self.running.add(sample, since_line_ns);
    }

    /// Returns the delta to the best lap at the car's current position; positive is slower.
    #[must_use]
    pub fn to_best_ms(&self, sample: &Sample, since_line_ns: Option<u64>) -> Option<i32> {
        let (_, best) = self.driven.iter().find(|(id, _)| Some(*id) == self.best)?;
        best.delta_ms(sample, since_line_ns)
    }
}
