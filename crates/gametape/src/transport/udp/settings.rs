//! Where datagrams are received, from whom, and who else gets them.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use gametape_games::{GAMES, Game, RequestSettings};

use super::asking::Target;

/// Where datagrams of games are received, from whom, and who else gets them. By default: on the usual ports of all games, from senders on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UdpSettings {
    /// Listen on the ports that games use by default.
    pub usual_ports: bool,
    /// Listen on these addresses too, for games without a usual port.
    pub listen: Vec<SocketAddr>,
    /// Addresses of consoles and other computers that are admitted. Requests are sent to games there that send on request only.
    pub lan: Vec<IpAddr>,
    /// Programs to which every datagram is relayed, because only one program can listen on a port.
    pub forward: Vec<SocketAddr>,
    /// Folders of documents in which games keep their settings, for games whose datagrams the user describes; `None` means those of this
    /// machine. They are only read.
    pub documents: Option<Vec<PathBuf>>,
    /// Further addresses to which requests are sent, besides the usual ports of this machine and of `lan`. They are admitted as senders.
    pub ask: Vec<AskedGame>,
}

/// A game that sends on request only, and the address of the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedGame {
    /// Id of the game.
    pub game: &'static str,
    /// Where it listens for requests.
    pub address: SocketAddr,
    /// Settings of the protocol, such as a password.
    pub settings: RequestSettings,
}

impl AskedGame {
    /// Sends requests with the default settings.
    pub fn new(game: &'static str, address: SocketAddr) -> Self {
        Self { game, address, settings: RequestSettings::default() }
    }
}

impl Default for UdpSettings {
    fn default() -> Self {
        Self {
            usual_ports: true,
            listen: Vec::new(),
            lan: Vec::new(),
            forward: Vec::new(),
            documents: None,
            ask: Vec::new(),
        }
    }
}

/// A port to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Port {
    pub(super) address: SocketAddr,
    /// Games broadcast to it: several programs can listen.
    pub(super) broadcast: bool,
}

impl UdpSettings {
    /// Returns the ports to listen on, for one game or for all. Port 0 is for games that respond to the port of the request.
    pub(super) fn ports(&self, game: Option<&'static Game>, targets: &[Target]) -> Vec<Port> {
        let games = game.map_or(GAMES, std::slice::from_ref);
        let usual = games.iter().filter(|_| self.usual_ports).flat_map(|game| game.streams);
        let usual: BTreeSet<Port> = usual
            .filter_map(|stream| Some((stream.udp_port().filter(|port| *port > 0)?, stream.is_broadcast())))
            .map(|(port, broadcast)| Port { address: SocketAddr::new(self.host(broadcast), port), broadcast })
            .collect();
        let named = self.listen.iter().map(|address| Port { address: *address, broadcast: false });
        let mut ports: Vec<Port> = named.collect();
        // A port that the user names replaces the usual one.
        ports.extend(usual.into_iter().filter(|port| self.listen.iter().all(|own| own.port() != port.address.port())));
        let numbers: Vec<u16> = ports.iter().map(|port| port.address.port()).collect();
        let needs_any = |target: &Target| target.socket(&numbers).is_none() && target.socket(&[0]).is_some();
        if targets.iter().any(needs_any) {
            ports.push(Port { address: SocketAddr::new(self.host(false), 0), broadcast: false });
        }
        ports
    }

    /// Returns the addresses on the network that are admitted, including those to which requests are sent.
    pub(super) fn admitted(&self) -> Vec<IpAddr> {
        let asked = self.ask.iter().map(|asked| asked.address.ip());
        self.lan.iter().copied().chain(asked.filter(|address| !address.is_loopback())).collect()
    }

    /// Returns the address to listen on. Broadcasts reach only sockets that are bound to no address in particular.
    fn host(&self, broadcast: bool) -> IpAddr {
        let anywhere = broadcast || !self.admitted().is_empty();
        (if anywhere { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST }).into()
    }
}
