//! Echo VR: two answers of the game's HTTP service, `/session` and `/player_bones`, as JSON texts.
//!
//! Frames are the answers as the game gave them. `fields` finds values in an answer without building a tree of it; [`SessionFacts`] says which match
//! it is of; [`EventDetector`] what happens in it, as values ([`Happened`]) and in words ([`GameEvent`]). [`simulated`] makes matches that nobody played.
mod events;
mod facts;
mod fields;
#[doc(hidden)]
pub mod fuzz;
mod happened;
pub mod simulated;
mod state;

pub use events::{EventDetector, GameEvent};
pub use facts::{SessionFacts, session_id};
pub use fields::{Fields, Items, text_value};
pub use happened::{Counter, EVENT_KINDS, Goal, Happened, Side, Who};
pub use state::State;

/// The game's id in recordings.
pub const ID: &str = "echo-vr";
/// The game's name as its makers write it.
pub const NAME: &str = "Echo VR";
/// The stream of answers to `/session`.
pub const SESSION: &str = "session";
/// The stream of answers to `/player_bones`.
pub const PLAYER_BONES: &str = "player-bones";
