//! Records, stores, replays and reads game telemetry.
//!
//! The tape format is in [`format`](mod@format), and the knowledge about games is in [`games`]. This crate combines the two and is
//! the only one that accesses games, files of other programs and the network. It never prints: callers own messages and exit codes.
//!
//! - [`Capture`] records a game in five lines of code, and [`Tape`] reads a recording. They are built on [`library`] and [`tape`].
//! - [`capture`]: recording while a game runs. [`control`]: how other commands reach a running recorder.
//! - [`keep_last`]: recordings that keep only the most recent part.
//! - [`import`]: converts files of other programs to tapes and verifies that nothing was lost.
//! - [`watch`]: watches the folders where games save their replays.
//! - [`play`]: plays tapes back into shared memory, so that other programs behave as if the game were running.
//! - [`laps`]: sessions, stints, laps and sectors. [`matches`](mod@matches): players, teams and results of matches.
//! - [`live`]: laps, the values of the car and the raw frames while a game is being recorded.
//! - [`store`]: the database of sessions, laps, user annotations and tape locations.
//! - [`paths`] and [`names`]: tape directories and file names.
//! - [`identity`]: tape ids. [`layout`]: converts layouts of games to channel tables of tapes.
//! - [`transport`]: how games are reached. One folder for each transport, with a source, a stage and facts.
//!
//! `doctor` (why no game is found) and `sys` (operating system services, with all unsafe code) serve the command line. They are not part of
//! the API and change without notice; what the API needs of them is exported where it is needed, such as [`Prefix`].
//!
//! # Features
//! All but `mcap` are enabled by default. Without them, this crate has tapes, channels, capture, playback, laps of tapes, tables and reports.
//! - `echo`: Echo VR, over HTTP and in its capture files. `import`: files of other programs; `rocket-league`: its replays.
//! - `store`: laps in SQLite, and live laps during a recording; `postgres`: laps on a server. `watch`: folders of replays.
//! - `mcap`: exports for Foxglove and other viewers of robots.
#![deny(unsafe_code)]

pub use gametape_analysis::layout;
pub use gametape_analysis::{self as analysis, Recording};
pub use gametape_format as format;
pub use gametape_games as games;
pub use gametape_games::{ac, acc, iracing};

pub mod capture;
pub mod control;
#[doc(hidden)]
pub mod doctor;
mod documents;
#[cfg(feature = "echo")]
pub mod echo;
pub mod export;
pub mod identity;
#[cfg(feature = "import")]
pub mod import;
pub mod keep_last;
pub mod laps;
pub mod library;
#[cfg(feature = "store")]
pub mod live;
pub mod matches;
mod motec;
pub mod names;
pub mod paths;
pub mod play;
#[cfg(feature = "store")]
pub mod store;
#[allow(unsafe_code, reason = "the only module with unsafe code")]
#[doc(hidden)]
pub mod sys;
pub mod tape;
pub mod transport;
#[cfg(feature = "watch")]
pub mod watch;

pub use capture::TapeSummary;
pub use library::{
    Capture, CaptureError, FrameStream, FrameStruct, FrameWriter, Frames, IntoSource, RunningCapture, StartError,
    Summary, Udp, shared_memory, udp,
};
pub use sys::Prefix;
pub use tape::Tape;
#[cfg(feature = "watch")]
pub use watch::replays_of::*;
