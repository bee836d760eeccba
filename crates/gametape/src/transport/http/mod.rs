//! Games that serve their data over HTTP on this machine.
//!
//! ```text
//! record    echo_vr: polls the endpoints of Echo VR, the only game so far
//! play      stage ──▶ server: serves the frames on the endpoints; request parses what clients send
//! doctor    echo_vr::reply
//! ```
mod echo_vr;
mod request;
mod server;
mod stage;

pub use echo_vr::{EchoVrAddress, EchoVrAddressError, EchoVrFacts, EchoVrSource};

use gametape_format::read::Tape;
use gametape_games::Game;

use super::{Adapter, GamePlaces, GameSource, Playback};

/// HTTP as a transport.
pub(crate) struct HttpAdapter;

impl Adapter for HttpAdapter {
    fn carries(&self, game: &Game) -> bool {
        game.streams.iter().any(|stream| stream.endpoint().is_some())
    }

    fn sources(&self, game: Option<&'static Game>, places: &GamePlaces, hz: Option<u32>) -> Vec<GameSource> {
        let echo_vr = gametape_games::echo_vr::GAME;
        let wanted = game.is_none_or(|game| game.id == echo_vr.id);
        let Some(address) = places.echo_vr.clone().filter(|_| wanted) else { return Vec::new() };
        let source = EchoVrSource::new(address, hz.or(echo_vr.default_hz).unwrap_or(30));
        vec![GameSource { games: &[], source: Box::new(source) }]
    }

    fn playback(&self, game: &'static Game, _tape: &Tape) -> Box<dyn Playback> {
        Box::new(stage::HttpPlayback::new(game))
    }
}

/// Parses bytes as a request. For fuzz targets and mutation tests only.
#[doc(hidden)]
pub fn fuzz_http_request(data: &[u8]) {
    if let request::Read::Whole { bytes, .. } = request::read(data) {
        assert!(bytes <= data.len(), "a request ends where its bytes do");
    }
}
