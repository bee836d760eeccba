//! Games that send datagrams over UDP.
//!
//! ```text
//! record    sockets: one thread for each port ──▶ forward ──▶ Switchboard: who sent it, and what is it? ──▶ Inbox ──▶ UdpSource::read ──▶ Batch
//! play      stage: sends the frames as the game did
//! doctor    port_owner
//! ```
//! Which game a datagram belongs to is decided by its contents alone, never by its port: games share ports. Everything that one sender sends
//! in one game goes to one tape, so a [`UdpSource`] records one sender at a time, and there are several of them.
mod admission;
mod datagrams;
mod forward;
mod inbox;
mod listener;
mod own;
mod port_owner;
mod recognise;
mod settings;
mod socket;
mod source;
mod stage;
mod switchboard;

pub(crate) use own::{IsPacket, OwnPacket, OwnUdpSource};
pub use settings::UdpSettings;
pub use source::UdpSource;

use gametape_format::read::Tape;
use gametape_games::Game;

use super::{Adapter, GamePlaces, Playback, Source};

/// How many senders are recorded at the same time, each on its own tapes.
const SENDERS: usize = 4;

/// UDP as a transport.
pub(crate) struct UdpAdapter;

impl Adapter for UdpAdapter {
    fn carries(&self, game: &Game) -> bool {
        game.udp_port().is_some()
    }

    fn sources(&self, game: Option<&'static Game>, places: &GamePlaces, _hz: Option<u32>) -> Vec<Box<dyn Source>> {
        let Some(settings) = places.udp.as_ref().filter(|_| game.is_none_or(|game| self.carries(game))) else {
            return Vec::new();
        };
        let sources = UdpSource::of_senders(settings, game, places.sections.prefix(), SENDERS);
        sources.into_iter().map(|source| Box::new(source) as Box<dyn Source>).collect()
    }

    fn playback(&self, game: &'static Game, _tape: &Tape) -> Box<dyn Playback> {
        Box::new(stage::UdpPlayback::new(game))
    }
}
