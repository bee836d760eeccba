//! The sources of the games that gametape knows.

use gametape_games::{ASSETTO_CORSA_FAMILY, Game, iracing};

use super::family::FamilySource;
use super::iracing::IracingSource;
use super::source::Source;
use crate::sys::Prefix;

/// Sources for one game, or for all of them at once. `hz` of `None` is each game's own rate.
pub fn game_sources(game: Option<&'static Game>, prefix: &Prefix, hz: Option<u32>) -> Vec<Box<dyn Source>> {
    let family = match game {
        None => ASSETTO_CORSA_FAMILY,
        Some(game) if ASSETTO_CORSA_FAMILY.iter().any(|member| member.id == game.id) => std::slice::from_ref(game),
        Some(_) => &[],
    };
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    if let Some(first) = family.first() {
        let hz = hz.or(first.default_hz).unwrap_or(100);
        sources.push(Box::new(FamilySource::new(family, prefix.clone(), hz)));
    }
    if game.is_none_or(|game| game.id == iracing::GAME.id) {
        sources.push(Box::new(IracingSource::new(prefix.clone(), hz)));
    }
    sources
}
