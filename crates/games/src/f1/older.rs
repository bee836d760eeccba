//! F1 2018 to F1 2021: packets are recognised by their headers and recorded; their contents are not decoded.
use crate::bytes::{array_at, f32_at};
use crate::capture::{About, CopyRule, Presence, Rules, Seen, Transport};
use crate::lap_frame::{NoLaps, ReadLaps};
use crate::proof::Proof;
use crate::readers::ReadGame;
use crate::registry::{Game, Layouts, Stream};
use crate::sample::{Decode, NoSamples};

use super::{PACKETS, PORT, format_and_packet_id, game};

/// F1 2018.
pub const F1_18: Game =
    game("f1-18", "F1 2018", &OlderRules { format: 2018, packets: 8 }, STREAMS.split_at(8).0, Proof::DescriptionsOnly);
/// F1 2019.
pub const F1_19: Game =
    game("f1-19", "F1 2019", &OlderRules { format: 2019, packets: 8 }, STREAMS.split_at(8).0, Proof::RealBytes);
/// F1 2020.
pub const F1_20: Game = game(
    "f1-20",
    "F1 2020",
    &OlderRules { format: 2020, packets: 10 },
    STREAMS.split_at(10).0,
    Proof::DescriptionsOnly,
);
/// F1 2021.
pub const F1_21: Game = game(
    "f1-21",
    "F1 2021",
    &OlderRules { format: 2021, packets: 12 },
    STREAMS,
    Proof::SomeRealBytes("8 of 12 packet types"),
);

/// The same for readers of tapes, oldest first.
pub(crate) const READERS: [&dyn ReadGame; 4] = [
    &OlderRules { format: 2018, packets: 8 },
    &OlderRules { format: 2019, packets: 8 },
    &OlderRules { format: 2020, packets: 10 },
    &OlderRules { format: 2021, packets: 12 },
];

/// Indexed by packet id. The ids are those of later games.
const STREAMS: &[Stream] = &[
    stream(0),
    stream(1),
    stream(2),
    stream(3),
    stream(4),
    stream(5),
    stream(6),
    stream(7),
    stream(8),
    stream(9),
    stream(10),
    stream(11),
];

const fn stream(packet_id: usize) -> Stream {
    Stream {
        name: PACKETS[packet_id].name,
        layouts: Layouts::Tables(&[]),
        transport: Transport::Udp { port: PORT, broadcast: false },
        copy_rule: CopyRule::Whole,
        play_rank: 3,
    }
}

/// No packet is longer: they were made to fit into one Ethernet frame.
const LONGEST_PACKET_BYTES: usize = 1500;
/// A day. Session times are shorter.
const LONGEST_SESSION_S: f32 = 86_400.0;
/// Cars in the packets of 2020 and 2021; earlier ones have 20.
const MOST_CARS: u8 = 22;
/// More than a day at 60 frames per second. Read as a number, most floats are larger.
const MOST_FRAMES: u32 = 1 << 23;
/// Length and id of the car telemetry of 2019 and 2021.
const CAR_TELEMETRY_BYTES: usize = 1347;
const CAR_TELEMETRY: u8 = 6;
/// The streams that are sent in every frame.
const FREQUENT: [&str; 3] = ["lap-data", "car-telemetry", "motion"];

/// The [`Rules`] of one packet format.
#[derive(Debug)]
struct OlderRules {
    format: u16,
    /// Number of packet types.
    packets: u8,
}

/// Values of a packet header.
struct OlderHeader {
    packet_id: u8,
    session_uid: u64,
    frame: u32,
}

impl OlderRules {
    /// Reads a header that is plausible; `None` otherwise.
    ///
    /// ```text
    ///  2018   format u16 · packet version u8 · id u8 · UID u64 · time f32 · frame u32 · player u8            21 bytes
    ///  2019   format u16 · version u8 × 3 · id u8 · UID u64 · time f32 · frame u32 · player u8               23 bytes
    ///  2020   the same · second player u8                                                                    24 bytes
    /// ```
    fn header(&self, packet: &[u8]) -> Option<OlderHeader> {
        let (format, packet_id) = format_and_packet_id(packet)?;
        let after_id = if format == 2018 { 4 } else { 6 };
        let time_s = f32_at(packet, after_id + 8)?;
        let player = *packet.get(after_id + 16)?;
        let frame = u32::from_le_bytes(array_at(packet, after_id + 12)?);
        let plausible = format == self.format
            && packet_id < self.packets
            && (0.0..LONGEST_SESSION_S).contains(&time_s)
            && (player < MOST_CARS || player == u8::MAX)
            && frame < MOST_FRAMES;
        plausible.then_some(OlderHeader {
            packet_id,
            session_uid: u64::from_le_bytes(array_at(packet, after_id)?),
            frame,
        })
    }

    fn newest(&self, seen: Seen<'_>) -> Option<OlderHeader> {
        let frame = FREQUENT.iter().find_map(|stream| seen.stream(stream)).or_else(|| seen.0.first().copied());
        self.header(frame?.bytes)
    }
}

impl Rules for OlderRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        if self.session_key(seen).is_some() { Presence::Live } else { Presence::Off }
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        self.newest(seen).map(|header| header.frame.into())
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        let format = seen.0.iter().find_map(|frame| array_at(frame.bytes, 0))?;
        Some(u16::from_le_bytes(format) == self.format)
    }

    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        let header_bytes = match self.format {
            2018 => 21,
            2019 => 23,
            _ => 24,
        };
        // Packets of Project CARS, Project CARS 2 and EA SPORTS WRC (237) begin with a version or a counter, those of DiRT with a time, which may look
        // like a format. No packet of these years has one of their lengths.
        let bytes = datagram.len();
        let is_dirt = (152..=264).contains(&bytes) && bytes.is_multiple_of(4);
        let is_other = matches!(
            bytes,
            24 | 237 | 308 | 538 | 555 | 556 | 559 | 1028 | 1040 | 1059 | 1063 | 1136 | 1164 | 1367 | 1452
        );
        if is_dirt || is_other || !(header_bytes + 1..=LONGEST_PACKET_BYTES).contains(&bytes) {
            return None;
        }
        let header = self.header(datagram)?;
        // Project CARS sends this length, too, with a name where the packet type is here.
        if bytes == CAR_TELEMETRY_BYTES && (header.packet_id != CAR_TELEMETRY || self.format == 2018) {
            return None;
        }
        PACKETS.get(usize::from(header.packet_id)).map(|packet| packet.name)
    }

    /// The session UID, which is 0 in the menus.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        self.newest(seen).map(|header| header.session_uid).filter(|uid| *uid != 0)
    }

    fn about(&self, _: Seen<'_>) -> About {
        About::default()
    }

    fn decodes(&self) -> bool {
        false
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(NoSamples)
    }

    fn has_laps(&self) -> bool {
        false
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::<NoLaps>::default()
    }
}
