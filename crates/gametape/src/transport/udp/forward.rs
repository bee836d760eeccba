//! Relays datagrams to other programs, because only one program can listen on a port.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use super::admission::is_own;

/// Relays datagrams to other programs.
#[derive(Debug)]
pub(super) struct Forward {
    /// Not the socket that receives: if nobody listens there, some systems report that when the socket is read.
    to: Vec<(UdpSocket, SocketAddr)>,
}

impl Forward {
    /// Relays to these addresses; `None` if there are none.
    pub(super) fn new(to: &[SocketAddr]) -> io::Result<Option<Self>> {
        let socket = |to: &SocketAddr| {
            let any: IpAddr = if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
            let socket = UdpSocket::bind((any, 0))?;
            // A program that does not keep up costs its own datagrams, not ours.
            socket.set_nonblocking(true)?;
            Ok((socket, *to))
        };
        let to: Vec<_> = to.iter().map(socket).collect::<io::Result<_>>()?;
        Ok((!to.is_empty()).then_some(Self { to }))
    }

    /// Relays a datagram.
    pub(super) fn send(&self, datagram: &[u8]) {
        for (socket, to) in &self.to {
            // Nobody may be there yet.
            let _ = socket.send_to(datagram, to);
        }
    }
}

/// Returns whether a datagram that is sent to an address arrives at a socket that is bound to `bound`. If it were relayed there, it would be relayed
/// again and again.
pub(super) fn comes_back(to: SocketAddr, bound: SocketAddr) -> bool {
    let (target, own) = (to.ip().to_canonical(), bound.ip().to_canonical());
    let is_here = |address: IpAddr| address.is_unspecified() || address.is_loopback() || is_own(address);
    // What is sent to the unspecified address goes to the loopback interface.
    let is_same = target == own || (target.is_unspecified() && own.is_loopback());
    to.port() == bound.port() && (is_same || (own.is_unspecified() && is_here(target)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_relayed_to_the_port_that_receives_comes_back() {
        let is_back = |to: &str, bound: &str| comes_back(to.parse().unwrap(), bound.parse().unwrap());
        for (to, bound) in [
            ("127.0.0.1:20777", "127.0.0.1:20777"),
            ("0.0.0.0:20777", "127.0.0.1:20777"),
            ("127.0.0.1:20777", "0.0.0.0:20777"),
            ("0.0.0.0:20777", "0.0.0.0:20777"),
            ("127.9.9.9:20777", "0.0.0.0:20777"),
            ("[::1]:20777", "[::]:20777"),
            ("[::ffff:127.0.0.1]:20777", "[::]:20777"),
        ] {
            assert!(is_back(to, bound), "{to} {bound}");
        }
        for (to, bound) in [
            ("127.0.0.1:20778", "127.0.0.1:20777"),
            ("127.0.0.2:20777", "127.0.0.1:20777"),
            ("192.0.2.7:20777", "0.0.0.0:20777"),
        ] {
            assert!(!is_back(to, bound), "{to} {bound}");
        }
    }

    #[test]
    fn datagrams_are_relayed_over_both_versions_of_ip() {
        let receivers = ["127.0.0.1:0", "[::1]:0"].into_iter().filter_map(|address| UdpSocket::bind(address).ok());
        let receivers: Vec<UdpSocket> = receivers.collect();
        let to: Vec<SocketAddr> = receivers.iter().map(|socket| socket.local_addr().unwrap()).collect();
        let forward = Forward::new(&to).unwrap().unwrap();
        forward.send(b"datagram");
        for receiver in receivers {
            receiver.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
            let mut buffer = [0; 20];
            assert_eq!(receiver.recv(&mut buffer).unwrap(), 8);
        }
        assert!(Forward::new(&[]).unwrap().is_none());
    }
}
