//! Traces of the laps of a session, and which of them is the one to compare with.

use gametape_games::Sample;

use super::reference::Reference;
use crate::laps::Id;

/// Laps whose traces are kept: a best that is taken away gives back the one before.
const KEPT: usize = 8;

/// Traces of a session.
#[derive(Default)]
pub struct Deltas {
    running: Reference,
    driven: Vec<(Id, Reference)>,
    best: Option<Id>,
}

impl Deltas {
    /// A lap begins; the one before, if any, was this one.
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

    /// Another lap is the best.
    pub fn best_is(&mut self, best: Option<Id>) {
        self.best = best;
    }

    /// The car is here.
    pub fn add(&mut self, sample: &Sample, since_line_ns: Option<u64>) {
        self.running.add(sample, since_line_ns);
    }

    /// How much later the car is here than in the best lap.
    #[must_use]
    pub fn to_best_ms(&self, sample: &Sample, since_line_ns: Option<u64>) -> Option<i32> {
        let (_, best) = self.driven.iter().find(|(id, _)| Some(*id) == self.best)?;
        best.delta_ms(sample, since_line_ns)
    }
}
