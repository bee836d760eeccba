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
mod beside;
mod clock;
mod combined;
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
pub use stage::{Asked, StageError};
pub(crate) use stage::{Entry, Link, Lookahead, OpenStage, Part, Playback, Shown, Stage, StageOptions};
#[doc(hidden)]
pub use udp::fuzz_request_file;
pub use udp::{AskedGame, DatagramServer, UdpSettings, UdpSource};

use gametape_format::read::{Tape, TapeStream};
use gametape_games::{Game, find_game};

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
    fn sources(&self, game: Option<&'static Game>, places: &GamePlaces, hz: Option<u32>) -> Vec<GameSource>;

    /// Returns how to play the streams of a game on a tape.
    fn playback(&self, game: &'static Game, tape: &Tape) -> Box<dyn Playback>;

    /// Returns how to play a game that is not in the registry and was recorded by a program that described it itself, and what stands for
    /// that game; `None` if this transport cannot play the stream.
    fn own_playback(&self, _stream: &TapeStream) -> Option<(&'static Game, Box<dyn Playback>)> {
        None
    }
}

/// Returns how to play a stream of a tape, and the game; `None` if no transport can.
pub(crate) fn playback_of(stream: &TapeStream, tape: &Tape) -> Option<(&'static Game, Box<dyn Playback>)> {
    match find_game(&stream.spec().game) {
        Some(game) => Some((game, playback_of_game(game, tape)?)),
        None => ADAPTERS.iter().find_map(|adapter| adapter.own_playback(stream)),
    }
}

/// A source, and the games whose sessions it records. It is known later which one runs.
pub(crate) struct GameSource {
    pub(crate) games: &'static [Game],
    pub(crate) source: Box<dyn Source>,
}

/// Returns whether a game is reached live; others are only read from files.
pub(crate) fn can_be_played(game: &Game) -> bool {
    ADAPTERS.iter().any(|adapter| adapter.carries(game))
}

/// Returns how to play the streams of a game on a tape, through all of its transports; `None` if it is only read from files.
fn playback_of_game(game: &'static Game, tape: &Tape) -> Option<Box<dyn Playback>> {
    let adapters = ADAPTERS.iter().filter(|adapter| adapter.carries(game));
    let mut playbacks: Vec<Box<dyn Playback>> = adapters.map(|adapter| adapter.playback(game, tape)).collect();
    match playbacks.len() {
        0 | 1 => playbacks.pop(),
        _ => Some(Box::new(combined::Combined(playbacks))),
    }
}
