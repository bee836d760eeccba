//! F1 22 to F1 25: UDP packets, by packet format.
//!
//! A datagram is a header and one packet, little endian and without padding. Its first number is the packet format (the
//! year); a game can also send the formats of earlier years.
mod of_2022;
mod of_2023;
mod of_2024;
mod of_2025;

use super::packed::{Item, layout};
use crate::layout::Layout;

/// The first supported packet format.
const FIRST_FORMAT: u16 = 2022;

/// A packet type, in all formats from [`FIRST_FORMAT`] on.
struct Packet {
    name: &'static str,
    formats: [Option<&'static [Item]>; 4],
}

/// Packet types, indexed by packet id.
static PACKETS: [Packet; 16] = [
    Packet {
        name: "motion",
        formats: [
            Some(of_2022::MOTION_PACKET_2022),
            Some(of_2023::MOTION_PACKET_2023),
            Some(of_2023::MOTION_PACKET_2023),
            Some(of_2023::MOTION_PACKET_2023),
        ],
    },
    Packet {
        name: "session",
        formats: [
            Some(of_2022::SESSION_PACKET_2022),
            Some(of_2023::SESSION_PACKET_2023),
            Some(of_2024::SESSION_PACKET_2024),
            Some(of_2024::SESSION_PACKET_2024),
        ],
    },
    Packet {
        name: "lap-data",
        formats: [
            Some(of_2022::LAP_DATA_PACKET_2022),
            Some(of_2023::LAP_DATA_PACKET_2023),
            Some(of_2024::LAP_DATA_PACKET_2024),
            Some(of_2024::LAP_DATA_PACKET_2024),
        ],
    },
    Packet {
        name: "event",
        formats: [
            Some(of_2022::EVENT_PACKET_2022),
            Some(of_2022::EVENT_PACKET_2022),
            Some(of_2022::EVENT_PACKET_2022),
            Some(of_2022::EVENT_PACKET_2022),
        ],
    },
    Packet {
        name: "participants",
        formats: [
            Some(of_2022::PARTICIPANTS_PACKET_2022),
            Some(of_2023::PARTICIPANTS_PACKET_2023),
            Some(of_2024::PARTICIPANTS_PACKET_2024),
            Some(of_2025::PARTICIPANTS_PACKET_2025),
        ],
    },
    Packet {
        name: "car-setups",
        formats: [
            Some(of_2022::CAR_SETUPS_PACKET_2022),
            Some(of_2022::CAR_SETUPS_PACKET_2022),
            Some(of_2024::CAR_SETUPS_PACKET_2024),
            Some(of_2024::CAR_SETUPS_PACKET_2024),
        ],
    },
    Packet {
        name: "car-telemetry",
        formats: [
            Some(of_2022::CAR_TELEMETRY_PACKET_2022),
            Some(of_2022::CAR_TELEMETRY_PACKET_2022),
            Some(of_2022::CAR_TELEMETRY_PACKET_2022),
            Some(of_2022::CAR_TELEMETRY_PACKET_2022),
        ],
    },
    Packet {
        name: "car-status",
        formats: [
            Some(of_2022::CAR_STATUS_PACKET_2022),
            Some(of_2023::CAR_STATUS_PACKET_2023),
            Some(of_2023::CAR_STATUS_PACKET_2023),
            Some(of_2023::CAR_STATUS_PACKET_2023),
        ],
    },
    Packet {
        name: "final-classification",
        formats: [
            Some(of_2022::FINAL_CLASSIFICATION_PACKET_2022),
            Some(of_2022::FINAL_CLASSIFICATION_PACKET_2022),
            Some(of_2022::FINAL_CLASSIFICATION_PACKET_2022),
            Some(of_2025::FINAL_CLASSIFICATION_PACKET_2025),
        ],
    },
    Packet {
        name: "lobby-info",
        formats: [
            Some(of_2022::LOBBY_INFO_PACKET_2022),
            Some(of_2023::LOBBY_INFO_PACKET_2023),
            Some(of_2024::LOBBY_INFO_PACKET_2024),
            Some(of_2025::LOBBY_INFO_PACKET_2025),
        ],
    },
    Packet {
        name: "car-damage",
        formats: [
            Some(of_2022::CAR_DAMAGE_PACKET_2022),
            Some(of_2022::CAR_DAMAGE_PACKET_2022),
            Some(of_2022::CAR_DAMAGE_PACKET_2022),
            Some(of_2025::CAR_DAMAGE_PACKET_2025),
        ],
    },
    Packet {
        name: "session-history",
        formats: [
            Some(of_2022::SESSION_HISTORY_PACKET_2022),
            Some(of_2023::SESSION_HISTORY_PACKET_2023),
            Some(of_2024::SESSION_HISTORY_PACKET_2024),
            Some(of_2024::SESSION_HISTORY_PACKET_2024),
        ],
    },
    Packet {
        name: "tyre-sets",
        formats: [
            None,
            Some(of_2023::TYRE_SETS_PACKET_2023),
            Some(of_2023::TYRE_SETS_PACKET_2023),
            Some(of_2023::TYRE_SETS_PACKET_2023),
        ],
    },
    Packet {
        name: "motion-ex",
        formats: [
            None,
            Some(of_2023::MOTION_EX_PACKET_2023),
            Some(of_2024::MOTION_EX_PACKET_2024),
            Some(of_2025::MOTION_EX_PACKET_2025),
        ],
    },
    Packet {
        name: "time-trial",
        formats: [None, None, Some(of_2024::TIME_TRIAL_PACKET_2024), Some(of_2024::TIME_TRIAL_PACKET_2024)],
    },
    Packet { name: "lap-positions", formats: [None, None, None, Some(of_2025::LAP_POSITIONS_PACKET_2025)] },
];

/// Returns the format and packet id of a datagram; `None` if it is too short.
#[must_use]
pub fn format_and_packet_id(datagram: &[u8]) -> Option<(u16, u8)> {
    let format = u16::from_le_bytes(*datagram.first_chunk()?);
    // The game year was added to the header in 2023.
    let at = if format < 2023 { 5 } else { 6 };
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
pub fn packet_layout(format: u16, packet_id: u8) -> Option<Layout> {
    let packet = PACKETS.get(usize::from(packet_id))?;
    let year = usize::from(format.checked_sub(FIRST_FORMAT)?);
    let items = packet.formats.get(year).copied().flatten()?;
    let header = if format < 2023 { of_2022::HEADER_2022 } else { of_2023::HEADER_2023 };
    layout(format!("f1-{format}-{}", packet.name), &[header, items]).ok()
}
