//! Sessions, stints, laps, sectors, lap comparisons and live figures from game telemetry.
//!
//! ```text
//! tape, running game ──Recording, frames──┬─▶ laps::Tracking ──▶ Event ──▶ laps::Tracked
//!                                         └─▶ Decoding ──▶ Sample ──▶ laps::columns, live
//! ```
//!
//! Everything in this crate is a pure function of frames: no I/O, no clock, no threads, no database. It builds for
//! `wasm32-unknown-unknown`. Frames come from a [`Recording`], which tapes implement, or one by one from a running game. Both give
//! the same results.
//!
//! - [`recording`]: the trait through which frames are read. [`layout`]: game layouts as channel tables of tapes. [`decoding`]:
//!   frames to neutral samples.
//! - [`laps`]: the lap tracker, the data model, the channels of a lap, lap comparison.
//! - [`channels`]: channels by name. [`documents`]: sessions and tapes as JSON. [`report`]: a tape reduced to the size of a web page.
//! - [`live`]: figures for the car being driven: delta to a reference lap, fuel.
#![forbid(unsafe_code)]

pub mod channels;
pub mod decoding;
pub mod documents;
pub mod laps;
pub mod layout;
pub mod live;
pub mod recording;
pub mod report;

pub use decoding::Decoding;
pub use recording::Recording;
