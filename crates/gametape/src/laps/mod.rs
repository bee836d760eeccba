//! Laps: sessions, stints, laps and sectors that can be trusted.
//!
//! ```text
//! frames of a game ──adapter of its folder──▶ neutral frames ──▶ Tracker ──▶ events ──▶ store, terminal, live view
//! ```
//!
//! The tracker is a pure function: it opens nothing and has no clock, so the same tape gives the same laps at any speed, live or
//! from a file. [`model`] is what comes out.

pub mod model;
pub mod words;

pub use model::{Conditions, Id, Lap, Reason, Sector, Session, Stint};
pub use words::{
    LapState, Phase, ReasonCode, ReasonSource, SectorSource, SessionEnd, SessionKind, StintEnd, StintStart, TimeSource,
};
