//! Validity of completed laps by the session history.
use std::collections::VecDeque;

use crate::lap_frame::Verdict;

use super::packets::HistoryLap;

/// The laps that have to be told. The history is the authority on validity. A lap frame has room for one lap: they are told one after
/// another, and again when they change.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    waiting: VecDeque<(u8, bool)>,
    /// What was told, by lap number.
    told: Vec<Option<bool>>,
}

impl Verdicts {
    /// Takes the laps of a history.
    pub(super) fn take(&mut self, laps: impl Iterator<Item = HistoryLap>) {
        self.waiting.clear();
        let ended = laps.filter(|lap| lap.time_ms.is_some()).map(|lap| (lap.number, lap.valid & 1 == 0));
        let mut last = None;
        for (number, invalid) in ended {
            last = Some((number, invalid));
            if self.told.get(usize::from(number)).copied().flatten() != Some(invalid) {
                self.waiting.push_back((number, invalid));
            }
        }
        // The tracker may not have counted the newest lap when it was told.
        self.waiting.extend(last.filter(|last| self.waiting.back() != Some(last)));
    }

    /// Returns the next lap to tell.
    pub(super) fn next(&mut self) -> Option<Verdict> {
        let (number, invalid) = self.waiting.pop_front()?;
        let at = usize::from(number);
        if self.told.len() <= at {
            self.told.resize(at + 1, None);
        }
        if let Some(told) = self.told.get_mut(at) {
            *told = Some(invalid);
        }
        Some(Verdict { lap: number.into(), invalid: Some(invalid), counts_for_best: None })
    }
}
