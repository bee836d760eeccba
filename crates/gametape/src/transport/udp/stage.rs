//! Plays games that send datagrams, in the same order and at the same times. For games that send on request only, it also responds to requests.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use gametape_format::Role;
use gametape_format::read::{Tape, TapeStream};
use gametape_games::Game;

use super::server::{DatagramServer, sent};
use super::source::OTHER;
use crate::transport::{Asked, Entry, OpenStage, Part, Playback, Shown, Stage, StageError, StageOptions};

/// Responses of the game in this first part of a playback are available from its start.
const ANSWERED_WITHIN_NS: u64 = 5_000_000_000;
/// Maximum number of responses that are read in advance.
const MOST_ANSWERS: usize = 4096;

/// The datagrams of a game on a tape.
pub(super) struct UdpPlayback {
    game: &'static Game,
    /// Every stream of datagrams is played: the game is not in the registry.
    own: bool,
}

/// Returns whether a stream has datagrams as they were received.
pub(super) fn is_datagrams(stream: &TapeStream) -> bool {
    stream.spec().transport == "udp" && stream.spec().role == Role::Data
}

impl UdpPlayback {
    /// Plays the streams of this game.
    pub(super) fn new(game: &'static Game) -> Self {
        Self { game, own: false }
    }

    /// Plays all streams of a game that a program described itself.
    pub(super) fn own(game: &'static Game) -> Self {
        Self { game, own: true }
    }
}

impl Playback for UdpPlayback {
    fn part(&self, stream: &TapeStream) -> Option<Part> {
        let known = self.game.streams.iter().find(|known| known.name == stream.name() && known.udp_port().is_some());
        let name = match known {
            Some(known) => known.name,
            // The game sent these too.
            None if stream.name() == OTHER => OTHER,
            None if self.own && is_datagrams(stream) => OTHER,
            None => return None,
        };
        // Their times differ, so their order is that of the tape.
        Some(Part { stream: stream.id(), name, rank: 3, moves: true, is_message: true })
    }

    fn is_left_out_silently(&self, stream: &TapeStream) -> bool {
        // Descriptions are for readers of the tape; the game does not send them.
        stream.spec().role == Role::Describe || stream.totals().frames == 0
    }

    fn has_marker(&self) -> bool {
        // Its recorder does not look for one, and other recorders would take it for one of their games.
        !self.own
    }

    fn open(&self, tape: &Tape, parts: &[Part], options: &StageOptions) -> Result<OpenStage, StageError> {
        let is_apart = !options.prefix.as_str().is_empty();
        let usual = self.game.udp_port().filter(|port| *port > 0 && !is_apart);
        let to = match (options.send_to.as_slice(), usual) {
            ([], Some(port)) => vec![SocketAddr::from((Ipv4Addr::LOCALHOST, port))],
            (named, _) => named.to_vec(),
        };
        // Under a prefix, the port of the game stays free.
        let port = options.request_port.or(is_apart.then_some(0));
        let (server, not_answered) = match DatagramServer::start(self.game, port, &options.lan) {
            Ok(server) => (server, None),
            Err(source) => {
                let usual = self.game.rules.requests().map(|protocol| protocol.game_port());
                (None, Some((port.or(usual).unwrap_or(0), source)))
            }
        };
        let mut notes = Vec::new();
        match (&server, not_answered) {
            (None, Some((port, source))) if to.is_empty() => return Err(StageError::Port { port, source }),
            (None, None) if to.is_empty() => return Err(StageError::NoReceiver { game: self.game.name }),
            (None, Some((port, source))) => {
                notes.push(format!("requests are not answered: cannot listen on UDP port {port}: {source}"));
            }
            (Some(server), _) => {
                note_answers(server, tape, parts, options.from_ns);
                notes.push(format!("answering requests on {}", server.address()));
            }
            (None, None) => {}
        }
        let failed = |source| StageError::Send { to: format!("{to:?}"), source };
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).map_err(failed)?;
        socket.set_broadcast(true).map_err(failed)?;
        if !to.is_empty() {
            let to_text: Vec<String> = to.iter().map(SocketAddr::to_string).collect();
            notes.push(format!("sending to {}", to_text.join(", ")));
        }
        let names = parts.iter().map(|part| part.name).collect();
        let stage = UdpStage { game: self.game, names, socket, server, to, datagram: Vec::new() };
        Ok(OpenStage { notes, ..OpenStage::new(stage) })
    }
}

/// Passes responses from the first seconds of the playback to the server: clients send requests before these frames are played.
fn note_answers(server: &DatagramServer, tape: &Tape, parts: &[Part], from_ns: u64) {
    let streams = parts.iter().filter(|part| server.is_answer(part.name)).filter_map(|part| tape.stream(part.stream));
    let mut frames = tape.merged(streams);
    let mut noted = 0;
    // Damage is reported when these frames are played.
    while let Ok(Some(frame)) = frames.next() {
        let is_later = frame.time_ns > from_ns.saturating_add(ANSWERED_WITHIN_NS);
        if noted == MOST_ANSWERS || (noted > 0 && is_later) {
            return;
        }
        if let Some(part) = parts.iter().find(|part| part.stream == frame.stream) {
            server.note(part.name, frame.data);
        }
        noted += 1;
    }
}

struct UdpStage {
    game: &'static Game,
    /// Names of the streams, by the index of their part.
    names: Vec<&'static str>,
    socket: UdpSocket,
    /// Responds to requests; `None` if the game needs none.
    server: Option<DatagramServer>,
    to: Vec<SocketAddr>,
    datagram: Vec<u8>,
}

impl Stage for UdpStage {
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, StageError> {
        let name = self.names.get(entry.part).copied().unwrap_or_default();
        let failed = |(to, source): (SocketAddr, io::Error)| StageError::Send { to: to.to_string(), source };
        if let Some(server) = &mut self.server {
            server.send(name, frame, &self.to).map_err(failed)?;
            return Ok(Shown::Step);
        }
        self.datagram.clear();
        if name != OTHER {
            self.game.rules.sent_datagram(name, frame, &mut self.datagram);
        }
        let datagram = if self.datagram.is_empty() { frame } else { &self.datagram };
        for to in &self.to {
            sent(self.socket.send_to(datagram, to)).map_err(|error| failed((*to, error)))?;
        }
        Ok(Shown::Step)
    }

    fn jump(&mut self) {}

    fn request_address(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(DatagramServer::address)
    }

    fn asked(&self) -> Asked {
        self.server.as_ref().map(DatagramServer::asked).unwrap_or_default()
    }

    fn leave(&mut self) -> Result<(), StageError> {
        self.server = None;
        Ok(())
    }

    fn remove(self: Box<Self>) -> Result<(), StageError> {
        Ok(())
    }
}
