//! All cars at a moment: the player's as the simulation has it, the others as they would be.
use super::PLAYER;
use crate::board::{Board, SessionKind};
use crate::car::Car;
use crate::datagrams::player::Player;
use crate::datagrams::rivals::{Rival, Rivals};
use crate::game::Game;
use crate::track::Track;

/// All cars at a moment.
pub(super) struct Scene<'a> {
    pub(super) format: u16,
    pub(super) game: &'a Game,
    pub(super) player: &'a Player,
    pub(super) session_ms: f64,
    pub(super) cars: Vec<OneCar>,
}

/// A car at a moment.
pub(super) struct OneCar {
    pub(super) rival: Rival,
    pub(super) total_m: f64,
    /// From 1.
    pub(super) position: usize,
    pub(super) to_leader_m: f64,
    pub(super) ahead_m: f64,
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        format: u16,
        count: usize,
        game: &'a Game,
        player: &'a Player,
        rivals: &Rivals,
        session_ms: f64,
    ) -> Self {
        let length_m = game.track().length_m();
        let mut cars: Vec<OneCar> = (0..count)
            .map(|index| {
                let rival = if index == PLAYER { own(game, player) } else { rivals.at(index, session_ms) };
                let total_m = f64::from(rival.laps) * length_m + rival.distance_m;
                OneCar { rival, total_m, position: 0, to_leader_m: 0.0, ahead_m: 0.0 }
            })
            .collect();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|one, two| cars[*two].total_m.total_cmp(&cars[*one].total_m));
        let leader_m = order.first().map_or(0.0, |first| cars[*first].total_m);
        let mut front_m = leader_m;
        for (place, index) in order.into_iter().enumerate() {
            let car = &mut cars[index];
            (car.position, car.to_leader_m, car.ahead_m) = (place + 1, leader_m - car.total_m, front_m - car.total_m);
            front_m = car.total_m;
        }
        Self { format, game, player, session_ms, cars }
    }
}

/// A car on the track, in the axes of the track.
pub(super) struct Motion {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) z: f64,
    pub(super) course: (f64, f64),
    pub(super) speed_ms: f64,
    pub(super) left_ms2: f64,
    pub(super) ahead_ms2: f64,
    pub(super) up_ms2: f64,
}

impl Motion {
    pub(super) fn of_car(car: &Car) -> Self {
        Self {
            x: car.x,
            y: car.height.y,
            z: car.z,
            course: car.course,
            speed_ms: car.speed_ms,
            left_ms2: car.left_ms2,
            ahead_ms2: car.ahead_ms2,
            up_ms2: car.up_ms2,
        }
    }

    pub(super) fn of_rival(rival: &Rival, track: &Track) -> Self {
        let place = track.at(rival.distance_m);
        let beside_m = if rival.in_lane { track.pit_lane().line_m(rival.distance_m) } else { 0.0 };
        let (x, z) = place.left(beside_m);
        Self {
            x,
            y: track.height(rival.distance_m).y,
            z,
            course: place.tangent,
            speed_ms: rival.speed_ms,
            left_ms2: rival.speed_ms * rival.speed_ms * place.curvature,
            ahead_ms2: rival.ahead_ms2,
            up_ms2: 0.0,
        }
    }
}

/// The player's car, in the terms of the others.
fn own(game: &Game, player: &Player) -> Rival {
    let (board, car): (&Board, &Car) = (&game.board, game.car());
    let length_m = game.track().length_m();
    // Before the line is crossed for the first time, distances are negative.
    let before_line = !player.started && car.along_m > length_m / 2.0;
    Rival {
        laps: board.completed_laps.max(0).cast_unsigned(),
        distance_m: car.along_m - if before_line { length_m } else { 0.0 },
        speed_ms: car.speed_ms,
        ahead_ms2: car.ahead_ms2,
        lap_ms: if board.timer_runs { board.current_ms as u32 } else { 0 },
        sector: board.sector.clamp(0, 2) as u8,
        in_lane: board.in_pit_lane,
        in_box: board.in_box,
        stops: player.stops,
    }
}

/// The number of a session type. Five were added in 2024, before the races.
pub(super) fn session_type(format: u16, kind: SessionKind) -> f64 {
    let added = if format < 2024 { 0.0 } else { 5.0 };
    match kind {
        SessionKind::Practice | SessionKind::Hotstint => 1.0,
        SessionKind::Qualify => 5.0,
        SessionKind::Superpole => 9.0,
        SessionKind::Race => 10.0 + added,
        SessionKind::Hotlap | SessionKind::TimeAttack => 13.0 + added,
        SessionKind::Unknown | SessionKind::Drift | SessionKind::Drag => 0.0,
    }
}
