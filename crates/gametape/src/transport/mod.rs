//! How games are reached: one folder for each transport.
//!
//! A [transport](gametape_games::Transport) is named by the streams of a game. Its folder offers three things:
//!
//! | what | for | contract |
//! |---|---|---|
//! | a source | recording | [`Source`]: provides frames while the game runs |
//! | a stage | playback | `Stage`: shows frames to clients in the same way as the game |
//! | facts | the doctor | what a source would find, and why it finds nothing |
//!
//! Recorder and player go through `ADAPTERS` and do not ask how a game is reached; the doctor calls the facts of each transport. To add a transport, add its folder, its
//! variant of [`Transport`](gametape_games::Transport) and its line in `ADAPTERS`. Whatever is special about a single game is data in
//! the game's folder of `gametape_games`.
mod batch;
mod clock;
#[cfg(feature = "echo")]
pub(crate) mod http;
pub(crate) mod shared_memory;
mod source;
mod sources;
mod stage;
pub(crate) mod udp;

pub use batch::{Batch, BatchEvent, BatchFrame, Description};
pub use clock::{Clock, RealClock};
pub(crate) use source::AWAY_GRACE_NS;
pub use source::{Away, Pace, Source, SourceError, State};
pub use sources::{GamePlaces, game_sources};
pub use stage::StageError;
pub(crate) use stage::{Entry, Link, Lookahead, OpenStage, Part, Playback, Shown, Stage, StageOptions};
pub use udp::{UdpSettings, UdpSource};

use gametape_format::read::Tape;
use gametape_games::Game;

/// Runs the parsers of `/proc`. For fuzz targets and mutation tests only.
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub use shared_memory::wine::fuzz_proc_texts;

/// All transports through which games are reached live.
pub(crate) const ADAPTERS: &[&dyn Adapter] = &[
    &shared_memory::SharedMemoryAdapter,
    #[cfg(feature = "echo")]
    &http::HttpAdapter,
    &udp::UdpAdapter,
];

/// A transport, as recorder and player use it.
pub(crate) trait Adapter: Sync {
    /// Returns whether the game uses this transport for any of its streams.
    fn carries(&self, game: &Game) -> bool;

    /// Returns the sources for one game or, if `game` is `None`, for all games of this transport. If `hz` is `None`, each game has its
    /// default sampling rate.
    fn sources(&self, game: Option<&'static Game>, places: &GamePlaces, hz: Option<u32>) -> Vec<Box<dyn Source>>;

    /// Returns how to play the streams of a game on a tape.
    fn playback(&self, game: &'static Game, tape: &Tape) -> Box<dyn Playback>;
}

/// Returns the adapter of a game's transport; `None` if it is only read from files.
pub(crate) fn adapter_of(game: &Game) -> Option<&'static dyn Adapter> {
    ADAPTERS.iter().copied().find(|adapter| adapter.carries(game))
}
