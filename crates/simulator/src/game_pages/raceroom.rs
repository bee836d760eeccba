//! RaceRoom: version 3.5 of the page. Laps that do not count have no time.
use super::scene::{Scene, cumulative_s, is_before_first_line, place_of};
use super::{Pace, PageEncoder};
use crate::board::{SessionKind, Status};
use crate::datagrams::put::{put, put_f32s, put_text};
use crate::datagrams::{Rival, Rivals};
use crate::game::Game;

const BYTES: usize = 43_996;
const DRIVERS_AT: usize = 2012;
const DRIVER_BYTES: usize = 328;
const MODEL: i32 = 4587;
const CLASS: i32 = 1703;

/// Fills the page.
#[derive(Default)]
pub(super) struct RaceRoom {
    pace: Pace,
    scene: Scene,
    /// The sectors of the current lap, which the game keeps until the first one ends.
    current_s: [f64; 3],
}

impl PageEncoder for RaceRoom {
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

fn ints(page: &mut [u8], at: usize, numbers: &[i32]) {
    for (index, number) in numbers.iter().enumerate() {
        put(page, at + index * 4, number.to_le_bytes());
    }
}

fn doubles(page: &mut [u8], at: usize, numbers: &[f64]) {
    for (index, number) in numbers.iter().enumerate() {
        put(page, at + index * 8, number.to_le_bytes());
    }
}

impl RaceRoom {
    fn fill(&mut self, ms: u64, game: &Game, page: &mut [u8]) {
        let board = &game.board;
        let is = |flag: bool| i32::from(flag);
        ints(page, 0, &[3, 5, 2008, DRIVER_BYTES as i32, 3]);
        let (paused, menus, replay) =
            (board.status == Status::Pause, board.status == Status::Off, board.status == Status::Replay);
        ints(page, 20, &[is(paused), is(menus), is(replay), 0, is(board.in_box), 77, (ms * 400 / 1000) as i32]);
        self.car(ms, game, page);
        put_text::<64>(page, 600, "gametape ring");
        put_text::<64>(page, 664, "Full");
        ints(page, 728, &[263, 264]);
        let length_m = game.track().length_m();
        let [second, third] = game.track().sector_starts_m();
        put_f32s(page, 736, &[length_m, 0.0, second / length_m, third / length_m]);
        let session = match board.session {
            _ if menus => -1,
            SessionKind::Qualify => 1,
            SessionKind::Race => 2,
            _ => 0,
        };
        ints(page, 776, &[0, session, board.session_index + 1, 0]);
        put_f32s(page, 792, &[22.2]);
        ints(page, 796, &[5, 6, 1, 1, -1]);
        let left_s = board.time_left_ms.map_or(-1.0, |ms| ms / 1000.0);
        put_f32s(page, 816, &[left_s, left_s]);
        ints(page, 836, &[-1, -1, -1, is(board.in_pit_lane)]);
        ints(page, 904, &[if board.in_box { 3 } else { 0 }]);
        ints(page, 932, &[0; 7]);
        ints(page, 964, &[0, 0, 1, 0, 0, 0]);
        self.laps(ms, game, page);
    }

    fn car(&self, ms: u64, game: &Game, page: &mut [u8]) {
        let car = game.car();
        let (x, z) = car.course;
        doubles(page, 48, &[ms as f64 / 1000.0, car.x, car.height.y, car.z]);
        doubles(page, 80, &[x * car.speed_ms, car.climb_ms, z * car.speed_ms, 0.0, 0.0, -car.speed_ms]);
        doubles(page, 392, &car.wheels.map(|wheel| wheel.travel_m));
        put_text::<64>(page, 1196, "Driver 1");
        ints(page, 1260, &[7, CLASS, MODEL, 1, 1, 1, 77, 0, 1, 0]);
        put_text::<64>(page, 1324, "Driver 1");
        ints(page, 1388, &[0]);
        let rad_s = |rpm: f64| rpm * std::f64::consts::PI / 30.0;
        put_f32s(page, 1392, &[car.speed_over_road_ms(), rad_s(car.engine.rpm), rad_s(9250.0), rad_s(8900.0)]);
        ints(page, 1408, &[car.engine.gear as i32, 6]);
        put_f32s(page, 1416, &[car.x, car.height.y, car.z, 0.0, (-x).atan2(-z), 0.0]);
        put_f32s(page, 1440, &[car.left_ms2, car.up_ms2, -car.ahead_ms2, 1300.0, car.fuel_l, 110.0, 2.6]);
        put_f32s(page, 1468, &[-1.0, -1.0, -1.0, 88.0, 95.0, 300.0, 400.0, -1.0]);
        put_f32s(page, 1500, &[car.gas, car.gas, car.brake, car.brake, car.engine.clutch, car.engine.clutch]);
        put_f32s(page, 1524, &[car.steering()]);
        let aid = |acting: f64| if acting > 0.0 { 5 } else { 1 };
        ints(page, 1536, &[aid(car.abs), aid(car.traction_control), 0, 0, 0, -1, -1, -1, -1, 0]);
        put_f32s(page, 1596, &[0.42]);
        ints(page, 1616, &[4]);
        put_f32s(page, 1632, &car.wheels.map(|wheel| -wheel.angular_rad_s));
        put_f32s(page, 1680, &[0.97; 4]);
        put_f32s(page, 1712, &car.wheels.map(|wheel| wheel.pressure_psi() * 6.894_757));
        for (index, wheel) in car.wheels.iter().enumerate() {
            let celsius = wheel.tyre_celsius;
            put_f32s(page, 1744 + index * 24, &[celsius - 1.0, celsius, celsius + 1.0, 85.0, 60.0, 110.0]);
            put_f32s(page, 1856 + index * 16, &[wheel.brake_celsius, 550.0, 150.0, 700.0]);
        }
        ints(page, 1848, &[3, 3]);
        ints(page, 1936, &[5]);
        put_f32s(page, 1984, &[1.0; 4]);
    }

    fn laps(&mut self, ms: u64, game: &Game, page: &mut [u8]) {
        let board = &game.board;
        let rivals = self.scene.rivals(ms, game);
        let place = self.scene.own_place(game, &rivals);
        ints(page, 988, &[place as i32, place as i32, 0, 0]);
        put_f32s(page, 1004, &[-1.0; 5]);
        let before = is_before_first_line(board);
        let sector = if before { 0 } else { board.sector + 1 };
        let along = game.car().along_m;
        ints(page, 1024, &[0, board.completed_laps, i32::from(board.valid), sector]);
        put_f32s(page, 1040, &[along, along / game.track().length_m()]);
        let last_s = self.scene.last_sectors_s().unwrap_or([-1.0; 3]);
        let best_s = self.scene.best_sectors_s().unwrap_or([-1.0; 3]);
        let now_s = if board.valid && !before { board.current_ms / 1000.0 } else { -1.0 };
        let sectors_ms = self.scene.player.sectors_ms;
        match board.sector {
            0 => {}
            1 => self.current_s = [cumulative_s([sectors_ms[0], 0, 0])[0], -1.0, -1.0],
            _ => {
                let [first, second, _] = cumulative_s([sectors_ms[0], sectors_ms[1], 0]);
                self.current_s = [first, second, -1.0];
            }
        }
        put_f32s(page, 1068, &[best_s[2], best_s[0], best_s[1], best_s[2]]);
        put_f32s(page, 1084, &[last_s[2], last_s[0], last_s[1], last_s[2], now_s]);
        put_f32s(page, 1104, &self.current_s);
        put_f32s(page, 1132, &[-1000.0]);
        ints(page, 1172, &[-1, i32::from(!board.valid)]);
        ints(page, 1180, &[self.scene.player.laps.last().map_or(-1, |lap| i32::from(lap.valid))]);
        ints(page, 2008, &[rivals.len() as i32 + 1]);
        let own = Entry {
            slot: 0,
            place,
            along_m: along,
            laps: board.completed_laps,
            sector,
            valid: board.valid,
            now_s,
            current_s: self.current_s,
            last_s,
            best_s,
            in_lane: board.in_pit_lane,
        };
        own.put(page);
        for (index, rival) in rivals.iter().enumerate() {
            let place = place_of(index, &rivals, place);
            rival_entry(index, place, rival, game.track().length_m()).put(page);
        }
    }
}

/// An entry of the driver array.
struct Entry {
    slot: i32,
    place: usize,
    along_m: f64,
    laps: i32,
    sector: i32,
    valid: bool,
    now_s: f64,
    current_s: [f64; 3],
    last_s: [f64; 3],
    best_s: [f64; 3],
    in_lane: bool,
}

fn rival_entry(index: usize, place: usize, rival: &Rival, length_m: f64) -> Entry {
    let times = |lap: u32| {
        let lap = Rivals::lap(index, lap);
        if lap.valid { cumulative_s(lap.sectors_ms) } else { [-1.0; 3] }
    };
    let valid = (1..=rival.laps).map(|lap| Rivals::lap(index, lap)).filter(|lap| lap.valid);
    let best = valid.min_by_key(|lap| lap.ms);
    let lap = Rivals::lap(index, rival.laps + 1);
    let ended = cumulative_s(lap.sectors_ms);
    let current = |sector: u8| if rival.sector > sector { ended[usize::from(sector)] } else { -1.0 };
    Entry {
        slot: index as i32 + 1,
        place,
        along_m: rival.distance_m.rem_euclid(length_m),
        laps: rival.laps as i32,
        sector: if rival.distance_m < 0.0 { 0 } else { i32::from(rival.sector) + 1 },
        valid: lap.valid,
        now_s: if lap.valid { f64::from(rival.lap_ms) / 1000.0 } else { -1.0 },
        current_s: [current(0), current(1), -1.0],
        last_s: if rival.laps > 0 { times(rival.laps) } else { [-1.0; 3] },
        best_s: best.map_or([-1.0; 3], |best| cumulative_s(best.sectors_ms)),
        in_lane: rival.in_lane,
    }
}

impl Entry {
    /// The array is in the order of places.
    fn put(&self, page: &mut [u8]) {
        let at = DRIVERS_AT + (self.place - 1) * DRIVER_BYTES;
        let Some(entry) = page.get_mut(at..at + DRIVER_BYTES) else { return };
        put_text::<64>(entry, 0, &format!("Driver {}", self.slot + 1));
        ints(entry, 64, &[self.slot + 7, CLASS, MODEL, 1, 1, 1, 77 + self.slot, self.slot, 1, 0]);
        ints(entry, 128, &[0, self.place as i32, self.place as i32]);
        put_f32s(entry, 140, &[self.along_m]);
        ints(entry, 160, &[self.sector, self.laps, i32::from(self.valid)]);
        put_f32s(entry, 172, &[self.now_s]);
        put_f32s(entry, 176, &self.current_s);
        put_f32s(entry, 188, &self.last_s);
        put_f32s(entry, 200, &self.best_s);
        put_f32s(entry, 212, &[-1.0, -1.0]);
        ints(entry, 220, &[-1, i32::from(self.in_lane), 0]);
        put_f32s(entry, 232, &[-1.0; 5]);
        ints(entry, 264, &[3, 3]);
        ints(entry, 280, &[-1, -1]);
        put_f32s(entry, 288, &[-1.0]);
        ints(entry, 292, &[-1, -1, 3]);
    }
}
