//! Support for other games that send datagrams: an address, and a struct for each kind of packet.

use std::any::TypeId;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

use super::source_spec::{IntoSource, Offer, SourceKind, SourceSpec};
use super::start_error::StartError;
use crate::capture::Description;
use crate::format::StreamSpec;
use crate::games::{Channel, Kind, Layout};
use crate::tape::FrameStruct;
use crate::transport::udp::{IsPacket, OwnPacket, OwnUdpSource};

/// Creates a source for a game that is not supported out of the box and sends its frames over UDP to this address: `#[repr(C)]` structs, one for
/// each kind of packet.
///
/// A tape begins with the first packet and ends when none came for some seconds. Every packet is on it, with the time at which it arrived.
/// Datagrams that are none of the packets are stored in a stream `other`, up to 16 MB. Only programs on this machine may send, unless
/// [`admit`](Udp::admit) names others.
///
/// ```
/// use std::mem::offset_of;
/// use gametape::games::Kind;
/// use zerocopy::FromBytes;
///
/// #[derive(FromBytes)]
/// #[repr(C)]
/// struct MyCar { tick: u32, speed: f32 }
///
/// let source = gametape::udp("127.0.0.1:9999")
///     .game("my-game")
///     .packet::<MyCar>(|bytes| bytes.len() == size_of::<MyCar>())
///     .stream("car")
///     .channel("speed", offset_of!(MyCar, speed), Kind::F32, 1, "m/s");
/// # drop(source);
/// ```
pub fn udp(address: &str) -> Udp {
    Udp {
        address: address.into(),
        game: "udp-game".into(),
        packets: Vec::new(),
        admitted: Vec::new(),
        forward: Vec::new(),
    }
}

/// A builder for a UDP source; see [`udp`].
pub struct Udp {
    address: String,
    game: String,
    packets: Vec<Packet>,
    admitted: Vec<IpAddr>,
    forward: Vec<SocketAddr>,
}

struct Packet {
    stream: String,
    type_id: TypeId,
    bytes: usize,
    is_it: IsPacket,
    channels: Vec<Channel>,
}

impl Udp {
    /// Sets the id of the game, in kebab-case. The default is `udp-game`.
    pub fn game(mut self, id: &str) -> Self {
        self.game = id.into();
        self
    }

    /// Adds a kind of packet: a struct, and how its datagrams are recognised. Datagrams of another length than that of the struct are none of it.
    pub fn packet<F: FrameStruct>(mut self, is_it: impl Fn(&[u8]) -> bool + Send + 'static) -> Self {
        let stream = format!("packet-{}", self.packets.len() + 1);
        let (type_id, bytes) = (TypeId::of::<F>(), size_of::<F>());
        self.packets.push(Packet { stream, type_id, bytes, is_it: Box::new(is_it), channels: Vec::new() });
        self
    }

    /// Sets the name of the stream of the last [`packet`](Self::packet). The default is `packet-1` and so on.
    pub fn stream(mut self, name: &str) -> Self {
        if let Some(packet) = self.packets.last_mut() {
            packet.stream = name.into();
        }
        self
    }

    /// Names a value of the last [`packet`](Self::packet), so that every tool finds it in the tape: its offset (`offset_of!`), type, count and
    /// unit.
    pub fn channel(mut self, name: &str, offset: usize, kind: Kind, count: u32, unit: &str) -> Self {
        let (name, unit) = (name.to_owned().into(), unit.to_owned().into());
        // An offset that does not fit is outside the packet; `Layout::new` reports that.
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        if let Some(packet) = self.packets.last_mut() {
            packet.channels.push(Channel { name, offset, kind, count, unit });
        }
        self
    }

    /// Admits a sender on the network. By default only this machine may send.
    pub fn admit(mut self, address: IpAddr) -> Self {
        self.admitted.push(address);
        self
    }

    /// Relays every datagram to another program, because only one program can listen on a port.
    pub fn forward(mut self, address: SocketAddr) -> Self {
        self.forward.push(address);
        self
    }

    /// Opens the port.
    pub(crate) fn open(self) -> Result<OwnUdpSource, StartError> {
        let Self { address, game, packets, admitted, forward } = self;
        let failed = |source| StartError::Port { address: address.clone(), source };
        let found = address.to_socket_addrs().map_err(failed)?.next();
        let found = found.ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
        let mut description = Description::of_game(&game);
        let mut known = Vec::new();
        for packet in packets {
            let Packet { stream, bytes, is_it, channels, .. } = packet;
            let frame_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            let layout = Layout::new(format!("{game}-{stream}-{bytes}"), frame_bytes, channels)
                .map_err(|source| StartError::Channels { section: stream.clone(), source })?;
            description.layout(&stream, "udp", &layout);
            known.push(OwnPacket { bytes, is_it });
        }
        OwnUdpSource::open(found, description, known, &admitted, &forward).map_err(failed)
    }
}

impl IntoSource for Udp {
    fn into_source(self) -> SourceSpec {
        let offer = |packet: &Packet| {
            let spec = StreamSpec::columns(&packet.stream, packet.bytes as u32, Vec::new());
            let spec = StreamSpec { game: self.game.clone(), ..spec };
            Offer {
                type_id: Some(packet.type_id),
                game: self.game.clone(),
                stream: packet.stream.clone(),
                spec: Some(spec),
            }
        };
        let offers = self.packets.iter().map(offer).collect();
        SourceSpec { kind: SourceKind::Udp(self), offers }
    }
}
