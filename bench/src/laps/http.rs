//! A persistent HTTP/1.1 connection to the server. Implements the bare minimum, so that the client costs next to
//! nothing.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

/// Response timeout.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum response size.
const MOST_BYTES: usize = 256 << 20;

/// A response.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    pub(super) status: u16,
    pub(super) body: &'a [u8],
}

/// A connection.
pub(super) struct Connection {
    socket: TcpStream,
    address: SocketAddr,
    /// Received bytes: one response at a time.
    bytes: Vec<u8>,
}

impl Connection {
    pub(super) fn open(address: SocketAddr) -> Result<Self> {
        let socket = TcpStream::connect_timeout(&address, PATIENCE)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { socket, address, bytes: Vec::new() })
    }

    /// Sends a request and waits for the complete response.
    pub(super) fn get(&mut self, path: &str) -> Result<Answer<'_>> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        self.socket.write_all(request.as_bytes())?;
        self.bytes.clear();
        let head = loop {
            if let Some(end) = self.bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            self.read_more()?;
        };
        let (status, length) = parse_head(self.bytes.get(..head).unwrap_or_default())?;
        ensure!(length <= MOST_BYTES, "a response of {length} bytes is too large");
        while self.bytes.len() < head + length {
            self.read_more()?;
        }
        ensure!(self.bytes.len() == head + length, "the server sent more than one response");
        Ok(Answer { status, body: self.bytes.get(head..).unwrap_or_default() })
    }

    fn read_more(&mut self) -> Result<()> {
        let (before, room) = (self.bytes.len(), 64 << 10);
        self.bytes.resize(before + room, 0);
        let count = loop {
            match self.socket.read(self.bytes.get_mut(before..).unwrap_or_default()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                count => break count,
            }
        };
        self.bytes.truncate(before + count.as_ref().map_or(0, |count| *count));
        ensure!(count? > 0, "the server closed the connection");
        Ok(())
    }
}

/// Parses the status and the length of the body.
fn parse_head(head: &[u8]) -> Result<(u16, usize)> {
    let head = std::str::from_utf8(head)?;
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let mut fields = lines.filter_map(|line| line.split_once(':'));
    let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|(_, length)| length.trim().parse().ok());
    Ok((status.context("no status in the response")?, length.context("no content-length in the response")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_and_length_are_read_whatever_the_case() {
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: a\r\nContent-Length: 12\r\n\r\n";
        assert_eq!(parse_head(head).unwrap(), (200, 12));
        assert!(parse_head(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(parse_head(b"nonsense\r\ncontent-length: 1\r\n\r\n").is_err());
    }
}
