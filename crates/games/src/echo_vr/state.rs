//! What an answer to `/session` says of the match, as far as events are made of it. One state is filled again and again: in steady state
//! nothing is allocated.

use super::fields::{Fields, Items};

/// Counters of a player, in the order of [`COUNTER_KEYS`].
pub(super) const COUNTERS: usize = 11;

/// How the game calls them.
pub(super) const COUNTER_KEYS: [&str; COUNTERS] = [
    "points",
    "saves",
    "goals",
    "stuns",
    "passes",
    "catches",
    "steals",
    "blocks",
    "interceptions",
    "assists",
    "shots_taken",
];

/// A text of the game, its quotes left off, escapes as they are.
pub(super) type Text = Vec<u8>;

/// A player.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Player {
    pub(super) slot: i64,
    pub(super) team: usize,
    pub(super) name: Text,
    pub(super) number: i64,
    pub(super) level: i64,
    pub(super) possession: bool,
    pub(super) stunned: bool,
    pub(super) emote: bool,
    pub(super) holding: [Text; 2],
    pub(super) loadout: [Text; 3],
    pub(super) counters: [i64; COUNTERS],
}

/// The last goal, as the game shows it until the next.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LastScore {
    pub(super) team: Text,
    pub(super) goal_type: Text,
    pub(super) person: Text,
    pub(super) assist: Text,
    /// As they are spelled.
    pub(super) points: Text,
    pub(super) speed: Text,
    pub(super) distance: Text,
}

/// A match at a moment. What the answer does not say is empty or 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub(super) status: Text,
    pub(super) client: Text,
    pub(super) pause: Text,
    /// Points of blue and orange, rounds of blue and orange.
    pub(super) scores: [i64; 4],
    pub(super) last_score: LastScore,
    /// arm_speed, total_speed and rot_per_sec, as they are spelled.
    pub(super) last_throw: [Text; 3],
    pub(super) players: Vec<Player>,
    /// How many of `players` are in the match; the others keep their memory.
    pub(super) count: usize,
    /// Keys and values of all that was read, as they are spelled: states that have the same are the same, and one comparison says so.
    seen: Text,
}

impl State {
    /// Reads an answer. `false` if it is none of a match: then nothing was changed.
    pub fn read(&mut self, answer: &[u8]) -> bool {
        if Fields::find(answer, "teams").is_none() {
            return false;
        }
        self.count = 0;
        self.scores = [0; 4];
        let Self { status, client, pause, seen, last_score: score, last_throw, .. } = self;
        let LastScore { team, goal_type, person, assist, points, speed, distance } = score;
        let of_score = [team, goal_type, person, assist, points, speed, distance];
        for text in [status, client, pause, seen].into_iter().chain(of_score).chain(last_throw) {
            text.clear();
        }
        for (key, value) in Fields::of(answer) {
            match key {
                b"game_status" => put(&mut self.status, value),
                b"client_name" => put(&mut self.client, value),
                b"blue_points" => self.scores[0] = number(value),
                b"orange_points" => self.scores[1] = number(value),
                b"blue_round_score" => self.scores[2] = number(value),
                b"orange_round_score" => self.scores[3] = number(value),
                b"pause" => {
                    let paused_state = Fields::find(value, "paused_state").unwrap_or_default();
                    put(&mut self.pause, paused_state);
                    note(&mut self.seen, key, paused_state);
                    continue;
                }
                b"last_score" => {
                    self.read_last_score(value);
                    continue;
                }
                b"last_throw" => {
                    self.read_last_throw(value);
                    continue;
                }
                b"teams" => {
                    Items::of(value).enumerate().for_each(|(team, value)| self.read_team(team, value));
                    continue;
                }
                _ => continue,
            }
            note(&mut self.seen, key, value);
        }
        true
    }

    /// Whether nothing that events are made of is another in the two.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.seen == other.seen
    }

    /// What an answer leaves out has not changed: the last goal and the last throw stay what they were.
    pub(super) fn inherit(&mut self, before: &Self) {
        if self.last_score == LastScore::default() {
            self.last_score.clone_from(&before.last_score);
        }
        if self.last_throw.iter().all(Vec::is_empty) {
            self.last_throw.clone_from(&before.last_throw);
        }
    }

    /// Whether the match stands still.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.pause == b"paused"
    }

    /// The players.
    pub(super) fn players(&self) -> &[Player] {
        self.players.get(..self.count).unwrap_or_default()
    }

    pub(super) fn player(&self, slot: i64) -> Option<&Player> {
        self.players().iter().find(|player| player.slot == slot)
    }

    /// Who has the disc.
    pub(super) fn holder(&self) -> Option<&Player> {
        self.players().iter().find(|player| player.possession)
    }

    fn read_last_score(&mut self, value: &[u8]) {
        let score = &mut self.last_score;
        for (key, value) in Fields::of(value) {
            match key {
                b"team" => put(&mut score.team, value),
                b"goal_type" => put(&mut score.goal_type, value),
                b"person_scored" => put(&mut score.person, value),
                b"assist_scored" => put(&mut score.assist, value),
                b"point_amount" => put(&mut score.points, value),
                b"disc_speed" => put(&mut score.speed, value),
                b"distance_thrown" => put(&mut score.distance, value),
                _ => continue,
            }
            note(&mut self.seen, key, value);
        }
    }

    fn read_last_throw(&mut self, value: &[u8]) {
        let [arm, total, turns] = &mut self.last_throw;
        for (key, value) in Fields::of(value) {
            match key {
                b"arm_speed" => put(arm, value),
                b"total_speed" => put(total, value),
                b"rot_per_sec" => put(turns, value),
                _ => continue,
            }
            note(&mut self.seen, key, value);
        }
    }

    fn read_team(&mut self, team: usize, value: &[u8]) {
        for player in Fields::find(value, "players").into_iter().flat_map(Items::of) {
            if self.count == self.players.len() {
                self.players.push(Player::default());
            }
            let Some(place) = self.players.get_mut(self.count) else { return };
            note(&mut self.seen, b"team", &team.to_le_bytes());
            place.read(team, player, &mut self.seen);
            self.count += 1;
        }
    }
}

impl Player {
    fn read(&mut self, team: usize, value: &[u8], seen: &mut Text) {
        self.team = team;
        (self.slot, self.number, self.level) = (-1, 0, 0);
        self.counters = [0; COUNTERS];
        (self.possession, self.stunned, self.emote) = (false, false, false);
        let [weapon, ordnance, tac_mod] = &mut self.loadout;
        let [left, right] = &mut self.holding;
        for text in [&mut *weapon, ordnance, tac_mod, left, right, &mut self.name] {
            text.clear();
        }
        for (key, value) in Fields::of(value) {
            match key {
                b"playerid" => self.slot = number(value),
                b"name" => put(&mut self.name, value),
                b"number" => self.number = number(value),
                b"level" => self.level = number(value),
                b"possession" => self.possession = value == b"true",
                b"stunned" => self.stunned = value == b"true",
                b"is_emote_playing" => self.emote = value == b"true",
                b"holding_left" => put(left, value),
                b"holding_right" => put(right, value),
                b"Weapon" => put(weapon, value),
                b"Ordnance" => put(ordnance, value),
                b"TacMod" => put(tac_mod, value),
                b"stats" => {
                    for (key, value) in Fields::of(value) {
                        let place = COUNTER_KEYS.iter().position(|name| name.as_bytes() == key);
                        if let Some(counter) = place.and_then(|place| self.counters.get_mut(place)) {
                            *counter = number(value);
                            note(seen, key, value);
                        }
                    }
                    continue;
                }
                _ => continue,
            }
            note(seen, key, value);
        }
    }
}

/// Keeps what was read, so that it can be compared.
fn note(seen: &mut Text, key: &[u8], value: &[u8]) {
    for part in [key, b":", value, b","] {
        seen.extend_from_slice(part);
    }
}

/// A value without its quotes.
fn put(text: &mut Text, value: &[u8]) {
    let inner = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
    text.clear();
    text.extend_from_slice(inner);
}

/// A whole number; points of Echo Combat have places, which are cut.
fn number(value: &[u8]) -> i64 {
    let text = std::str::from_utf8(value).unwrap_or_default();
    text.split('.').next().and_then(|whole| whole.parse().ok()).unwrap_or_default()
}
