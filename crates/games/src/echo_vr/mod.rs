//! Echo VR: the JSON responses of two endpoints of the game's HTTP API, `/session` and `/player_bones`.
//!
//! Frames are the responses, byte for byte. `walk` traverses a response once without building a tree, `fields` finds
//! single values. [`Answer`] classifies a response and [`SessionFacts`] identifies its match. [`EventDetector`] detects
//! events, as values ([`Happened`]) and as text ([`GameEvent`]). [`simulated`] generates matches.
mod answer;
mod events;
mod facts;
mod fields;
#[doc(hidden)]
pub mod fuzz;
mod happened;
pub(crate) mod rules;
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
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};

/// Registry entry. Samples at 30 Hz: the game produces responses in its main loop, so a higher rate lowers its frame
/// rate.
pub const GAME: Game = Game {
    id: ID,
    name: NAME,
    aliases: &["echo", "echovr"],
    streams: &[SESSION_STREAM, PLAYER_BONES_STREAM],
    processes: &["echovr.exe"],
    default_hz: Some(30),
    rules: &rules::EchoVrRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "switch \"API Access\" on in the settings of the game and restart it",
    proven: Proof::SomeRealBytes("responses of /session of 2018"),
};

/// State of the match.
pub const SESSION_STREAM: Stream = answers(SESSION, "/session", 3);
/// Bone positions of all players.
pub const PLAYER_BONES_STREAM: Stream = answers(PLAYER_BONES, "/player_bones", 4);

const fn answers(name: &'static str, path: &'static str, play_rank: u8) -> Stream {
    let transport = Transport::Http { port: PORTS.0, path };
    Stream { name, layouts: Layouts::Tables(&[]), transport, copy_rule: CopyRule::Whole, play_rank }
}

/// First and last port of the game's API. The game uses the first one unless several instances run on the same machine.
pub const PORTS: (u16, u16) = (6721, 6730);

/// Game id in recordings.
pub const ID: &str = "echo-vr";
/// Official name.
pub const NAME: &str = "Echo VR";
/// Name of the stream of `/session` responses.
pub const SESSION: &str = "session";
/// Name of the stream of `/player_bones` responses.
pub const PLAYER_BONES: &str = "player-bones";
