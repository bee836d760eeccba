//! Relays datagrams to other programs, because only one program can listen on a port.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

/// Relays datagrams to other programs.
#[derive(Debug)]
pub(super) struct Forward {
    /// Not the socket that receives: if nobody listens there, some systems report that when the socket is read.
    socket: UdpSocket,
    to: Vec<SocketAddr>,
}

impl Forward {
    /// Relays to these addresses; `None` if there are none.
    pub(super) fn new(to: &[SocketAddr]) -> io::Result<Option<Self>> {
        if to.is_empty() {
            return Ok(None);
        }
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // A program that does not keep up costs its own datagrams, not ours.
        socket.set_nonblocking(true)?;
        Ok(Some(Self { socket, to: to.to_vec() }))
    }

    /// Relays a datagram.
    pub(super) fn send(&self, datagram: &[u8]) {
        for to in &self.to {
            // Nobody may be there yet.
            let _ = self.socket.send_to(datagram, to);
        }
    }
}
