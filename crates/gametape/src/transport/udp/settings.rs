//! Where datagrams are received, from whom, and who else gets them.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use gametape_games::{GAMES, Game};

/// Where datagrams of games are received, from whom, and who else gets them. By default: on the usual ports of all games, from senders on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UdpSettings {
    /// Listen on the ports that games use by default.
    pub usual_ports: bool,
    /// Listen on these addresses too, for games without a usual port.
    pub listen: Vec<SocketAddr>,
    /// Senders on the network that are admitted: consoles and other computers.
    pub lan: Vec<IpAddr>,
    /// Programs to which every datagram is relayed, because only one program can listen on a port.
    pub forward: Vec<SocketAddr>,
}

impl Default for UdpSettings {
    fn default() -> Self {
        Self { usual_ports: true, listen: Vec::new(), lan: Vec::new(), forward: Vec::new() }
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
    /// Returns the ports to listen on, for one game or for all.
    pub(super) fn ports(&self, game: Option<&'static Game>) -> Vec<Port> {
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
        ports
    }

    /// Returns the address to listen on. Broadcasts reach only sockets that are bound to no address in particular.
    fn host(&self, broadcast: bool) -> IpAddr {
        let anywhere = broadcast || !self.lan.is_empty();
        (if anywhere { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST }).into()
    }
}
