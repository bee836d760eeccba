//! Forza Motorsport (2023) and Forza Horizon: one datagram, 60 times a second.
use gametape_games::forza;

use super::packed::{Packed, is_due};
use super::{DatagramEncoder, Datagrams};
use crate::board::Status;
use crate::car::vehicle::{IDLE_RPM, MAX_RPM};
use crate::game::Game;

const HZ: u64 = 60;
/// The console has been on for an hour.
const TIMESTAMP_MS: u64 = 3_600_000;
/// Not a track of the game: none has the length of the simulated one.
const TRACK: i32 = 9_001;
/// The gear while shifting, or in neutral.
const NO_GEAR: u8 = 11;

/// Encodes one of the two series.
#[derive(Debug)]
pub(super) struct ForzaEncoder {
    horizon: bool,
    /// Session, completed laps and time of the race so far.
    race: (i32, i32, f64),
    before_ms: u64,
}

impl ForzaEncoder {
    /// Creates the encoder of a game.
    pub(super) fn of(game_id: &str) -> Self {
        Self { horizon: game_id == forza::HORIZON.id, race: (0, 0, 0.0), before_ms: 0 }
    }
}

impl DatagramEncoder for ForzaEncoder {
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams) {
        self.time(ms, game);
        if !is_due(ms, HZ) {
            return;
        }
        let mut packet = Packed::default();
        let timestamp = (TIMESTAMP_MS + ms) as u32;
        let length = if self.horizon { 324 } else { 331 };
        if game.board.status == Status::Live {
            packet.i32(1).raw(&timestamp.to_le_bytes());
            sled(game, &mut packet);
            if self.horizon {
                packet.i32(26).f32s([0.0; 2]);
            }
            self.dash(game, &mut packet);
            if self.horizon {
                packet.zeros(1);
            } else {
                let worn = 1e-5 * self.race.2 / 1000.0;
                packet.f32s([worn; 4]).i32(TRACK);
            }
        } else {
            // Everything but the time is 0 while paused.
            packet.i32(0).raw(&timestamp.to_le_bytes()).zeros(length - 8);
        }
        out.push(packet.bytes());
    }
}

impl ForzaEncoder {
    /// Advances the race time, which restarts with each session.
    fn time(&mut self, ms: u64, game: &Game) {
        let board = &game.board;
        let (session, laps, race_ms) = self.race;
        let anew = session != board.session_index || laps > board.completed_laps;
        let step_ms = ms.saturating_sub(self.before_ms) as f64;
        let runs = board.timer_runs && board.status == Status::Live;
        let race_ms = if anew { 0.0 } else { race_ms + if runs { step_ms } else { 0.0 } };
        self.race = (board.session_index, board.completed_laps, race_ms);
        self.before_ms = ms;
    }

    fn dash(&self, game: &Game, packet: &mut Packed) {
        let (car, board) = (game.car(), &game.board);
        let length_m = game.track().length_m();
        let seconds = |ms: Option<i32>| ms.map_or(0.0, |ms| f64::from(ms) / 1000.0);
        // The first lap begins at the line: before it, the distance is negative.
        let before_line = board.completed_laps == 0 && !board.timer_runs && car.along_m > length_m / 2.0;
        let begun = f64::from(board.completed_laps) - if before_line { 1.0 } else { 0.0 };
        let current_s = if board.timer_runs { board.current_ms / 1000.0 } else { 0.0 };
        let byte = |share: f64| (share * 255.0).round() as u8;
        let gear = if car.engine.gear == 0 { NO_GEAR } else { car.engine.gear as u8 };
        let power_w = car.gas * 380_000.0;
        packet
            .f32s([car.x, car.height.y, car.z])
            .f32(car.speed_over_road_ms())
            .f32(power_w)
            .f32(power_w / (car.engine.rpm.max(1.0) * std::f64::consts::TAU / 60.0))
            .f32s(car.wheels.each_ref().map(|wheel| wheel.tyre_celsius * 1.8 + 32.0))
            .f32(0.0)
            .f32(car.fuel_l / crate::car::vehicle::TANK_L)
            .f32(begun * length_m + car.along_m)
            .f32s([seconds(board.best_ms), seconds(board.last_ms), current_s, self.race.2 / 1000.0])
            .raw(&(board.completed_laps as u16).to_le_bytes())
            // Alone on the track.
            .raw(&[1, byte(car.gas), byte(car.brake), byte(car.engine.clutch), 0, gear])
            .raw(&((car.steering() * 127.0).round() as i8).to_le_bytes())
            .zeros(2);
    }
}

fn sled(game: &Game, packet: &mut Packed) {
    let car = game.car();
    let slip = |value: fn(&crate::car::Wheel) -> f64| car.wheels.each_ref().map(value);
    packet
        .f32s([MAX_RPM, IDLE_RPM, car.engine.rpm])
        // To the right, up and ahead.
        .f32s([-car.left_ms2, car.up_ms2, car.ahead_ms2])
        .f32s([0.0, car.climb_ms, car.speed_ms])
        .f32s([0.0, -car.curvature * car.speed_ms, 0.0])
        .f32s([car.course.0.atan2(car.course.1), car.height.slope.atan(), 0.0016 * car.left_ms2])
        .f32s(slip(|wheel| (wheel.travel_m * 10.0).clamp(0.0, 1.0)))
        .f32s(slip(|wheel| wheel.slip_ratio * 10.0))
        .f32s(slip(|wheel| wheel.angular_rad_s))
        // Rumble strips, puddles, surface.
        .zeros(48)
        .f32s(slip(|wheel| wheel.slip_angle_rad * 10.0))
        .f32s(slip(crate::car::Wheel::slip))
        .f32s(slip(|wheel| wheel.travel_m))
        // Car 3545, class A 693, all-wheel drive, six cylinders; in Horizon the same numbers are class S1.
        .i32(3545)
        .i32(4)
        .i32(693)
        .i32(2)
        .i32(6);
}
