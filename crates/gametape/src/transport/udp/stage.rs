//! Plays games that send datagrams: sends what the game sent, in the same order and at the same times.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use gametape_format::read::{Tape, TapeStream};
use gametape_games::Game;

use super::source::OTHER;
use crate::transport::{Entry, OpenStage, Part, Playback, Shown, Stage, StageError, StageOptions};

/// The datagrams of a game on a tape.
pub(super) struct UdpPlayback {
    game: &'static Game,
}

impl UdpPlayback {
    /// Plays the streams of this game.
    pub(super) fn new(game: &'static Game) -> Self {
        Self { game }
    }
}

impl Playback for UdpPlayback {
    fn part(&self, stream: &TapeStream) -> Option<Part> {
        let known = self.game.streams.iter().find(|known| known.name == stream.name() && known.udp_port().is_some());
        let name = match known {
            Some(known) => known.name,
            // The game sent these too.
            None if stream.name() == OTHER => OTHER,
            None => return None,
        };
        // Their times differ, so their order is that of the tape.
        Some(Part { stream: stream.id(), name, rank: 3, moves: true })
    }

    fn shows_state(&self) -> bool {
        false
    }

    fn open(&self, _tape: &Tape, parts: &[Part], options: &StageOptions) -> Result<OpenStage, StageError> {
        let usual = self.game.udp_port().filter(|port| *port > 0 && options.prefix.as_str().is_empty());
        let to = match (options.send_to.as_slice(), usual) {
            ([], Some(port)) => vec![SocketAddr::from((Ipv4Addr::LOCALHOST, port))],
            ([], None) => return Err(StageError::NoReceiver { game: self.game.name }),
            (named, _) => named.to_vec(),
        };
        let failed = |source| StageError::Send { to: format!("{to:?}"), source };
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).map_err(failed)?;
        socket.set_broadcast(true).map_err(failed)?;
        let to_text: Vec<String> = to.iter().map(SocketAddr::to_string).collect();
        let names = parts.iter().map(|part| part.name).collect();
        let stage = UdpStage { game: self.game, names, socket, to, datagram: Vec::new() };
        let mut open = OpenStage::new(stage);
        open.notes.push(format!("sending to {}", to_text.join(", ")));
        Ok(open)
    }
}

struct UdpStage {
    game: &'static Game,
    /// Names of the streams, by the index of their part.
    names: Vec<&'static str>,
    socket: UdpSocket,
    to: Vec<SocketAddr>,
    datagram: Vec<u8>,
}

impl Stage for UdpStage {
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, StageError> {
        let name = self.names.get(entry.part).copied().unwrap_or_default();
        self.datagram.clear();
        if name != OTHER {
            self.game.rules.sent_datagram(name, frame, &mut self.datagram);
        }
        let datagram = if self.datagram.is_empty() { frame } else { &self.datagram };
        for to in &self.to {
            match self.socket.send_to(datagram, to) {
                Ok(_) => {}
                // Nobody listens yet.
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset) => {}
                Err(source) => return Err(StageError::Send { to: to.to_string(), source }),
            }
        }
        Ok(Shown::Step)
    }

    fn jump(&mut self) {}

    fn leave(&mut self) -> Result<(), StageError> {
        Ok(())
    }

    fn remove(self: Box<Self>) -> Result<(), StageError> {
        Ok(())
    }
}
