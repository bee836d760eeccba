//! Watches folders for files that games write when a match or session ends: replays, telemetry.
//!
//! A [`Watch`] is configured with [`Folder`]s, or with a game of the table [`REPLAY_GAMES`], whose folders on this machine
//! [`Environment`] finds. Each file, or folder of a match, is reported once, when it is complete: its length and modification time did not
//! change for a quiet period, and the structure of its format shows that nothing is missing. A rewritten file is a new find; a touched or
//! moved file is not. A state file can record what was
//! reported, so that nothing is reported again after a restart. Each find can be copied to an archive and imported to a tape. Files that
//! [`crate::import`] does not support are reported with name, length, time and hash.
//!
//! ```no_run
//! use gametape::watch::{Folder, Watch};
//! let watching = Watch::new()
//!     .game("rocket-league")?
//!     .folder(Folder::new("matches").pattern("*.rec")?.recursive())
//!     .remember_in("reported.txt")
//!     .on_found(|found| println!("{}: {} bytes", found.path.display(), found.bytes))
//!     .start()?;
//! // …
//! println!("{} files", watching.stop().found);
//! # Ok::<(), gametape::watch::WatchError>(())
//! ```
//! [`Watch::events`] provides the same as a blocking iterator.

mod archive;
mod archive_folder;
mod builder;
mod content;
mod engine;
mod error;
mod events;
mod folder;
mod found;
mod games;
mod item;
mod known;
mod memory;
mod outbox;
mod pattern;
mod places;
mod record;
pub mod replays_of;
mod roots;
mod running;
mod settle;
mod setup;
mod signals;
mod state_file;
mod structure;
mod tapes;
mod titles;
mod walk;
mod watcher;

#[cfg(test)]
mod tests;

pub use archive::ArchiveError;
pub use builder::Watch;
pub use content::ContentHash;
pub use error::WatchError;
pub use events::Events;
pub use folder::Folder;
pub use found::{Archive, Completeness, Found, Import, Notice, WatchEvent};
pub use games::{Beside, REPLAY_GAMES, ReplayGame, ReplayItem, ReplayLocation, Replays, find_replay_game};
pub use pattern::Pattern;
pub use places::Environment;
pub use running::{Watched, Watching};
pub use signals::StopHandle;
#[doc(hidden)]
pub use state_file::fuzz_watch_state;
#[doc(hidden)]
pub use structure::fuzz_replay_structure;
