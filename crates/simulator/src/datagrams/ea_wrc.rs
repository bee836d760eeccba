//! EA SPORTS WRC in the structure that the game comes with, 60 updates a second. Each lap is a run over a stage as long as the track.
use super::packed::{Packed, is_due};
use super::{DatagramEncoder, Datagrams};
use crate::board::Status;
use crate::car::vehicle::{GEARS, IDLE_RPM, MAX_RPM};
use crate::game::Game;

const HZ: u64 = 60;
/// The gear numbers of neutral and reverse.
const NEUTRAL: u8 = 0;
const REVERSE: u8 = 10;

/// Encodes `session_update` without 4CC.
#[derive(Debug, Default)]
pub(super) struct WrcEncoder {
    packets: u64,
}

impl DatagramEncoder for WrcEncoder {
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams) {
        // While paused the game sends nothing.
        if !is_due(ms, HZ) || game.board.status != Status::Live {
            return;
        }
        self.packets += 1;
        let mut packet = Packed::default();
        packet
            .raw(&self.packets.to_le_bytes())
            .f32s([120.0 + ms as f64 / 1000.0, 1.0 / HZ as f64])
            .raw(&(7_200 + self.packets).to_le_bytes());
        vehicle(game, &mut packet);
        stage(game, &mut packet);
        out.push(packet.bytes());
    }
}

fn vehicle(game: &Game, packet: &mut Packed) {
    let car = game.car();
    let back_first =
        |value: fn(&crate::car::Wheel) -> f64| [2, 3, 0, 1].map(|index| car.wheels.get(index).map_or(0.0, value));
    let (x, z) = car.course;
    packet
        .f32s([(car.engine.rpm / MAX_RPM).clamp(0.0, 1.0), 0.8 * MAX_RPM, 0.97 * MAX_RPM])
        .raw(&[1, car.engine.gear as u8, NEUTRAL, REVERSE, GEARS as u8])
        .f32s([car.speed_over_road_ms(), car.speed_ms])
        .f32s([car.x, car.height.y, car.z])
        .f32s([car.speed_ms * x, car.climb_ms, car.speed_ms * z])
        .f32s([car.ahead_ms2 * x - car.left_ms2 * z, car.up_ms2, car.ahead_ms2 * z + car.left_ms2 * x])
        // Left, forward, up.
        .f32s([-z, 0.0, x])
        .f32s([x, 0.0, z])
        .f32s([0.0, 1.0, 0.0])
        .f32s(back_first(|wheel| wheel.travel_m))
        .f32s([0.0; 4])
        .f32s([car.speed_ms; 4])
        .f32s(back_first(|wheel| wheel.brake_celsius))
        .f32s([MAX_RPM, IDLE_RPM, car.engine.rpm])
        .f32s([car.gas, car.brake, car.engine.clutch, car.steering(), 0.0]);
}

fn stage(game: &Game, packet: &mut Packed) {
    let board = &game.board;
    let (time_s, distance_m) =
        if board.timer_runs { (board.current_ms / 1000.0, game.car().along_m) } else { (0.0, 0.0) };
    packet.f32(time_s).f64(distance_m).f64(game.track().length_m());
}
