//! Games with an HTTP API. Each stream is an endpoint that serves the current frame, byte for byte, until the next one is due.
mod request;
mod server;

use std::net::SocketAddr;

use server::{Server, Shown as Answered};

use super::chunk::Entry;
use super::error::PlayError;
use super::parts::{PartKind, Parts};
use super::stage::{Shown, Stage};
use crate::format::TapeId;
use crate::games::Transport;
use crate::games::echo_vr::{API_DISABLED, Answer};

/// Serves the frames over HTTP.
pub(super) struct HttpStage {
    /// `None` after the player has ended.
    server: Option<Server>,
    /// Names of the streams, in the order of the server's paths, and whether the current frame is from before a jump.
    streams: Vec<(&'static str, bool)>,
    hint: usize,
}

impl HttpStage {
    /// Starts the server. It does not show a frame yet.
    pub(super) fn open(parts: &Parts, tape: TapeId, port: Option<u16>) -> Result<Self, PlayError> {
        let answers = parts.game.streams.iter().filter_map(|stream| match stream.transport {
            Transport::Http { port, path } => Some((stream.name, port, path)),
            _ => None,
        });
        let answers: Vec<_> = answers.collect();
        let port = port.or(answers.first().map(|(_, port, _)| *port)).unwrap_or(0);
        let paths = answers.iter().map(|(_, _, path)| *path).collect();
        let server = Server::start(port, paths, tape.to_string()).map_err(|source| PlayError::Port { port, source })?;
        let streams = answers.iter().map(|(name, ..)| (*name, false)).collect();
        Ok(Self { server: Some(server), streams, hint: 0 })
    }

    /// Returns the address of the server.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(Server::address)
    }
}

impl Stage for HttpStage {
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, PlayError> {
        let PartKind::Answer(name) = entry.kind else { return Ok(Shown::Noted) };
        let (Some(server), Some(number)) = (&self.server, self.streams.iter().position(|(stream, _)| *stream == name))
        else {
            return Ok(Shown::Noted);
        };
        // The status code if the frame is a refusal, in which the game says why there is no match.
        let status = match Answer::of(frame, &mut self.hint) {
            Answer::Refused { err_code: API_DISABLED } => 500,
            Answer::Refused { .. } => 404,
            _ => 200,
        };
        server.show(number, Some(Answered { status, body: frame.into() }));
        for (other, (_, old)) in self.streams.iter_mut().enumerate() {
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
        self.streams.iter_mut().for_each(|(_, old)| *old = true);
    }

    fn leave(&mut self) -> Result<(), PlayError> {
        if let Some(server) = &self.server {
            (0..self.streams.len()).for_each(|number| server.show(number, None));
        }
        Ok(())
    }

    fn remove(mut self: Box<Self>) -> Result<(), PlayError> {
        self.server = None;
        Ok(())
    }
}

/// Parses bytes as a request. For fuzz targets and mutation tests only.
#[doc(hidden)]
pub fn fuzz_http_request(data: &[u8]) {
    if let request::Read::Whole { bytes, .. } = request::read(data) {
        assert!(bytes <= data.len(), "a request ends where its bytes do");
    }
}

#[cfg(test)]
mod tests;
