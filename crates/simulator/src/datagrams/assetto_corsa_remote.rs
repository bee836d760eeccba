//! Assetto Corsa's remote telemetry: the car at 60 Hz, and a message for each lap. The answer to a handshake is encoded, too, every few seconds:
//! whoever sends these datagrams decides who gets them, and when.
use gametape_games::Utf16;

use super::put::{put, put_f32s};
use super::{DatagramEncoder, Datagrams};
use crate::game::Game;

const PACKETS_PER_S: u64 = 60;
const NAMES_MS: u64 = 5_000;

/// Sends the messages.
#[derive(Default)]
pub(super) struct AssettoCorsaRemote {
    messages: u64,
    laps: i32,
}

impl DatagramEncoder for AssettoCorsaRemote {
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams) {
        if ms.is_multiple_of(NAMES_MS) {
            out.push(&handshake());
        }
        if ms * PACKETS_PER_S / 1000 >= self.messages {
            self.messages += 1;
            out.push(&car(game));
        }
        if game.board.completed_laps != self.laps {
            self.laps = game.board.completed_laps;
            out.push(&lap(game));
        }
    }
}

/// Texts end with a percent sign.
fn put_text(message: &mut [u8], at: usize, text: &str) {
    for (index, unit) in Utf16::<50>::new(&format!("{text}%")).0.into_iter().enumerate() {
        put(message, at + index * 2, unit.to_le_bytes());
    }
}

fn handshake() -> Vec<u8> {
    let mut message = vec![0; 408];
    for (at, text) in [(0, "gametape_gt"), (100, "Driver 1"), (208, "gametape ring"), (308, "")] {
        put_text(&mut message, at, text);
    }
    put(&mut message, 200, 4242_i32.to_le_bytes());
    put(&mut message, 204, 1_i32.to_le_bytes());
    message
}

fn lap(game: &Game) -> Vec<u8> {
    let mut message = vec![0; 212];
    put(&mut message, 4, game.board.completed_laps.to_le_bytes());
    put_text(&mut message, 8, "Driver 1");
    put_text(&mut message, 108, "gametape_gt");
    put(&mut message, 208, game.board.last_ms.unwrap_or(0).to_le_bytes());
    message
}

fn car(game: &Game) -> Vec<u8> {
    let (car, board) = (game.car(), &game.board);
    let mut message = vec![0; 328];
    put(&mut message, 0, *b"a\0\0\0");
    put(&mut message, 4, 328_i32.to_le_bytes());
    let speed = car.speed_over_road_ms();
    put_f32s(&mut message, 8, &[speed * 3.6, speed * 2.236_936, speed]);
    let flag = |is: bool| u8::from(is);
    put(&mut message, 20, [1, flag(car.abs > 0.0), flag(car.traction_control > 0.0), 1, flag(board.in_box), 0]);
    let [left, up, ahead] = [car.left_ms2, car.up_ms2, car.ahead_ms2].map(|acceleration| acceleration / 9.81);
    put_f32s(&mut message, 28, &[left, up, ahead]);
    for (at, number) in [
        (40, if board.timer_runs { board.current_ms as i32 } else { 0 }),
        (44, board.last_ms.unwrap_or(0)),
        (48, board.best_ms.unwrap_or(0)),
        (52, board.completed_laps),
        (76, car.engine.gear as i32 + 1),
    ] {
        put(&mut message, at, number.to_le_bytes());
    }
    put_f32s(&mut message, 56, &[car.gas, car.brake, 1.0 - car.engine.clutch, car.engine.rpm]);
    put_f32s(&mut message, 72, &[(car.steering() * 4.2).to_degrees()]);
    put_f32s(&mut message, 80, &[0.42]);
    put_f32s(&mut message, 84, &car.wheels.map(|wheel| wheel.angular_rad_s));
    put_f32s(&mut message, 100, &car.wheels.map(|wheel| wheel.slip_angle_rad.to_degrees()));
    put_f32s(&mut message, 132, &car.wheels.map(|wheel| wheel.slip_ratio));
    put_f32s(&mut message, 164, &car.wheels.map(|wheel| wheel.slip()));
    put_f32s(&mut message, 180, &car.wheels.map(|wheel| wheel.load_n));
    put_f32s(&mut message, 260, &[0.345; 4]);
    put_f32s(&mut message, 276, &[0.335; 4]);
    put_f32s(&mut message, 292, &car.wheels.map(|wheel| wheel.travel_m));
    // North is negative z in the game, and positive z in the simulation.
    put_f32s(&mut message, 308, &[board.position, car.height.slope, car.x, car.height.y, -car.z]);
    message
}
