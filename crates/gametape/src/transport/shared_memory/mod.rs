//! Games that publish their data in named sections of shared memory.
//!
//! ```text
//! record    sections (by name, or in wine) ──▶ page_source: fixed pages, identify: whose pages they are
//!                                          ──▶ iracing: rotating buffers
//! play      page_stage (shared_page: sections that streams share), iracing ──▶ owned_section; player_marker tells recorders that it is a playback; running_game checks for the game
//! doctor    facts: what a source finds, section_facts: the sections as objects, wine::facts
//! ```
//! A game chooses between fixed pages and rotating buffers with the [`CopyRule`] of its first stream.
pub(crate) mod facts;
mod identify;
mod iracing;
mod owned_section;
mod page;
mod page_source;
mod page_stage;
pub mod player_marker;
mod rising;
pub(crate) mod running_game;
pub(crate) mod section_facts;
mod sections;
mod shared_page;
pub(crate) mod wine;

pub use iracing::{IracingSource, STATUS_PORT};
#[doc(hidden)]
pub use iracing::{fuzz_status_request, fuzz_tape_header};
pub(crate) use owned_section::OwnedSection;
pub(crate) use page::unknown_length;
pub(crate) use page::{CopyError, Page, look};
pub use page_source::PageSource;
pub use sections::Sections;

use gametape_format::read::Tape;
use gametape_games::{CopyRule, FAMILIES, GAMES, Game};

use super::{Adapter, GamePlaces, GameSource, Playback, Source};

/// Shared memory as a transport.
pub(crate) struct SharedMemoryAdapter;

impl Adapter for SharedMemoryAdapter {
    fn carries(&self, game: &Game) -> bool {
        game.is_in_memory()
    }

    fn sources(&self, game: Option<&'static Game>, places: &GamePlaces, hz: Option<u32>) -> Vec<GameSource> {
        let groups = match game {
            Some(game) if game.is_in_memory() => one_game(game),
            Some(_) => Vec::new(),
            None => groups(),
        };
        groups.into_iter().map(|games| GameSource { games, source: source(games, &places.sections, hz) }).collect()
    }

    fn playback(&self, game: &'static Game, tape: &Tape) -> Box<dyn Playback> {
        match has_rotating_buffers(game) {
            true => Box::new(iracing::IracingPlayback::new(tape)),
            false => Box::new(page_stage::PagePlayback::new(game)),
        }
    }
}

fn source(games: &'static [Game], sections: &Sections, hz: Option<u32>) -> Box<dyn Source> {
    const USUAL_HZ: u32 = 100;
    match games.first() {
        Some(game) if has_rotating_buffers(game) => Box::new(IracingSource::new(sections.clone(), hz)),
        first => {
            let hz = hz.or(first.and_then(|game| game.default_hz)).unwrap_or(USUAL_HZ);
            Box::new(PageSource::new(games, sections.clone(), hz))
        }
    }
}

/// Returns whether the game writes iRacing's memory layout instead of fixed pages.
fn has_rotating_buffers(game: &Game) -> bool {
    game.streams.first().is_some_and(|stream| stream.copy_rule == CopyRule::RotatingBuffers)
}

/// Returns all games in groups that share sections. One source reads each group.
pub(crate) fn groups() -> Vec<&'static [Game]> {
    let in_family = |game: &Game| FAMILIES.iter().any(|family| family.iter().any(|member| member.id == game.id));
    let alone = GAMES.iter().filter(|game| game.is_in_memory() && !in_family(game)).map(std::slice::from_ref);
    FAMILIES.iter().copied().chain(alone).collect()
}

/// Returns the pages of a game in all its versions: which one is running is not known yet.
fn one_game(game: &'static Game) -> Vec<&'static [Game]> {
    let older = game.shared_memory.older_versions.iter();
    std::iter::once(game).chain(older).map(std::slice::from_ref).collect()
}
