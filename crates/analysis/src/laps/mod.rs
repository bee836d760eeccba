//! Detects sessions, stints, laps and sectors in the frames of a game.
//!
//! ```text
//! frames of a game ──adapter of its folder──▶ lap frames ──▶ Tracker ──▶ events ──▶ store, terminal, live view
//! ```
//!
//! The tracker is a pure function without I/O or clock: the same tape gives the same laps at any replay speed, live or from a file.
//! [`model`] is its output; [`thresholds`] has every threshold. [`Tracking`] combines adapter and tracker, and [`track_tape`] runs them
//! over a tape.
//!
//! - [`tracker`]: session detection. `game_clock`: pauses and gaps. `open_session`: the current session. `closing`, `ending`, `finished`: the end of a lap, step by
//!   step. `debounce`: debounces changes of the session and of the lap count.
//! - `running`: the current lap, made of `latch` (validity), `sectors` and `coverage`. `stints`, `bests`, `learned` (track
//!   facts). `record`: the game's records of completed laps. `back_in_time`: flashbacks and rewinds.
//! - `standings`: all cars of the session, beside the tracker.
//! - `line_to_line`: the frames of a lap. [`columns`] (`lap_channels`, `sampler`): its channels, resampled to a grid. `along`: the same,
//!   with the extremes between grid points. [`compare`]: laps side by side. `corners`: corner detection.

mod along;
mod back_in_time;
mod bests;
mod closing;
pub mod columns;
pub mod compare;
mod corners;
mod coverage;
mod cut_lap;
mod debounce;
mod ending;
pub mod event;
mod finished;
mod first_line;
mod game_clock;
mod lap_channels;
mod latch;
mod learned;
mod line_to_line;
pub mod model;
mod open_session;
mod record;
mod running;
mod sampler;
mod sectors;
mod standings;
mod stints;
pub mod thresholds;
mod tracked;
pub mod tracker;
mod tracking;
mod utc;
pub mod words;

pub use along::{AlongLap, along};
pub use columns::{Column, ColumnsError, Grid, LapColumns};
pub use cut_lap::CutLap;
pub use event::Event;
pub use finished::sector_source;
pub use lap_channels::{ChannelName, RequestedChannel, neutral_channels, steering_unit};
pub use model::{Conditions, FOREIGN, Id, Lap, Reason, Sector, Session, Stint, TrackFacts};
pub use standings::CarChange;
pub use tracked::{Tracked, TrackedSession};
pub use tracker::{TRACKER_ID, TRACKER_VERSION, Tracker};
pub use tracking::{TrackError, Tracking, end_of_reason, track_tape};
pub use words::{
    LapState, Phase, ReasonCode, ReasonSource, SectorSource, SessionEnd, SessionKind, StintEnd, StintStart, TimeSource,
};
