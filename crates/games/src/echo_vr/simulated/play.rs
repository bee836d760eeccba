//! The state of a match at a frame.

use super::Settings;
use super::chance::Chance;
use super::motion::{Basis, Vector, Wander, Wander3, add, scaled};
use super::script::{Script, What};
use super::skeleton::{Bones, Skeleton};

/// Standard deviation of the tracking noise of heads and hands, in metres, and of directions, in radians.
const SHAKE_M: f64 = 0.000_35;
const SHAKE_RAD: f64 = 0.000_5;
const ROUND_S: f64 = 300.0;
const STUN_S: f64 = 3.0;
const EMOTE_S: f64 = 2.0;

/// A body part: position and orientation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) place: Vector,
    pub(super) basis: Basis,
}

/// A player's counters.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stats {
    pub(super) possession_s: f64,
    pub(super) points: i32,
    pub(super) saves: i32,
    pub(super) goals: i32,
    pub(super) stuns: i32,
    pub(super) passes: i32,
    pub(super) catches: i32,
    pub(super) steals: i32,
    pub(super) blocks: i32,
    pub(super) interceptions: i32,
    pub(super) assists: i32,
    pub(super) shots_taken: i32,
}

/// A player.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) number: usize,
    pub(super) head: Part,
    pub(super) body: Part,
    pub(super) left: Part,
    pub(super) right: Part,
    pub(super) velocity: Vector,
    pub(super) bones: Bones,
    pub(super) stats: Stats,
    pub(super) ping: u32,
    stunned_until_s: f64,
    emote_until_s: f64,
    pub(super) stunned: bool,
    pub(super) emote: bool,
    way: Wander3,
    turn: Wander3,
    look: Wander3,
    reach: [Wander3; 2],
    skeleton: Skeleton,
    chance: Chance,
}

/// The last goal, which the game shows until the next one.
#[derive(Debug, Clone)]
pub(super) struct LastScore {
    pub(super) team: &'static str,
    pub(super) kind: &'static str,
    pub(super) points: i32,
    pub(super) speed: f32,
    pub(super) distance: f32,
    pub(super) by: Option<usize>,
    pub(super) assist: Option<usize>,
}

/// The complete state of a match.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) seed: u64,
    pub(super) status: &'static str,
    pub(super) pause: &'static str,
    pub(super) clock_s: f64,
    pub(super) points: [i32; 2],
    pub(super) holder: Option<usize>,
    pub(super) players: Vec<Player>,
    pub(super) disc: Part,
    pub(super) disc_velocity: Vector,
    pub(super) bounces: u32,
    pub(super) last_score: LastScore,
    /// 13 numbers of the local player's last throw.
    pub(super) last_throw: [f32; 13],
    pub(super) root: Part,
    seconds: f64,
    next: usize,
    last_holder: Option<usize>,
    disc_turn: Wander3,
    drift: Wander,
    chance: Chance,
}

impl Player {
    fn new(number: usize, chance: Chance, count: usize) -> Self {
        let nowhere = Part { place: [0.0; 3], basis: Basis::of([0.0; 3]) };
        // A few players cross the whole arena; in larger groups each keeps to a part of it.
        let reach = if count <= 4 { [12.0, 7.0, 34.0] } else { [10.0, 6.0, 28.0] };
        Self {
            number,
            head: nowhere,
            body: nowhere,
            left: nowhere,
            right: nowhere,
            velocity: [0.0; 3],
            bones: Bones { places: Vec::new(), turns: Vec::new() },
            stats: Stats::default(),
            ping: 0,
            stunned_until_s: 0.0,
            emote_until_s: 0.0,
            stunned: false,
            emote: false,
            way: Wander3::new(chance.of(1), reach, 0.02, 0.3),
            turn: Wander3::new(chance.of(2), [3.0, 0.8, 0.5], 0.05, 0.6),
            look: Wander3::new(chance.of(3), [0.9, 0.5, 0.2], 0.1, 1.5),
            reach: [4, 5].map(|hand| Wander3::new(chance.of(hand), [0.25, 0.35, 0.3], 0.2, 2.5)),
            skeleton: Skeleton::new(chance.of(6)),
            chance,
        }
    }

    fn step(&mut self, frame: usize, seconds: f64) {
        let Self { chance, .. } = *self;
        let noise = |part: u64| -> Vector {
            std::array::from_fn(|axis| chance.of(100 + part * 3 + axis as u64).noise(frame as u64))
        };
        let shake = |part: u64| scaled(noise(part), SHAKE_M);
        let tremble = |part: u64| scaled(noise(part + 10), SHAKE_RAD);
        let place = self.way.at(seconds);
        let turn = self.turn.at(seconds);
        let basis = Basis::of(turn);
        self.body = Part { place: add(place, shake(0)), basis: Basis::of(add(turn, tremble(0))) };
        self.velocity = self.way.slope(seconds);
        let look = add(turn, self.look.at(seconds));
        let head = add(place, basis.to_world([0.0, 0.55, 0.08]));
        self.head = Part { place: add(head, shake(1)), basis: Basis::of(add(look, tremble(1))) };
        let hand = |number: usize, side: f64| {
            let wander = self.reach[number].at(seconds);
            let at = add(place, basis.to_world(add([side * 0.35, 0.1, 0.35], wander)));
            let way = add(add(turn, scaled(wander, 4.0)), tremble(2 + number as u64));
            Part { place: add(at, shake(2 + number as u64)), basis: Basis::of(way) }
        };
        (self.left, self.right) = (hand(0, 1.0), hand(1, -1.0));
        self.bones = self.skeleton.at(frame, seconds);
        self.stunned = seconds < self.stunned_until_s;
        self.emote = seconds < self.emote_until_s;
        // The game measures it about once a second.
        self.ping = 18 + 4 * self.number as u32 + (chance.of(9).share(seconds as u64) * 5.0) as u32;
    }
}

impl Play {
    pub(super) fn new(settings: &Settings) -> Self {
        let chance = Chance::new(settings.seed);
        let nowhere = Part { place: [0.0; 3], basis: Basis::of([0.0; 3]) };
        let players = (0..settings.players).map(|n| Player::new(n, chance.of(1000 + n as u64), settings.players));
        Self {
            seed: settings.seed,
            status: "",
            pause: "unpaused",
            clock_s: ROUND_S,
            points: [0; 2],
            holder: None,
            players: players.collect(),
            disc: nowhere,
            disc_velocity: [0.0; 3],
            bounces: 0,
            last_score: LastScore {
                team: "blue",
                kind: "[NO GOAL]",
                points: 0,
                speed: 0.0,
                distance: 0.0,
                by: None,
                assist: None,
            },
            last_throw: [0.0; 13],
            root: nowhere,
            seconds: 0.0,
            next: 0,
            last_holder: None,
            disc_turn: Wander3::new(chance.of(5), [3.0, 3.0, 3.0], 0.2, 1.0),
            drift: Wander::new(chance.of(6), 1.5, 0.05, 0.4),
            chance,
        }
    }

    /// Returns by how many milliseconds a response is late.
    pub(super) fn lateness_ms(&self, frame: usize) -> f64 {
        self.chance.of(8).share(frame as u64) * 1.5
    }

    pub(super) fn step(&mut self, frame: usize, seconds: f64, script: &Script) {
        let step_s = seconds - self.seconds;
        self.seconds = seconds;
        while let Some(happening) = script.happenings().get(self.next).filter(|next| next.at_s <= seconds) {
            self.next += 1;
            self.happen(&happening.what);
        }
        for player in &mut self.players {
            player.step(frame, seconds);
        }
        if self.status == "playing" && self.pause == "unpaused" {
            self.clock_s = (self.clock_s - step_s).max(0.0);
            if let Some(player) = self.holder.and_then(|holder| self.players.get_mut(holder)) {
                player.stats.possession_s += step_s;
            }
        }
        self.move_disc(step_s, seconds);
        if let Some(player) = self.players.first() {
            self.root = Part { place: scaled(player.body.place, 0.1), basis: player.body.basis };
        }
    }

    fn move_disc(&mut self, step_s: f64, seconds: f64) {
        match self.holder.and_then(|holder| self.players.get(holder)) {
            Some(player) => {
                self.disc = Part { place: add(player.right.place, [0.0, 0.05, 0.0]), basis: player.right.basis };
                self.disc_velocity = player.velocity;
            }
            None => {
                let mut place = add(self.disc.place, scaled(self.disc_velocity, step_s));
                for ((at, speed), wall) in place.iter_mut().zip(&mut self.disc_velocity).zip([15.0, 10.0, 40.0]) {
                    if at.abs() > wall {
                        *at = at.clamp(-wall, wall);
                        *speed = -*speed * 0.8;
                        self.bounces += 1;
                    }
                }
                self.disc = Part { place, basis: Basis::of(self.disc_turn.at(seconds)) };
            }
        }
    }

    fn happen(&mut self, what: &What) {
        let seconds = self.seconds;
        match what {
            What::Status(status) => {
                self.status = status;
                if *status == "round_start" {
                    (self.holder, self.disc_velocity, self.disc.place) = (None, [0.0; 3], [0.0; 3]);
                }
            }
            What::Take(number) => {
                let before = self.holder.or(self.last_holder).filter(|before| before != number);
                let same_team = before.is_some_and(|before| before % 2 == number % 2);
                let stolen = self.holder.is_some_and(|holder| holder % 2 != number % 2);
                self.holder = Some(*number);
                self.bounces = 0;
                if let Some(player) = self.players.get_mut(*number) {
                    player.stats.catches += 1;
                    player.stats.steals += i32::from(stolen);
                }
                if let Some(passer) = before.filter(|_| same_team).and_then(|before| self.players.get_mut(before)) {
                    passer.stats.passes += 1;
                }
            }
            What::Throw => self.throw(),
            What::Goal { by, assist, points, kind } => {
                let team = by % 2;
                if let Some(total) = self.points.get_mut(team) {
                    *total += points;
                }
                if let Some(player) = self.players.get_mut(*by) {
                    player.stats.goals += 1;
                    player.stats.points += points;
                }
                if let Some(helper) = assist.and_then(|assist| self.players.get_mut(assist)) {
                    helper.stats.assists += 1;
                }
                let (speed, distance) =
                    (self.drift.at(seconds) as f32 + 9.0, self.drift.at(seconds + 5.0) as f32 + 7.0);
                let team = if team == 0 { "blue" } else { "orange" };
                let (by, assist) = (Some(*by), *assist);
                self.last_score = LastScore { team, kind, points: *points, speed, distance, by, assist };
                self.holder = None;
            }
            What::Save(number) => {
                if let Some(player) = self.players.get_mut(*number) {
                    player.stats.saves += 1;
                }
            }
            What::Stun { by, victim } => {
                if let Some(player) = self.players.get_mut(*by) {
                    player.stats.stuns += 1;
                }
                if let Some(player) = self.players.get_mut(*victim) {
                    player.stunned_until_s = seconds + STUN_S;
                }
                if self.holder == Some(*victim) {
                    self.throw();
                }
            }
            What::Emote(number) => {
                if let Some(player) = self.players.get_mut(*number) {
                    player.emote_until_s = seconds + EMOTE_S;
                }
            }
            What::Pause(state) => self.pause = state,
        }
    }

    fn throw(&mut self) {
        let Some(player) = self.holder.and_then(|holder| self.players.get_mut(holder)) else { return };
        player.stats.shots_taken += 1;
        let speed = 6.0 + self.drift.at(self.seconds).abs() * 6.0;
        self.disc_velocity = add(player.velocity, scaled(player.right.basis.forward, speed));
        self.disc.place = player.right.place;
        if player.number == 0 {
            let of = self.chance.of(self.seconds.to_bits());
            self.last_throw = std::array::from_fn(|number| of.between(number as u64, 0.0, 12.0) as f32);
        }
        self.last_holder = self.holder.take();
    }
}
