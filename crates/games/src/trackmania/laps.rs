//! Decodes frames into lap frames.
//!
//! A race is a lap that begins at 0 s and ends when the race state says so, at the time of the last checkpoint. In races over several laps, a lap
//! ends with each `checkpointsPerLap`-th checkpoint; the finish counts as one. A race that is restarted is an aborted lap.
use super::body::{BEFORE, Body, FINISHED, RUNNING};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, LapRecord, ReadLaps, SectorValue};
use crate::session_kind::SessionKind;

/// More checkpoints in a lap are not sectors.
const MOST_SECTORS: u32 = 64;

#[derive(Debug, Default)]
pub(super) struct TrackmaniaLaps {
    identity: Identity,
    race: Option<Race>,
    /// Laps of earlier races on this map.
    earlier_laps: u32,
    last_ms: Option<u32>,
    record: Option<LapRecord>,
}

/// The current race.
#[derive(Debug, Clone, Copy, Default)]
struct Race {
    start: Option<u32>,
    ms: Option<u32>,
    /// Laps of this race.
    laps: u32,
    /// When its current lap began.
    lap_began_ms: u32,
    is_finished: bool,
}

impl ReadLaps for TrackmaniaLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let Some(body) = Body::of(frame) else { return false };
        *laps = self.read(body);
        self.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl TrackmaniaLaps {
    fn read(&mut self, body: Body<'_>) -> LapFrame {
        let presence = body.presence();
        if presence == Presence::Off {
            *self = Self { identity: std::mem::take(&mut self.identity), ..Self::default() };
            return LapFrame { presence, ..LapFrame::default() };
        }
        let per_lap = body.checkpoints_per_lap();
        self.name(body, per_lap);
        let state = body.race_state();
        let was_finished = self.race.is_none_or(|race| race.is_finished);
        self.follow(body, state, per_lap);
        let race = self.race.unwrap_or_default();
        let running_ms = match state {
            Some(RUNNING) => body.race_ms().map(|ms| ms.saturating_sub(race.lap_began_ms)),
            Some(BEFORE | FINISHED) => Some(0),
            _ => None,
        };
        let passed = body.checkpoints().unwrap_or(0);
        let of_lap = per_lap.map_or(passed, |per_lap| passed.saturating_sub(race.laps.saturating_mul(per_lap)));
        let runs = state == Some(RUNNING);
        let ended_ms = passed.checked_sub(1).filter(|_| runs && of_lap > 0).and_then(|last| body.checkpoint_ms(last));
        let since_line_ms = ended_ms.and_then(|ms| ms.checked_sub(race.lap_began_ms)).filter(|ms| *ms > 0);
        LapFrame {
            presence,
            kind: SessionKind::TimeTrial,
            laps_completed: Some(self.earlier_laps.saturating_add(race.laps)),
            running_ms,
            last_ms: self.last_ms,
            last_exact: self.last_ms,
            record: self.record,
            sector: u8::try_from(of_lap).ok().filter(|_| per_lap.is_some()),
            sector_value: since_line_ms.map_or(SectorValue::None, SectorValue::Cumulative),
            world_m: body.world_m(),
            // The frame in which the race ends still completes its last lap.
            on_lap: Some(runs || (state == Some(FINISHED) && !was_finished)),
            speed_kmh: body.speed_kmh(),
            ..LapFrame::default()
        }
    }

    /// Counts laps and races.
    fn follow(&mut self, body: Body<'_>, state: Option<u32>, per_lap: Option<u32>) {
        let (start, ms) = (body.u32(1044), body.race_ms());
        let is_new = self.race.is_none_or(|race| {
            let fell = Option::zip(race.ms, ms).is_some_and(|(before, now)| now < before);
            race.start != start || (fell && state != Some(FINISHED)) || (race.is_finished && state != Some(FINISHED))
        });
        if is_new {
            let before = self.race.take();
            self.earlier_laps = self.earlier_laps.saturating_add(before.map_or(0, |race| race.laps));
            // A race that was finished before the recording is not a lap.
            self.race = Some(Race { start, is_finished: state == Some(FINISHED), ..Race::default() });
        }
        let Some(mut race) = self.race else { return };
        race.ms = ms;
        let passed = body.checkpoints().unwrap_or(0);
        let has_laps = body.laps().is_some_and(|laps| laps > 1);
        if let Some(per_lap) = per_lap.filter(|_| has_laps && state == Some(RUNNING)) {
            while race.laps < passed / per_lap {
                let end_ms = body.checkpoint_ms((race.laps + 1) * per_lap - 1);
                self.finish(&mut race, end_ms, body, Some(per_lap));
            }
        }
        if state == Some(FINISHED) && !race.is_finished {
            race.is_finished = true;
            let end_ms = passed.checked_sub(1).and_then(|last| body.checkpoint_ms(last)).filter(|ms| *ms > 0);
            self.finish(&mut race, end_ms.or(ms), body, per_lap);
        }
        self.race = Some(race);
    }

    /// Ends a lap at a race time.
    fn finish(&mut self, race: &mut Race, end_ms: Option<u32>, body: Body<'_>, per_lap: Option<u32>) {
        let lap_ms = end_ms.and_then(|end| end.checked_sub(race.lap_began_ms)).filter(|ms| *ms > 0);
        let first = per_lap.map_or(0, |per_lap| race.laps.saturating_mul(per_lap));
        let until = |index| body.checkpoint_ms(first + index)?.checked_sub(race.lap_began_ms);
        race.laps = race.laps.saturating_add(1);
        self.last_ms = lap_ms;
        // A record has room for three sectors.
        let sectors_ms = match (per_lap, until(0), until(1), lap_ms) {
            (Some(3), Some(first), Some(second), Some(lap)) if first < second && second < lap => {
                [Some(first), Some(second - first), Some(lap - second)]
            }
            _ => [None; 3],
        };
        let lap = self.earlier_laps.saturating_add(race.laps);
        self.record =
            lap_ms.map(|time_ms| LapRecord { lap, time_ms: Some(time_ms), sectors_ms, ..LapRecord::default() });
        race.lap_began_ms = end_ms.unwrap_or(race.lap_began_ms);
    }

    fn name(&mut self, body: Body<'_>, per_lap: Option<u32>) {
        let track = body.map_name();
        if self.identity.track != track {
            (self.race, self.earlier_laps) = (None, 0);
        }
        self.identity.replace_with(Identity {
            game_version: body.variant(),
            track,
            driver: body.user(),
            sector_count: per_lap
                .filter(|count| (2..=MOST_SECTORS).contains(count))
                .and_then(|count| u8::try_from(count).ok()),
            ..self.identity.clone()
        });
    }
}
