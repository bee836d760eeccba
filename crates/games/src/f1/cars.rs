//! Standings of all cars: positions, gaps, tyres, and the laps of every car.
//!
//! Lap times and validity come from the session history, which the game sends for one car after another: each car's laps are up to date
//! after a second or two.
use crate::capture::SeenFrame;
use crate::lap_frame::Pit;
use crate::standings::{CarLap, CarResult, CarStanding, ReadStandings};

use super::cars;
use super::fields::{Field, Table};
use super::header::Header;
use super::names::{season, tyre_name};
use super::newest::{Kept, Newest};
use super::packets::{HistoryLap, HistoryTable, LapData, LapDataTable, ParticipantsTable};
use super::rules::team_words;

/// Reads the standings of one packet format.
#[derive(Debug)]
pub(super) struct F1Cars {
    format: u16,
    newest: Newest,
    kept: Kept,
    session: Option<u64>,
    lap_data: LapDataTable,
    history: HistoryTable,
    participants: ParticipantsTable,
    status: (Table, Field),
    /// One for each car in the packets, whether it takes part or not.
    known: Vec<CarStanding>,
}

impl F1Cars {
    pub(super) fn new(format: u16) -> Self {
        let status = Table::of(format, 7);
        Self {
            format,
            newest: Newest::new(format),
            kept: Kept::default(),
            session: None,
            lap_data: LapDataTable::of(format),
            history: HistoryTable::of(format),
            participants: ParticipantsTable::of(format),
            status: (status, status.each("carStatusData", &["visualTyreCompound"])),
            known: Vec::new(),
        }
    }

    /// Forgets the cars of an earlier session.
    fn enter(&mut self, session: Option<u64>) {
        if self.session != session {
            self.session = session;
            self.known.clear();
            let count = if session.is_some() { cars(self.format) } else { 0 };
            self.known.extend((0..).take(count).map(|car| CarStanding { car, ..CarStanding::default() }));
            let kept = std::mem::take(&mut self.kept);
            let participants = kept.of_session(self.format, session).find(|(stream, _)| *stream == "participants");
            if let Some((_, packet)) = participants {
                self.read_participants(packet);
            }
            self.kept = kept;
        }
    }

    fn read_lap_data(&mut self, packet: &[u8]) {
        let player = self.newest.player();
        for (index, car) in self.known.iter_mut().enumerate() {
            let Some(lap) = self.lap_data.read(packet, index) else { return };
            car.is_player = player == Some(index);
            car.result = result(lap.result_status);
            car.position = Some(u16::from(lap.position)).filter(|position| *position > 0);
            car.current_lap = Some(u32::from(lap.lap)).filter(|lap| *lap > 0);
            car.last_ms = lap.last_ms;
            car.pit_stops = Some(lap.pit_stops.into());
            car.pit = Some(pit(&lap));
            car.gap_ahead_ms = lap.gap_ahead_ms;
            car.gap_to_leader_ms = lap.gap_to_leader_ms;
        }
    }

    fn read_participants(&mut self, packet: &[u8]) {
        let Some(header) = Header::read(packet, self.format).filter(|_| self.participants.fits(packet)) else { return };
        let season = season(self.format, &header);
        for (index, car) in self.known.iter_mut().enumerate() {
            car.name = self.participants.name(packet, index);
            car.race_number = self.participants.race_number(packet, index).map(u16::from);
            car.team = self.participants.team(packet, index).map(|team| team_words(season, team));
        }
    }

    fn read_status(&mut self, packet: &[u8]) {
        if !self.status.0.fits(packet) {
            return;
        }
        for (index, car) in self.known.iter_mut().enumerate() {
            let tyre = self.status.1.count(packet, index).and_then(tyre_name);
            if car.tyre.as_deref() != tyre {
                car.tyre = tyre.map(str::to_owned);
            }
        }
    }

    fn read_history(&mut self, packet: &[u8]) {
        let index = self.history.car(packet);
        let Some(car) = index.and_then(|index| self.known.get_mut(index)) else { return };
        car.best_ms = self.history.best_ms(packet);
        car.laps.clear();
        car.laps.extend(self.history.laps(packet).map(|lap| car_lap(&lap)));
        let last = car.laps.iter().rfind(|lap| lap.time_ms.is_some());
        car.last_sectors_ms = last.map(|lap| lap.sectors_ms.clone()).unwrap_or_default();
    }
}

impl ReadStandings for F1Cars {
    fn frame(&mut self, frame: SeenFrame<'_>) -> bool {
        let packet = frame.bytes;
        self.newest.take(frame.stream, packet);
        self.kept.take(frame.stream, packet);
        let uid = Header::read(packet, self.format).map(|header| header.session_uid);
        // After the end of a session its results stay until another one begins.
        let session = self.newest.session_uid().or(self.session);
        self.enter(session);
        if session.is_none() || uid != session {
            return false;
        }
        match frame.stream {
            "lap-data" => self.read_lap_data(packet),
            "participants" => self.read_participants(packet),
            "car-status" => self.read_status(packet),
            "session-history" => self.read_history(packet),
            _ => return false,
        }
        true
    }

    fn cars(&self) -> Vec<&CarStanding> {
        self.known.iter().filter(|car| car.result != CarResult::Unknown).collect()
    }

    fn session(&self) -> u64 {
        self.session.unwrap_or_default()
    }
}

/// Cars that do not take part (0, 1) have no result: empty places, and the ghosts of time trials.
fn result(status: u8) -> CarResult {
    match status {
        2 => CarResult::Active,
        3 => CarResult::Finished,
        4 => CarResult::DidNotFinish,
        5 => CarResult::Disqualified,
        6 => CarResult::NotClassified,
        7 => CarResult::Retired,
        _ => CarResult::Unknown,
    }
}

/// Whether a car in the pit lane is in its box is not known.
fn pit(lap: &LapData) -> Pit {
    match (lap.driver_status, lap.pit_status) {
        (0, _) => Pit::Box,
        (_, 0) => Pit::Track,
        _ => Pit::Lane,
    }
}

fn car_lap(lap: &HistoryLap) -> CarLap {
    CarLap {
        number: lap.number.into(),
        time_ms: lap.time_ms,
        sectors_ms: lap.sectors_ms.to_vec(),
        valid: Some(lap.valid & 1 != 0),
        valid_sectors: (1..=3).map(|bit| lap.valid >> bit & 1 != 0).collect(),
    }
}
