//! The Codemasters "extradata" format: an event of many laps, 60 packets a second.
use super::packed::{Packed, is_due};
use super::{DatagramEncoder, Datagrams};
use crate::board::Status;
use crate::car::vehicle::{GEARS, GRAVITY, IDLE_RPM, MAX_RPM};
use crate::game::Game;

const HZ: u64 = 60;
/// Radians per second for one revolution per minute.
const RAD_S: f64 = std::f64::consts::PI / 30.0;
/// Laps of the event: more than anyone drives.
const TOTAL_LAPS: f64 = 999.0;

/// Encodes the format with `extradata` 3.
#[derive(Debug, Default)]
pub(super) struct DirtEncoder {
    /// The first two sector times of the lap, and the lap that they belong to.
    sectors: (i32, [f64; 2]),
}

impl DatagramEncoder for DirtEncoder {
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams) {
        let board = &game.board;
        self.sector_times(game);
        if !is_due(ms, HZ) || board.status != Status::Live {
            return;
        }
        let mut packet = Packed::default();
        motion(ms, game, &mut packet);
        controls(game, &mut packet);
        self.race(game, &mut packet);
        out.push(packet.bytes());
    }
}

impl DirtEncoder {
    fn sector_times(&mut self, game: &Game) {
        let board = &game.board;
        if self.sectors.0 != board.completed_laps || board.sector == 0 {
            self.sectors = (board.completed_laps, [0.0; 2]);
        }
        let since_line_s = f64::from(board.last_sector_ms) / 1000.0;
        let (_, [first_s, second_s]) = &mut self.sectors;
        match board.sector {
            1 => *first_s = since_line_s,
            2 => *second_s = since_line_s - *first_s,
            _ => {}
        }
    }

    fn race(&self, game: &Game, packet: &mut Packed) {
        let (car, board) = (game.car(), &game.board);
        let laps = f64::from(board.completed_laps);
        packet
            .f32(laps)
            .f32(car.engine.rpm * RAD_S)
            // A dashboard, the race position, then values that the car does not have.
            .f32s([1.0, 1.0])
            .f32s([0.0; 7])
            .f32(if board.in_pit_lane { 1.0 } else { 0.0 })
            .f32(f64::from(board.sector))
            .f32s(self.sectors.1);
        let rear_first =
            |value: fn(&crate::car::Wheel) -> f64| [2, 3, 0, 1].map(|index| car.wheels.get(index).map_or(0.0, value));
        packet
            .f32s(rear_first(|wheel| wheel.brake_celsius))
            .f32s([0.0; 4])
            .f32s([laps, TOTAL_LAPS, game.track().length_m()])
            .f32(board.last_ms.map_or(0.0, |ms| f64::from(ms) / 1000.0))
            .f32s([MAX_RPM * RAD_S, IDLE_RPM * RAD_S, GEARS as f64]);
    }
}

fn motion(ms: u64, game: &Game, packet: &mut Packed) {
    let (car, board) = (game.car(), &game.board);
    let length_m = game.track().length_m();
    let before_line = board.completed_laps == 0 && !board.timer_runs;
    let lap_m = if before_line && car.along_m > length_m / 2.0 { car.along_m - length_m } else { car.along_m };
    let lap_s = if board.timer_runs { board.current_ms / 1000.0 } else { 0.0 };
    let (x, z) = car.course;
    // The speed is that of the velocity, climb included.
    let velocity = [car.speed_ms * x, car.climb_ms, car.speed_ms * z];
    packet
        .f32s([10.0 + ms as f64 / 1000.0, lap_s, lap_m])
        .f32(f64::from(board.completed_laps) + (lap_m / length_m).max(0.0))
        .f32s([car.x, car.height.y, car.z])
        .f32(car.speed_over_road_ms())
        .f32s(velocity)
        .f32s([-z, 0.0, x])
        .f32s([x, 0.0, z]);
}

fn controls(game: &Game, packet: &mut Packed) {
    let car = game.car();
    let rear_first =
        |value: fn(&crate::car::Wheel) -> f64| [2, 3, 0, 1].map(|index| car.wheels.get(index).map_or(0.0, value));
    packet
        .f32s(rear_first(|wheel| wheel.travel_m * 1000.0))
        .f32s([0.0; 4])
        .f32s([car.speed_ms; 4])
        .f32s([car.gas, car.steering(), car.brake, car.engine.clutch])
        .f32(car.engine.gear as f64)
        .f32s([car.left_ms2 / GRAVITY, car.ahead_ms2 / GRAVITY]);
}
