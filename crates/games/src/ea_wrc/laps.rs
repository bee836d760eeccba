//! Decodes packets into lap frames. A run over the stage is a lap.
//!
//! A run ends with `session-end`, whose result is the time, if the structure has it. Without it, [`StageRuns`] finds the end by the distance.
//! While the game is paused it sends no updates. Split times change the sector, but how many there will be is not known, so a lap has no sectors.
use super::decode::{progress, world_m};
use super::values::{Ids, f32_of, number, whole};
use super::{SESSION_END, SESSION_PAUSE, SESSION_START, SESSION_UPDATE};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, ReadLaps};
use crate::sane::{finite, ms};
use crate::stage::{StageFrame, StageRuns};

/// `stage_result_status` of a run that reached the finish.
const FINISHED: u16 = 1;
/// The result of a run that has lasted less than this is not there yet. For structures whose updates have no result.
const YOUNG_S: f64 = 10.0;

#[derive(Debug, Default)]
pub(super) struct WrcLaps {
    identity: Identity,
    ids: Option<Ids>,
    runs: StageRuns,
    /// The result of the current run was observed. It may stay in later packets, and packets may repeat.
    has_result: bool,
    splits: Splits,
}

/// Counts the changes of the last split time.
#[derive(Debug, Default)]
struct Splits {
    time: Option<f64>,
    passed: u8,
}

impl ReadLaps for WrcLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        match frame.stream {
            stream if stream == SESSION_START.name => self.start(laps),
            stream if stream == SESSION_UPDATE.name => self.update(frame, laps),
            stream if stream == SESSION_PAUSE.name => laps.presence = Presence::Paused,
            stream if stream == SESSION_END.name => self.end(frame, laps),
            // The next update shows that the game goes on.
            _ => return false,
        }
        self.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl WrcLaps {
    fn start(&mut self, laps: &mut LapFrame) {
        self.runs.end();
        (self.has_result, self.splits) = (false, Splits::default());
        // Nothing is driven yet: the first update begins the session.
        laps.presence = Presence::Off;
    }

    fn update(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) {
        self.name(frame);
        let (time_s, progress) = (number(frame, "stage_current_time"), progress(frame));
        if let (Some(time_s), Some(progress)) = (time_s, progress) {
            self.runs.frame(StageFrame { time_s, progress });
        }
        if time_s.is_some_and(|seconds| seconds < YOUNG_S) && whole(frame, "stage_result_status").is_none() {
            self.has_result = false;
        }
        self.result(frame);
        let split = number(frame, "stage_previous_split_time");
        *laps = LapFrame {
            presence: Presence::Live,
            running_ms: time_s.and_then(|seconds| ms(seconds * 1000.0)),
            sector: self.splits.look(split),
            position: progress.map(|progress| progress as f32).filter(|share| (0.0..1.0).contains(share)),
            distance_m: f32_of(frame, "stage_current_distance"),
            world_m: world_m(frame),
            speed_kmh: f32_of(frame, "vehicle_speed").map(|speed| speed * 3.6).and_then(finite),
            ..LapFrame::default()
        };
        self.runs_so_far(laps);
    }

    fn end(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) {
        let before = self.runs.finished();
        self.result(frame);
        self.runs.end();
        if self.runs.finished() > before {
            // This packet comes once: the timer falls, and the run is counted.
            *laps =
                LapFrame { presence: Presence::Live, running_ms: Some(0), position: None, distance_m: None, ..*laps };
            self.runs_so_far(laps);
        } else {
            laps.presence = Presence::Off;
        }
    }

    /// Takes the result of the run, once it is there.
    fn result(&mut self, frame: SeenFrame<'_>) {
        let Some(status) = whole(frame, "stage_result_status") else { return };
        let time_s = number(frame, "stage_result_time").filter(|seconds| *seconds > 0.0);
        match time_s.filter(|_| status == FINISHED) {
            Some(time_s) if !self.has_result => {
                self.has_result = true;
                self.runs.finish_with(time_s);
            }
            Some(_) => {}
            None => self.has_result = false,
        }
    }

    /// Writes the runs so far.
    fn runs_so_far(&self, laps: &mut LapFrame) {
        laps.laps_completed = Some(self.runs.finished());
        laps.last_ms = self.runs.time_s().and_then(|seconds| ms(seconds * 1000.0));
        laps.last_exact = self.runs.time_s().map(|seconds| (seconds as f32).to_bits());
    }

    /// Updates car and stage, if they changed.
    fn name(&mut self, frame: SeenFrame<'_>) {
        let ids = Ids::of(frame);
        if self.ids.replace(ids) != Some(ids) {
            let length_m = ids.length_m().map(|metres| metres as f32);
            self.identity.replace_with(Identity {
                track: ids.track(),
                car: ids.car(),
                length_m,
                ..Identity::default()
            });
        }
    }
}

impl Splits {
    /// Returns the current sector; `None` if the structure has no split times.
    fn look(&mut self, time: Option<f64>) -> Option<u8> {
        let time = time?;
        let before = self.time.replace(time).unwrap_or(time);
        if time <= 0.0 {
            self.passed = 0;
        } else if time != before {
            self.passed = self.passed.saturating_add(1);
        }
        Some(self.passed)
    }
}
