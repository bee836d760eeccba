//! Assetto Corsa Competizione's broadcasting: what the game sends to a client that has registered and requests entry list and track every five seconds.
//! The simulated car is one of six.
use super::packed::Packed;
use super::player::Player;
use super::rivals::{RivalLap, Rivals};
use super::{DatagramEncoder, Datagrams};
use crate::board::{NO_TIME_MS, SessionKind, Status};
use crate::game::Game;
use crate::pages::PLAYER_CAR_ID;

/// Milliseconds between updates, and between entry lists.
const INTERVAL_MS: u64 = 250;
const ANSWERS_MS: u64 = 5_000;
/// What the game calls the client.
const CONNECTION: i32 = 1;
const CARS: u16 = 6;
/// The simulated car is the first one.
const OWN: u16 = PLAYER_CAR_ID as u16;
const EVENT_LAP: u8 = 5;

/// Sends the messages.
#[derive(Debug, Default)]
pub(super) struct Broadcasting {
    rivals: Option<Rivals>,
    player: Player,
    /// Index of the session, and when it began.
    session: Option<(i32, u64)>,
    /// Completed laps of each car.
    laps: [u32; CARS as usize],
}

/// A lap as a record has it.
#[derive(Debug, Clone)]
struct Lap {
    ms: i32,
    splits_ms: Vec<u32>,
    valid: bool,
}

/// A car at a moment.
struct OneCar {
    laps: u32,
    distance_m: f64,
    x: f64,
    z: f64,
    yaw_rad: f64,
    speed_ms: f64,
    gear: i32,
    in_lane: bool,
    best: Lap,
    last: Lap,
    current: Lap,
}

impl Lap {
    const NONE: Self = Self { ms: NO_TIME_MS, splits_ms: Vec::new(), valid: true };

    fn write(&self, car: u16, out: &mut Packed) {
        out.i32(self.ms).u16(car).u16(0).u8(self.splits_ms.len() as u8);
        self.splits_ms.iter().for_each(|split| {
            out.i32(split.cast_signed());
        });
        let flags = [!self.valid, self.valid, false, false];
        flags.into_iter().for_each(|flag| {
            out.u8(flag.into());
        });
    }
}

impl DatagramEncoder for Broadcasting {
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams) {
        let board = &game.board;
        // In its menus, the game sends nothing.
        if board.status == Status::Off {
            return;
        }
        let is_new = self.session.is_none_or(|(index, _)| index != board.session_index);
        if is_new {
            if self.session.is_none() {
                out.push(Packed::default().u8(1).i32(CONNECTION).u8(1).u8(0).text("").bytes());
            }
            self.session = Some((board.session_index, ms));
            (self.player, self.laps) = (Player::default(), [0; CARS as usize]);
        }
        let since_ms = ms - self.session.map_or(ms, |(_, began_ms)| began_ms);
        self.player.watch(board);
        if since_ms.is_multiple_of(ANSWERS_MS) {
            entries(out);
            out.push(&track(game));
        }
        if since_ms.is_multiple_of(INTERVAL_MS) {
            self.update(since_ms, game, out);
        }
    }
}

impl Broadcasting {
    fn update(&mut self, since_ms: u64, game: &Game, out: &mut Datagrams) {
        let rivals = self.rivals.get_or_insert_with(|| Rivals::new(game.track()));
        let player = &self.player;
        let car = |car: u16| if car == 0 { own(game, player) } else { rival(rivals, car, since_ms, game) };
        let cars: Vec<OneCar> = (0..CARS).map(car).collect();
        out.push(&session(since_ms, game, &cars));
        let length_m = game.track().length_m();
        let total_m = |car: &OneCar| f64::from(car.laps) * length_m + car.distance_m;
        for (index, car) in cars.iter().enumerate() {
            let position = 1 + cars.iter().filter(|other| total_m(other) > total_m(car)).count();
            out.push(&car_update(OWN + index as u16, position as u16, car, length_m));
        }
        for (index, (car, laps)) in cars.iter().zip(&mut self.laps).enumerate() {
            if car.laps > std::mem::replace(laps, car.laps) && car.last.ms != NO_TIME_MS {
                let (minutes, rest_ms) = (car.last.ms / 60_000, car.last.ms % 60_000);
                let text = format!("{minutes:02}:{:02}.{:03}", rest_ms / 1000, rest_ms % 1000);
                let number = i32::from(OWN) + index as i32;
                out.push(Packed::default().u8(7).u8(EVENT_LAP).text(&text).i32(since_ms as i32).i32(number).bytes());
            }
        }
    }
}

fn entries(out: &mut Datagrams) {
    let mut list = Packed::default();
    list.u8(4).i32(CONNECTION).u16(CARS);
    (0..CARS).for_each(|car| {
        list.u16(OWN + car);
    });
    out.push(list.bytes());
    for car in 0..CARS {
        let mut entry = Packed::default();
        let number = car + 1;
        entry.u8(6).u16(OWN + car).u8(30 + car as u8).text(&format!("Team {number}")).i32(10 + i32::from(number));
        entry.u8((car % 4) as u8).u8(0).u16(2).u8(1);
        entry.text("Driver").text(&number.to_string()).text(&format!("DR{number}")).u8(1).u16(2);
        out.push(entry.bytes());
    }
}

fn track(game: &Game) -> Vec<u8> {
    let mut track = Packed::default();
    track.u8(5).i32(CONNECTION).text("gametape ring").i32(99).i32(game.track().length_m() as i32);
    track.u8(1).text("Drivable").u8(2).text("Chase").text("Cockpit").u8(1).text("Basic HUD");
    track.bytes().to_vec()
}

fn session(since_ms: u64, game: &Game, cars: &[OneCar]) -> Vec<u8> {
    let board = &game.board;
    let mut update = Packed::default();
    update.u8(2).u16(0).u16(board.session_index as u16).u8(session_type(board.session)).u8(5);
    update.f32(since_ms as f64).f32(board.time_left_ms.unwrap_or_default()).i32(PLAYER_CAR_ID);
    update.text("Drivable").text("Cockpit").text("Basic HUD");
    match board.status {
        Status::Replay => update.u8(1).f32(since_ms as f64).f32(0.0),
        _ => update.u8(0),
    };
    update.f32(board.clock_s).u8(22).u8(31).u8(1).u8(0).u8(0);
    let best = cars.iter().zip(OWN..).min_by_key(|(car, _)| car.best.ms);
    match best {
        Some((car, index)) => car.best.write(index, &mut update),
        None => Lap::NONE.write(0, &mut update),
    }
    update.bytes().to_vec()
}

fn car_update(index: u16, position: u16, car: &OneCar, length_m: f64) -> Vec<u8> {
    let mut update = Packed::default();
    update.u8(3).u16(index).u16(0).u8(1).u8((car.gear + 2) as u8);
    update.f32(car.x).f32(car.z).f32(car.yaw_rad).u8(if car.in_lane { 2 } else { 1 });
    update.u16((car.speed_ms * 3.6) as u16).u16(position).u16(1).u16(0);
    update.f32((car.distance_m / length_m).rem_euclid(1.0)).u16(car.laps as u16).i32(0);
    [&car.best, &car.last, &car.current].into_iter().for_each(|lap| lap.write(index, &mut update));
    update.bytes().to_vec()
}

/// The simulated car.
fn own(game: &Game, player: &Player) -> OneCar {
    let (board, car) = (&game.board, game.car());
    let last = player.laps.last().map_or(Lap::NONE, |lap| Lap {
        ms: lap.ms.cast_signed(),
        splits_ms: lap.sectors_ms.to_vec(),
        valid: lap.valid,
    });
    let best = player.laps.iter().filter(|lap| lap.valid && lap.ms > 0).min_by_key(|lap| lap.ms);
    let best =
        best.map_or(Lap::NONE, |lap| Lap { ms: lap.ms.cast_signed(), splits_ms: lap.sectors_ms.to_vec(), valid: true });
    let splits_ms = player.sectors_ms.iter().copied().filter(|ms| *ms > 0).collect();
    OneCar {
        laps: board.completed_laps.max(0).cast_unsigned(),
        distance_m: car.along_m,
        x: car.x,
        z: car.z,
        yaw_rad: car.course.0.atan2(car.course.1),
        speed_ms: car.speed_ms,
        gear: car.engine.gear as i32,
        in_lane: board.in_pit_lane || board.in_box,
        best,
        last,
        current: Lap { ms: board.current_ms as i32, splits_ms, valid: board.valid },
    }
}

/// One of the other cars.
fn rival(rivals: &Rivals, car: u16, since_ms: u64, game: &Game) -> OneCar {
    let index = usize::from(car);
    let now = rivals.at(index, since_ms as f64);
    let place = game.track().at(now.distance_m);
    let (x, z) = place.left(0.0);
    let lap = |lap: RivalLap| Lap { ms: lap.ms.cast_signed(), splits_ms: lap.sectors_ms.to_vec(), valid: lap.valid };
    let laps = || (1..=now.laps).map(|number| Rivals::lap(index, number));
    let current = Rivals::lap(index, now.laps + 1);
    let ended = current.sectors_ms.iter().copied().take(now.sector.into());
    OneCar {
        laps: now.laps,
        distance_m: now.distance_m,
        x,
        z,
        yaw_rad: place.tangent.0.atan2(place.tangent.1),
        speed_ms: now.speed_ms,
        gear: 4,
        in_lane: now.in_lane,
        best: laps().filter(|lap| lap.valid).min_by_key(|lap| lap.ms).map_or(Lap::NONE, lap),
        last: laps().next_back().map_or(Lap::NONE, lap),
        current: Lap { ms: now.lap_ms.cast_signed(), splits_ms: ended.collect(), valid: current.valid },
    }
}

fn session_type(session: SessionKind) -> u8 {
    match session {
        SessionKind::Qualify => 4,
        SessionKind::Superpole => 9,
        SessionKind::Race => 10,
        SessionKind::Hotlap | SessionKind::TimeAttack => 11,
        SessionKind::Hotstint => 12,
        _ => 0,
    }
}
