//! Decodes the page into lap frames of the player's car.
//!
//! Sector times are cumulative. Those of the previous lap arrive with the lap count, or a frame later; an unchanged triple is not a new time. The
//! times of the current lap still hold the previous lap until its first sector ends. Laps that do not count have no time.
use super::decode::sector;
use super::page::{FORMATION, GREEN, Page, RACE, Triple, bits, single_ms, time_ms};
use super::rules::{car_name, kind, version};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, LapRecord, Pit, ReadLaps, SectorValue, Validity};
use crate::sane::finite;

/// A lap timer this close to the last lap time is still that of the lap.
const LINE_MS: u32 = 2_000;
/// Control type: another player drives the viewed car.
const REMOTE: i32 = 2;
/// Finish status of a car that drives.
const RUNNING: i32 = 0;

#[derive(Debug, Default)]
pub(super) struct RaceRoomLaps {
    identity: Identity,
    /// The times of the previous lap that were already used; `None` before the first frame.
    used: Option<[u32; 3]>,
    record: Option<LapRecord>,
    laps_completed: Option<u32>,
    /// The previous frame already reported that the race is over for the car.
    was_over: bool,
}

impl ReadLaps for RaceRoomLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        if frame.stream != super::PAGE.name {
            return false;
        }
        match Page::of(frame.bytes) {
            Some(page) => *laps = self.read(page, frame.bytes),
            None => *laps = LapFrame::default(),
        }
        self.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl RaceRoomLaps {
    fn read(&mut self, page: Page<'_>, bytes: &[u8]) -> LapFrame {
        let presence = page.presence();
        if presence == Presence::Off {
            *self = Self { identity: std::mem::take(&mut self.identity), ..Self::default() };
            return LapFrame { presence, ..LapFrame::default() };
        }
        let is_own = page.control() != Some(REMOTE);
        let base = LapFrame {
            presence,
            counter: page.tick().map(i64::from),
            kind: kind(page),
            session_index: page.whole(784),
            left_ms: page.number(820).and_then(|left_s| finite(left_s * 1000.0)),
            game_ms: page.simulation_ms(),
            caution: page.flag(932),
            ..LapFrame::default()
        };
        if !is_own {
            // Another car is viewed: its laps are not the player's.
            return LapFrame { on_lap: Some(false), ..base };
        }
        self.name(page, bytes);
        let running_ms = page.number(1100).and_then(time_ms);
        let laps_completed = page.whole(1028).map(i32::cast_unsigned);
        if Option::zip(self.laps_completed, laps_completed).is_some_and(|(before, now)| now < before) {
            (self.used, self.record) = (None, None);
        }
        self.laps_completed = laps_completed;
        self.take_times(page, running_ms, laps_completed);
        let sector = sector(page);
        let pit = page.pit();
        let phase = page.session_phase();
        let is_race = page.session_type() == Some(RACE);
        let has_begun = phase.is_none_or(|phase| phase >= GREEN) || !is_race;
        let distance = page.number(1044);
        LapFrame {
            player_car: page.slot(),
            laps_completed,
            running_ms,
            last_ms: page.number(1084).and_then(time_ms).filter(|ms| *ms > 0),
            last_exact: page.number(1084).filter(|seconds| *seconds > 0.0).map(f32::to_bits),
            sector,
            sector_value: sector_value(page.triple(1104), sector),
            record: self.record,
            valid: self.valid(page).filter(|_| has_begun),
            pit,
            position: distance.filter(|position| *position <= 1.0),
            bad_position: distance.is_some_and(|position| position > 1.0),
            // The game's axes are left-handed.
            world_m: page.world_m().map(|[x, y, z]| [x, y, -z]),
            on_lap: self.is_on_lap(page, has_begun),
            formation: Some(is_race && phase == Some(FORMATION)),
            before_first_line: page.whole(1036) == Some(0) && pit != Some(Pit::Box),
            speed_kmh: page.speed_kmh(),
            fuel_l: page.number(1456),
            ..base
        }
    }

    /// Takes the times of the previous lap when they change.
    fn take_times(&mut self, page: Page<'_>, running_ms: Option<u32>, laps_completed: Option<u32>) {
        let triple = page.triple(1088);
        let (now, before) = (bits(triple), self.used.replace(bits(triple)));
        if before.is_none_or(|before| before == now) {
            return;
        }
        let [_, _, time] = triple;
        let Some(time_ms) = time.and_then(time_ms) else { return };
        // Times that come before the lap is counted belong to the lap that is about to end.
        let is_early = running_ms.is_some_and(|running| running.abs_diff(time_ms) < LINE_MS);
        let lap = laps_completed.map(|done| done.saturating_add(is_early.into())).filter(|lap| *lap > 0);
        self.record = lap.map(|lap| LapRecord {
            lap,
            time_ms: Some(time_ms),
            sectors_ms: single_ms(triple),
            invalid: page.flag(1180).filter(|_| !is_early).map(|valid| !valid),
            ..LapRecord::default()
        });
    }

    /// Returns whether the running lap counts.
    fn valid(&self, page: Page<'_>) -> Option<bool> {
        let is_invalid = matches!(page.whole(1176), Some(1 | 2));
        page.flag(1032).map(|valid| valid && !is_invalid)
    }

    /// The frame in which the race ends still completes its last lap.
    fn is_on_lap(&mut self, page: Page<'_>, has_begun: bool) -> Option<bool> {
        let is_over = page.whole(996).is_some_and(|status| status > RUNNING);
        let was_over = std::mem::replace(&mut self.was_over, is_over);
        Some(has_begun && !(is_over && was_over))
    }

    fn name(&mut self, page: Page<'_>, bytes: &[u8]) {
        self.identity.replace_with(Identity {
            game_version: version(bytes),
            track: page.text(600),
            layout: page.text(664),
            car: page.whole(1268).map(car_name),
            driver: page.text(1324),
            tyre: page.whole(1848).and_then(tyre).map(str::to_owned),
            online: page.whole(16).map(|mode| mode == 5 || mode == 6),
            sector_count: Some(3),
            length_m: page.number(736).filter(|metres| *metres > 0.0),
            validity: Validity::Flag,
            ..self.identity.clone()
        });
    }
}

/// Returns the time at which the last sector of the running lap ended.
fn sector_value(current: Triple, sector: Option<u8>) -> SectorValue {
    let ended = sector.and_then(|sector| sector.checked_sub(1));
    let seconds = ended.and_then(|ended| current.get(usize::from(ended)).copied().flatten());
    seconds.and_then(time_ms).map_or(SectorValue::None, SectorValue::Cumulative)
}

/// Returns the name of a tyre.
pub(super) fn tyre(subtype: i32) -> Option<&'static str> {
    ["primary", "alternate", "soft", "medium", "hard"].get(usize::try_from(subtype).ok()?).copied()
}
