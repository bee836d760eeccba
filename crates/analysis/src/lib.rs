//! What a recording of a game means: sessions, stints, laps, sectors, comparisons and live figures.
//!
//! ```text
//! a tape, a running game ──Recording, frames──▶ laps::Tracking ──▶ Event ──▶ laps::Tracked
//!                                               Decoding ──▶ Sample ──▶ laps::columns, live
//! ```
//!
//! Everything in this crate is a pure function of frames: no I/O, no clock, no threads, no database. It builds for `wasm32-unknown-unknown`. Frames
//! come in through [`Recording`], which a tape implements, or one by one from a running game, so that both give the same results.
//!
//! - [`recording`]: the trait through which frames are read. [`layout`]: layouts of games as channel tables of tapes. [`decoding`]: frames to
//!   neutral samples.
//! - [`laps`]: the tracker, the model of sessions and laps, the channels of a lap, laps compared.
//! - [`live`]: figures of a car that is being driven: delta to a reference lap, fuel.
#![forbid(unsafe_code)]

pub mod decoding;
pub mod laps;
pub mod layout;
pub mod live;
pub mod recording;

pub use decoding::Decoding;
pub use recording::Recording;
