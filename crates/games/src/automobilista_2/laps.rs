//! Decodes packets into lap frames of the player's car.
//!
//! A timings packet makes a lap frame. Last lap and sector times arrive with the next time stats packet, in the same tick or the one after it.
//! Sector times are those of each sector alone. The last lap time is also reported for invalid laps. The last three sector times when a lap time
//! appears are those of that lap, and make its record. The tracker takes them if they add up to the lap time.
use super::decode::flags;
use super::rules::{TRACK, TRACK_VARIATION, build_name};
use super::stats::{Names, Stats, TimeStats};
use super::telemetry::Telemetry;
use super::timings::{GameState, Timing, Timings, presence};
use super::{GAME_STATE, PARTICIPANTS, RACE_DEFINITION, TELEMETRY, TIME_STATS, TIMINGS, VEHICLE_CLASSES, VEHICLES};
use crate::bytes::f32_at;
use crate::capture::SeenFrame;
use crate::lap_frame::{Identity, LapFrame, LapRecord, ReadLaps, SectorValue, Validity};
use crate::project_cars::states::{self, FORMATION_LAP, NOT_STARTED, RACING, text};
use crate::session_kind::SessionKind;

/// The last sector, from 0. A car on the grid is in it.
const LAST_SECTOR: u8 = 2;
/// No sector ends this early in a lap: a sector time that appears is the last one of the lap before.
const YOUNG_MS: u32 = 5_000;
/// A lap timer this close to the last lap time is still that of the lap.
const LINE_MS: u32 = 2_000;

#[derive(Debug, Default)]
pub(super) struct Automobilista2Laps {
    identity: Identity,
    names: Names,
    game_state: Option<Vec<u8>>,
    /// Number of the player's car, and of the car itself.
    own: Option<(u16, Option<u16>)>,
    viewed: Viewed,
    /// The car was in its first lap, beyond the line.
    crossed_line: bool,
    /// The previous packet already reported that the race is over for the car.
    was_over: bool,
    ended: Ended,
}

/// What the time stats reported of the player's car.
#[derive(Debug, Default)]
struct Ended {
    /// The last lap time; `None` before the first packet, which may be about a lap before the recording.
    last_exact: Option<Option<u32>>,
    /// The last sector times, the newest at the end.
    sectors_ms: [Option<u32>; 3],
    /// The last lap.
    record: Option<LapRecord>,
}

/// Values of the viewed car, which is another one while the player watches.
#[derive(Debug, Default)]
struct Viewed {
    place: Option<usize>,
    speed_kmh: Option<f32>,
    fuel_l: Option<f32>,
    odometer_m: Option<f32>,
    world_m: Option<[f32; 3]>,
}

impl ReadLaps for Automobilista2Laps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let bytes = frame.bytes;
        match frame.stream {
            TIMINGS => {
                self.timings(Timings(bytes), laps);
                return true;
            }
            TELEMETRY => self.viewed = Viewed::of(Telemetry(bytes)),
            TIME_STATS => self.time_stats(TimeStats(bytes), laps),
            GAME_STATE => {
                self.game_state = Some(bytes.to_vec());
                let game_version = GameState(bytes).build().map(build_name);
                self.identity.replace_with(Identity { game_version, ..self.identity.clone() });
            }
            RACE_DEFINITION => self.identity.replace_with(Identity {
                track: text(bytes.get(TRACK)),
                layout: text(bytes.get(TRACK_VARIATION)),
                length_m: f32_at(bytes, 44).filter(|metres| *metres > 0.0),
                sector_count: Some(LAST_SECTOR + 1),
                validity: Validity::Flag,
                ..self.identity.clone()
            }),
            PARTICIPANTS => self.names.participants(bytes),
            VEHICLES => self.names.vehicles(bytes),
            VEHICLE_CLASSES => self.names.classes(bytes),
            _ => {}
        }
        if matches!(frame.stream, PARTICIPANTS | VEHICLES | VEHICLE_CLASSES) {
            self.name_own();
        }
        self.identity.stamp(laps);
        false
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl Automobilista2Laps {
    fn timings(&mut self, timings: Timings<'_>, laps: &mut LapFrame) {
        let local = timings.local(self.viewed.place);
        let car = local.map(|(_, car)| car);
        let own = car.and_then(|car| Some((car.participant()?, car.car_index())));
        let is_other = own.is_some() && self.own != own;
        if is_other {
            self.own = own;
            self.ended = Ended::default();
            self.name_own();
        }
        // The session was restarted: its laps are numbered anew.
        if Option::zip(car.and_then(|car| car.lap()), laps.laps_completed).is_some_and(|(now, done)| now <= done) {
            self.ended = Ended::default();
        }
        let on_lap = car.and_then(|car| self.is_on_lap(car));
        let state = self.game_state.as_deref().map(GameState);
        let session = state.and_then(GameState::session).unwrap_or(0);
        let before_line = car.is_some_and(|car| is_before_line(car, session, &mut self.crossed_line));
        let viewed = Some(&self.viewed).filter(|viewed| viewed.place == local.map(|(place, _)| place));
        let world_m = viewed.and_then(|viewed| viewed.world_m).or_else(|| car.and_then(|car| car.world_m()));
        let along_m = car.and_then(|car| car.lap_distance_m()).filter(|_| !before_line).map(f32::from);
        let position = Option::zip(along_m, self.identity.length_m).map(|(along_m, length_m)| along_m / length_m);
        let times_of_car = if is_other { LapFrame::default() } else { *laps };
        *laps = LapFrame {
            presence: presence(state, Some(timings)),
            counter: timings.packet_number().map(i64::from),
            kind: states::kind(session),
            player_car: own.map(|(participant, _)| i32::from(participant)),
            left_ms: timings.left_s().map(|left_s| left_s * 1000.0),
            laps_completed: car.and_then(|car| car.lap()).map(|lap| lap - 1),
            running_ms: car.and_then(|car| car.lap_time_ms()),
            last_ms: times_of_car.last_ms,
            last_exact: times_of_car.last_exact,
            sector: car.and_then(|car| car.sector()),
            sector_value: times_of_car.sector_value,
            record: self.ended.record,
            // On the way from the grid to the line, every lap is reported as invalid.
            valid: car.and_then(|car| car.is_lap_invalid()).filter(|_| !before_line).map(|invalid| !invalid),
            pit: car.and_then(|car| car.pit()),
            position: position.filter(|position| (0.0..=1.0).contains(position)),
            bad_position: position.is_some_and(|position| position > 1.0),
            distance_m: viewed.and_then(|viewed| viewed.odometer_m),
            // The game's axes are left-handed.
            world_m: world_m.map(|[x, y, z]| [x, y, -z]),
            caution: car.and_then(|car| car.flag_colour()).and_then(flags).map(|flags| flags.yellow || flags.red),
            on_lap,
            formation: Some(session == FORMATION_LAP),
            speed_kmh: viewed.and_then(|viewed| viewed.speed_kmh),
            fuel_l: viewed.and_then(|viewed| viewed.fuel_l),
            air_celsius: state.and_then(GameState::air_celsius),
            track_celsius: state.and_then(GameState::track_celsius),
            ..LapFrame::default()
        };
        self.identity.stamp(laps);
    }

    fn time_stats(&mut self, stats: TimeStats<'_>, laps: &mut LapFrame) {
        let Some(own) = self.own.and_then(|(participant, _)| stats.of(participant)) else { return };
        self.ended.look(own, laps);
        laps.last_ms = own.last_ms();
        laps.last_exact = own.last_exact();
        laps.sector_value = own.last_sector_ms().map_or(SectorValue::None, SectorValue::Own);
    }

    /// The packet in which the race ends still completes its last lap.
    fn is_on_lap(&mut self, car: Timing<'_>) -> Option<bool> {
        let state = car.race_state()?;
        let was_over = std::mem::replace(&mut self.was_over, state > RACING);
        match state {
            NOT_STARTED => Some(false),
            state if state > RACING => Some(!was_over),
            RACING => Some(true),
            _ => None,
        }
    }

    fn name_own(&mut self) {
        let Some((participant, car_index)) = self.own else { return };
        let (driver, (car, _)) = (self.names.driver(participant), self.names.car(participant, car_index));
        self.identity.replace_with(Identity { driver, car, ..self.identity.clone() });
    }
}

/// Returns whether the car is between the grid and the line: in the last sector of its first lap, and in no other sector before.
fn is_before_line(car: Timing<'_>, session: u8, crossed_line: &mut bool) -> bool {
    let first = car.lap().is_none_or(|lap| lap == 1);
    if car.race_state() == Some(NOT_STARTED) {
        *crossed_line = false;
    } else if !first || car.sector().is_some_and(|sector| sector != LAST_SECTOR) {
        *crossed_line = true;
    }
    first && !*crossed_line && states::kind(session) == SessionKind::Race
}

impl Ended {
    /// Takes the times of the player's car. `laps` is the newest lap frame.
    fn look(&mut self, own: Stats<'_>, laps: &LapFrame) {
        let is_young = laps.running_ms.is_some_and(|ms| ms < YOUNG_MS);
        let sector_ms = own.last_sector_ms();
        if sector_ms.is_some() && sector_ms != self.sectors_ms[2] {
            self.sectors_ms = [self.sectors_ms[1], self.sectors_ms[2], sector_ms];
            if let Some(record) = self.record.as_mut().filter(|_| is_young) {
                record.sectors_ms = self.sectors_ms;
            }
        }
        let (now, before) = (own.last_exact(), self.last_exact.replace(own.last_exact()));
        if now.is_none() || before.is_none_or(|before| before == now) {
            return;
        }
        // The timings of the same moment may come after the time stats: then the timer still shows the old lap.
        let time_ms = own.last_ms();
        let is_before_line =
            Option::zip(time_ms, laps.running_ms).is_some_and(|(last, running)| last.abs_diff(running) < LINE_MS);
        let counted = laps.laps_completed.map(|done| done.saturating_add(is_before_line.into()));
        let of_lap = |lap| LapRecord { lap, time_ms, sectors_ms: self.sectors_ms, ..LapRecord::default() };
        self.record = counted.filter(|lap| *lap > 0).map(of_lap);
    }
}

impl Viewed {
    fn of(packet: Telemetry<'_>) -> Self {
        Self {
            place: packet.viewed(),
            speed_kmh: packet.speed_kmh(),
            fuel_l: packet.fuel_l(),
            odometer_m: packet.odometer_m(),
            world_m: packet.world_m(),
        }
    }
}
