//! Decodes the page into lap frames of the viewed car.
//!
//! Sector times are those of each sector alone; that of the current sector counts up until it ends. The last lap time arrives with the lap count.
use super::super::decode::flags;
use super::SHARED_MEMORY;
use super::decode::along_m;
use super::page::{Page, Participant};
use super::state::{presence_of, version_text};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, LapRecord, ReadLaps, SectorValue, Validity};
use crate::project_cars::states::{self, FORMATION_LAP, NOT_STARTED, RACING, lap_ms, text};
use crate::sane::finite;
use crate::session_kind::SessionKind;

/// The last sector, from 0. A car on the grid is in it.
const LAST_SECTOR: u8 = 2;

/// Reads the laps of both games.
#[derive(Debug, Default)]
pub(crate) struct MemoryLaps {
    identity: Identity,
    /// The session, which changes before the race state does.
    session: u8,
    laps_completed: Option<u32>,
    /// The sectors of the current lap that have ended.
    sectors_ms: [Option<u32>; 2],
    record: Option<LapRecord>,
    /// The car was in its first lap, beyond the line.
    crossed_line: bool,
    /// The previous frame already reported that the race is over for the car.
    was_over: bool,
}

impl ReadLaps for MemoryLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        if frame.stream != SHARED_MEMORY {
            return false;
        }
        *laps = self.read(Page(frame.bytes));
        self.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl MemoryLaps {
    fn read(&mut self, page: Page<'_>) -> LapFrame {
        let presence = presence_of(page);
        if presence == Presence::Off {
            *self = Self { identity: std::mem::take(&mut self.identity), ..Self::default() };
            return LapFrame { presence, ..LapFrame::default() };
        }
        let race_state = page.race_state();
        // The kind of session is 0 for some frames when a pit strategy is saved, and that of the next session while this one is still finished.
        if let Some(session) = page.session_state().filter(|session| *session > 0)
            && (self.session == 0 || race_state.is_none_or(|state| state <= RACING))
        {
            self.session = session;
        }
        let own = page.own();
        self.name(page, own.map(|(_, own)| own));
        let car = own.map(|(_, own)| own);
        let laps_completed = car.and_then(|car| car.laps_completed());
        let sector = car.and_then(|car| car.sector());
        self.follow(page, laps_completed, sector);
        let before_line = self.is_before_line(race_state, laps_completed, sector);
        let on_lap = self.is_on_lap(race_state);
        let along_m = along_m(page).filter(|_| !before_line);
        let position = Option::zip(along_m, page.length_m()).map(|(along_m, length_m)| along_m / length_m);
        let last_s = page.f32(6720, 0);
        LapFrame {
            presence,
            counter: page.sequence().map(i64::from),
            kind: states::kind(self.session),
            player_car: own.and_then(|(index, _)| i32::try_from(index).ok()),
            left_ms: page.left_s().and_then(|seconds| finite(seconds * 1000.0)),
            laps_completed,
            running_ms: page.current_ms(),
            last_ms: last_s.and_then(lap_ms),
            last_exact: last_s.filter(|seconds| *seconds > 0.0).map(f32::to_bits),
            sector,
            sector_value: sector_value(page, sector),
            record: self.record,
            // On the way from the grid to the line, every lap is reported as invalid.
            valid: page.is_lap_invalid().filter(|_| !before_line).map(|invalid| !invalid),
            pit: page.pit(),
            position: position.filter(|position| (0.0..=1.0).contains(position)),
            bad_position: position.is_some_and(|position| position > 1.0),
            distance_m: page.f32(6884, 0).filter(|km| *km >= 0.0).and_then(|km| finite(km * 1000.0)),
            // The game's axes are left-handed.
            world_m: car.and_then(|car| car.world_m()).map(|[x, y, z]| [x, y, -z]),
            caution: page.state(6800).and_then(flags).map(|flags| flags.yellow || flags.red),
            on_lap,
            formation: Some(self.session == FORMATION_LAP),
            speed_kmh: page.speed_kmh(),
            fuel_l: page.fuel_l(),
            air_celsius: page.celsius(7292),
            track_celsius: page.celsius(7296),
            ..LapFrame::default()
        }
    }

    /// Notes the sectors of the current lap, and makes the record of the lap that ended.
    fn follow(&mut self, page: Page<'_>, laps_completed: Option<u32>, sector: Option<u8>) {
        let before = std::mem::replace(&mut self.laps_completed, laps_completed);
        match Option::zip(before, laps_completed) {
            Some((before, now)) if now < before => (self.record, self.sectors_ms) = (None, [None; 2]),
            Some((before, now)) if now > before => {
                let time_ms = page.f32(6720, 0).and_then(lap_ms);
                let [first, second] = self.sectors_ms;
                let third = time_ms
                    .zip(first)
                    .zip(second)
                    .and_then(|((lap, first), second)| lap.checked_sub(first)?.checked_sub(second));
                let sectors_ms = [first, second, third.filter(|ms| *ms > 0)];
                self.record = time_ms.filter(|_| now == before + 1).map(|_| LapRecord {
                    lap: now,
                    time_ms,
                    sectors_ms,
                    ..LapRecord::default()
                });
                self.sectors_ms = [None; 2];
            }
            _ => {}
        }
        for (index, ended_ms) in self.sectors_ms.iter_mut().enumerate() {
            match sector.is_some_and(|sector| usize::from(sector) > index) {
                true => *ended_ms = page.sector_s(index).and_then(lap_ms),
                false => *ended_ms = None,
            }
        }
    }

    /// Returns whether the car is between the grid and the line: in the last sector of its first lap, and in no other sector before.
    fn is_before_line(&mut self, race_state: Option<u8>, laps_completed: Option<u32>, sector: Option<u8>) -> bool {
        let first = laps_completed.is_none_or(|laps| laps == 0);
        if race_state == Some(NOT_STARTED) {
            self.crossed_line = false;
        } else if !first || sector.is_some_and(|sector| sector != LAST_SECTOR) {
            self.crossed_line = true;
        }
        first && !self.crossed_line && states::kind(self.session) == SessionKind::Race
    }

    /// The frame in which the race ends still completes its last lap.
    fn is_on_lap(&mut self, race_state: Option<u8>) -> Option<bool> {
        let state = race_state?;
        let was_over = std::mem::replace(&mut self.was_over, state > RACING);
        match state {
            NOT_STARTED => Some(false),
            state if state > RACING => Some(!was_over),
            RACING => Some(true),
            _ => None,
        }
    }

    fn name(&mut self, page: Page<'_>, own: Option<Participant<'_>>) {
        self.identity.replace_with(Identity {
            game_version: version_text(page),
            track: page.text(6576),
            layout: page.text(6640),
            car: page.text(6444),
            driver: own.and_then(|own| own.name()),
            tyre: text(page.0.get(19_388..19_428)),
            sector_count: Some(LAST_SECTOR + 1),
            length_m: page.length_m(),
            validity: Validity::Flag,
            ..self.identity.clone()
        });
    }
}

/// Returns the time of the sector that ended last in this lap.
fn sector_value(page: Page<'_>, sector: Option<u8>) -> SectorValue {
    let ended = sector.and_then(|sector| sector.checked_sub(1));
    let seconds = ended.and_then(|ended| page.sector_s(ended.into()));
    seconds.and_then(lap_ms).map_or(SectorValue::None, SectorValue::Own)
}
