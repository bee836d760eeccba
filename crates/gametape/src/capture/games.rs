//! The sources of the games that gametape knows.

use gametape_games::{ASSETTO_CORSA_EVO_FAMILY, ASSETTO_CORSA_FAMILY, Game, ace, iracing};

use super::family::FamilySource;
use super::iracing::IracingSource;
use super::sections::Sections;
use super::source::Source;

/// Sources for one game, or for all of them at once. `hz` of `None` is each game's own rate.
pub fn game_sources(
    game: Option<&'static Game>,
    sections: impl Into<Sections>,
    hz: Option<u32>,
) -> Vec<Box<dyn Source>> {
    let sections = sections.into();
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    for family in families(game) {
        let hz = hz.or(family.first().and_then(|first| first.default_hz)).unwrap_or(100);
        sources.push(Box::new(FamilySource::new(family, sections.clone(), hz)));
    }
    if game.is_none_or(|game| game.id == iracing::GAME.id) {
        sources.push(Box::new(IracingSource::new(sections, hz)));
    }
    sources
}

fn families(game: Option<&'static Game>) -> Vec<&'static [Game]> {
    let Some(game) = game else { return vec![ASSETTO_CORSA_FAMILY, ASSETTO_CORSA_EVO_FAMILY] };
    if game.id == ace::GAME.id {
        // What version it is, is not known yet: the pages of both are looked for.
        return vec![ASSETTO_CORSA_EVO_FAMILY, &[ace::BEFORE_0_6]];
    }
    let known = ASSETTO_CORSA_FAMILY.iter().any(|member| member.id == game.id);
    known.then_some(std::slice::from_ref(game)).into_iter().collect()
}
