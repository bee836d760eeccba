//! Echo VR: two answers of the game's HTTP service, `/session` and `/player_bones`, as JSON texts.
//!
//! Frames are the answers as the game gave them. `walk` goes through an answer once without building a tree of it, `fields` finds single values in it; [`SessionFacts`] says which match
//! it is of; [`EventDetector`] what happens in it, as values ([`Happened`]) and in words ([`GameEvent`]). [`Answer`] tells a match from the reasons why there is none.
//! [`simulated`] makes matches that nobody played.
mod answer;
mod events;
mod facts;
mod fields;
#[doc(hidden)]
pub mod fuzz;
mod happened;
mod rules;
pub mod simulated;
mod state;
mod walk;

pub use answer::{API_DISABLED, Answer, IN_LOBBY, is_object};
pub use events::{EventDetector, GameEvent};
pub use facts::{SessionFacts, session_id};
pub use fields::{Fields, Items, text_value};
pub use happened::{Counter, EVENT_KINDS, Goal, Happened, Side, Who};
pub use rules::session_key;
pub use state::State;

use crate::capture::{CopyRule, Transport};
use crate::registry::{Game, Stream};

/// The registry's entry. 30 answers a second: the game makes them in its own loop, and asked more often it draws fewer pictures.
pub const GAME: Game = Game {
    id: ID,
    name: NAME,
    aliases: &["echo", "echovr"],
    streams: &[SESSION_STREAM, PLAYER_BONES_STREAM],
    processes: &["echovr.exe"],
    default_hz: Some(30),
    rules: &rules::EchoVrRules,
};

/// What the match is like.
pub const SESSION_STREAM: Stream = answers(SESSION, "/session");
/// Where the bones of all players are.
pub const PLAYER_BONES_STREAM: Stream = answers(PLAYER_BONES, "/player_bones");

const fn answers(name: &'static str, path: &'static str) -> Stream {
    Stream { name, layouts: &[], transport: Transport::Http { port: PORTS.0, path }, copy_rule: CopyRule::Whole }
}

/// The first and the last port on which the game answers: the first, unless several run on one machine.
pub const PORTS: (u16, u16) = (6721, 6730);

/// The game's id in recordings.
pub const ID: &str = "echo-vr";
/// The game's name as its makers write it.
pub const NAME: &str = "Echo VR";
/// The stream of answers to `/session`.
pub const SESSION: &str = "session";
/// The stream of answers to `/player_bones`.
pub const PLAYER_BONES: &str = "player-bones";
