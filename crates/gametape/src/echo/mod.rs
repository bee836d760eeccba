//! Echo VR between its three forms: answers of the game as JSON text, messages of the first version (`.nevrcap`), and frames of Telemetry V2 (`.tape`).
//!
//! ```text
//!  JSON ── read ──▶ SessionResponse ── arena ──▶ EchoArenaFrame        EventDetector: Happened ── events_v1, events_v2 ──▶ events
//!  JSON ◀── write ── SessionResponse ◀── known ── EchoArenaFrame
//! ```
//! Everything here but [`MatchSummary`], which reads a tape, is pure: no I/O, no clock, and no answer makes it panic. [`Maker`] is what exports feed with answers; [`Known`] is what imports feed with frames.
//! What V2 has no place for travels as [`beyond`], or is left out; `docs/telemetry-v2.md` has the list.

mod arena;
pub mod beyond;
mod events_v1;
mod events_v2;
mod fuzz;
mod known;
mod maker;
mod object;
mod read;
mod rotation;
mod spelling;
mod summary;
mod words;
mod write;

#[doc(hidden)]
pub use fuzz::fuzz_echo_mapping;
pub use known::Known;
pub use maker::{KEYFRAME_INTERVAL, Maker, with_arena};
pub use read::{read_player_bones, read_session};
pub use summary::{MatchSummary, PlayerSummary};
pub use write::{Keys, write_player_bones, write_session};
