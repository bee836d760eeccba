//! The games this crate knows: a new one is its folder, its `mod` line and its line in [`GAMES`].
use crate::capture::{CopyRule, Rules, Transport};
use crate::layout::Layout;
use crate::{assetto_corsa, assetto_corsa_competizione, assetto_corsa_evo, assetto_corsa_rally, echo_vr, iracing};

/// Every game, in the order of their ids.
pub const GAMES: &[Game] = &[
    assetto_corsa::GAME,
    assetto_corsa_competizione::GAME,
    assetto_corsa_evo::GAME,
    assetto_corsa_rally::GAME,
    echo_vr::GAME,
    iracing::GAME,
];

/// Games that share the names of their pages; which one it is, their frames tell.
pub const ASSETTO_CORSA_FAMILY: &[Game] =
    &[assetto_corsa_competizione::GAME, assetto_corsa::GAME, assetto_corsa_rally::GAME];

/// The game of the family that has names of its own.
pub const ASSETTO_CORSA_EVO_FAMILY: &[Game] = &[assetto_corsa_evo::GAME];

/// A game and the streams of frames it offers.
#[derive(Debug, Clone, Copy)]
pub struct Game {
    /// The full name in kebab-case. It is written into recordings and never changes.
    pub id: &'static str,
    /// The name as its makers write it.
    pub name: &'static str,
    /// Short names for people.
    pub aliases: &'static [&'static str],
    /// What can be captured.
    pub streams: &'static [Stream],
    /// Names of the game's programs, as the system lists them.
    pub processes: &'static [&'static str],
    /// Samples a second unless the user says otherwise; `None` is every tick of the game.
    pub default_hz: Option<u32>,
    /// What its frames say about the game.
    pub rules: &'static dyn Rules,
}

/// Frames of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    /// Unique within the game. It is written into recordings and never changes.
    pub name: &'static str,
    /// The known layouts, newest first, each with a frame length of its own. Empty for text, and for games that
    /// describe their layout at run time.
    pub layouts: &'static [&'static Layout],
    /// Where the frames come from.
    pub transport: Transport,
    /// How a consistent copy is known.
    pub copy_rule: CopyRule,
}

impl Game {
    /// Whether any of its streams is in shared memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.streams.iter().any(|stream| matches!(stream.transport, Transport::SharedMemory { .. }))
    }

    /// The stream of exactly this name.
    #[must_use]
    pub fn stream(&self, name: &str) -> Option<&'static Stream> {
        self.streams.iter().find(|stream| stream.name == name)
    }
}

impl Stream {
    /// How long the frames of the known versions are.
    pub fn lengths(&self) -> impl Iterator<Item = u64> {
        self.layouts.iter().map(|layout| u64::from(layout.frame_bytes()))
    }

    /// The layout of frames of this length.
    #[must_use]
    pub fn layout_of(&self, frame_bytes: u32) -> Option<&'static Layout> {
        self.layouts.iter().copied().find(|layout| layout.frame_bytes() == frame_bytes)
    }
}

/// The game with this id or alias, in any case of letters.
#[must_use]
pub fn find_game(id_or_alias: &str) -> Option<&'static Game> {
    let same = |name: &&str| name.eq_ignore_ascii_case(id_or_alias);
    GAMES.iter().find(|game| same(&game.id) || game.aliases.iter().any(same))
}
