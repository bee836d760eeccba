//! The part of a `/session` response that events are derived from. A state is reused for every response, so that
//! nothing is allocated in steady state.

use super::walk::Walk;

/// Number of counters per player, in the order of [`COUNTER_KEYS`].
pub(super) const COUNTERS: usize = 11;

/// The game's names for the counters.
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

/// Keys of the points of blue and orange, and of the rounds they have won.
const SCORE_KEYS: [&str; 4] = ["blue_points", "orange_points", "blue_round_score", "orange_round_score"];

/// A text of the game without quotes; escapes are not resolved.
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

/// The last goal, which the game shows until the next one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LastScore {
    pub(super) team: Text,
    pub(super) goal_type: Text,
    pub(super) person: Text,
    pub(super) assist: Text,
    /// As spelled in the response.
    pub(super) points: Text,
    pub(super) speed: Text,
    pub(super) distance: Text,
}

/// The state of a match at one moment. Missing values are empty or 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub(super) status: Text,
    pub(super) client: Text,
    pub(super) pause: Text,
    /// In the order of [`SCORE_KEYS`].
    pub(super) scores: [i64; SCORE_KEYS.len()],
    pub(super) last_score: LastScore,
    /// `arm_speed`, `total_speed` and `rot_per_sec`, as spelled in the response.
    pub(super) last_throw: [Text; 3],
    pub(super) players: Vec<Player>,
    /// Number of entries of `players` in use; the others keep their allocations.
    pub(super) count: usize,
    /// All keys and values that were read, as spelled in the response. States with equal bytes are equal, which takes a
    /// single comparison.
    seen: Text,
}

impl State {
    /// Parses a response in a single pass. Returns `false` if it is not from a match; the state is then meaningless.
    pub fn read(&mut self, answer: &[u8]) -> bool {
        self.clear();
        let mut teams = false;
        // A malformed response ends early. The values before that point are used.
        let _ = Walk::of(answer).object(|walk, key| {
            let to = match key {
                b"game_status" => Some(&mut self.status),
                b"client_name" => Some(&mut self.client),
                b"pause" => return self.read_pause(walk),
                b"last_score" => return self.read_last_score(walk),
                b"last_throw" => return self.read_last_throw(walk),
                b"teams" => {
                    self.read_teams(walk)?;
                    teams = true;
                    return Some(());
                }
                _ => None,
            };
            let value = walk.value()?;
            match (to, SCORE_KEYS.iter().position(|name| name.as_bytes() == key)) {
                (Some(text), _) => put(text, value),
                (None, Some(place)) => self.scores[place] = number(value),
                (None, None) => return Some(()),
            }
            note(&mut self.seen, key, value);
            Some(())
        });
        teams
    }

    /// Clears the values but keeps the allocations.
    fn clear(&mut self) {
        self.count = 0;
        self.scores = [0; SCORE_KEYS.len()];
        let Self { status, client, pause, seen, last_score: score, last_throw, .. } = self;
        let LastScore { team, goal_type, person, assist, points, speed, distance } = score;
        let of_score = [team, goal_type, person, assist, points, speed, distance];
        for text in [status, client, pause, seen].into_iter().chain(of_score).chain(last_throw) {
            text.clear();
        }
    }

    /// Returns whether all values that events are derived from are equal.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.seen == other.seen
    }

    /// Carries over what the response leaves out: the last goal and the last throw.
    pub(super) fn inherit(&mut self, before: &Self) {
        if self.last_score == LastScore::default() {
            self.last_score.clone_from(&before.last_score);
        }
        if self.last_throw.iter().all(Vec::is_empty) {
            self.last_throw.clone_from(&before.last_throw);
        }
    }

    /// Returns whether the match is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.pause == b"paused"
    }

    /// Returns the players.
    pub(super) fn players(&self) -> &[Player] {
        self.players.get(..self.count).unwrap_or_default()
    }

    pub(super) fn player(&self, slot: i64) -> Option<&Player> {
        self.players().iter().find(|player| player.slot == slot)
    }

    /// Returns the holder of the disc.
    pub(super) fn holder(&self) -> Option<&Player> {
        self.players().iter().find(|player| player.possession)
    }

    fn read_pause(&mut self, walk: &mut Walk<'_>) -> Option<()> {
        walk.object(|walk, key| {
            let value = walk.value()?;
            if key == b"paused_state" {
                put(&mut self.pause, value);
                note(&mut self.seen, key, value);
            }
            Some(())
        })
    }

    fn read_last_score(&mut self, walk: &mut Walk<'_>) -> Option<()> {
        let score = &mut self.last_score;
        walk.object(|walk, key| {
            let value = walk.value()?;
            match key {
                b"team" => put(&mut score.team, value),
                b"goal_type" => put(&mut score.goal_type, value),
                b"person_scored" => put(&mut score.person, value),
                b"assist_scored" => put(&mut score.assist, value),
                b"point_amount" => put(&mut score.points, value),
                b"disc_speed" => put(&mut score.speed, value),
                b"distance_thrown" => put(&mut score.distance, value),
                _ => return Some(()),
            }
            note(&mut self.seen, key, value);
            Some(())
        })
    }

    fn read_last_throw(&mut self, walk: &mut Walk<'_>) -> Option<()> {
        let [arm, total, turns] = &mut self.last_throw;
        walk.object(|walk, key| {
            let value = walk.value()?;
            match key {
                b"arm_speed" => put(arm, value),
                b"total_speed" => put(total, value),
                b"rot_per_sec" => put(turns, value),
                _ => return Some(()),
            }
            note(&mut self.seen, key, value);
            Some(())
        })
    }

    fn read_teams(&mut self, walk: &mut Walk<'_>) -> Option<()> {
        let mut team = 0;
        walk.list(|walk| {
            walk.object(|walk, key| match key {
                b"players" => walk.list(|walk| self.read_player(team, walk)),
                _ => walk.value().map(|_| ()),
            })?;
            team += 1;
            Some(())
        })
    }

    fn read_player(&mut self, team: usize, walk: &mut Walk<'_>) -> Option<()> {
        if self.count == self.players.len() {
            self.players.push(Player::default());
        }
        let place = self.players.get_mut(self.count)?;
        self.count += 1;
        note(&mut self.seen, b"team", &team.to_le_bytes());
        place.read(team, walk, &mut self.seen)
    }
}

impl Player {
    fn read(&mut self, team: usize, walk: &mut Walk<'_>, seen: &mut Text) -> Option<()> {
        self.team = team;
        (self.slot, self.number, self.level) = (-1, 0, 0);
        self.counters = [0; COUNTERS];
        (self.possession, self.stunned, self.emote) = (false, false, false);
        let [weapon, ordnance, tac_mod] = &mut self.loadout;
        let [left, right] = &mut self.holding;
        for text in [&mut *weapon, ordnance, tac_mod, left, right, &mut self.name] {
            text.clear();
        }
        walk.object(|walk, key| {
            if key == b"stats" {
                return read_counters(walk, &mut self.counters, seen);
            }
            let value = walk.value()?;
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
                _ => return Some(()),
            }
            note(seen, key, value);
            Some(())
        })
    }
}

fn read_counters(walk: &mut Walk<'_>, counters: &mut [i64; COUNTERS], seen: &mut Text) -> Option<()> {
    walk.object(|walk, key| {
        let value = walk.value()?;
        let place = COUNTER_KEYS.iter().position(|name| name.as_bytes() == key);
        if let Some(counter) = place.and_then(|place| counters.get_mut(place)) {
            *counter = number(value);
            note(seen, key, value);
        }
        Some(())
    })
}

/// Appends a key and value to the bytes that are compared.
fn note(seen: &mut Text, key: &[u8], value: &[u8]) {
    for part in [key, b":", value, b","] {
        seen.extend_from_slice(part);
    }
}

/// Stores a value without its quotes.
fn put(text: &mut Text, value: &[u8]) {
    let inner = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
    text.clear();
    text.extend_from_slice(inner);
}

/// Parses an integer. Points of Echo Combat have decimals, which are truncated.
fn number(value: &[u8]) -> i64 {
    let text = std::str::from_utf8(value).unwrap_or_default();
    text.split('.').next().and_then(|whole| whole.parse().ok()).unwrap_or_default()
}
