//! Trackmania: races over 30 laps with three checkpoints each, of which the line is one.
use super::scene::{Scene, is_before_first_line};
use super::{Pace, PageEncoder};
use crate::board::Status;
use crate::datagrams::put::{put, put_f32s, put_text};
use crate::game::Game;

const BYTES: usize = 1_696;
const HEADER_BYTES: usize = 44;
const LAPS: usize = 30;
const PER_LAP: usize = 3;
/// How long the result is shown after a race.
const RESULT_MS: f64 = 300.0;

/// Fills the page.
#[derive(Default)]
pub(super) struct Trackmania {
    pace: Pace,
    scene: Scene,
}

impl Trackmania {
    fn fill(&self, ms: u64, game: &Game, page: &mut [u8]) {
        put_text::<32>(page, 0, "ManiaPlanet_Telemetry");
        put(page, 32, 3_u32.to_le_bytes());
        put(page, 36, (BYTES as u32).to_le_bytes());
        put(page, 40, ((self.pace.pages as u32) << 1).to_le_bytes());
        let Some(body) = page.get_mut(HEADER_BYTES..) else { return };
        let state: u32 = match game.board.status {
            Status::Off => 1,
            Status::Pause => 3,
            Status::Live | Status::Replay => 2,
        };
        put(body, 0, state.to_le_bytes());
        put_text::<64>(body, 4, "gametape");
        put_text::<64>(body, 68, "gametape-ring");
        put_text::<256>(body, 132, "$f80gametape$z ring");
        self.race(game, body);
        let car = game.car();
        for at in [1064, 1148] {
            put(body, at, (ms as u32).to_le_bytes());
        }
        let (x, z) = car.course;
        put_f32s(body, 1088, &[car.x, car.height.y, car.z, x * car.speed_ms, car.climb_ms, z * car.speed_ms]);
        put_f32s(body, 1152, &[car.steering(), car.gas]);
        put(body, 1160, u32::from(car.brake > 0.0).to_le_bytes());
        put_f32s(body, 1168, &[car.engine.rpm]);
        put(body, 1172, (car.engine.gear as i32).to_le_bytes());
        put(body, 1244, ((car.speed_over_road_ms() * 3.6) as u32).to_le_bytes());
        put_text::<256>(body, 1368, "Driver 1");
    }

    fn race(&self, game: &Game, body: &mut [u8]) {
        let board = &game.board;
        let laps = &self.scene.player.laps;
        let shows_result = !laps.is_empty() && laps.len().is_multiple_of(LAPS) && board.current_ms < RESULT_MS;
        let first = if shows_result { laps.len() - LAPS } else { laps.len() / LAPS * LAPS };
        let mut times: Vec<u32> = Vec::new();
        let mut begun_ms = 0;
        for lap in laps.iter().skip(first) {
            let [one, two, _] = lap.sectors_ms;
            times.extend([begun_ms + one, begun_ms + one + two, begun_ms + lap.ms]);
            begun_ms += lap.ms;
        }
        let is_before = is_before_first_line(board);
        if !shows_result && !is_before {
            let [one, two] = self.scene.player.sectors_ms;
            times.extend([one, one + two].into_iter().take(board.sector.max(0) as usize).map(|ms| begun_ms + ms));
        }
        let (state, ms) = match (shows_result, is_before) {
            (true, _) => (2, begun_ms),
            (_, true) => (0, u32::MAX),
            _ => (1, begun_ms + board.current_ms as u32),
        };
        for (at, number) in [(516, state), (520, ms), (528, times.len() as u32)] {
            put(body, at, u32::to_le_bytes(number));
        }
        for (index, ms) in times.iter().enumerate() {
            put(body, 532 + index * 4, ms.to_le_bytes());
        }
        for (at, number) in [(1032, PER_LAP as u32), (1036, LAPS as u32), (1044, 1000 + (first / LAPS) as u32)] {
            put(body, at, u32::to_le_bytes(number));
        }
    }
}

impl PageEncoder for Trackmania {
    fn encode(&mut self, ms: u64, game: &Game, page: &mut Vec<u8>) -> bool {
        self.scene.watch(ms, game);
        let is_due = self.pace.is_due(ms);
        if is_due {
            page.clear();
            page.resize(BYTES, 0);
            self.fill(ms, game, page);
        }
        is_due
    }
}
