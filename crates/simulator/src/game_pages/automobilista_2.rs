//! Automobilista 2 (version 14 of the page) and Project CARS (version 6). Sectors are single times; that of the current sector counts up.
use super::scene::{Scene, is_before_first_line, place_of};
use super::{Pace, PageEncoder};
use crate::datagrams::project_cars::{current_s, game_state, motion, pit_mode, race_state, session_state};
use crate::datagrams::put::{put, put_f32s, put_text};
use crate::datagrams::{Rival, Rivals};
use crate::game::Game;

const BUILD: u32 = 1510;
const PARTICIPANTS_AT: usize = 28;
const PARTICIPANT_BYTES: usize = 100;
/// First version with a sequence number.
const NUMBERED: u32 = 8;
const FIRST_GAME_BYTES: usize = 7_320;
const NEWEST_BYTES: usize = 20_700;

/// Fills the page.
pub(super) struct Automobilista2 {
    version: u32,
    pace: Pace,
    scene: Scene,
}

fn ints(page: &mut [u8], at: usize, numbers: &[u32]) {
    for (index, number) in numbers.iter().enumerate() {
        put(page, at + index * 4, number.to_le_bytes());
    }
}

impl Automobilista2 {
    pub(super) fn new(version: u32) -> Self {
        Self { version, pace: Pace::default(), scene: Scene::default() }
    }

    fn has_arrays(&self) -> bool {
        self.version >= NUMBERED
    }

    fn fill(&mut self, ms: u64, game: &Game, page: &mut [u8]) {
        let (car, board) = (game.car(), &game.board);
        let rivals = self.scene.rivals(ms, game);
        let states = [game_state(board), session_state(board), race_state(board)].map(u32::from);
        ints(page, 0, &[self.version, BUILD, states[0], states[1], states[2], 0, rivals.len() as u32 + 1]);
        put_f32s(page, 6428, &[car.gas, car.brake, car.steering(), car.engine.clutch]);
        for (at, text) in [(6444, "gametape GT"), (6508, "GT3"), (6576, "gametape ring"), (6640, "Full")] {
            put_text::<64>(page, at, text);
        }
        put_f32s(page, 6704, &[game.track().length_m()]);
        if self.has_arrays() {
            ints(page, 6708, &[3]);
        }
        put(page, 6712, [u8::from(!board.valid)]);
        let seconds = |ms: Option<i32>| ms.map_or(-1.0, |ms| f64::from(ms) / 1000.0);
        put_f32s(page, 6716, &[seconds(board.best_ms), seconds(board.last_ms), current_s(board), -1.0, -1.0, -1.0]);
        put_f32s(page, 6740, &[board.time_left_ms.map_or(-1.0, |ms| ms / 1000.0), -1.0, -1.0]);
        put_f32s(page, 6752, &self.own_sectors_s(game));
        put_f32s(page, 6764, &[-1.0; 9]);
        ints(page, 6808, &[pit_mode(board).into()]);
        let acting = [(car.abs > 0.0, 16), (car.traction_control > 0.0, 64)];
        ints(page, 6816, &[acting.iter().filter(|(is, _)| *is).fold(2, |flags, (_, flag)| flags | flag)]);
        put_f32s(page, 6820, &[96.0, 400.0, 88.0, 120.0, 300.0, car.fuel_l / 110.0, 110.0]);
        put_f32s(page, 6848, &[car.speed_over_road_ms(), car.engine.rpm, 9250.0]);
        put_f32s(page, 6860, &[car.brake, car.gas, car.engine.clutch, car.steering()]);
        ints(page, 6876, &[car.engine.gear as u32, 6]);
        put_f32s(page, 6884, &[board.distance_m / 1000.0]);
        put(page, 6888, [u8::from(car.abs > 0.0)]);
        motion(page, 6908, game);
        put_f32s(page, 7040, &car.wheels.map(|wheel| -wheel.angular_rad_s));
        put_f32s(page, 7072, &car.wheels.map(|wheel| wheel.tyre_celsius));
        put_f32s(page, 7136, &[0.03; 4]);
        put_f32s(page, 7184, &car.wheels.map(|wheel| wheel.brake_celsius));
        for at in [7200, 7216, 7232, 7248, 7264] {
            put_f32s(page, at, &car.wheels.map(|wheel| wheel.tyre_celsius + 273.15));
        }
        put_f32s(page, 7292, &[22.0, 31.0]);
        if self.has_arrays() {
            put(page, 7320, ((self.pace.pages as u32) << 1).to_le_bytes());
            put_f32s(page, 7340, &car.wheels.map(|wheel| wheel.travel_m));
            put_f32s(page, 7372, &car.wheels.map(|wheel| wheel.pressure_psi() * 6.894_757));
            for at in [20_584, 20_600, 20_616] {
                put_f32s(page, at, &car.wheels.map(|wheel| wheel.tyre_celsius));
            }
            put_text::<40>(page, 19_388, "Slick");
            put_f32s(page, 20_576, &[60.0]);
            ints(page, 20_660, &[4, 5]);
        }
        self.cars(game, &rivals, page);
    }

    /// Returns the times of the player's sectors.
    fn own_sectors_s(&self, game: &Game) -> [f64; 3] {
        let board = &game.board;
        if is_before_first_line(board) {
            return [-1.0; 3];
        }
        let [first, second] = self.scene.player.sectors_ms.map(|ms| f64::from(ms) / 1000.0);
        let now_s = board.current_ms / 1000.0;
        match board.sector {
            0 => [now_s, -1.0, -1.0],
            1 => [first, now_s - first, -1.0],
            _ => [first, second, now_s - first - second],
        }
    }

    fn cars(&self, game: &Game, rivals: &[Rival], page: &mut [u8]) {
        let (car, board) = (game.car(), &game.board);
        let own_place = self.scene.own_place(game, rivals);
        let sector = if is_before_first_line(board) { 2 } else { board.sector };
        let own = Entry {
            index: 0,
            world: [car.x, car.height.y, car.z],
            along_m: car.along_m,
            place: own_place,
            laps: board.completed_laps as u32,
            sector: sector as u32,
            sectors_s: self.own_sectors_s(game),
            last_ms: board.last_ms.map(i32::cast_unsigned),
            best_ms: board.best_ms.map(i32::cast_unsigned),
            valid: board.valid,
            race_state: race_state(board).into(),
            pit_mode: pit_mode(board).into(),
            speed_ms: car.speed_over_road_ms(),
        };
        own.put(page, self.has_arrays());
        for (index, rival) in rivals.iter().enumerate() {
            let place = place_of(index, rivals, own_place);
            rival_entry(index, place, rival, game).put(page, self.has_arrays());
        }
    }
}

impl PageEncoder for Automobilista2 {
    fn encode(&mut self, ms: u64, game: &Game, page: &mut Vec<u8>) -> bool {
        self.scene.watch(ms, game);
        let is_due = self.pace.is_due(ms);
        if is_due {
            page.clear();
            page.resize(if self.has_arrays() { NEWEST_BYTES } else { FIRST_GAME_BYTES }, 0);
            self.fill(ms, game, page);
        }
        is_due
    }
}

/// A participant.
struct Entry {
    index: usize,
    world: [f64; 3],
    along_m: f64,
    place: usize,
    laps: u32,
    sector: u32,
    sectors_s: [f64; 3],
    last_ms: Option<u32>,
    best_ms: Option<u32>,
    valid: bool,
    race_state: u32,
    pit_mode: u32,
    speed_ms: f64,
}

fn rival_entry(index: usize, place: usize, rival: &Rival, game: &Game) -> Entry {
    let along_m = rival.distance_m.rem_euclid(game.track().length_m());
    let (x, z) = game.track().at(along_m).left(0.0);
    let lap = Rivals::lap(index, rival.laps + 1);
    let [first, second, _] = lap.sectors_ms.map(|ms| f64::from(ms) / 1000.0);
    let now_s = f64::from(rival.lap_ms) / 1000.0;
    let done = |lap: u32| Rivals::lap(index, lap);
    let is_waiting = rival.distance_m < 0.0;
    Entry {
        index: index + 1,
        world: [x, game.track().height(along_m).y, z],
        along_m,
        place,
        laps: rival.laps,
        sector: if is_waiting { 2 } else { rival.sector.into() },
        sectors_s: match rival.sector {
            _ if is_waiting => [-1.0; 3],
            0 => [now_s, -1.0, -1.0],
            1 => [first, now_s - first, -1.0],
            _ => [first, second, now_s - first - second],
        },
        last_ms: (rival.laps > 0).then(|| done(rival.laps).ms),
        best_ms: (1..=rival.laps).map(done).filter(|lap| lap.valid).map(|lap| lap.ms).min(),
        valid: lap.valid,
        race_state: if is_waiting { 1 } else { 2 },
        pit_mode: match (rival.in_box, rival.in_lane) {
            (true, _) => 2,
            (_, true) => 1,
            _ => 0,
        },
        speed_ms: rival.speed_ms,
    }
}

impl Entry {
    fn put(&self, page: &mut [u8], has_arrays: bool) {
        let at = PARTICIPANTS_AT + self.index * PARTICIPANT_BYTES;
        if let Some(entry) = page.get_mut(at..at + PARTICIPANT_BYTES) {
            put(entry, 0, [1]);
            put_text::<64>(entry, 1, &format!("Driver {}", self.index + 1));
            put_f32s(entry, 68, &self.world);
            put_f32s(entry, 80, &[self.along_m]);
            ints(entry, 84, &[self.place as u32, self.laps, self.laps + 1, self.sector]);
        }
        if !has_arrays {
            return;
        }
        let place = |at: usize| at + self.index * 4;
        for (at, seconds) in [7408, 7664, 7920].into_iter().zip(self.sectors_s) {
            put_f32s(page, place(at), &[seconds]);
        }
        let seconds = |ms: Option<u32>| ms.map_or(-123.0, |ms| f64::from(ms) / 1000.0);
        put_f32s(page, place(8944), &[seconds(self.best_ms)]);
        put_f32s(page, place(9200), &[seconds(self.last_ms)]);
        put(page, 9456 + self.index, [u8::from(!self.valid)]);
        ints(page, place(9520), &[self.race_state]);
        ints(page, place(9776), &[self.pit_mode]);
        put_f32s(page, place(10_800), &[self.speed_ms]);
        put_text::<64>(page, 11_056 + self.index * 64, "gametape GT");
        put_text::<64>(page, 15_152 + self.index * 64, "GT3");
    }
}
