//! A Formula One game, packet by packet: a car that drives laps of given sector times, flashbacks, pauses, and the packets that the game sends.
use gametape_games::f1;

use super::sent::{Packet, Sent};
use super::*;

/// Index of the player's car.
const PLAYER: usize = 19;
pub(super) const UID: u64 = 0x6731_0000_0000_0001;
/// Length of the track.
const TRACK_M: f64 = 5_000.0;

/// The player's car.
#[derive(Debug, Clone, Default)]
struct Car {
    /// Completed laps.
    laps: usize,
    timer_ms: u32,
    invalid: bool,
    last_ms: u32,
    /// Sectors and validity of completed laps.
    history: Vec<([u32; 3], bool)>,
}

/// The game and what it has sent.
pub(super) struct F1Game {
    format: u16,
    hz: u32,
    ms: u64,
    pub(super) uid: u64,
    /// Numbers of the frame: one goes back with a flashback, the other does not.
    frame: u32,
    overall_frame: u32,
    car: Car,
    /// The car in each frame so far, for flashbacks.
    past: Vec<Car>,
    /// Sector times of the next laps; those of [`LAP`] after that.
    pub(super) next: Vec<[u32; 3]>,
    /// The current lap is the last one.
    pub(super) is_last: bool,
    finished: bool,
    pub(super) sends_history: bool,
    pub(super) sends_laps: bool,
    pub(super) sends_events: bool,
    pub(super) sent: Sent,
}

impl F1Game {
    pub(super) fn new(format: u16, hz: u32) -> Self {
        Self {
            format,
            hz,
            ms: 0,
            uid: UID,
            frame: 0,
            overall_frame: 0,
            car: Car::default(),
            past: Vec::new(),
            next: Vec::new(),
            is_last: false,
            finished: false,
            sends_history: true,
            sends_laps: true,
            sends_events: true,
            sent: Sent::new(&f1::game_id(format).unwrap()),
        }
    }

    pub(super) fn game_id(&self) -> &'static str {
        self.sent.game.id
    }

    /// Drives for this long.
    pub(super) fn drive(&mut self, ms: u64) -> &mut Self {
        let until_ms = self.ms + ms;
        while self.ms < until_ms {
            self.step();
        }
        self
    }

    /// Drives to a moment of a lap, counted from 1.
    pub(super) fn drive_to(&mut self, lap: usize, timer_ms: u32) -> &mut Self {
        while (self.car.laps + 1, self.car.timer_ms) < (lap, timer_ms) {
            self.step();
        }
        self
    }

    /// The game is silent: paused, or its player chooses where to go back to.
    pub(super) fn silence(&mut self, ms: u64) -> &mut Self {
        self.ms += ms;
        self
    }

    /// Goes back to a moment of a lap, counted from 1.
    pub(super) fn flashback(&mut self, lap: usize, timer_ms: u32) -> &mut Self {
        let later = |car: &Car| (car.laps + 1, car.timer_ms) > (lap, timer_ms);
        while self.past.last().is_some_and(later) {
            self.past.pop();
            self.frame -= 1;
        }
        self.car = self.past.last().unwrap().clone();
        self.silence(2_000);
        if self.sends_events {
            self.event("FLBK");
        }
        self
    }

    pub(super) fn cut(&mut self) -> &mut Self {
        self.car.invalid = true;
        self
    }

    /// Calls the newest completed lap invalid, in the history alone.
    pub(super) fn invalidate_last(&mut self) -> &mut Self {
        self.car.history.last_mut().unwrap().1 = false;
        self
    }

    pub(super) fn event(&mut self, code: &str) -> &mut Self {
        let mut packet = self.packet(3);
        packet.bytes(code.as_bytes(), "eventStringCode");
        self.send("event", packet);
        self
    }

    /// Sends the history of the player.
    pub(super) fn history(&mut self) -> &mut Self {
        let (format, car) = (self.format, self.car.clone());
        let mut packet = self.packet(11);
        packet.set("carIdx", PLAYER as f64);
        packet.set("numLaps", car.history.len() as f64 + f64::from(u8::from(!self.finished)));
        for (lap, (sectors_ms, valid)) in car.history.iter().enumerate() {
            let of_lap = |name: &str| format!("lapHistoryData[{lap}].{name}");
            packet.set(&of_lap("lapTimeInMS"), f64::from(sectors_ms.iter().sum::<u32>()));
            packet.set(&of_lap("lapValidBitFlags"), if *valid { 15.0 } else { 6.0 });
            for (sector, ms) in sectors_ms.iter().enumerate() {
                packet.duration(format, &of_lap(&format!("sector{}Time", sector + 1)), *ms);
            }
        }
        self.send("session-history", packet);
        self
    }

    fn lap(&self) -> [u32; 3] {
        self.next.get(self.car.laps).copied().unwrap_or(LAP)
    }

    fn step(&mut self) {
        let step_ms = 1000 / self.hz;
        self.ms += u64::from(step_ms);
        (self.frame, self.overall_frame) = (self.frame + 1, self.overall_frame + 1);
        let (lap, car) = (self.lap(), &mut self.car);
        if !self.finished {
            car.timer_ms += step_ms;
        }
        let lap_ms: u32 = lap.iter().sum();
        if car.timer_ms >= lap_ms {
            car.history.push((lap, !car.invalid));
            (car.timer_ms, car.last_ms, car.invalid) = (car.timer_ms - lap_ms, lap_ms, false);
            car.laps += 1;
            self.finished |= self.is_last;
        }
        self.past.push(self.car.clone());
        self.send_frame();
    }

    fn send_frame(&mut self) {
        let every = |hz: u32| self.overall_frame.is_multiple_of((self.hz / hz).max(1)) || self.overall_frame == 1;
        let (session, history) = (every(2), every(1));
        if session {
            let race = if self.format < 2024 { 10.0 } else { 15.0 };
            let mut packet = self.packet(1);
            packet.set("trackLength", TRACK_M);
            packet.set("sessionType", race);
            packet.set("trackId", 10.0);
            self.send("session", packet);
        }
        let mut packet = self.packet(6);
        packet.set(&format!("carTelemetryData[{PLAYER}].speed"), 180.0);
        self.send("car-telemetry", packet);
        if self.sends_laps {
            self.lap_data();
        }
        if history && self.sends_history {
            self.history();
        }
    }

    fn lap_data(&mut self) {
        let (format, car, lap) = (self.format, self.car.clone(), self.lap());
        // The lap number does not rise at the flag.
        let number = if self.finished { car.laps } else { car.laps + 1 };
        let sector = if car.timer_ms < lap[0] { 0 } else { 1 + usize::from(car.timer_ms >= lap[0] + lap[1]) };
        // Each sector is a third of the track.
        let in_sector_ms = car.timer_ms - lap[..sector].iter().sum::<u32>();
        let along_m = (sector as f64 + f64::from(in_sector_ms) / f64::from(lap[sector])) / 3.0 * TRACK_M;
        let mut packet = self.packet(2);
        let field = |name: &str| format!("lapData[{PLAYER}].{name}");
        packet.set(&field("currentLapNum"), number as f64);
        packet.set(&field("currentLapTimeInMS"), car.timer_ms.into());
        packet.set(&field("lastLapTimeInMS"), car.last_ms.into());
        packet.set(&field("lapDistance"), along_m);
        packet.set(&field("totalDistance"), along_m + car.laps as f64 * TRACK_M);
        packet.set(&field("currentLapInvalid"), f64::from(u8::from(car.invalid)));
        packet.set(&field("sector"), sector as f64);
        packet.set(&field("driverStatus"), 4.0);
        packet.set(&field("resultStatus"), if self.finished { 3.0 } else { 2.0 });
        for (ended, ms) in lap.iter().enumerate().take(sector) {
            packet.duration(format, &field(&format!("sector{}Time", ended + 1)), *ms);
        }
        self.send("lap-data", packet);
    }

    fn packet(&self, id: u8) -> Packet {
        let mut packet = Packet::new(f1::packet_layout(self.format, id).unwrap());
        packet.set("packetFormat", self.format.into());
        packet.set("packetId", id.into());
        packet.set("gameYear", f64::from((self.format % 100).min(25)));
        packet.bytes(&self.uid.to_le_bytes(), "sessionUID");
        packet.set("frameIdentifier", self.frame.into());
        packet.set("overallFrameIdentifier", self.overall_frame.into());
        packet.set("playerCarIndex", PLAYER as f64);
        packet
    }

    fn send(&mut self, stream: &str, packet: Packet) {
        self.sent.send(stream, self.ms, packet);
    }

    /// Tracks what was sent.
    pub(super) fn track(&self) -> Run {
        self.sent.track(self.hz)
    }
}
