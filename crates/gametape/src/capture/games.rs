//! The sources for the supported games.

use gametape_games::{ASSETTO_CORSA_EVO_FAMILY, ASSETTO_CORSA_FAMILY, Game, ace, echo_vr, iracing};

use super::echo_vr::{EchoVrAddress, EchoVrSource};
use super::family::FamilySource;
use super::iracing::IracingSource;
use super::sections::Sections;
use super::source::Source;
use crate::sys::Prefix;

/// Where to look for games.
#[derive(Debug, Clone)]
pub struct GamePlaces {
    /// Games in shared memory.
    pub sections: Sections,
    /// Echo VR; `None` disables it.
    pub echo_vr: Option<EchoVrAddress>,
}

impl From<Sections> for GamePlaces {
    /// Returns the default locations. With a prefix, no network request is made: a prefix keeps real games out.
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

/// Creates the sources for one game or, if `game` is `None`, for all games. If `hz` is `None`, each game uses its default sampling
/// rate.
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
        // The version is not known yet, so look for the pages of both.
        return vec![ASSETTO_CORSA_EVO_FAMILY, &[ace::BEFORE_0_6]];
    }
    let known = ASSETTO_CORSA_FAMILY.iter().any(|member| member.id == game.id);
    known.then_some(std::slice::from_ref(game)).into_iter().collect()
}
