//! Traces of the laps of a session, and the best one of them for comparison.

use super::reference::Reference;
use crate::games::Sample;
use crate::laps::Id;

/// Number of traces kept. If the best lap is invalidated, the previous one is needed again.
const KEPT: usize = 8;

/// The traces of a session.
#[derive(Default)]
pub(super) struct Deltas {
    running: Reference,
    driven: Vec<(Id, Reference)>,
    best: Option<Id>,
}

impl Deltas {
    /// Starts a new lap. `before` is the id of the previous one, if any.
    pub(super) fn lap_begins(&mut self, before: Option<Id>) {
        let driven = std::mem::take(&mut self.running);
        let Some(id) = before else { return };
        self.driven.push((id, driven));
        if self.driven.len() > KEPT
            && let Some(oldest) = self.driven.iter().position(|(id, _)| Some(*id) != self.best)
        {
            self.driven.remove(oldest);
        }
    }

    /// Sets the best lap.
    pub(super) fn best_is(&mut self, best: Option<Id>) {
        self.best = best;
    }

    /// Adds the current position of the car.
    pub(super) fn add(&mut self, sample: &Sample, since_line_ns: Option<u64>) {
        self.running.add(sample, since_line_ns);
    }

    /// Returns the time difference to the best lap at this position; positive is slower.
    pub(super) fn to_best_ms(&self, sample: &Sample, since_line_ns: Option<u64>) -> Option<i32> {
        let (_, best) = self.driven.iter().find(|(id, _)| Some(*id) == self.best)?;
        best.delta_ms(sample, since_line_ns)
    }
}
