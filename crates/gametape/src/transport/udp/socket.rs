//! A socket that receives many datagrams at once, each with the time at which it arrived.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};

/// A datagram has no more.
const MOST_BYTES: usize = 1 << 16;
/// How many datagrams are received with one system call. Pages of a buffer cost memory only once a datagram was in them.
const AT_ONCE: usize = 32;
/// Half a second of the fastest sender that is imaginable, if the system grants it.
pub(super) const WANTED_BUFFER_BYTES: usize = 32 << 20;
/// Datagrams are received sooner after they arrive. What is older, or from the future, means that the clock was set.
#[cfg(target_os = "linux")]
const MOST_AGE: Duration = Duration::from_secs(2);

/// A socket that receives.
#[derive(Debug)]
pub(super) struct Receiver {
    socket: UdpSocket,
    buffer: Vec<u8>,
    /// What the system says that it dropped since the socket was opened; the number wraps.
    #[cfg(target_os = "linux")]
    dropped: u32,
}

/// A datagram.
#[derive(Debug, Clone, Copy)]
pub(super) struct Received<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) from: SocketAddr,
    /// When it arrived.
    pub(super) at: Instant,
}

impl Receiver {
    /// Binds a socket that waits this long for datagrams. If it is `shared`, other programs may bind the port too: all of them get broadcasts.
    pub(super) fn bind(address: SocketAddr, shared: bool, patience: Duration) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        if shared {
            socket.set_reuse_address(true)?;
        }
        // Without the buffer it works too, until the machine is busy.
        let _ = socket.set_recv_buffer_size(WANTED_BUFFER_BYTES);
        socket.set_read_timeout(Some(patience))?;
        socket.bind(&address.into())?;
        let receiver = Self {
            socket: socket.into(),
            buffer: vec![0; MOST_BYTES * AT_ONCE],
            #[cfg(target_os = "linux")]
            dropped: 0,
        };
        receiver.set_up()?;
        Ok(receiver)
    }

    /// Returns the address it is bound to.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Sends a request to a game. The game need not be there, and the network may be down for now: requests are repeated.
    pub(super) fn send(&self, request: &[u8], to: SocketAddr) {
        let _ = self.socket.send_to(request, to);
    }

    /// Returns the size of the system's buffer for datagrams that are not received yet.
    pub(super) fn buffer_bytes(&self) -> io::Result<usize> {
        socket2::SockRef::from(&self.socket).recv_buffer_size()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::IoSliceMut;
    use std::os::fd::AsRawFd as _;
    use std::time::SystemTime;

    use nix::sys::socket::{
        ControlMessageOwned, MsgFlags, MultiHeaders, SockaddrLike as _, SockaddrStorage, recvmmsg, setsockopt, sockopt,
    };
    use nix::sys::time::TimeSpec;

    use super::*;

    impl Receiver {
        pub(super) fn set_up(&self) -> io::Result<()> {
            // Beyond the limit for everybody, if this process may.
            let _ = setsockopt(&self.socket, sockopt::RcvBufForce, &WANTED_BUFFER_BYTES);
            setsockopt(&self.socket, sockopt::ReceiveTimestampns, &true)?;
            setsockopt(&self.socket, sockopt::RxqOvfl, &1)?;
            Ok(())
        }

        /// Waits for datagrams, but not for long, and passes them on. Returns how many the system dropped since the last call.
        pub(in super::super) fn receive(&mut self, mut take: impl FnMut(Received<'_>)) -> io::Result<u64> {
            // Made anew for every call: the system writes into the headers how much of each it used.
            let space = nix::cmsg_space!(TimeSpec, u32);
            let mut headers = MultiHeaders::<SockaddrStorage>::preallocate(AT_ONCE, Some(space));
            let mut slices: Vec<[IoSliceMut<'_>; 1]> =
                self.buffer.chunks_exact_mut(MOST_BYTES).map(|buffer| [IoSliceMut::new(buffer)]).collect();
            let flags = MsgFlags::MSG_WAITFORONE;
            let messages = match recvmmsg(self.socket.as_raw_fd(), &mut headers, slices.iter_mut(), flags, None) {
                Ok(messages) => messages,
                Err(nix::Error::EAGAIN | nix::Error::EINTR) => return Ok(0),
                Err(error) => return Err(error.into()),
            };
            let (now, utc) = (Instant::now(), SystemTime::now());
            let mut dropped = self.dropped;
            for message in messages {
                let Some(from) = message.address.and_then(|address| address_of(&address)) else { continue };
                let mut at = now;
                for said in message.cmsgs()? {
                    match said {
                        ControlMessageOwned::ScmTimestampns(time) => at = moment(Duration::from(time), now, utc),
                        ControlMessageOwned::RxqOvfl(count) => dropped = count,
                        _ => {}
                    }
                }
                take(Received { bytes: message.iovs().next().unwrap_or_default(), from, at });
            }
            let new = dropped.wrapping_sub(self.dropped);
            self.dropped = dropped;
            Ok(new.into())
        }
    }

    /// Converts the time of arrival, which is on the clock that may be set.
    fn moment(arrived: Duration, now: Instant, utc: SystemTime) -> Instant {
        let age = SystemTime::UNIX_EPOCH.checked_add(arrived).and_then(|arrived| utc.duration_since(arrived).ok());
        age.filter(|age| *age <= MOST_AGE).and_then(|age| now.checked_sub(age)).unwrap_or(now)
    }

    fn address_of(address: &SockaddrStorage) -> Option<SocketAddr> {
        match address.family()? {
            nix::sys::socket::AddressFamily::Inet => Some(SocketAddr::V4((*address.as_sockaddr_in()?).into())),
            nix::sys::socket::AddressFamily::Inet6 => Some(SocketAddr::V6((*address.as_sockaddr_in6()?).into())),
            _ => None,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_clock_that_was_set_does_not_move_a_datagram() {
            let (now, utc) = (Instant::now(), SystemTime::now());
            let since = |utc: SystemTime| utc.duration_since(SystemTime::UNIX_EPOCH).unwrap();
            let second = Duration::from_secs(1);
            assert_eq!(moment(since(utc - second), now, utc), now - second);
            assert_eq!(moment(since(utc + second), now, utc), now, "set back");
            assert_eq!(moment(since(utc - second * 3600), now, utc), now, "set ahead");
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Receiver {
    fn set_up(&self) -> io::Result<()> {
        Ok(())
    }

    /// Waits for a datagram, but not for long, and passes it on. Returns 0: the system does not tell what it drops.
    pub(super) fn receive(&mut self, mut take: impl FnMut(Received<'_>)) -> io::Result<u64> {
        match self.socket.recv_from(&mut self.buffer) {
            Ok((length, from)) => {
                take(Received { bytes: self.buffer.get(..length).unwrap_or_default(), from, at: Instant::now() });
                Ok(0)
            }
            Err(error) if is_nothing(&error) => Ok(0),
            Err(error) => Err(error),
        }
    }
}

/// Returns whether the call only ended early. Windows reports here that an earlier datagram of ours reached nobody.
#[cfg(not(target_os = "linux"))]
fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionReset, Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), ConnectionReset | Interrupted | TimedOut | WouldBlock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_datagram_arrives_whole_and_with_its_time() {
        let mut receiver = Receiver::bind("127.0.0.1:0".parse().unwrap(), false, Duration::from_millis(100)).unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let to = receiver.address().unwrap();
        // Also the empty one, and the longest that there is.
        let sent: Vec<Vec<u8>> = [0, 1, 1352, 65_507].map(|length| vec![7; length]).into();
        // Linux begins to note times some moments after the first socket asked for it.
        let timely = (0..100).any(|_| {
            sent.iter().for_each(|datagram| assert_eq!(sender.send_to(datagram, to).unwrap(), datagram.len()));
            std::thread::sleep(Duration::from_millis(20));
            let asked_at = Instant::now();
            let mut got = Vec::new();
            while got.len() < sent.len() {
                let note = |one: Received<'_>| got.push((one.bytes.to_vec(), one.from, one.at));
                assert_eq!(receiver.receive(note).unwrap(), 0);
            }
            assert!(got.iter().map(|(bytes, ..)| bytes).eq(&sent));
            assert!(got.iter().all(|(_, from, _)| *from == sender.local_addr().unwrap()));
            // The time is that of the arrival, not that of the call.
            got.iter().all(|(_, _, at)| *at < asked_at)
        });
        assert!(timely || !cfg!(target_os = "linux"));
        assert!(receiver.buffer_bytes().unwrap() > 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_the_system_drops_is_counted() {
        let mut receiver = Receiver::bind("127.0.0.1:0".parse().unwrap(), false, Duration::from_millis(100)).unwrap();
        socket2::SockRef::from(&receiver.socket).set_recv_buffer_size(4096).unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        for _ in 0..100 {
            sender.send_to(&[1; 1000], receiver.address().unwrap()).unwrap();
        }
        let (mut received, mut dropped) = (0, 0);
        // The number comes with the next datagram that is queued after the loss.
        for _ in 0..200 {
            dropped += receiver.receive(|_| received += 1).unwrap();
            if received + dropped >= 100 {
                break;
            }
            sender.send_to(&[2; 10], receiver.address().unwrap()).unwrap();
        }
        assert!(dropped > 0 && received > 0, "{received} received, {dropped} dropped");
    }
}
