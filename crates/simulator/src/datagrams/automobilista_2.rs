//! Automobilista 2: telemetry and timings for each tick, times at the end of each sector, and everything else every few seconds. A second car
//! stays in its garage.
use super::project_cars::{
    NAMES_MS, PACKETS_PER_S, Sectors, current_s, game_state, is_before_first_line, motion, pedal, pit_mode,
    put_position, race_state, session_state,
};
use super::put::{put, put_f32s, put_text};
use super::{DatagramEncoder, Datagrams};
use crate::game::Game;

const BUILD: u16 = 1510;
const CAR_CLASS: u32 = 0x0047_5433;
/// Numbers of the participants and of their car.
const OWN: u16 = 0;
const OTHER: u16 = 1;
const CAR_INDEX: u16 = 0;

/// Sends the packets.
#[derive(Default)]
pub(super) struct Automobilista2 {
    ticks: u64,
    packets: u32,
    /// Packets of each type.
    of_type: [u32; 9],
    sectors: Sectors,
    stats_due: bool,
}

impl DatagramEncoder for Automobilista2 {
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams) {
        self.sectors.look(&game.board);
        self.stats_due |= self.sectors.ended;
        if ms.is_multiple_of(NAMES_MS) {
            out.push(&self.game_state(game));
            out.push(&self.race_definition(game));
            self.names(out);
        }
        if ms * PACKETS_PER_S / 1000 >= self.ticks {
            self.ticks += 1;
            out.push(&self.telemetry(game));
            out.push(&self.timings(game));
            if std::mem::take(&mut self.stats_due) {
                out.push(&self.time_stats(game));
            }
        }
    }
}

impl Automobilista2 {
    fn packet(&mut self, bytes: usize, packet_type: u8, version: u8) -> Vec<u8> {
        self.packets += 1;
        let mut packet = vec![0; bytes];
        put(&mut packet, 0, self.packets.to_le_bytes());
        if let Some(count) = self.of_type.get_mut(usize::from(packet_type)) {
            *count += 1;
            put(&mut packet, 4, count.to_le_bytes());
        }
        put(&mut packet, 8, [1, 1, packet_type, version]);
        packet
    }

    fn game_state(&mut self, game: &Game) -> Vec<u8> {
        let mut packet = self.packet(24, 4, 2);
        put(&mut packet, 12, BUILD.to_le_bytes());
        put(&mut packet, 14, [session_state(&game.board) << 4 | game_state(&game.board), 22, 31]);
        packet
    }

    fn race_definition(&mut self, game: &Game) -> Vec<u8> {
        let mut packet = self.packet(308, 1, 1);
        put_f32s(&mut packet, 12, &[-1.0; 8]);
        put_f32s(&mut packet, 44, &[game.track().length_m()]);
        for (at, text) in [(48, "gametape ring"), (112, "Full"), (176, "gametape ring"), (240, "Full")] {
            put_text::<64>(&mut packet, at, text);
        }
        packet
    }

    fn names(&mut self, out: &mut Datagrams) {
        let mut drivers = self.packet(1136, 2, 2);
        for (index, number) in [OWN, OTHER].into_iter().enumerate() {
            put_text::<64>(&mut drivers, 16 + 64 * index, &format!("Driver {}", number + 1));
            put(&mut drivers, 1104 + 2 * index, number.to_le_bytes());
        }
        out.push(&drivers);
        let mut cars = self.packet(1164, 8, 2);
        for (index, number) in [OWN, OTHER].into_iter().enumerate() {
            put(&mut cars, 12 + 72 * index, number.to_le_bytes());
            put(&mut cars, 14 + 72 * index, CAR_CLASS.to_le_bytes());
            put_text::<64>(&mut cars, 18 + 72 * index, "gametape GT");
        }
        out.push(&cars);
        let mut classes = self.packet(1452, 8, 2);
        put(&mut classes, 12, CAR_CLASS.to_le_bytes());
        put_text::<20>(&mut classes, 16, "GT3");
        out.push(&classes);
    }

    fn telemetry(&mut self, game: &Game) -> Vec<u8> {
        let car = game.car();
        let mut packet = self.packet(559, 0, 3);
        put(&mut packet, 13, [pedal(car.gas), pedal(car.brake)]);
        put(&mut packet, 15, ((car.steering() * 127.0) as i8).to_le_bytes());
        let acting = [(car.abs > 0.0, 16), (car.traction_control > 0.0, 64)];
        put(&mut packet, 17, [acting.iter().filter(|(is, _)| *is).fold(2, |flags, (_, flag)| flags | flag)]);
        put(&mut packet, 28, [110, pedal(car.brake), pedal(car.gas), pedal(car.engine.clutch)]);
        put_f32s(&mut packet, 32, &[car.fuel_l / 110.0, car.speed_over_road_ms()]);
        put(&mut packet, 40, (car.engine.rpm as u16).to_le_bytes());
        put(&mut packet, 42, 9250_u16.to_le_bytes());
        put(&mut packet, 44, ((car.steering() * 127.0) as i8).to_le_bytes());
        put(&mut packet, 45, [0x60 | car.engine.gear as u8]);
        put_f32s(&mut packet, 48, &[game.board.distance_m / 1000.0]);
        motion(&mut packet, 52, game);
        put_f32s(&mut packet, 160, &car.wheels.map(|wheel| -wheel.angular_rad_s));
        for (index, wheel) in car.wheels.iter().enumerate() {
            put(&mut packet, 208 + index * 2, (wheel.brake_celsius as i16).to_le_bytes());
            for at in [216, 232] {
                put(&mut packet, at + index * 2, (wheel.tyre_celsius as u16 + 273).to_le_bytes());
            }
            for at in [256, 264, 272] {
                put(&mut packet, at + index * 2, (wheel.tyre_celsius as u16).to_le_bytes());
            }
            put_text::<40>(&mut packet, 378 + index * 40, "Slick");
        }
        put_f32s(&mut packet, 542, &[car.x, car.height.y, car.z]);
        let tick = self.ticks as u32;
        put(&mut packet, 555, tick.to_le_bytes());
        packet
    }

    fn timings(&mut self, game: &Game) -> Vec<u8> {
        let (car, board) = (game.car(), &game.board);
        let mut packet = self.packet(1063, 3, 1);
        put(&mut packet, 12, [2]);
        put_f32s(&mut packet, 17, &[board.time_left_ms.map_or(-1.0, |ms| ms / 1000.0), -1.0, -1.0, -1.0]);
        let quarters = put_position(&mut packet, 33, game);
        put(&mut packet, 45, (car.along_m as u16).to_le_bytes());
        let sector = if is_before_first_line(board) { 2 } else { board.sector as u8 };
        put(&mut packet, 47, [0x80 | 1, quarters | sector, 0, pit_mode(board)]);
        put(&mut packet, 51, (0x8000 | CAR_INDEX).to_le_bytes());
        let invalid = if board.valid { 0 } else { 1 << 3 };
        put(&mut packet, 53, [race_state(board) | invalid, board.completed_laps as u8 + 1]);
        put_f32s(&mut packet, 55, &[current_s(board), -1.0]);
        put(&mut packet, 63, OWN.to_le_bytes());
        // The other car, in its garage.
        put(&mut packet, 65 + 14, [0x80 | 2, 2, 0, 4]);
        put(&mut packet, 65 + 18, CAR_INDEX.to_le_bytes());
        put(&mut packet, 65 + 20, [1, 1]);
        put_f32s(&mut packet, 65 + 22, &[-1.0, -1.0]);
        put(&mut packet, 65 + 30, OTHER.to_le_bytes());
        put(&mut packet, 1057, OWN.to_le_bytes());
        let tick = self.ticks as u32;
        put(&mut packet, 1059, tick.to_le_bytes());
        packet
    }

    fn time_stats(&mut self, game: &Game) -> Vec<u8> {
        let board = &game.board;
        let mut packet = self.packet(1040, 7, 2);
        let seconds = |ms: Option<i32>| ms.map_or(-1.0, |ms| f64::from(ms) / 1000.0);
        put_f32s(&mut packet, 16, &[seconds(board.best_ms), seconds(board.last_ms), self.sectors.last_s]);
        put_f32s(&mut packet, 28, &self.sectors.best_s.map(|best| best.unwrap_or(-1.0)));
        put(&mut packet, 44, OWN.to_le_bytes());
        put_f32s(&mut packet, 48, &[-1.0; 6]);
        put(&mut packet, 76, OTHER.to_le_bytes());
        packet
    }
}
