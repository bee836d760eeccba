//! What happens in a match, and when.

use super::Settings;
use super::chance::Chance;

/// Something that happens.
#[derive(Debug, Clone, PartialEq)]
pub struct Happening {
    /// Seconds since the first answer.
    pub at_s: f64,
    /// What.
    pub what: What,
}

/// What can happen. Players are numbers from 0 on.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// The game goes over to another status, in the game's own word.
    Status(&'static str),
    /// A player takes the disc.
    Take(usize),
    /// Whoever has the disc throws it.
    Throw,
    /// A goal.
    Goal {
        /// Who scored.
        by: usize,
        /// Who helped.
        assist: Option<usize>,
        /// 2 or 3.
        points: i32,
        /// In the game's own words.
        kind: &'static str,
    },
    /// A player keeps the disc out.
    Save(usize),
    /// A player stuns another.
    Stun {
        /// Who.
        by: usize,
        /// Whom.
        victim: usize,
    },
    /// A player shows an emote for two seconds.
    Emote(usize),
    /// The match is paused, or goes on; in the game's own word.
    Pause(&'static str),
}

/// All that happens, in order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script(Vec<Happening>);

impl Script {
    /// These things, put in order.
    pub fn new(mut happenings: Vec<Happening>) -> Self {
        happenings.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        Self(happenings)
    }

    /// What happens, first to last.
    pub fn happenings(&self) -> &[Happening] {
        &self.0
    }

    /// Passages of play with a goal every half minute or so; rounds of five minutes.
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
