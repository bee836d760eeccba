//! The script of a match: what happens, and when.

use super::Settings;
use super::chance::Chance;

/// A scripted event.
#[derive(Debug, Clone, PartialEq)]
pub struct Happening {
    /// Seconds since the first response.
    pub at_s: f64,
    /// The event.
    pub what: What,
}

/// What can happen. Players are numbered from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// The game status changes, in the game's word.
    Status(&'static str),
    /// A player takes the disc.
    Take(usize),
    /// The holder throws the disc.
    Throw,
    /// A goal.
    Goal {
        /// Scorer.
        by: usize,
        /// Assisting player.
        assist: Option<usize>,
        /// 2 or 3.
        points: i32,
        /// Goal type, in the game's words.
        kind: &'static str,
    },
    /// A player makes a save.
    Save(usize),
    /// A player stuns another.
    Stun {
        /// Stunning player.
        by: usize,
        /// Stunned player.
        victim: usize,
    },
    /// A player plays an emote for two seconds.
    Emote(usize),
    /// The match is paused or resumed, in the game's word.
    Pause(&'static str),
}

/// All events, in time order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script(Vec<Happening>);

impl Script {
    /// Creates a script from these events, sorted by time.
    pub fn new(mut happenings: Vec<Happening>) -> Self {
        happenings.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        Self(happenings)
    }

    /// Returns the events in time order.
    pub fn happenings(&self) -> &[Happening] {
        &self.0
    }

    /// Generates phases of play with a goal about every 30 seconds, in rounds of five minutes.
    pub fn by_chance(settings: &Settings) -> Self {
        let chance = Chance::new(settings.seed).of(77);
        let end_s = settings.frames as f64 / settings.rate_hz;
        let mut all = vec![Happening { at_s: 0.0, what: What::Status("pre_match") }];
        let mut say = |at_s: f64, what: What| all.push(Happening { at_s, what });
        let (mut at_s, mut turn) = (0.4, 0u64);
        say(at_s, What::Status("round_start"));
        at_s += 0.6;
        say(at_s, What::Status("playing"));
        let player = |turn: u64, use_of: u64| (chance.of(turn).share(use_of) * settings.players as f64) as usize;
        while at_s < end_s {
            let of = chance.of(turn);
            let first = player(turn, 1);
            at_s += of.between(0, 0.5, 2.5);
            say(at_s, What::Take(first));
            at_s += of.between(2, 0.7, 4.0);
            let other = (first + 1 + player(turn, 3) % (settings.players - 1)) % settings.players;
            match (of.share(4) * 10.0) as u32 {
                0 | 1 => {
                    say(at_s, What::Throw);
                    at_s += of.between(5, 0.5, 1.2);
                    let kinds = [(2, "INSIDE SHOT"), (3, "LONG SHOT"), (2, "SLAM DUNK"), (3, "BOUNCE SHOT")];
                    let (points, kind) = kinds[(of.share(6) * 3.99) as usize];
                    let mate = (first + 2) % settings.players;
                    let assist = (settings.players > 3 && mate % 2 == first % 2 && of.share(7) < 0.5).then_some(mate);
                    say(at_s, What::Goal { by: first, assist, points, kind });
                    say(at_s, What::Status("score"));
                    say(at_s + 2.0, What::Status("round_start"));
                    say(at_s + 4.0, What::Status("playing"));
                    at_s += 4.0;
                }
                2 => {
                    say(at_s, What::Throw);
                    at_s += of.between(5, 0.4, 0.9);
                    say(at_s, What::Save(other));
                    say(at_s, What::Take(other));
                }
                3 | 4 => say(at_s, What::Stun { by: other, victim: first }),
                5 => say(at_s, What::Emote(other)),
                _ => say(at_s, What::Throw),
            }
            turn += 1;
        }
        Self::new(all)
    }
}
