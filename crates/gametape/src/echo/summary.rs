//! Player statistics of the matches in a tape: the engine's counters and the totals of the events, whether they agree or not.

use std::collections::BTreeMap;

use gametape_format::Event;
use gametape_format::read::{ReadError, Tape, TapeStream};
use gametape_games::echo_vr::{self, Counter, Who};
use telemetry_v2::proto::engine::v1::PlayerStats;

use super::read::team_stats;
use super::{arena, beyond, read_session};

/// Maximum number of leaves for which the last response before them is read; more is not worth the time.
const MAX_LOOKS: usize = 64;

/// Summary of an Echo VR tape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchSummary {
    /// Matches: start times and ids.
    pub sessions: Vec<(u64, String)>,
    /// Goals: times and descriptions.
    pub goals: Vec<(u64, String)>,
    /// Players, by slot and name.
    pub players: Vec<PlayerSummary>,
}

/// A player of a match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlayerSummary {
    /// Identity of the player.
    pub who: Who,
    /// Index of the last observed team: blue, orange or spectators.
    pub team: Option<usize>,
    /// The engine's counters when the player was last observed, in the order of [`Counter::ALL`]. They may have started before the tape.
    pub engine: Option<[i64; 11]>,
    /// Totals of the events in the tape. `None` if there are no such events.
    pub events: [Option<u64>; 11],
}

impl MatchSummary {
    /// Reads the events and a few responses of a tape; `None` if it is from another game.
    ///
    /// # Errors
    /// If the tape cannot be read. Damaged parts are skipped.
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
        // The last response before each leave, and the last one of all, have the engine's counters.
        let leaves = events.iter().filter(|event| event.kind == "player_left").map(|event| event.at_ns);
        for before_ns in leaves.take(MAX_LOOKS).chain([u64::MAX]) {
            if let Some(answer) = last_before(tape, stream, before_ns)? {
                players.look(&answer);
            }
        }
        Ok(Some(Self { sessions: of("session_start"), goals: of("goal"), players: players.0.into_values().collect() }))
    }
}

/// Returns the last response before a time. Damage is skipped.
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

/// Returns the kind of event that adds up to a counter. Catches are detected from possession; the engine counts fewer.
fn counted_by(counter: Counter) -> Option<&'static str> {
    match counter {
        Counter::Catches => Some("catch"),
        counter => counter.event_kind(),
    }
}

fn counters(stats: &PlayerStats) -> [i64; 11] {
    beyond::counters(&team_stats(stats)).map(i64::from)
}
