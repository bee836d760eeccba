//! Records of completed laps, by the session history.
use std::collections::VecDeque;

use crate::lap_frame::LapRecord;

use super::packets::HistoryLap;

/// Bit of [`HistoryLap::valid`]: the whole lap is valid.
const LAP_IS_VALID: u8 = 1;

/// The records that have to be passed on. A lap frame has room for one: they are passed on one after another, and again when they change.
#[derive(Debug, Default)]
pub(super) struct Records {
    waiting: VecDeque<LapRecord>,
    /// What was passed on, by lap number.
    told: Vec<Option<LapRecord>>,
}

impl Records {
    /// Takes the laps of a history.
    pub(super) fn take(&mut self, laps: impl Iterator<Item = HistoryLap>) {
        self.waiting.clear();
        let mut last = None;
        for record in laps.filter_map(record) {
            last = Some(record);
            if !self.is_told(&record) {
                self.waiting.push_back(record);
            }
        }
        // The tracker may have ignored the frame that it was in.
        self.waiting.extend(last.filter(|last| self.waiting.back() != Some(last)));
    }

    /// Returns the next record to pass on.
    pub(super) fn next(&mut self) -> Option<LapRecord> {
        let record = self.waiting.pop_front()?;
        self.tell(record);
        Some(record)
    }

    /// Returns the record of the newest completed lap, unless it was passed on.
    pub(super) fn newest(&mut self, laps: impl Iterator<Item = HistoryLap>) -> Option<LapRecord> {
        let record = laps.filter_map(record).last().filter(|record| !self.is_told(record))?;
        self.tell(record);
        Some(record)
    }

    fn is_told(&self, record: &LapRecord) -> bool {
        self.told.get(record.lap as usize).is_some_and(|told| told.as_ref() == Some(record))
    }

    fn tell(&mut self, record: LapRecord) {
        let at = record.lap as usize;
        if self.told.len() <= at {
            self.told.resize(at + 1, None);
        }
        if let Some(told) = self.told.get_mut(at) {
            *told = Some(record);
        }
    }
}

/// Returns the record of a lap; `None` if it is still being driven. The history is the authority on times and validity.
fn record(lap: HistoryLap) -> Option<LapRecord> {
    Some(LapRecord {
        lap: lap.number.into(),
        time_ms: Some(lap.time_ms?),
        sectors_ms: lap.sectors_ms,
        invalid: Some(lap.valid & LAP_IS_VALID == 0),
        counts_for_best: None,
        overrules: true,
    })
}
