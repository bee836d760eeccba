//! Euro Truck Simulator 2 and American Truck Simulator: revision 12 of the plugin's page. The truck accepts a job after 5 s and delivers it a minute
//! later, again and again.
use super::{Pace, PageEncoder};
use crate::board::Status;
use crate::datagrams::put::{put, put_f32s, put_text};
use crate::game::Game;

const BYTES: usize = 21_600;
const JOB_BEGINS_MS: u64 = 5_000;
const JOB_MS: u64 = 60_000;
/// From one job to the next.
const CYCLE_MS: u64 = 75_000;

/// Fills the page.
pub(super) struct Trucks {
    game: u32,
    pace: Pace,
    time_us: u64,
}

impl Trucks {
    pub(super) fn new(game: u32) -> Self {
        Self { game, pace: Pace::default(), time_us: 1 }
    }

    fn fill(&self, ms: u64, game: &Game, page: &mut [u8]) {
        let (car, board) = (game.car(), &game.board);
        put(page, 0, [u8::from(board.status != Status::Off)]);
        put(page, 4, [u8::from(board.status != Status::Live)]);
        for (at, us) in [(8, self.time_us), (16, ms * 1000), (24, ms * 1000)] {
            put(page, at, us.to_le_bytes());
        }
        for (at, number) in [(40, 12), (44, 1), (48, 50), (52, self.game), (56, 1), (60, 18), (68, 12), (80, 4)] {
            put(page, at, u32::to_le_bytes(number));
        }
        put(page, 504, (car.engine.gear as i32).to_le_bytes());
        put_f32s(page, 704, &[400.0]);
        put_f32s(page, 740, &[2500.0]);
        let steering = car.steering();
        put_f32s(page, 948, &[car.speed_over_road_ms(), car.engine.rpm, -steering]);
        put_f32s(page, 960, &[car.gas, car.brake, car.engine.clutch, -steering, car.gas, car.brake, car.engine.clutch]);
        put_f32s(page, 992, &[110.0, 60.0, car.fuel_l, 0.32, 800.0]);
        put_f32s(page, 1056, &[board.distance_m / 1000.0]);
        put_f32s(page, 1072, &car.wheels.map(|wheel| wheel.travel_m));
        put_f32s(page, 1136, &car.wheels.map(|wheel| wheel.angular_rad_s / std::f64::consts::TAU));
        put_f32s(page, 1892, &[-car.left_ms2, car.up_ms2, -car.ahead_ms2]);
        let heading = (-car.course.0).atan2(-car.course.1) / std::f64::consts::TAU;
        for (index, number) in [car.x, car.height.y, car.z, heading.rem_euclid(1.0), 0.0, 0.0].iter().enumerate() {
            put(page, 2200 + index * 8, number.to_le_bytes());
        }
        put_text::<64>(page, 2364, "gametape");
        put_text::<64>(page, 2492, "Hauler");
        self.job(ms, page);
    }

    fn job(&self, ms: u64, page: &mut [u8]) {
        let (number, at_ms) = (ms / CYCLE_MS, ms % CYCLE_MS);
        let has_begun = at_ms >= JOB_BEGINS_MS;
        let is_over = at_ms >= JOB_BEGINS_MS + JOB_MS;
        put(page, 4300, [u8::from(has_begun && !is_over), 0, 0, u8::from(is_over)]);
        if has_begun && !is_over {
            let town = |number: u64| format!("Town {}", number % 26 + 1);
            put_text::<64>(page, 2556, "gravel");
            put_text::<64>(page, 2620, "Gravel");
            put_text::<64>(page, 2748, &town(number + 1));
            put_text::<64>(page, 2684, &town(number + 1).to_lowercase());
            put_text::<64>(page, 3004, &town(number));
            put_text::<64>(page, 2940, &town(number).to_lowercase());
        }
        if is_over {
            put(page, 4208, (1200 + 10 * number as i64).to_le_bytes());
        }
    }
}

impl PageEncoder for Trucks {
    fn encode(&mut self, ms: u64, game: &Game, page: &mut Vec<u8>) -> bool {
        self.time_us += if game.board.status == Status::Live { 1000 } else { 0 };
        let is_due = self.pace.is_due(ms);
        if is_due {
            page.clear();
            page.resize(BYTES, 0);
            self.fill(ms, game, page);
        }
        is_due
    }
}
