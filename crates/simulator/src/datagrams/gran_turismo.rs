//! Gran Turismo: encrypted packets at 60 Hz, kind C of Gran Turismo 7 and kind A of Gran Turismo Sport.
use gametape_games::gran_turismo::{GT_SPORT, GT7};

use super::put::{put, put_f32s};
use super::{DatagramEncoder, Datagrams};
use crate::board::{Board, Status};
use crate::game::Game;

/// Car code of the simulated car.
const CAR_CODE: i32 = 3311;
/// The id of the first packet. The console counts since it was switched on.
const FIRST_ID: i32 = 100_000;
/// Bits of `flags`.
const ON_TRACK: u16 = 1 << 0;
const PAUSED: u16 = 1 << 1;
const IN_GEAR: u16 = 1 << 3;

/// Sends the packets of one kind.
pub(super) struct GranTurismo {
    game: &'static gametape_games::Game,
    stream: &'static str,
    packet: Vec<u8>,
    datagram: Vec<u8>,
    packets: i32,
    /// Laps completed and best lap time in the previous packet.
    before: (i32, Option<i32>),
}

impl GranTurismo {
    fn new(game: &'static gametape_games::Game, stream: &'static str, bytes: usize) -> Self {
        let (packet, datagram) = (vec![0; bytes], Vec::new());
        Self { game, stream, packet, datagram, packets: 0, before: (0, None) }
    }

    pub(super) fn gt7() -> Self {
        Self::new(&GT7, "c", 368)
    }

    pub(super) fn gt_sport() -> Self {
        Self::new(&GT_SPORT, "a", 296)
    }
}

impl DatagramEncoder for GranTurismo {
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams) {
        if ms * 60 / 1000 < u64::from(self.packets.unsigned_abs()) {
            return;
        }
        let id = FIRST_ID + self.packets;
        self.packets += 1;
        let packet = &mut self.packet;
        packet.fill(0);
        put(packet, 0, *b"0S7G");
        put(packet, 0x40, id.wrapping_mul(0x2545_F491).to_le_bytes());
        put(packet, 0x70, id.to_le_bytes());
        if game.board.status == Status::Off {
            idle(packet);
        } else {
            car(packet, game);
            session(packet, &game.board, self.before);
        }
        self.before = (game.board.completed_laps, game.board.best_ms);
        self.datagram.clear();
        self.game.rules.sent_datagram(self.stream, packet, &mut self.datagram);
        out.push(&self.datagram);
    }
}

/// The packet of the menus.
fn idle(packet: &mut [u8]) {
    for at in [0x74, 0x76, 0x84] {
        put(packet, at, (-1_i16).to_le_bytes());
    }
}

fn car(packet: &mut [u8], game: &Game) {
    let car = game.car();
    // North is negative z in the game, and positive z in the simulation.
    put_f32s(packet, 0x04, &[car.x, car.height.y, -car.z]);
    let velocity = [car.speed_ms * car.course.0, car.climb_ms, -car.speed_ms * car.course.1];
    put_f32s(packet, 0x10, &velocity);
    let half_turn = -car.course.0.atan2(car.course.1) / 2.0;
    put_f32s(packet, 0x1C, &[0.0, half_turn.sin(), 0.0, half_turn.cos()]);
    put_f32s(packet, 0x2C, &[0.0, car.speed_ms * car.curvature, 0.0, 0.08, car.engine.rpm]);
    put_f32s(packet, 0x44, &[car.fuel_l, 100.0, car.speed_over_road_ms(), 1.0, 5.5, 85.0, 110.0]);
    put_f32s(packet, 0x60, &car.wheels.map(|wheel| wheel.tyre_celsius));
    put_f32s(packet, 0xA4, &car.wheels.map(|wheel| -wheel.angular_rad_s));
    put_f32s(packet, 0xB4, &[0.345; 4]);
    put_f32s(packet, 0xC4, &car.wheels.map(|wheel| wheel.travel_m));
    put_f32s(packet, 0xF4, &[car.engine.clutch, 1.0 - car.engine.clutch, car.engine.rpm]);
    let gear = if car.engine.gear == 0 { 15 } else { car.engine.gear as u8 };
    put(packet, 0x90, [0xF0 | gear, (car.gas * 255.0) as u8, (car.brake * 255.0) as u8]);
    put(packet, 0x124, CAR_CODE.to_le_bytes());
    let steering_rad = -car.steering() * 4.2;
    put_f32s(packet, 0x128, &[steering_rad, 0.0, -car.left_ms2, car.up_ms2, car.ahead_ms2]);
    put(packet, 0x158, *b"TTTT");
    put(packet, 0x16C, *b"GR3\0");
    let on_track = match game.board.status {
        Status::Off | Status::Replay => 0,
        Status::Live => ON_TRACK,
        Status::Pause => ON_TRACK | PAUSED,
    };
    let in_gear = if car.engine.gear == 0 || car.engine.shifts() { 0 } else { IN_GEAR };
    put(packet, 0x8E, (on_track | in_gear).to_le_bytes());
}

fn session(packet: &mut [u8], board: &Board, (laps_before, best_before): (i32, Option<i32>)) {
    let time = |ms: Option<i32>| ms.unwrap_or(-1).to_le_bytes();
    // Before the first line, a time trial is in lap 0.
    let lap = if board.timer_runs || board.completed_laps > 0 { board.completed_laps + 1 } else { 0 };
    put(packet, 0x74, (lap as i16).to_le_bytes());
    // The best time follows one packet after the last one, and so does the clock of the new lap.
    put(packet, 0x78, time(best_before));
    put(packet, 0x7C, time(board.last_ms));
    put(packet, 0x80, ((board.clock_s * 1000.0) as i32).to_le_bytes());
    put(packet, 0x84, (-1_i16).to_le_bytes());
    put(packet, 0x86, (-1_i16).to_le_bytes());
    let crossed = board.completed_laps > laps_before;
    let clock_ms = board.current_ms as i32 + if crossed { board.last_ms.unwrap_or(0) } else { 0 };
    put(packet, 0x15C, time(board.timer_runs.then_some(clock_ms)));
}
