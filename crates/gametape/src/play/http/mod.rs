//! Games that answer over HTTP: each stream is a path, and its frame the answer, byte for byte, until the next one is due.
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

/// What clients ask.
pub(super) struct HttpStage {
    /// Gone when the player ends.
    server: Option<Server>,
    /// Names of the streams, in the order of the server's paths, and whether what is shown is of before a jump.
    streams: Vec<(&'static str, bool)>,
    hint: usize,
}

impl HttpStage {
    /// Begins to answer; nothing is shown yet.
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

    /// Where it answers.
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
        // An answer in which the game says why there is no match.
        let status = match Answer::of(frame, &mut self.hint) {
            Answer::Refused { err_code: API_DISABLED } => 500,
            Answer::Refused { .. } => 404,
            _ => 200,
        };
        server.show(number, Some(Answered { status, body: frame.into() }));
        for (other, (_, old)) in self.streams.iter_mut().enumerate() {
            // All that was seen at the moment of a jump has been shown: what is left is not of it.
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

/// Reads bytes as a request: for the fuzz targets and mutation only.
#[doc(hidden)]
pub fn fuzz_http_request(data: &[u8]) {
    if let request::Read::Whole { bytes, .. } = request::read(data) {
        assert!(bytes <= data.len(), "a request ends where its bytes do");
    }
}

#[cfg(test)]
mod tests;
