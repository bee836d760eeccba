//! F1 2018 to F1 25: UDP packets, by packet format.
//!
//! A datagram is a header and one packet, little endian and without padding. Its first number is the packet format (the year); a game can
//! also send the formats of earlier years, so that a "game" here is a format. `car` and `race` hold one table for each packet, in which
//! fields that not every format has name the formats that have them. Formats before 2022 are recorded without being decoded (`older`).
//!
//! ```text
//!  datagram ─▶ header ─▶ newest: session, pause, player ─▶ rules
//!                └─▶ packets: values of one packet ─▶ decode (samples), laps (lap frames), cars (standings)
//! ```
mod car;
mod cars;
mod decode;
mod event;
mod fields;
mod header;
mod laps;
mod names;
mod newest;
pub(crate) mod older;
mod packets;
mod race;
mod records;
pub(crate) mod rules;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::capture::{CopyRule, Rules, Transport};
use crate::layout::Layout;
use crate::layout::packed::{Item, layout};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};

pub use event::{Event, event};
pub use names::{session_name, team_name, track_name, tyre_name};
pub use older::{F1_18, F1_19, F1_20, F1_21};
use rules::F1Rules;

/// The port to which the games send by default.
pub(crate) const PORT: u16 = 20777;

/// F1 22.
pub const F1_22: Game = game(
    "f1-22",
    "F1 22",
    &F1Rules { format: 2022 },
    streams::<2022>().split_at(12).0,
    Proof::SomeRealBytes("7 of 12 packet types"),
);
/// F1 23.
pub const F1_23: Game = game(
    "f1-23",
    "F1 23",
    &F1Rules { format: 2023 },
    streams::<2023>().split_at(14).0,
    Proof::SomeRealBytes("all packet types but lobby-info"),
);
/// F1 24.
pub const F1_24: Game = game(
    "f1-24",
    "F1 24",
    &F1Rules { format: 2024 },
    streams::<2024>().split_at(15).0,
    Proof::SomeRealBytes("all packet types but final-classification"),
);
/// F1 25.
pub const F1_25: Game = game(
    "f1-25",
    "F1 25",
    &F1Rules { format: 2025 },
    streams::<2025>().split_at(16).0,
    Proof::SomeRealBytes("all packet types but lobby-info"),
);
/// F1 25 with the cars of 2026, which have a packet format of their own. There is no game of that year.
pub const F1_26: Game = game(
    "f1-26",
    "F1 25 (2026 season)",
    &F1Rules { format: 2026 },
    streams::<2026>(),
    Proof::SomeRealBytes("9 of 17 packet types"),
);

/// What the user switches on.
const SETUP: &str = "in the game, Settings > Telemetry Settings: UDP Telemetry on, UDP IP Address 127.0.0.1, UDP Port 20777, \
                     UDP Format of the game's own year";

const fn game(
    id: &'static str,
    name: &'static str,
    rules: &'static dyn Rules,
    streams: &'static [Stream],
    proven: Proof,
) -> Game {
    Game {
        id,
        name,
        aliases: &[],
        streams,
        processes: &[],
        default_hz: None,
        rules,
        shared_memory: SharedMemory::STREAMS_ONLY,
        setup: SETUP,
        proven,
    }
}

/// The packet formats that have layouts.
const FORMATS: std::ops::RangeInclusive<u16> = 2022..=2026;

/// A packet type.
struct Packet {
    name: &'static str,
    /// The first format that has it.
    since: u16,
    items: &'static [Item],
}

const fn packet(name: &'static str, since: u16, items: &'static [Item]) -> Packet {
    Packet { name, since, items }
}

/// Number of packet types.
const PACKET_TYPES: usize = 17;

/// Packet types, indexed by packet id. Names are those of the streams.
const PACKETS: [Packet; PACKET_TYPES] = [
    packet("motion", 2022, car::MOTION_PACKET),
    packet("session", 2022, race::SESSION_PACKET),
    packet("lap-data", 2022, race::LAP_DATA_PACKET),
    packet("event", 2022, race::EVENT_PACKET),
    packet("participants", 2022, race::PARTICIPANTS_PACKET),
    packet("car-setups", 2022, car::CAR_SETUPS_PACKET),
    packet("car-telemetry", 2022, car::CAR_TELEMETRY_PACKET),
    packet("car-status", 2022, car::CAR_STATUS_PACKET),
    packet("final-classification", 2022, race::FINAL_CLASSIFICATION_PACKET),
    packet("lobby-info", 2022, race::LOBBY_INFO_PACKET),
    packet("car-damage", 2022, car::CAR_DAMAGE_PACKET),
    packet("session-history", 2022, race::SESSION_HISTORY_PACKET),
    packet("tyre-sets", 2023, car::TYRE_SETS_PACKET),
    packet("motion-ex", 2023, car::MOTION_EX_PACKET),
    packet("time-trial", 2024, race::TIME_TRIAL_PACKET),
    packet("lap-positions", 2025, race::LAP_POSITIONS_PACKET),
    packet("car-telemetry-2", 2026, car::CAR_TELEMETRY_2_PACKET),
];

/// The streams of a format, indexed by packet id.
const fn streams<const FORMAT: u16>() -> &'static [Stream; PACKET_TYPES] {
    const {
        &[
            stream::<FORMAT, 0>(),
            stream::<FORMAT, 1>(),
            stream::<FORMAT, 2>(),
            stream::<FORMAT, 3>(),
            stream::<FORMAT, 4>(),
            stream::<FORMAT, 5>(),
            stream::<FORMAT, 6>(),
            stream::<FORMAT, 7>(),
            stream::<FORMAT, 8>(),
            stream::<FORMAT, 9>(),
            stream::<FORMAT, 10>(),
            stream::<FORMAT, 11>(),
            stream::<FORMAT, 12>(),
            stream::<FORMAT, 13>(),
            stream::<FORMAT, 14>(),
            stream::<FORMAT, 15>(),
            stream::<FORMAT, 16>(),
        ]
    }
}

const fn stream<const FORMAT: u16, const PACKET_ID: u8>() -> Stream {
    Stream {
        name: PACKETS[PACKET_ID as usize].name,
        layouts: Layouts::Built(|| LAYOUTS.get(&(FORMAT, PACKET_ID)).map_or(&[], std::slice::from_ref)),
        transport: Transport::Udp { port: PORT, broadcast: false },
        copy_rule: CopyRule::Whole,
        play_rank: 3,
    }
}

/// All layouts, by format and packet id. They live as long as the process, like the tables of other games.
static LAYOUTS: LazyLock<HashMap<(u16, u8), &'static Layout>> = LazyLock::new(|| {
    let of_format = |format: u16| {
        let known = PACKETS.iter().zip(0..).filter(move |(packet, _)| packet.since <= format);
        known.filter_map(move |(packet, id)| {
            let layout = layout(format!("f1-{format}-{}", packet.name), format, &[car::HEADER, packet.items]);
            Some(((format, id), &*Box::leak(Box::new(layout.ok()?))))
        })
    };
    FORMATS.flat_map(of_format).collect()
});

/// Number of cars in the packets of a format.
pub(crate) const fn cars(format: u16) -> usize {
    if format < 2026 { 22 } else { 24 }
}

/// Returns the format and packet id of a datagram; `None` if it is too short.
#[must_use]
pub fn format_and_packet_id(datagram: &[u8]) -> Option<(u16, u8)> {
    let format = u16::from_le_bytes(*datagram.first_chunk()?);
    // Two version numbers were added to the header in 2019, and the game year in 2023.
    let at = match format {
        ..2019 => 3,
        2019..2023 => 5,
        2023.. => 6,
    };
    Some((format, *datagram.get(at)?))
}

/// Returns the game id of a format, such as `f1-25`. `None` if there is no such format.
#[must_use]
pub fn game_id(format: u16) -> Option<String> {
    (2018..2100).contains(&format).then(|| format!("f1-{:02}", format % 100))
}

/// Returns the name of a packet type.
#[must_use]
pub fn packet_name(packet_id: u8) -> Option<&'static str> {
    PACKETS.get(usize::from(packet_id)).map(|packet| packet.name)
}

/// Returns the layout of a packet type in a format; `None` if it is not known.
#[must_use]
pub fn packet_layout(format: u16, packet_id: u8) -> Option<&'static Layout> {
    LAYOUTS.get(&(format, packet_id)).copied()
}
