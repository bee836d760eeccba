//! Decodes packets into lap frames of the player's car.
//!
//! The lap number does not rise at the chequered flag: the timer falls, the last lap time changes, and the result becomes "finished". If the
//! session ends before a packet says so, the session history that follows has the time.
//!
//! A flashback takes effect with the first lap data of an earlier moment. Its event may be lost, or arrive before or after them.
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{BackInTime, Identity, LapFrame, Pit, ReadLaps, SectorValue, Validity};
use crate::session_kind::SessionKind;

use super::event::{Event, event};
use super::fields::{Field, Table};
use super::header::Header;
use super::names::{rain, season, session_kind, session_name, tyre_name};
use super::newest::{Kept, Newest};
use super::packets::{HistoryTable, LapData, LapDataTable, ParticipantsTable, SessionTable};
use super::records::Records;
use super::rules::{team_words, track_words};

/// A last lap time that appears while the timer shows nearly the same ends the lap, whether its number rises or not.
const OFFICIAL_NEAR_MS: u32 = 1_000;
const FINISHED: u8 = 3;
const ACTIVE: u8 = 2;
const YELLOW: i64 = 3;
/// A frame number that falls by more than this has gone back with a flashback. Datagrams that overtake each other are closer.
const OVERTAKEN_FRAMES: u32 = 30;
/// Lap data show a flashback at most this many packets after its event.
const FLASHBACK_PACKETS: u8 = 60;

/// The lap reader of one packet format.
#[derive(Debug)]
pub(super) struct F1Laps {
    format: u16,
    newest: Newest,
    kept: Kept,
    identity: Identity,
    tables: Tables,
    /// The session that the fields below belong to.
    session: Option<u64>,
    kind: SessionKind,
    length_m: Option<f32>,
    safety_car: Option<u8>,
    yellow: bool,
    /// The newest lap data of the session, and of which car.
    before: Option<(usize, LapData)>,
    /// Frame number of the newest lap data.
    frame: u32,
    flashbacks: u32,
    /// For how many more packets the event of a flashback may become visible in lap data.
    flashback_within: u8,
    /// The lap that ended although the lap number did not rise.
    finished: Option<u8>,
    records: Records,
}

#[derive(Debug)]
struct Tables {
    lap_data: LapDataTable,
    session: SessionTable,
    history: HistoryTable,
    participants: ParticipantsTable,
    speed: (Table, Field),
    world: (Table, [Field; 3]),
    /// Flag and tyre compound.
    status: (Table, Field, Field),
    /// Car and tyre set.
    tyre_sets: (Table, Field, Field),
}

impl Tables {
    fn of(format: u16) -> Self {
        let [motion, telemetry, status, tyre_sets] = [0, 6, 7, 12].map(|id| Table::of(format, id));
        let world = ["worldPositionX", "worldPositionY", "worldPositionZ"];
        Self {
            lap_data: LapDataTable::of(format),
            session: SessionTable::of(format),
            history: HistoryTable::of(format),
            participants: ParticipantsTable::of(format),
            speed: (telemetry, telemetry.each("carTelemetryData", &["speed"])),
            world: (motion, world.map(|name| motion.each("carMotionData", &[name]))),
            status: (
                status,
                status.each("carStatusData", &["vehicleFiaFlags"]),
                status.each("carStatusData", &["visualTyreCompound"]),
            ),
            tyre_sets: (tyre_sets, tyre_sets.field(&["carIdx"]), tyre_sets.field(&["fittedIdx"])),
        }
    }
}

impl F1Laps {
    pub(super) fn new(format: u16) -> Self {
        Self {
            format,
            newest: Newest::new(format),
            kept: Kept::default(),
            identity: Identity::default(),
            tables: Tables::of(format),
            session: None,
            kind: SessionKind::Unknown,
            length_m: None,
            safety_car: None,
            yellow: false,
            before: None,
            frame: 0,
            flashbacks: 0,
            flashback_within: 0,
            finished: None,
            records: Records::default(),
        }
    }
}

impl ReadLaps for F1Laps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let packet = frame.bytes;
        self.newest.take(frame.stream, packet);
        self.kept.take(frame.stream, packet);
        let Some(header) = Header::read(packet, self.format) else { return false };
        let presence = self.newest.presence();
        let changed = laps.presence != presence;
        laps.presence = presence;
        let is_after = presence == Presence::Off || header.session_uid == 0;
        if is_after && frame.stream == "session-history" && self.history_after_end(&header, packet, laps) {
            return true;
        }
        if presence == Presence::Off {
            return changed;
        }
        let (uid, player) = (self.newest.session_uid(), self.newest.player());
        if self.session != uid {
            self.enter(uid, player, laps);
        }
        // The first lap data of a session make the lap frame complete.
        let changed = changed && laps.session_id.is_some();
        // A packet of another session, which has just begun or ended.
        if Some(header.session_uid) != uid {
            return changed;
        }
        self.read(frame.stream, &header, packet, player, laps);
        changed || (frame.stream == "lap-data" && player.is_some())
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl F1Laps {
    /// Forgets what belongs to an earlier session: its names would end the new one when they change.
    fn enter(&mut self, uid: Option<u64>, player: Option<usize>, laps: &mut LapFrame) {
        let identity = Identity { sector_count: Some(3), validity: Validity::Flag, ..Identity::default() };
        self.identity.replace_with(identity);
        let (identity, kept) = (std::mem::take(&mut self.identity), std::mem::take(&mut self.kept));
        *self = Self { session: uid, newest: self.newest, identity, ..Self::new(self.format) };
        *laps = LapFrame { presence: laps.presence, ..LapFrame::default() };
        self.identity.stamp(laps);
        for (stream, packet) in kept.of_session(self.format, uid) {
            if let Some(header) = Header::read(packet, self.format) {
                self.read(stream, &header, packet, player, laps);
            }
        }
        self.kept = kept;
    }

    /// Reads a packet of the session.
    fn read(&mut self, stream: &str, header: &Header, packet: &[u8], player: Option<usize>, laps: &mut LapFrame) {
        match stream {
            "session" => return self.read_session(header, packet, laps),
            "event" => return self.read_event(packet),
            _ => {}
        }
        let Some(player) = player else { return };
        match stream {
            "motion" => self.read_position(packet, player, laps),
            "lap-data" => self.read_lap(header, packet, player, laps),
            "participants" => self.read_names(header, packet, player, laps),
            "car-telemetry" if self.tables.speed.0.fits(packet) => {
                laps.speed_kmh = self.tables.speed.1.number(packet, player);
            }
            "car-status" => self.read_status(packet, player, laps),
            "session-history" if self.tables.history.car(packet) == Some(player) => {
                self.records.take(self.tables.history.laps(packet));
            }
            "tyre-sets" => {
                let (table, car, fitted) = &self.tables.tyre_sets;
                if table.fits(packet) && car.count(packet, 0) == Some(player) {
                    laps.tyre_set = fitted.count(packet, 0);
                }
            }
            _ => {}
        }
    }

    fn read_session(&mut self, header: &Header, packet: &[u8], laps: &mut LapFrame) {
        let Some(session) = self.tables.session.read(packet) else { return };
        let name = session_name(self.format, header.game_year, session.session_type);
        self.kind = name.map_or(SessionKind::Unknown, session_kind);
        self.length_m = session.length_m;
        self.safety_car = Some(session.safety_car);
        laps.air_celsius = session.air_celsius;
        laps.track_celsius = session.track_celsius;
        laps.rain = rain(session.weather);
        let (track, layout) = track_words(session.track);
        self.identity.replace_with(Identity {
            game_version: Some(format!("{}.{:02}", header.version.0, header.version.1)),
            track,
            layout,
            online: Some(session.online),
            length_m: session.length_m,
            ..self.identity.clone()
        });
        self.identity.stamp(laps);
    }

    fn read_names(&mut self, header: &Header, packet: &[u8], player: usize, laps: &mut LapFrame) {
        let participants = &self.tables.participants;
        if !participants.fits(packet) {
            return;
        }
        let team = participants.team(packet, player);
        self.identity.replace_with(Identity {
            driver: participants.name(packet, player),
            car: team.map(|team| team_words(season(self.format, header), team)),
            ..self.identity.clone()
        });
        self.identity.stamp(laps);
    }

    fn read_status(&mut self, packet: &[u8], player: usize, laps: &mut LapFrame) {
        let (table, flag, tyre) = &self.tables.status;
        if !table.fits(packet) {
            return;
        }
        self.yellow = flag.whole(packet, player) == Some(YELLOW);
        let tyre = tyre.count(packet, player).and_then(tyre_name);
        if self.identity.tyre.as_deref() != tyre {
            let tyre = tyre.map(str::to_owned);
            self.identity.replace_with(Identity { tyre, ..self.identity.clone() });
            self.identity.stamp(laps);
        }
    }

    fn read_position(&self, packet: &[u8], player: usize, laps: &mut LapFrame) {
        let (table, world) = &self.tables.world;
        if table.fits(packet) {
            laps.world_m = match world.map(|field| field.number(packet, player)) {
                [Some(x), Some(y), Some(z)] if [x, y, z] != [0.0; 3] => Some([x, y, z]),
                _ => None,
            };
        }
    }

    fn read_event(&mut self, packet: &[u8]) {
        match event(packet) {
            Some(Event::Flashback { .. }) => self.flashback_within = FLASHBACK_PACKETS,
            // A session that begins again has gone back, too, but not by a flashback.
            Some(Event::SessionStarted) => self.before = None,
            _ => {}
        }
    }

    /// Recognises a flashback by lap data of an earlier moment.
    fn look_for_flashback(&mut self, header: &Header, player: usize, lap: &LapData) {
        let announced = self.flashback_within > 0;
        let frame_fell = header.frame.saturating_add(OVERTAKEN_FRAMES) < self.frame;
        self.flashback_within = self.flashback_within.saturating_sub(1);
        self.frame = header.frame;
        let Some((_, before)) = self.before.filter(|(car, _)| *car == player) else { return };
        let is_earlier = (lap.lap, lap.current_ms) < (before.lap, before.current_ms);
        if !is_earlier || !(announced || frame_fell) {
            return;
        }
        self.flashbacks = self.flashbacks.wrapping_add(1);
        self.flashback_within = 0;
        // What went back is not compared with what was before, and the laps are recorded anew.
        (self.before, self.finished) = (None, None);
        self.records = Records::default();
    }

    fn read_lap(&mut self, header: &Header, packet: &[u8], player: usize, laps: &mut LapFrame) {
        let Some(lap) = self.tables.lap_data.read(packet, player) else { return };
        self.look_for_flashback(header, player, &lap);
        self.finish(player, &lap);
        let ended = self.finished == Some(lap.lap);
        let pit_status = (lap.driver_status, lap.pit_status, laps.speed_kmh.is_some_and(|speed| speed < 1.0));
        let position = lap.track_position(self.length_m);
        *laps = LapFrame {
            counter: Some(header.counter()),
            kind: self.kind,
            session_id: self.session,
            player_car: i32::try_from(player).ok(),
            laps_completed: lap.lap.checked_sub(u8::from(!ended)).map(u32::from),
            running_ms: Some(lap.current_ms),
            last_ms: lap.last_ms,
            sector: Some(lap.sector).filter(|sector| *sector < 3),
            sector_value: sector_value(&lap),
            valid: Some(!lap.invalid),
            record: self.records.next(),
            back_in_time: Some(BackInTime::Flashbacks(self.flashbacks)),
            pit: Some(match pit_status {
                (0, ..) => Pit::Box,
                (_, 0, _) => Pit::Track,
                // Whether "in the pit area" is the box or the lane is not documented; a car that stands is in its box.
                (.., stands) => {
                    if stands {
                        Pit::Box
                    } else {
                        Pit::Lane
                    }
                }
            }),
            position,
            bad_position: self.length_m.is_some() && position.is_none(),
            distance_m: lap.total_distance_m,
            caution: self.safety_car.map(|status| matches!(status, 1 | 2) || self.yellow),
            formation: self.safety_car.map(|status| status == 3),
            on_lap: Some(lap.driver_status != 0 && matches!(lap.result_status, ACTIVE | FINISHED)),
            // A race is timed from the lights, wherever the line is.
            before_first_line: self.kind != SessionKind::Race && lap.distance_m.is_some_and(|metres| metres < 0.0),
            // Time left and time of day go back with a flashback, and would look like a restart. The session has an id.
            left_ms: None,
            time_of_day_s: None,
            ..*laps
        };
        self.identity.stamp(laps);
        self.before = Some((player, lap));
    }

    /// Finds the end of a lap whose number does not rise.
    fn finish(&mut self, player: usize, lap: &LapData) {
        if self.finished == Some(lap.lap) {
            return;
        }
        self.finished = None;
        let same_lap = self.before.filter(|(car, before)| *car == player && before.lap == lap.lap);
        let timed = same_lap.is_some_and(|(_, before)| {
            let near = |ms: u32| before.current_ms.abs_diff(ms) <= OFFICIAL_NEAR_MS;
            lap.last_ms != before.last_ms && lap.last_ms.is_some_and(near) && lap.current_ms < before.current_ms
        });
        if timed || lap.result_status == FINISHED {
            self.finished = Some(lap.lap);
        }
    }

    /// Takes the record of the last lap from the session history that is sent after the end of the session, with its UID or with 0. The lap
    /// ends with it if it has not ended before. Returns whether there is something new.
    fn history_after_end(&mut self, header: &Header, packet: &[u8], laps: &mut LapFrame) -> bool {
        let Some((player, lap)) = self.before else { return false };
        let of_session = header.session_uid == 0 || Some(header.session_uid) == self.session;
        if !of_session || self.tables.history.car(packet) != Some(player) {
            return false;
        }
        let Some(record) = self.records.newest(self.tables.history.laps(packet)) else { return false };
        let ends_lap = self.finished.is_none() && record.lap == u32::from(lap.lap);
        if ends_lap {
            self.finished = Some(lap.lap);
            laps.laps_completed = Some(record.lap);
            laps.last_ms = record.time_ms;
        }
        // One more frame of the session, which is over otherwise.
        laps.presence = Presence::Live;
        laps.record = Some(record);
        laps.counter = laps.counter.map(|counter| counter.wrapping_add(1));
        true
    }
}

/// Returns the time of the sector that ended last.
fn sector_value(lap: &LapData) -> SectorValue {
    let [first_ms, second_ms] = lap.sectors_ms;
    let ended_ms = match lap.sector {
        1 => first_ms,
        2 => second_ms,
        _ => None,
    };
    ended_ms.map_or(SectorValue::None, SectorValue::Own)
}
