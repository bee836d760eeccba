//! Record, keep, replay and read game telemetry.
//!
//! The tape itself is [`format`](mod@format), what games expose is [`games`]; this crate puts the two together and is the only one that
//! touches games, files of other programs and the network. It never prints: callers own words and exit codes.
//!
//! - [`Capture`] records a game in five lines, [`Tape`] reads it back; [`library`] and [`tape`] are what stands behind them.
//! - [`capture`]: recording while a game runs. [`control`]: how other commands reach a recorder.
//! - [`keep_last`]: recordings that keep only their last part. [`doctor`]: why no game is found.
//! - [`import`]: files of other programs to tapes, and the check that nothing was lost on the way.
//! - [`watch`]: folders where games put their replays.
//! - [`play`]: tapes back into shared memory, so that other programs believe that the game runs.
//! - [`laps`]: sessions, stints, laps and sectors.
//! - [`live_view`] and [`live_frames`]: what the car does while it is recorded, and the frames themselves; [`laps::live::Live`] runs them.
//! - [`store`]: sessions and laps that are kept, what users said about them, and where the tapes are.
//! - [`paths`] and [`names`]: where tapes live and what they are called.
//! - [`identity`]: ids of tapes. [`layout`]: layouts of games as channel tables of tapes.
//! - [`sys`]: what the operating system offers and the standard library does not; all unsafe code.
//! - `wine`, on Linux: the memory of games that run in Wine or Proton, without a bridge.
#![deny(unsafe_code)]

pub use gametape_analysis::layout;
pub use gametape_analysis::{self as analysis, Recording};
pub use gametape_format as format;
pub use gametape_games as games;
pub use gametape_games::{ac, acc, iracing};

pub mod capture;
pub mod control;
pub mod doctor;
pub mod echo;
pub mod export;
pub mod identity;
pub mod import;
pub mod keep_last;
pub mod laps;
pub mod library;
pub mod live_frames;
pub mod live_view;
pub mod names;
pub mod paths;
pub mod play;
pub mod store;
#[allow(unsafe_code, reason = "the one place for it")]
pub mod sys;
pub mod tape;
pub mod watch;
#[cfg(target_os = "linux")]
pub mod wine;

pub use library::{
    Capture, CaptureError, FrameStream, FrameStruct, FrameWriter, Frames, IntoSource, RunningCapture, StartError,
    Summary, TapeSummary, shared_memory,
};
pub use tape::Tape;
