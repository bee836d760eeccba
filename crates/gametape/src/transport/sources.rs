//! The sources for the supported games.

use gametape_games::Game;

use super::beside::{Beside, sends_beside_pages};
#[cfg(feature = "echo")]
use super::http::EchoVrAddress;
use super::shared_memory::Sections;
use super::source::Source;
use super::udp::UdpSettings;
use super::{ADAPTERS, GameSource};
use crate::sys::Prefix;

/// Where to look for games.
#[derive(Debug, Clone)]
pub struct GamePlaces {
    /// Games in shared memory.
    pub sections: Sections,
    /// Echo VR; `None` disables it.
    #[cfg(feature = "echo")]
    pub echo_vr: Option<EchoVrAddress>,
    /// Games that send datagrams; `None` disables them.
    pub udp: Option<UdpSettings>,
}

impl From<Sections> for GamePlaces {
    /// Returns the default locations. With a prefix, no network request is made and no port is opened: a prefix keeps real games out.
    fn from(sections: Sections) -> Self {
        Self {
            #[cfg(feature = "echo")]
            echo_vr: sections.prefix().as_str().is_empty().then(EchoVrAddress::default),
            udp: sections.prefix().as_str().is_empty().then(UdpSettings::default),
            sections,
        }
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
    let places = places.into();
    let sources = ADAPTERS.iter().flat_map(|adapter| adapter.sources(game, &places, hz));
    sources.map(|source| with_datagrams(source, &places)).collect()
}

/// Records what a game in shared memory sends over the network on the same tape.
fn with_datagrams(GameSource { games, source }: GameSource, places: &GamePlaces) -> Box<dyn Source> {
    let sends = games.iter().find(|game| sends_beside_pages(game));
    match (sends, &places.udp) {
        (Some(game), Some(settings)) => Box::new(Beside::new(source, game, settings, places.sections.prefix())),
        _ => source,
    }
}
