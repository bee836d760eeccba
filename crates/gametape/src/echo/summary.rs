//! Who did what in the matches on a tape: the engine's own counters, and beside them what the events add up to. Takes a tape, gives both, whether they agree or not.

use std::collections::BTreeMap;

use gametape_format::Event;
use gametape_format::read::{ReadError, Tape, TapeStream};
use gametape_games::echo_vr::{self, Counter, Who};
use telemetry_v2::proto::engine::v1::PlayerStats;

use super::read::team_stats;
use super::{arena, beyond, read_session};

/// Answers of players who left are looked for; more often is not worth the time.
const MAX_LOOKS: usize = 64;

/// What a tape of Echo VR has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchSummary {
    /// Matches: when they begin, and their ids.
    pub sessions: Vec<(u64, String)>,
    /// Goals: when, and in words.
    pub goals: Vec<(u64, String)>,
    /// Players, by slot and name.
    pub players: Vec<PlayerSummary>,
}

/// A player of a match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlayerSummary {
    /// Who.
    pub who: Who,
    /// Blue, orange or spectators by its place, where the player was last seen.
    pub team: Option<usize>,
    /// What the engine had counted when the player was last seen, in the order of [`Counter::ALL`]. It may have begun before the tape did.
    pub engine: Option<[i64; 11]>,
    /// What events on the tape add up to. `None` where no event says it.
    pub events: [Option<u64>; 11],
}

impl MatchSummary {
    /// Reads events and a few answers of a tape; `None` if it is of another game.
    ///
    /// # Errors
    /// If the tape cannot be read; parts that are damaged are passed over.
    pub fn of(tape: &Tape) -> Result<Option<Self>, ReadError> {
        let Ok(stream) = tape.stream_named(echo_vr::SESSION) else { return Ok(None) };
        if stream.spec().game != echo_vr::ID {
            return Ok(None);
        }
        let events = tape.events();
        let of = |kind: &str| {
            events.iter().filter(|event| event.kind == kind).map(|event| (event.at_ns, event.text.clone())).collect()
        };
        let mut players = Players::default();
        events.iter().for_each(|event| players.count(event));
        // The last answer before each leave, and the last of all, have the engine's counters.
        let leaves = events.iter().filter(|event| event.kind == "player_left").map(|event| event.at_ns);
        for before_ns in leaves.take(MAX_LOOKS).chain([u64::MAX]) {
            if let Some(answer) = last_before(tape, stream, before_ns)? {
                players.look(&answer);
            }
        }
        Ok(Some(Self { sessions: of("session_start"), goals: of("goal"), players: players.0.into_values().collect() }))
    }
}

/// The last answer before a time. Damage is passed over.
fn last_before(tape: &Tape, stream: &TapeStream, time_ns: u64) -> Result<Option<Vec<u8>>, ReadError> {
    let mut frames = tape.frames(stream);
    let sought = frames.seek_last_before(time_ns);
    match sought.and_then(|found| {
        if found { frames.next().map(|frame| frame.map(|frame| frame.data.to_vec())) } else { Ok(None) }
    }) {
        Err(ReadError::Damaged(_)) => Ok(None),
        result => result,
    }
}

#[derive(Default)]
struct Players(BTreeMap<(i64, String), PlayerSummary>);

impl Players {
    fn of(&mut self, who: Who) -> &mut PlayerSummary {
        let key = (who.slot, who.name.clone());
        let new = || PlayerSummary {
            who,
            events: Counter::ALL.map(|counter| counted_by(counter).map(|_| 0)),
            ..PlayerSummary::default()
        };
        self.0.entry(key).or_insert_with(new)
    }

    fn count(&mut self, event: &Event) {
        let joined = (event.kind == "player_joined").then(|| event.text.rsplit_once(", ")).flatten();
        if let Some(who) = joined.and_then(|(who, _)| Who::of_text(who)) {
            self.of(who);
        }
        for (place, counter) in Counter::ALL.into_iter().enumerate() {
            if counted_by(counter) == Some(event.kind.as_str())
                && let Some(who) = Who::of_text(&event.text)
                && let Some(Some(count)) = self.of(who).events.get_mut(place)
            {
                *count += 1;
            }
        }
    }

    fn look(&mut self, answer: &[u8]) {
        let Some(session) = read_session(answer) else { return };
        for (team, member) in arena::players(&session) {
            let who = Who { slot: member.slot_number.into(), name: member.display_name.clone() };
            let player = self.of(who);
            player.team = Some(team);
            player.engine = member.stats.as_ref().map(counters).or(player.engine);
        }
    }
}

/// The kind of event that adds up to a counter. Catches are those that possession shows: the engine counts fewer.
fn counted_by(counter: Counter) -> Option<&'static str> {
    match counter {
        Counter::Catches => Some("catch"),
        counter => counter.event_kind(),
    }
}

fn counters(stats: &PlayerStats) -> [i64; 11] {
    beyond::counters(&team_stats(stats)).map(i64::from)
}
