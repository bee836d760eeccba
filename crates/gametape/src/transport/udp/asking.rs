//! Sends requests to games that send telemetry on request only, from the socket that receives their datagrams.
//!
//! Runs on the thread of the listener. Requests go to this machine and to addresses that the user named, and are never broadcast.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Instant;

use gametape_games::{GAMES, Game, RequestClient, RequestProtocol, RequestSettings};

use super::recognise::Recognised;
use super::settings::UdpSettings;

/// A game, and the address to which requests are sent.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) game: &'static Game,
    pub(super) protocol: &'static dyn RequestProtocol,
    pub(super) address: SocketAddr,
    /// Settings of the protocol.
    pub(super) settings: RequestSettings,
    /// The user named the address.
    pub(super) is_named: bool,
}

impl Target {
    /// Returns the index of the socket that sends the requests, among sockets that were opened for these ports (0: any port). `None` if the game
    /// would send its datagrams to a port that another program uses.
    pub(super) fn socket(&self, ports: &[u16]) -> Option<usize> {
        let wanted = self.protocol.client_port().unwrap_or(0);
        let first = (self.is_named && !ports.is_empty()).then_some(0);
        ports.iter().position(|port| *port == wanted).or(first)
    }
}

/// Sends requests from one socket.
#[derive(Debug)]
pub(super) struct Asking {
    asked: Vec<Asked>,
    started: Instant,
    last_ns: u64,
    /// When the next request is due.
    next_ns: u64,
    out: Vec<Vec<u8>>,
}

#[derive(Debug)]
struct Asked {
    target: Target,
    client: Box<dyn RequestClient>,
}

impl Asking {
    /// Sends requests to these games. Games without a client for their protocol are left out.
    pub(super) fn new(targets: Vec<Target>) -> Self {
        let asked = |target: Target| Some(Asked { client: target.protocol.client(&target.settings)?, target });
        let asked = targets.into_iter().filter_map(asked).collect();
        Self { asked, started: Instant::now(), last_ns: 0, next_ns: 0, out: Vec::new() }
    }

    /// Converts a time to the clock of the clients, which never goes back. The arrival of a datagram precedes its reception.
    fn ns(&mut self, at: Instant) -> u64 {
        let ns = u64::try_from(at.saturating_duration_since(self.started).as_nanos()).unwrap_or(u64::MAX);
        self.last_ns = self.last_ns.max(ns);
        self.last_ns
    }

    /// Sends the requests that are due.
    pub(super) fn ask(&mut self, mut send: impl FnMut(&[u8], SocketAddr)) {
        if self.asked.is_empty() {
            return;
        }
        let now_ns = self.ns(Instant::now());
        if now_ns < self.next_ns {
            return;
        }
        let Self { asked, next_ns, out, .. } = self;
        *next_ns = u64::MAX;
        for Asked { target, client } in asked {
            *next_ns = client.requests(now_ns, out).min(*next_ns);
            out.drain(..).for_each(|request| send(&request, target.address));
        }
    }

    /// Notes a datagram that arrived.
    pub(super) fn received(&mut self, datagram: &Recognised<'_>, from: SocketAddr, at: Instant) {
        let is_game = |asked: &Asked| asked.target.game.id == datagram.game.id;
        let exact = self.asked.iter().position(|asked| is_game(asked) && asked.target.address == from);
        // A console may send from another port than the one on which it listens.
        let near = || self.asked.iter().position(|asked| is_game(asked) && asked.target.address.ip() == from.ip());
        let Some(index) = exact.or_else(near) else { return };
        let now_ns = self.ns(at);
        let Some(asked) = self.asked.get_mut(index) else { return };
        let stream = datagram.game.udp_streams().nth(datagram.stream).map_or("", |stream| stream.name);
        if asked.client.received(now_ns, stream, datagram.recorded) {
            self.next_ns = 0;
        }
    }

    /// Ends all subscriptions.
    pub(super) fn end(&mut self, mut send: impl FnMut(&[u8], SocketAddr)) {
        for Asked { target, client } in &mut self.asked {
            client.end(&mut self.out);
            self.out.drain(..).for_each(|request| send(&request, target.address));
        }
    }
}

/// Returns the games to which requests are sent, one or all, with their addresses.
pub(super) fn targets(settings: &UdpSettings, game: Option<&'static Game>) -> Vec<Target> {
    let games = game.map_or(GAMES, std::slice::from_ref).iter();
    let mut targets: Vec<Target> = Vec::new();
    for (of, protocol) in games.filter_map(|game| Some((game, game.rules.requests()?))) {
        let target = |address, settings, is_named| Target { game: of, protocol, address, settings, is_named };
        let named = settings.ask.iter().filter(|asked| asked.game == of.id);
        targets.extend(named.map(|asked| target(asked.address, asked.settings.clone(), true)));
        // If a game also has pages, the source of its pages sends the requests.
        let is_asked_here = (game.is_some() || !protocol.is_in_shared_memory()) && !of.is_in_memory();
        let here = is_asked_here.then_some(IpAddr::from(Ipv4Addr::LOCALHOST));
        let hosts = here.into_iter().chain(settings.lan.iter().copied()).filter(|_| settings.usual_ports);
        for address in hosts.map(|host| SocketAddr::new(host, protocol.game_port())) {
            let is_known = targets.iter().any(|known| known.game.id == of.id && known.address == address);
            if !is_known {
                targets.push(target(address, RequestSettings::default(), false));
            }
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::super::settings::AskedGame;
    use super::*;
    use gametape_games::find_game;

    fn addresses(settings: &UdpSettings, game: Option<&str>) -> Vec<(&'static str, String)> {
        let game = game.map(|id| find_game(id).unwrap());
        targets(settings, game).iter().map(|target| (target.game.id, target.address.to_string())).collect()
    }

    #[test]
    fn only_this_machine_and_named_addresses_are_asked() {
        let lan = vec!["192.0.2.7".parse().unwrap()];
        let all = addresses(&UdpSettings { lan, ..UdpSettings::default() }, None);
        let of = |id: &str| -> Vec<&str> {
            all.iter().filter(|(game, _)| *game == id).map(|(_, address)| address.as_str()).collect()
        };
        assert_eq!(of("gran-turismo-7"), ["127.0.0.1:33739", "192.0.2.7:33739"]);
        assert_eq!(of("gran-turismo-sport"), ["127.0.0.1:33339", "192.0.2.7:33339"]);
        assert_eq!(of("assetto-corsa-remote"), ["192.0.2.7:9996"], "on this machine its shared memory is recorded");
        assert_eq!(
            of("assetto-corsa-competizione"),
            ["192.0.2.7:9000"],
            "on this machine it is asked beside its pages"
        );
        assert!(of("f1-25").is_empty());
        let here = addresses(&UdpSettings::default(), None);
        assert!(here.iter().all(|(_, address)| address.starts_with("127.0.0.1:")), "{here:?}");
        let named = addresses(&UdpSettings::default(), Some("assetto-corsa-remote"));
        assert_eq!(named, [("assetto-corsa-remote", "127.0.0.1:9996".to_owned())]);
    }

    #[test]
    fn without_usual_ports_only_named_addresses_are_asked() {
        let settings = UdpSettings { usual_ports: false, ..UdpSettings::default() };
        assert!(addresses(&settings, None).is_empty());
        let address = "127.0.0.1:4000".parse().unwrap();
        let settings = UdpSettings { ask: vec![AskedGame::new("gran-turismo-7", address)], ..settings };
        assert_eq!(addresses(&settings, None), [("gran-turismo-7", "127.0.0.1:4000".to_owned())]);
        assert!(addresses(&settings, Some("f1-25")).is_empty());
    }
}
