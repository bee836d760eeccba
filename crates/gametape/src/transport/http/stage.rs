//! Plays games with an HTTP API. Each stream is an endpoint that serves the current frame, byte for byte, until the next one is due.

use std::net::SocketAddr;

use gametape_format::Role;
use gametape_format::TapeId;
use gametape_format::read::{Tape, TapeStream};
use gametape_games::Game;

use super::server::{Response, Server};
use crate::transport::{Entry, OpenStage, Part, Playback, Shown, Stage, StageError, StageOptions};

/// The endpoints of a game on a tape.
pub(super) struct HttpPlayback {
    game: &'static Game,
}

impl HttpPlayback {
    /// Plays the streams of this game.
    pub(super) fn new(game: &'static Game) -> Self {
        Self { game }
    }
}

impl Playback for HttpPlayback {
    fn part(&self, stream: &TapeStream) -> Option<Part> {
        let known = self.game.stream(stream.name()).filter(|known| known.endpoint().is_some())?;
        Some(Part { stream: stream.id(), name: known.name, rank: known.play_rank, moves: true, is_message: false })
    }

    /// Residual lines of an imported file are not part of the game's API.
    fn is_left_out_silently(&self, stream: &TapeStream) -> bool {
        stream.spec().role == Role::Describe || stream.totals().frames == 0
    }

    fn open(&self, tape: &Tape, parts: &[Part], options: &StageOptions) -> Result<OpenStage, StageError> {
        // Under a prefix, the port of the game stays free.
        let apart = (!options.prefix.as_str().is_empty()).then_some(0);
        let id = tape.id().unwrap_or(TapeId([0; 16]));
        let stage = HttpStage::open(self.game, id, parts, options.http_port.or(apart))?;
        Ok(OpenStage { address: stage.address(), ..OpenStage::new(stage) })
    }
}

/// Serves the frames over HTTP.
struct HttpStage {
    game: &'static Game,
    /// `None` after the player has ended.
    server: Option<Server>,
    /// Index of the part that each path of the server shows, and whether the current frame is from before a jump.
    paths: Vec<(Option<usize>, bool)>,
}

impl HttpStage {
    /// Starts the server. It does not show a frame yet.
    fn open(game: &'static Game, tape: TapeId, parts: &[Part], port: Option<u16>) -> Result<Self, StageError> {
        let endpoints: Vec<_> =
            game.streams.iter().filter_map(|stream| Some((stream.name, stream.endpoint()?))).collect();
        let port = port.or(endpoints.first().map(|(_, (port, _))| *port)).unwrap_or(0);
        let paths = endpoints.iter().map(|(_, (_, path))| *path).collect();
        let server = Server::start(port, paths, tape.to_string(), game.rules.http_nothing())
            .map_err(|source| StageError::Port { port, source })?;
        let part = |name: &str| parts.iter().position(|part| part.name == name);
        let paths = endpoints.iter().map(|(name, _)| (part(name), false)).collect();
        Ok(Self { game, server: Some(server), paths })
    }

    /// Returns the address of the server.
    fn address(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(Server::address)
    }
}

impl Stage for HttpStage {
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, StageError> {
        let number = self.paths.iter().position(|(part, _)| *part == Some(entry.part));
        let (Some(server), Some(number)) = (&self.server, number) else { return Ok(Shown::Noted) };
        let status = self.game.rules.http_status(frame);
        server.show(number, Some(Response { status, body: frame.into() }));
        for (other, (_, old)) in self.paths.iter_mut().enumerate() {
            // All frames at the position of the jump have been shown, so frames from before the jump are obsolete.
            if other == number {
                *old = false;
            } else if !entry.at_once && std::mem::take(old) {
                server.show(other, None);
            }
        }
        Ok(Shown::Step)
    }

    fn jump(&mut self) {
        self.paths.iter_mut().for_each(|(_, old)| *old = true);
    }

    fn leave(&mut self) -> Result<(), StageError> {
        if let Some(server) = &self.server {
            (0..self.paths.len()).for_each(|number| server.show(number, None));
        }
        Ok(())
    }

    fn remove(mut self: Box<Self>) -> Result<(), StageError> {
        self.server = None;
        Ok(())
    }
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
