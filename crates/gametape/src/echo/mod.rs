//! Converts Echo VR data between its three forms: the game's JSON responses, `.nevrcap` messages (v1), and Telemetry V2 frames (`.tape`).
//!
//! ```text
//!  JSON ── read ──▶ SessionResponse ── arena ──▶ EchoArenaFrame        EventDetector: Happened ── events_v1, events_v2 ──▶ events
//!  JSON ◀── write ── SessionResponse ◀── known ── EchoArenaFrame
//! ```
//! Everything here except [`MatchSummary`], which reads a tape, is pure: no I/O, no clock, and no input makes it panic. Exports feed
//! [`Maker`] with responses; imports feed [`Known`] with frames. Data that V2 cannot represent is carried by [`beyond`] events or left
//! out; `docs/telemetry-v2.md` has the list.

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
