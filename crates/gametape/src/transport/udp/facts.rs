//! Opens the ports of games for a moment, as a recorder would, and looks at what arrives. Nothing is sent or written.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_games::{GAMES, Game};

use super::admission::Admission;
use super::port_owner::port_owner;
use super::recognise::Recognition;
use super::request_file::{Configured, candidates, configured};
use super::settings::{Port, UdpSettings};
use super::socket::{Receiver, WANTED_BUFFER_BYTES};
use super::user_settings::{DescribedGames, GameSettings};

/// How long to listen. A game that is driven sends many datagrams in this time.
const LISTEN_FOR: Duration = Duration::from_millis(300);
/// How long to wait on one port before the next one is looked at.
const PATIENCE: Duration = Duration::from_millis(10);

/// What a recorder would find on the ports of games that send datagrams.
#[derive(Debug, Clone)]
pub struct UdpFacts {
    /// The ports on which a recorder listens.
    pub ports: Vec<PortFacts>,
    /// Games that have no usual port, although no address was named for them.
    pub without_port: Vec<&'static Game>,
    /// Whether senders on other machines are admitted.
    pub admits_others: bool,
    /// The smallest receive buffer that the system granted; `None` if no port could be opened.
    pub buffer_bytes: Option<usize>,
    /// The size of the buffer that was requested.
    pub wanted_buffer_bytes: usize,
    /// The files in which users describe the datagrams of games.
    pub settings: Vec<GameSettings>,
    /// The files in which users configure whether games reply to requests.
    pub request_files: Vec<RequestFileFacts>,
}

/// A file in which the user configures whether a game replies to requests. Its passwords are not kept here.
#[derive(Debug, Clone)]
pub struct RequestFileFacts {
    /// The game.
    pub game: &'static Game,
    /// Key of the port in the file.
    pub port_key: &'static str,
    /// Where the file was searched for.
    pub searched: Vec<PathBuf>,
    /// The port on which the game listens for requests, 0 if it does not; `None` if there is no readable file.
    pub port: Option<u16>,
}

impl RequestFileFacts {
    fn look(game: &'static Game) -> Option<Self> {
        let file = game.rules.requests()?.file()?;
        let port = configured(&file).map(|configured| match configured {
            Configured::Off => 0,
            Configured::On { port, .. } => port,
        });
        Some(Self { game, port_key: file.port_key, searched: candidates(&file), port })
    }
}

/// A port.
#[derive(Debug, Clone)]
pub struct PortFacts {
    /// Where a recorder listens.
    pub address: SocketAddr,
    /// The games that send there by default; empty if the user named the port.
    pub games: Vec<&'static Game>,
    /// Whether it can be opened, and what arrives.
    pub state: PortState,
}

/// Whether a port can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortState {
    /// It can. Something may have arrived in the time of the examination.
    Free(Arrivals),
    /// Another program has it.
    Taken {
        /// Name and process id of that program, where the system reveals it.
        owner: Option<String>,
    },
    /// It cannot be opened, for this reason.
    Unusable(String),
}

/// What arrived on a port.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// Id of a game, and the address of its sender.
    pub game: Option<(&'static str, SocketAddr)>,
    /// The sender and the length of a datagram that no game sends.
    pub unknown: Option<(SocketAddr, usize)>,
    /// A sender that is not admitted.
    pub not_admitted: Option<IpAddr>,
}

impl UdpFacts {
    /// Examines the ports of one game or, if `game` is `None`, of all games. Takes 300 ms.
    pub(crate) fn look(settings: &UdpSettings, game: Option<&'static Game>) -> Self {
        let described = Arc::new(DescribedGames::read(game, settings));
        let mut eyes: Vec<Eye> =
            settings.ports(game, &[]).iter().map(|port| Eye::open(port, settings, game, &described)).collect();
        let end = Instant::now() + LISTEN_FOR;
        while Instant::now() < end && eyes.iter().any(|eye| eye.receiver.is_some()) {
            eyes.iter_mut().for_each(Eye::look);
        }
        let games = game.map_or(GAMES, std::slice::from_ref);
        // A game that replies to requests replies to any port.
        let is_without =
            |game: &&Game| game.udp_port() == Some(0) && settings.listen.is_empty() && game.rules.requests().is_none();
        Self {
            without_port: games.iter().filter(is_without).collect(),
            admits_others: !settings.lan.is_empty(),
            buffer_bytes: eyes.iter().filter_map(|eye| eye.receiver.as_ref()?.buffer_bytes().ok()).min(),
            wanted_buffer_bytes: WANTED_BUFFER_BYTES,
            settings: described.games().to_vec(),
            request_files: games.iter().filter_map(RequestFileFacts::look).collect(),
            ports: eyes.into_iter().map(|eye| eye.facts).collect(),
        }
    }
}

/// A port that is looked at.
struct Eye {
    facts: PortFacts,
    /// `None` if the port could not be opened.
    receiver: Option<Receiver>,
    admission: Admission,
    recognition: Recognition,
}

impl Eye {
    fn open(port: &Port, settings: &UdpSettings, game: Option<&'static Game>, described: &Arc<DescribedGames>) -> Self {
        let number = port.address.port();
        let (receiver, state) = match Receiver::bind(port.address, port.broadcast, PATIENCE) {
            Ok(receiver) => (Some(receiver), PortState::Free(Arrivals::default())),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                let owner = port_owner(number).map(|owner| owner.trim_end_matches(',').to_owned());
                (None, PortState::Taken { owner })
            }
            Err(error) => (None, PortState::Unusable(error.to_string())),
        };
        let games = game.map_or(GAMES, std::slice::from_ref).iter();
        let is_named = settings.listen.contains(&port.address);
        let games =
            games.filter(|game| !is_named && game.streams.iter().any(|stream| stream.udp_port() == Some(number)));
        Self {
            facts: PortFacts { address: port.address, games: games.collect(), state },
            receiver,
            admission: Admission::new(&settings.admitted()),
            recognition: Recognition::new(game, Arc::clone(described)),
        }
    }

    fn look(&mut self) {
        let Self { facts, receiver: Some(receiver), admission, recognition } = self else { return };
        let PortState::Free(arrivals) = &mut facts.state else { return };
        let received = receiver.receive(|datagram| {
            if !admission.admits(datagram.from.ip()) {
                arrivals.not_admitted = Some(datagram.from.ip());
                return;
            }
            match recognition.recognise(datagram.bytes) {
                Some(known) => arrivals.game = Some((known.game.id, datagram.from)),
                None => arrivals.unknown = Some((datagram.from, datagram.bytes.len())),
            }
        });
        if let Err(error) = received {
            facts.state = PortState::Unusable(error.to_string());
            self.receiver = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    fn facts_of(address: SocketAddr) -> UdpFacts {
        let settings = UdpSettings { usual_ports: false, listen: vec![address], ..UdpSettings::default() };
        UdpFacts::look(&settings, None)
    }

    #[test]
    fn a_port_is_free_or_taken_and_what_arrives_is_named() {
        let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let facts = facts_of(address);
        let PortState::Taken { owner } = &facts.ports[0].state else { panic!("{facts:?}") };
        let own = format!("process {}", std::process::id());
        assert!(owner.as_ref().is_some_and(|owner| owner.ends_with(&own)) || !cfg!(target_os = "linux"), "{owner:?}");
        assert!(facts.buffer_bytes.is_none() && facts.without_port.is_empty());
        drop(taken);
        assert_eq!(facts_of(address).ports[0].state, PortState::Free(Arrivals::default()));
        // A game that sends all the time, and something else.
        let stop = std::sync::atomic::AtomicBool::new(false);
        let layout = gametape_games::f1::packet_layout(2025, 6).unwrap();
        let mut packet = vec![0; layout.frame_bytes() as usize];
        packet[..2].copy_from_slice(&2025_u16.to_le_bytes());
        packet[2] = 25;
        packet[6] = 6;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let game = UdpSocket::bind("127.0.0.1:0").unwrap();
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    for datagram in [&packet[..], b"nothing known"] {
                        // Nobody may listen yet, or any more.
                        let _ = game.send_to(datagram, address);
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
            let facts = facts_of(address);
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            let PortState::Free(arrivals) = &facts.ports[0].state else { panic!("{facts:?}") };
            assert_eq!(arrivals.game.map(|(id, _)| id), Some("f1-25"));
            assert_eq!(arrivals.unknown.map(|(_, bytes)| bytes), Some(13));
            assert!(facts.buffer_bytes.is_some_and(|bytes| bytes > 0));
        });
    }

    #[test]
    fn games_without_a_usual_port_need_an_address() {
        let forza = gametape_games::find_game("forza-horizon").unwrap();
        let settings = UdpSettings { usual_ports: false, ..UdpSettings::default() };
        let facts = UdpFacts::look(&settings, Some(forza));
        assert!(facts.ports.is_empty() && facts.without_port.len() == 1);
        let remote = gametape_games::find_game("ac-remote").unwrap();
        assert!(UdpFacts::look(&settings, Some(remote)).without_port.is_empty(), "it replies to any port");
    }
}
