//! Decodes datagrams into lap frames.
//!
//! Events with several laps count them and report the last lap time. A stage reports nothing of the kind: the clock stops with the last packet, so
//! [`StageRuns`] finds the end of a run, which is one lap. A run that is given up is a lap that was aborted. Recovering the car adds a penalty to
//! the clock, which then jumps; the lap goes on.
//!
//! A stage of DiRT Rally 2.0 has four sectors. The games report the times of the first two; that of the third is read off the clock.
use super::TELEMETRY;
use super::decode::position;
use super::packet::{
    LAP_DISTANCE, LAP_TIME, LAST_LAP_TIME, PROGRESS, Packet, SECTOR, SECTOR_1_TIME, SECTOR_2_TIME, SPEED,
};
use super::pause::PauseWatch;
use super::rules::{car_text, track_text};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, ReadLaps, SectorValue};
use crate::sane::{finite, ms};
use crate::stage::{StageFrame, StageRuns};

/// Sectors of a stage.
const STAGE_SECTORS: u8 = 4;

#[derive(Debug, Default)]
pub(super) struct DirtLaps {
    identity: Identity,
    /// What the identity was made of.
    named: Option<(Option<[f32; 3]>, Option<f32>, bool)>,
    pause: PauseWatch,
    runs: StageRuns,
    /// The packets were cleared: the next stage begins anew.
    left: bool,
    /// The current sector, and when the one before it ended by the clock.
    sector: Option<(u8, Option<u32>)>,
}

impl ReadLaps for DirtLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let Some(packet) = Packet::of(frame.bytes).filter(|_| frame.stream == TELEMETRY.name) else { return false };
        if packet.is_race() {
            self.race(packet, laps);
        } else {
            self.cleared(laps);
        }
        self.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl DirtLaps {
    fn cleared(&mut self, laps: &mut LapFrame) {
        self.left = true;
        if self.runs.end() {
            // There may be only this one packet: the timer falls, and the run is counted at once.
            *laps =
                LapFrame { presence: Presence::Live, running_ms: Some(0), position: None, distance_m: None, ..*laps };
            self.result(laps);
        } else {
            laps.presence = Presence::Off;
        }
    }

    fn race(&mut self, packet: Packet<'_>, laps: &mut LapFrame) {
        if std::mem::take(&mut self.left) {
            (self.runs, self.sector) = (StageRuns::default(), None);
        }
        if self.pause.look(packet) {
            laps.presence = Presence::Paused;
            return;
        }
        self.name(packet);
        let seconds = |number| packet.get(number).and_then(|seconds| ms(f64::from(seconds) * 1000.0));
        let running_ms = seconds(LAP_TIME);
        *laps = LapFrame {
            presence: Presence::Live,
            running_ms,
            distance_m: packet.get(LAP_DISTANCE),
            position: position(packet),
            world_m: packet.world_m(),
            speed_kmh: packet.get(SPEED).map(|speed| speed * 3.6).and_then(finite),
            ..LapFrame::default()
        };
        if packet.has_laps() {
            laps.laps_completed = packet.laps();
            laps.last_ms = seconds(LAST_LAP_TIME).filter(|ms| *ms > 0);
            laps.last_exact = packet.get(LAST_LAP_TIME).filter(|seconds| *seconds > 0.0).map(f32::to_bits);
            return;
        }
        if let (Some(time_s), Some(progress)) = (packet.get(LAP_TIME), packet.get(PROGRESS)) {
            self.runs.frame(StageFrame { time_s: time_s.into(), progress: progress.into() });
        }
        self.sector(packet, running_ms, laps);
        self.result(laps);
    }

    /// Writes the runs so far.
    fn result(&self, laps: &mut LapFrame) {
        laps.laps_completed = Some(self.runs.finished());
        laps.last_ms = self.runs.time_s().and_then(|seconds| ms(seconds * 1000.0));
        laps.last_exact = self.runs.time_s().map(|seconds| (seconds as f32).to_bits());
    }

    fn sector(&mut self, packet: Packet<'_>, running_ms: Option<u32>, laps: &mut LapFrame) {
        let Some(now) = packet.get(SECTOR).filter(|sector| (0.0..f32::from(STAGE_SECTORS)).contains(sector)) else {
            return;
        };
        let now = now as u8;
        match self.sector {
            Some((before, _)) if before == now => {}
            Some((before, _)) if before.checked_add(1) == Some(now) => self.sector = Some((now, running_ms)),
            _ => self.sector = Some((now, None)),
        }
        let reported = |number| packet.get(number).filter(|seconds| *seconds > 0.0).map(f64::from);
        let first = reported(SECTOR_1_TIME);
        let end_ms = match now {
            0 => None,
            1 => first.and_then(|first| ms(first * 1000.0)),
            2 => Option::zip(first, reported(SECTOR_2_TIME)).and_then(|(first, second)| ms((first + second) * 1000.0)),
            _ => self.sector.and_then(|(_, end_ms)| end_ms),
        };
        laps.sector = Some(now);
        laps.sector_value = end_ms.map_or(SectorValue::None, SectorValue::Cumulative);
    }

    /// Updates car and track, if they changed.
    fn name(&mut self, packet: Packet<'_>) {
        let named = (packet.car(), packet.track_m(), packet.has_laps());
        if self.named.replace(named) == Some(named) {
            return;
        }
        let (car, track_m, has_laps) = named;
        self.identity.replace_with(Identity {
            car: car.map(car_text),
            track: track_m.map(track_text),
            length_m: track_m,
            sector_count: (!has_laps).then_some(STAGE_SECTORS),
            ..Identity::default()
        });
    }
}
