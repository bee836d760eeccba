//! Laps: sessions, stints, laps and sectors that can be trusted.
//!
//! ```text
//! frames of a game ──adapter of its folder──▶ neutral frames ──▶ Tracker ──▶ events ──▶ store, terminal, live view
//! ```
//!
//! The tracker is a pure function: it opens nothing and has no clock, so the same tape gives the same laps at any speed, live or
//! from a file. [`model`] is what comes out, [`choices`] all that it decides by. [`Tracking`] is both in one, [`track_tape`] does it for a tape.
//!
//! - [`tracker`]: which session. `open_session`: what happens in one. `closing`, `ending`, `finished`: the end of a lap, step by step.
//! - `running`: the lap that is driven, made of `latch` (validity), `sectors`, `way` (coverage). `stints`, `bests`, `learned`.
//! - `line_to_line`: the frames of a lap. [`columns`] (`lap_channels`, `sampler`): what the car did in it; `along`: with what sticks out between two places. [`compare`]: laps side by side; `corners` of them.
//! - `steady`: changes that do not last are none.

mod along;
mod bests;
pub mod choices;
mod closing;
pub mod columns;
pub mod compare;
mod corners;
mod cut_lap;
mod ending;
pub mod event;
mod finished;
mod first_line;
mod lap_channels;
mod latch;
mod learned;
mod line_to_line;
pub mod model;
mod open_session;
mod running;
mod sampler;
mod sectors;
mod steady;
mod stints;
mod tracked;
pub mod tracker;
mod tracking;
mod utc;
mod way;
pub mod words;

pub use along::{AlongLap, along};
pub use columns::{Column, ColumnsError, Grid, LapColumns};
pub use cut_lap::CutLap;
pub use event::Event;
pub use finished::sector_source;
pub use lap_channels::{ChannelName, Tap, neutral_channels, steering_unit};
pub use model::{Conditions, Id, Lap, Reason, Sector, Session, Stint, TrackFacts};
pub use tracked::{Tracked, TrackedSession};
pub use tracker::{TRACKER_ID, TRACKER_VERSION, Tracker};
pub use tracking::{TrackError, Tracking, end_of_reason, track_tape};
pub use words::{
    LapState, Phase, ReasonCode, ReasonSource, SectorSource, SessionEnd, SessionKind, StintEnd, StintStart, TimeSource,
};
