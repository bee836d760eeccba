//! Games that send datagrams over UDP.
//!
//! ```text
//! record    sockets: one thread for each port ──▶ forward ──▶ Switchboard: who sent it, and what is it? ──▶ Inbox ──▶ UdpSource::read ──▶ Batch
//!           asking: requests to games that send on request only, from the same sockets
//! play      stage: sends the frames as the game did; server: responds to requests
//! doctor    facts: opens the ports for a moment; port_owner
//! ```
//! Which game a datagram belongs to is decided by its contents alone, never by its port: games share ports. Everything that one sender sends
//! in one game goes to one tape, so a [`UdpSource`] records one sender at a time, and there are several of them.
mod admission;
mod asking;
mod clients;
mod datagrams;
pub(crate) mod facts;
mod forward;
mod held_answers;
mod inbox;
mod listener;
mod own;
mod port_owner;
mod recognise;
mod request_file;
mod server;
mod settings;
mod socket;
mod source;
mod stage;
mod switchboard;
mod user_settings;

pub(crate) use own::{IsPacket, OwnPacket, OwnUdpSource};
#[doc(hidden)]
pub use request_file::fuzz_request_file;
pub(crate) use request_file::{Configured, configured};
pub use server::DatagramServer;
pub use settings::{AskedGame, UdpSettings};
pub use source::UdpSource;
pub(crate) use source::udp_description;
pub use user_settings::GameSettings;

use gametape_format::read::{Tape, TapeStream};
use gametape_games::{Game, OWN_UDP_GAME, find_game};

use super::beside::sends_beside_pages;
use super::{Adapter, GamePlaces, GameSource, Playback};

/// How many senders are recorded at the same time, each on its own tapes.
const SENDERS: usize = 4;

/// What stands for games that programs described themselves.
const OWN: &Game = &OWN_UDP_GAME;

/// UDP as a transport.
pub(crate) struct UdpAdapter;

impl Adapter for UdpAdapter {
    fn carries(&self, game: &Game) -> bool {
        game.udp_port().is_some()
    }

    fn sources(&self, game: Option<&'static Game>, places: &GamePlaces, _hz: Option<u32>) -> Vec<GameSource> {
        let Some(settings) = places.udp.as_ref().filter(|_| game.is_none_or(|game| self.carries(game))) else {
            return Vec::new();
        };
        // What games on this machine send beside their pages joins the tapes of the pages.
        let mut settings = settings.clone();
        let is_beside = |asked: &AskedGame| find_game(asked.game).is_some_and(sends_beside_pages);
        settings.ask.retain(|asked| !(asked.address.ip().is_loopback() && is_beside(asked)));
        let UdpSettings { listen, lan, ask, .. } = &settings;
        if game.is_some_and(sends_beside_pages) && listen.is_empty() && lan.is_empty() && ask.is_empty() {
            return Vec::new();
        }
        let sources = UdpSource::of_senders(&settings, game, places.sections.prefix(), SENDERS);
        sources.into_iter().map(|source| GameSource { games: &[], source: Box::new(source) }).collect()
    }

    fn playback(&self, game: &'static Game, _tape: &Tape) -> Box<dyn Playback> {
        Box::new(stage::UdpPlayback::new(game))
    }

    fn own_playback(&self, stream: &TapeStream) -> Option<(&'static Game, Box<dyn Playback>)> {
        stage::is_datagrams(stream).then(|| (OWN, Box::new(stage::UdpPlayback::own(OWN)) as Box<dyn Playback>))
    }
}
