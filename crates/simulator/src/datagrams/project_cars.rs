//! Project CARS: a telemetry packet for each tick, and the names every few seconds. The simulated car is the only one.
use super::put::{put, put_f32s, put_text};
use super::{DatagramEncoder, Datagrams};
use crate::board::{Board, SessionKind, Status};
use crate::game::Game;

/// Packets per second.
pub(super) const PACKETS_PER_S: u64 = 60;
/// Milliseconds between two packets with the same names.
pub(super) const NAMES_MS: u64 = 5_000;
const BUILD: u16 = 1200;

/// Sends the packets.
#[derive(Default)]
pub(super) struct ProjectCars {
    packets: u64,
    sequence: u8,
    sectors: Sectors,
}

impl DatagramEncoder for ProjectCars {
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams) {
        self.sectors.look(&game.board);
        if ms.is_multiple_of(NAMES_MS) {
            out.push(&self.names());
        }
        if ms * PACKETS_PER_S / 1000 >= self.packets {
            self.packets += 1;
            out.push(&self.telemetry(game));
        }
    }
}

impl ProjectCars {
    /// A packet with build number, type and sequence number.
    fn packet(&mut self, bytes: usize, packet_type: u8) -> Vec<u8> {
        self.sequence = (self.sequence + 1) % 64;
        let mut packet = vec![0; bytes];
        put(&mut packet, 0, BUILD.to_le_bytes());
        put(&mut packet, 2, [self.sequence << 2 | packet_type]);
        packet
    }

    fn names(&mut self) -> Vec<u8> {
        let mut packet = self.packet(1347, 1);
        for (at, text) in [(3, "gametape GT"), (67, "GT3"), (131, "gametape ring"), (195, "Full"), (259, "Driver 1")] {
            put_text::<64>(&mut packet, at, text);
        }
        packet
    }

    fn telemetry(&mut self, game: &Game) -> Vec<u8> {
        let (car, board) = (game.car(), &game.board);
        let mut packet = self.packet(1367, 0);
        let packet_bytes = &mut packet[..];
        put(packet_bytes, 3, [session_state(board) << 4 | game_state(board), 0, 1]);
        let invalid = if board.valid { 0 } else { 1 << 3 };
        put(packet_bytes, 10, [race_state(board) | invalid, 0]);
        let seconds = |ms: Option<i32>| ms.map_or(-1.0, |ms| f64::from(ms) / 1000.0);
        put_f32s(packet_bytes, 12, &[seconds(board.best_ms), seconds(board.last_ms), current_s(board)]);
        put_f32s(packet_bytes, 36, &[board.time_left_ms.map_or(-1.0, |ms| ms / 1000.0)]);
        put_f32s(packet_bytes, 48, &[current_s(board).min(if board.sector > 0 { 12.0 } else { f64::MAX }), -1.0, -1.0]);
        put(packet_bytes, 99, [pit_mode(board)]);
        put(packet_bytes, 111, [110, pedal(car.brake), pedal(car.gas), pedal(car.engine.clutch)]);
        put(packet_bytes, 115, ((car.steering() * 127.0) as i8).to_le_bytes());
        put_f32s(packet_bytes, 116, &[car.fuel_l / 110.0, car.speed_over_road_ms()]);
        put(packet_bytes, 124, (car.engine.rpm as u16).to_le_bytes());
        put(packet_bytes, 126, 9250_u16.to_le_bytes());
        put(packet_bytes, 128, [0x60 | car.engine.gear as u8]);
        put_f32s(packet_bytes, 132, &[board.distance_m / 1000.0]);
        motion(packet_bytes, 136, game);
        put_f32s(packet_bytes, 244, &car.wheels.map(|wheel| -wheel.angular_rad_s));
        for (index, wheel) in car.wheels.iter().enumerate() {
            put(packet_bytes, 328 + index * 2, (wheel.brake_celsius as i16).to_le_bytes());
            put(packet_bytes, 336 + index * 2, (wheel.tyre_celsius as u16 + 273).to_le_bytes());
            put(packet_bytes, 352 + index * 2, (wheel.tyre_celsius as u16 + 275).to_le_bytes());
        }
        put(packet_bytes, 458, [22, 31]);
        let quarters = put_position(packet_bytes, 464, game);
        put(packet_bytes, 470, (car.along_m as u16).to_le_bytes());
        // Before the first line the car is in the last sector; sectors count from 1.
        let sector = if is_before_first_line(board) { 3 } else { board.sector as u8 + 1 };
        let lap = board.completed_laps as u8;
        put(packet_bytes, 472, [0x80 | 1, lap | invalid << 4, lap + 1, quarters | sector]);
        put_f32s(packet_bytes, 476, &[self.sectors.last_s]);
        put_f32s(packet_bytes, 1360, &[game.track().length_m()]);
        packet
    }
}

/// Times of single sectors; those of the board are cumulative.
#[derive(Default)]
pub(super) struct Sectors {
    /// Time of the sector that ended last; 0 at first.
    pub(super) last_s: f64,
    /// Best time of each sector.
    pub(super) best_s: [Option<f64>; 3],
    /// Whether a sector ended in this millisecond.
    pub(super) ended: bool,
    /// Laps and sector at the last call, and the time since the line at which the sector began.
    at: (i32, i32),
    began_ms: i32,
}

impl Sectors {
    /// Called in every millisecond.
    pub(super) fn look(&mut self, board: &Board) {
        let at = (board.completed_laps, board.sector);
        self.ended = at > self.at;
        if self.ended {
            let lap_ended = at.0 > self.at.0;
            let end_ms = if lap_ended { board.last_ms.unwrap_or(0) } else { board.last_sector_ms };
            self.last_s = f64::from(end_ms - self.began_ms) / 1000.0;
            self.began_ms = if lap_ended { 0 } else { end_ms };
            if let Some(best) = self.best_s.get_mut(if lap_ended { 2 } else { (at.1 - 1) as usize }) {
                *best = Some(best.map_or(self.last_s, |best| best.min(self.last_s)));
            }
        }
        self.at = at;
    }
}

/// Writes orientation, velocities and accelerations, 18 numbers. The axes are left-handed: a car points to negative z, and x is to its left.
pub(crate) fn motion(packet: &mut [u8], at: usize, game: &Game) {
    let car = game.car();
    let ((x, z), speed) = (car.course, car.speed_ms);
    put_f32s(packet, at, &[0.0, (-x).atan2(-z), 0.0]);
    put_f32s(packet, at + 12, &[0.0, 0.0, -speed]);
    put_f32s(packet, at + 24, &[x * speed, car.climb_ms, z * speed]);
    put_f32s(packet, at + 36, &[0.0, speed * car.curvature, 0.0]);
    put_f32s(packet, at + 48, &[car.left_ms2, car.up_ms2, -car.ahead_ms2]);
}

/// Writes the position in whole metres. Returns the quarters for the byte of the sector.
pub(super) fn put_position(packet: &mut [u8], at: usize, game: &Game) -> u8 {
    let car = game.car();
    for (index, metres) in [car.x, car.height.y, car.z].into_iter().enumerate() {
        put(packet, at + index * 2, (metres.floor() as i16).to_le_bytes());
    }
    let quarters = |metres: f64| ((metres - metres.floor()) * 4.0) as u8;
    quarters(car.x) << 6 | quarters(car.z) << 4
}

pub(super) fn pedal(share: f64) -> u8 {
    (share * 255.0) as u8
}

pub(super) fn is_before_first_line(board: &Board) -> bool {
    !board.timer_runs && board.completed_laps == 0
}

pub(crate) fn current_s(board: &Board) -> f64 {
    if is_before_first_line(board) { -1.0 } else { board.current_ms / 1000.0 }
}

pub(crate) fn race_state(board: &Board) -> u8 {
    if is_before_first_line(board) { 1 } else { 2 }
}

pub(crate) fn game_state(board: &Board) -> u8 {
    match board.status {
        Status::Off => 1,
        Status::Replay => 6,
        Status::Live => 2,
        Status::Pause => 3,
    }
}

pub(crate) fn session_state(board: &Board) -> u8 {
    match board.session {
        SessionKind::Qualify => 3,
        SessionKind::Race => 5,
        SessionKind::TimeAttack | SessionKind::Hotlap => 6,
        _ => 1,
    }
}

pub(crate) fn pit_mode(board: &Board) -> u8 {
    match (board.in_box, board.in_pit_lane) {
        (true, _) => 2,
        (false, true) => 1,
        _ => 0,
    }
}
