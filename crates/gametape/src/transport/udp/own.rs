//! Records a game that is described by the program that uses the library.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use gametape_format::Counters;
use gametape_games::Presence;

use super::admission::Admission;
use super::forward::{Forward, comes_back};
use super::socket::Receiver;
use super::source::{MOST_OTHER_BYTES, OTHER};
use crate::transport::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};

/// A read waits no longer than this.
const PATIENCE: Duration = Duration::from_millis(100);
/// A game that sends nothing for this long has ended.
const SILENT: Duration = Duration::from_secs(3);

/// Returns whether a datagram is one of a kind.
pub(crate) type IsPacket = Box<dyn Fn(&[u8]) -> bool + Send>;

/// A kind of packet.
pub(crate) struct OwnPacket {
    /// Length of its datagrams.
    pub(crate) bytes: usize,
    /// Recognises them.
    pub(crate) is_it: IsPacket,
}

/// A source for packets that the program describes.
pub(crate) struct OwnUdpSource {
    receiver: Receiver,
    admission: Admission,
    forward: Option<Forward>,
    description: Description,
    packets: Vec<OwnPacket>,
    last: Option<Instant>,
    last_ns: u64,
    other_bytes: u64,
}

impl OwnUdpSource {
    /// Listens on the address. Stream `n` of the description is that of packet `n`.
    pub(crate) fn open(
        address: SocketAddr,
        mut description: Description,
        packets: Vec<OwnPacket>,
        admitted: &[IpAddr],
        forward: &[SocketAddr],
    ) -> io::Result<Self> {
        description.rows(OTHER, "udp");
        // Every datagram counts, also one that is equal to the last.
        description.streams.iter_mut().for_each(|stream| stream.skip_unchanged = false);
        let receiver = Receiver::bind(address, false, PATIENCE)?;
        let bound = receiver.address()?;
        if let Some(to) = forward.iter().find(|to| comes_back(**to, bound)) {
            let text =
                format!("cannot forward datagrams to {to}: this source receives there, so they would never stop");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        Ok(Self {
            receiver,
            admission: Admission::new(admitted),
            forward: Forward::new(forward)?,
            description,
            packets,
            last: None,
            last_ns: 0,
            other_bytes: 0,
        })
    }
}

impl Source for OwnUdpSource {
    fn pace(&self) -> Pace {
        Pace::Source
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        if batch.described() == 0 {
            batch.describe(self.description.clone());
        }
        let Self { receiver, admission, forward, packets, last, last_ns, other_bytes, .. } = self;
        let other = packets.len();
        let received = receiver.receive(|datagram| {
            if !admission.admits(datagram.from.ip()) {
                return;
            }
            if let Some(forward) = forward {
                forward.send(datagram.bytes);
            }
            let is_it = |packet: &OwnPacket| packet.bytes == datagram.bytes.len() && (packet.is_it)(datagram.bytes);
            let stream = packets.iter().position(is_it);
            // What is unknown does not start a tape.
            if stream.is_none() && last.is_none() {
                return;
            }
            if stream.is_none() {
                *other_bytes = other_bytes.saturating_add(datagram.bytes.len() as u64);
                if *other_bytes > MOST_OTHER_BYTES {
                    return batch.count(other, &Counters { missed: 1, ..Counters::default() });
                }
            }
            *last_ns = clock.time_of(datagram.at).max(*last_ns + 1);
            batch.frame(stream.unwrap_or(other), *last_ns, datagram.bytes);
            *last = (*last).max(stream.map(|_| datagram.at));
        });
        let failed = |source| SourceError::Io { what: "UDP".into(), source };
        let dropped = received.map_err(failed)?;
        batch.count(other, &Counters { missed: dropped, ..Counters::default() });
        if self.last.is_some_and(|last| last.elapsed() > SILENT) {
            (self.last, self.other_bytes) = (None, 0);
        }
        Ok(match self.last {
            Some(_) => State::Here(Presence::Live),
            None => State::Away(Away::NotThere),
        })
    }
}
