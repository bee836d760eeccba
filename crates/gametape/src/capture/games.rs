//! The sources of the games that gametape knows.

use gametape_games::{ASSETTO_CORSA_EVO_FAMILY, ASSETTO_CORSA_FAMILY, Game, ace, echo_vr, iracing};

use super::echo_vr::{EchoVrAddress, EchoVrSource};
use super::family::FamilySource;
use super::iracing::IracingSource;
use super::sections::Sections;
use super::source::Source;
use crate::sys::Prefix;

/// Where games are looked for.
#[derive(Debug, Clone)]
pub struct GamePlaces {
    /// Those in shared memory.
    pub sections: Sections,
    /// Echo VR; `None` is nowhere.
    pub echo_vr: Option<EchoVrAddress>,
}

impl From<Sections> for GamePlaces {
    /// Where games usually are. Under a prefix nobody is asked over the network: a prefix keeps games out.
    fn from(sections: Sections) -> Self {
        let echo_vr = sections.prefix().as_str().is_empty().then(EchoVrAddress::default);
        Self { sections, echo_vr }
    }
}

impl From<Prefix> for GamePlaces {
    fn from(prefix: Prefix) -> Self {
        Sections::from(prefix).into()
    }
}

impl From<&Prefix> for GamePlaces {
    fn from(prefix: &Prefix) -> Self {
        prefix.clone().into()
    }
}

/// Sources for one game, or for all of them at once. `hz` of `None` is each game's own rate.
pub fn game_sources(
    game: Option<&'static Game>,
    places: impl Into<GamePlaces>,
    hz: Option<u32>,
) -> Vec<Box<dyn Source>> {
    let GamePlaces { sections, echo_vr } = places.into();
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    for family in families(game) {
        let hz = hz.or(family.first().and_then(|first| first.default_hz)).unwrap_or(100);
        sources.push(Box::new(FamilySource::new(family, sections.clone(), hz)));
    }
    let wanted = |of: &Game| game.is_none_or(|game| game.id == of.id);
    if wanted(&iracing::GAME) {
        sources.push(Box::new(IracingSource::new(sections, hz)));
    }
    if let (true, Some(address)) = (wanted(&echo_vr::GAME), echo_vr) {
        let hz = hz.or(echo_vr::GAME.default_hz).unwrap_or(30);
        sources.push(Box::new(EchoVrSource::new(address, hz)));
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
