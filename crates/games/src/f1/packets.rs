//! Values of the packets that samples, laps and standings are made of, the same in all formats.
use super::fields::{Duration, Field, Table};
use crate::sane::not_zero;

/// Fields of the lap data packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct LapDataTable {
    table: Table,
    last: Field,
    current: Field,
    sectors: [Duration; 2],
    gap_ahead: Duration,
    gap_to_leader: Duration,
    distance: Field,
    total_distance: Field,
    position: Field,
    lap: Field,
    pit_status: Field,
    pit_stops: Field,
    sector: Field,
    invalid: Field,
    driver_status: Field,
    result_status: Field,
}

/// One car in a lap data packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LapData {
    pub(super) last_ms: Option<u32>,
    /// 0 while the lap is not timed.
    pub(super) current_ms: u32,
    /// The first two sectors of the current lap, each alone.
    pub(super) sectors_ms: [Option<u32>; 2],
    pub(super) gap_ahead_ms: Option<u32>,
    pub(super) gap_to_leader_ms: Option<u32>,
    /// From the line. Negative before it is crossed for the first time: by whole laps in the garage.
    pub(super) distance_m: Option<f32>,
    pub(super) total_distance_m: Option<f32>,
    /// From 1; 0 if there is none.
    pub(super) position: u8,
    /// From 1.
    pub(super) lap: u8,
    /// 0 none, 1 pitting, 2 in the pit area.
    pub(super) pit_status: u8,
    pub(super) pit_stops: u8,
    /// From 0.
    pub(super) sector: u8,
    pub(super) invalid: bool,
    /// 0 garage, 1 flying lap, 2 in lap, 3 out lap, 4 on track.
    pub(super) driver_status: u8,
    /// 0 invalid, 1 inactive, 2 active, 3 finished, 4 did not finish, 5 disqualified, 6 not classified, 7 retired.
    pub(super) result_status: u8,
}

impl LapData {
    /// Returns the fraction of a lap of this length that the car has driven. In the garage, before the first lap, the distance is negative.
    pub(super) fn track_position(&self, length_m: Option<f32>) -> Option<f32> {
        let share = self.distance_m? / length_m.filter(|metres| *metres > 0.0)?;
        let share = share.rem_euclid(1.0);
        (0.0..1.0).contains(&share).then_some(share)
    }
}

impl LapDataTable {
    pub(super) fn of(format: u16) -> Self {
        let table = Table::of(format, 2);
        let field = |name: &str| table.each("lapData", &[name]);
        let parts = |ms: [&str; 2], minutes: [&str; 2]| Duration {
            ms: table.each("lapData", &ms),
            minutes: table.each("lapData", &minutes),
        };
        Self {
            table,
            last: field("lastLapTimeInMS"),
            current: field("currentLapTimeInMS"),
            sectors: [
                parts(["sector1TimeMSPart", "sector1TimeInMS"], ["sector1TimeMinutesPart", "sector1TimeMinutes"]),
                parts(["sector2TimeMSPart", "sector2TimeInMS"], ["sector2TimeMinutesPart", "sector2TimeMinutes"]),
            ],
            gap_ahead: parts(
                ["deltaToCarInFrontMSPart", "deltaToCarInFrontInMS"],
                ["deltaToCarInFrontMinutesPart", "deltaToCarInFrontMinutes"],
            ),
            gap_to_leader: parts(
                ["deltaToRaceLeaderMSPart", "deltaToRaceLeaderInMS"],
                ["deltaToRaceLeaderMinutesPart", "deltaToRaceLeaderMinutes"],
            ),
            distance: field("lapDistance"),
            total_distance: field("totalDistance"),
            position: field("carPosition"),
            lap: field("currentLapNum"),
            pit_status: field("pitStatus"),
            pit_stops: field("numPitStops"),
            sector: field("sector"),
            invalid: field("currentLapInvalid"),
            driver_status: field("driverStatus"),
            result_status: field("resultStatus"),
        }
    }

    /// Reads one car; `None` if the packet has another length.
    pub(super) fn read(&self, packet: &[u8], car: usize) -> Option<LapData> {
        if !self.table.fits(packet) {
            return None;
        }
        Some(LapData {
            last_ms: self.last.count(packet, car).filter(|ms| *ms > 0),
            current_ms: self.current.count(packet, car)?,
            sectors_ms: self.sectors.map(|sector| sector.ms(packet, car)),
            gap_ahead_ms: self.gap_ahead.ms(packet, car),
            gap_to_leader_ms: self.gap_to_leader.ms(packet, car),
            distance_m: self.distance.number(packet, car),
            total_distance_m: self.total_distance.number(packet, car),
            position: self.position.count(packet, car)?,
            lap: self.lap.count(packet, car)?,
            pit_status: self.pit_status.count(packet, car)?,
            pit_stops: self.pit_stops.count(packet, car)?,
            sector: self.sector.count(packet, car)?,
            invalid: self.invalid.whole(packet, car)? != 0,
            driver_status: self.driver_status.count(packet, car)?,
            result_status: self.result_status.count(packet, car)?,
        })
    }
}

/// Fields of the session packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionTable {
    table: Table,
    weather: Field,
    track_celsius: Field,
    air_celsius: Field,
    length: Field,
    session_type: Field,
    track: Field,
    left: Field,
    safety_car: Field,
    network_game: Field,
}

/// A session packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Session {
    pub(super) weather: u8,
    /// `None` while it is 0, as at the start of a session.
    pub(super) track_celsius: Option<f32>,
    pub(super) air_celsius: Option<f32>,
    pub(super) length_m: Option<f32>,
    pub(super) session_type: u8,
    pub(super) track: i8,
    /// `None` if there is no limit, as in time trials, or no time is left.
    pub(super) left_s: Option<u16>,
    /// 0 none, 1 full, 2 virtual, 3 formation lap.
    pub(super) safety_car: u8,
    pub(super) online: bool,
}

impl SessionTable {
    pub(super) fn of(format: u16) -> Self {
        let table = Table::of(format, 1);
        let field = |name: &str| table.field(&[name]);
        Self {
            table,
            weather: field("weather"),
            track_celsius: field("trackTemperature"),
            air_celsius: field("airTemperature"),
            length: field("trackLength"),
            session_type: field("sessionType"),
            track: field("trackId"),
            left: field("sessionTimeLeft"),
            safety_car: field("safetyCarStatus"),
            network_game: field("networkGame"),
        }
    }

    /// Reads a packet; `None` if it has another length.
    pub(super) fn read(&self, packet: &[u8]) -> Option<Session> {
        if !self.table.fits(packet) {
            return None;
        }
        Some(Session {
            weather: self.weather.count(packet, 0)?,
            track_celsius: self.track_celsius.number(packet, 0).and_then(not_zero),
            air_celsius: self.air_celsius.number(packet, 0).and_then(not_zero),
            length_m: self.length.number(packet, 0).filter(|metres| *metres > 0.0),
            session_type: self.session_type.count(packet, 0)?,
            track: self.track.count(packet, 0)?,
            left_s: self.left.count(packet, 0).filter(|seconds| *seconds > 0),
            safety_car: self.safety_car.count(packet, 0)?,
            online: self.network_game.whole(packet, 0)? != 0,
        })
    }
}

/// Fields of the session history packet: the laps of one car. The game sends one car after another.
#[derive(Debug, Clone, Copy)]
pub(super) struct HistoryTable {
    table: Table,
    car: Field,
    laps: Field,
    best_lap: Field,
    time: Field,
    sectors: [Duration; 3],
    valid: Field,
}

/// A lap in a session history packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HistoryLap {
    /// From 1.
    pub(super) number: u8,
    /// `None` while the lap runs.
    pub(super) time_ms: Option<u32>,
    pub(super) sectors_ms: [Option<u32>; 3],
    /// Bit 0: the lap is valid; bits 1 to 3: its sectors.
    pub(super) valid: u8,
}

/// Number of laps in a session history packet.
const HISTORY_LAPS: u8 = 100;

impl HistoryTable {
    pub(super) fn of(format: u16) -> Self {
        let table = Table::of(format, 11);
        let sector = |ms: [&str; 2], minutes: [&str; 2]| Duration {
            ms: table.each("lapHistoryData", &ms),
            minutes: table.each("lapHistoryData", &minutes),
        };
        Self {
            table,
            car: table.field(&["carIdx"]),
            laps: table.field(&["numLaps"]),
            best_lap: table.field(&["bestLapTimeLapNum"]),
            time: table.each("lapHistoryData", &["lapTimeInMS"]),
            sectors: [
                sector(["sector1TimeMSPart", "sector1TimeInMS"], ["sector1TimeMinutesPart", "sector1TimeMinutes"]),
                sector(["sector2TimeMSPart", "sector2TimeInMS"], ["sector2TimeMinutesPart", "sector2TimeMinutes"]),
                sector(["sector3TimeMSPart", "sector3TimeInMS"], ["sector3TimeMinutesPart", "sector3TimeMinutes"]),
            ],
            valid: table.each("lapHistoryData", &["lapValidBitFlags"]),
        }
    }

    /// Returns the car that a packet describes; `None` if the packet has another length.
    pub(super) fn car(&self, packet: &[u8]) -> Option<usize> {
        self.car.count(packet, 0).filter(|_| self.table.fits(packet))
    }

    /// Returns the time of the car's best lap.
    pub(super) fn best_ms(&self, packet: &[u8]) -> Option<u32> {
        let best: u8 = self.best_lap.count(packet, 0).filter(|lap| (1..=HISTORY_LAPS).contains(lap))?;
        self.lap(packet, best)?.time_ms
    }

    /// Returns the car's laps, including the one that it drives.
    pub(super) fn laps<'a>(&'a self, packet: &'a [u8]) -> impl Iterator<Item = HistoryLap> + 'a {
        let laps: u8 = self.laps.count(packet, 0).filter(|_| self.table.fits(packet)).unwrap_or(0);
        (1..=laps.min(HISTORY_LAPS)).filter_map(|number| self.lap(packet, number))
    }

    fn lap(&self, packet: &[u8], number: u8) -> Option<HistoryLap> {
        let index = usize::from(number.checked_sub(1)?);
        Some(HistoryLap {
            number,
            time_ms: self.time.count(packet, index).filter(|ms| *ms > 0),
            sectors_ms: self.sectors.map(|sector| sector.ms(packet, index)),
            valid: self.valid.count(packet, index)?,
        })
    }
}

/// Fields of the participants packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParticipantsTable {
    table: Table,
    active: Field,
    team: Field,
    race_number: Field,
    name: Field,
    name_bytes: usize,
}

impl ParticipantsTable {
    pub(super) fn of(format: u16) -> Self {
        let table = Table::of(format, 4);
        let field = |name: &str| table.each("participants", &[name]);
        Self {
            table,
            active: table.field(&["numActiveCars"]),
            team: field("teamId"),
            race_number: field("raceNumber"),
            name: field("name"),
            name_bytes: if format < 2025 { 48 } else { 32 },
        }
    }

    pub(super) fn fits(&self, packet: &[u8]) -> bool {
        self.table.fits(packet)
    }

    /// Returns the number of cars that take part.
    pub(super) fn active(&self, packet: &[u8]) -> Option<u16> {
        self.active.count(packet, 0)
    }

    pub(super) fn team(&self, packet: &[u8], car: usize) -> Option<u16> {
        self.team.count(packet, car)
    }

    pub(super) fn race_number(&self, packet: &[u8], car: usize) -> Option<u8> {
        self.race_number.count(packet, car)
    }

    pub(super) fn name(&self, packet: &[u8], car: usize) -> Option<String> {
        self.name.text(packet, car, self.name_bytes)
    }
}
