//! Identifies payloads: by type name and length, or by length alone if the file has no header.
//!
//! ```text
//! ACCPhysics       496  the first bytes of the physics page
//! ACCGraphics     1320  the first bytes of the graphics page
//! ACCStatic        820  the static page
//! ACCCombinedData 2660  physics, graphics, static, then when each was read (3 × i64, Unix milliseconds)
//! F1TelemetryFrame 2056  format u16, packet id u8, datagram [2048], 1 byte, bytes of the datagram i32
//! TrackmaniaDataV3 1652  the telemetry page without its header
//! StateData    296, 112  War Thunder, version 2 and 1
//! ```
//! The field names that GamesDat gives to ACCPhysics are wrong from byte 44 on; the bytes are the game's.

use gametape_format::{Channel, ChannelType};
use gametape_games::{Layout, acc, trackmania, war_thunder};

use super::head::Head;
use super::records::RECORD_HEAD_BYTES;

/// A known payload type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    AccPhysics,
    AccGraphics,
    AccStatic,
    AccCombined,
    F1,
    Trackmania,
    WarThunder,
}

/// Each payload with its type name and length in bytes.
const KNOWN: [(Payload, &str, usize); 8] = [
    (Payload::AccPhysics, "ACCPhysics", 496),
    (Payload::AccGraphics, "ACCGraphics", 1320),
    (Payload::AccStatic, "ACCStatic", 820),
    (Payload::AccCombined, "ACCCombinedData", 2660),
    (Payload::F1, "F1TelemetryFrame", 2056),
    (Payload::Trackmania, "TrackmaniaDataV3", 1652),
    (Payload::WarThunder, "StateData", war_thunder::STATE_2_BYTES as usize),
    (Payload::WarThunder, "StateData", war_thunder::STATE_1_BYTES as usize),
];

impl Payload {
    /// Returns the payload type of a file's records, or `None` if it is unknown.
    pub(super) fn of(head: &Head, payload_bytes: usize) -> Option<Self> {
        let type_name = head.short_type();
        let fits = |name: &str, bytes: usize| bytes == payload_bytes && type_name.is_none_or(|found| found == name);
        KNOWN.iter().find(|(_, name, bytes)| fits(name, *bytes)).map(|(payload, _, _)| *payload)
    }

    /// Returns the parts of the payload that go to separate streams. Empty for F1, whose packets name their own stream.
    pub(super) fn parts(self, payload_bytes: usize) -> Vec<Part> {
        let physics = Part { stream: "physics", game: acc::GAME.id, at: 0, layout: prefix(&acc::PHYSICS_800, 496) };
        let graphics =
            Part { stream: "graphics", game: acc::GAME.id, at: 0, layout: prefix(&acc::GRAPHICS_1588, 1320) };
        let statics = Part { stream: "static", game: acc::GAME.id, at: 0, layout: Some(acc::STATIC_820.clone()) };
        let bytes = u32::try_from(payload_bytes).unwrap_or_default();
        match self {
            Self::AccPhysics => vec![physics],
            Self::AccGraphics => vec![graphics],
            Self::AccStatic => vec![statics],
            Self::AccCombined => vec![physics, Part { at: 496, ..graphics }, Part { at: 1816, ..statics }],
            Self::F1 => Vec::new(),
            Self::Trackmania => {
                let (game, layout) = (trackmania::GAME_ID, trackmania::telemetry_layout());
                vec![Part { stream: "telemetry", game, at: 0, layout }]
            }
            Self::WarThunder => {
                let (game, layout) = (war_thunder::GAME_ID, war_thunder::state_layout(bytes));
                vec![Part { stream: "state", game, at: 0, layout }]
            }
        }
    }
}

/// A part of a payload that becomes a frame.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) stream: &'static str,
    pub(super) game: &'static str,
    /// Offset in the payload.
    pub(super) at: usize,
    pub(super) layout: Option<Layout>,
}

/// Returns the layout of the first bytes of a page. Drops channels beyond the cut and shortens arrays to their complete values.
fn prefix(layout: &Layout, bytes: u32) -> Option<Layout> {
    let cut = |channel: &gametape_games::Channel| {
        let room = bytes.saturating_sub(channel.offset) / channel.kind.bytes();
        let count = channel.count.min(room);
        // Drop texts that are cut.
        let text = matches!(channel.kind, gametape_games::Kind::Char | gametape_games::Kind::Char16);
        let kept = count > 0 && (count == channel.count || !text);
        kept.then(|| gametape_games::Channel { count, ..channel.clone() })
    };
    let whole = layout.frame_bytes().to_string();
    let id = format!("{}{bytes}", layout.id().trim_end_matches(&whole));
    Layout::new(id, bytes, layout.channels().iter().filter_map(cut).collect()).ok()
}

/// The part of every record that is stored besides its frames, so that no byte is lost: its channels and its length.
pub(super) struct RecordRow {
    pub(super) channels: Vec<Channel>,
    pub(super) bytes: u32,
}

impl RecordRow {
    pub(super) fn of(payload: Option<Payload>) -> Self {
        let mut channels = vec![
            Channel::new("ticks", ChannelType::I64, 0, 1, ""),
            Channel::new("payloadBytes", ChannelType::I32, 8, 1, "B"),
        ];
        let head = RECORD_HEAD_BYTES as u32;
        let bytes = match payload {
            Some(Payload::F1) => {
                channels.push(Channel::new("packetFormat", ChannelType::U16, head, 1, ""));
                channels.push(Channel::new("packetId", ChannelType::U8, head + 2, 1, ""));
                channels.push(Channel::new("dataLength", ChannelType::I32, head + 4, 1, "B"));
                head + 8
            }
            Some(Payload::AccCombined) => {
                for (name, at) in [("physicsRead", 0), ("graphicsRead", 8), ("staticRead", 16)] {
                    channels.push(Channel::new(name, ChannelType::I64, head + at, 1, "ms"));
                }
                head + 24
            }
            _ => head,
        };
        Self { channels, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_cut_keep_their_channels_up_to_the_cut() {
        let physics = prefix(&acc::PHYSICS_800, 496).unwrap();
        assert_eq!((physics.id(), physics.frame_bytes()), ("acc-physics-496", 496));
        assert_eq!(physics.channel("tyreContactNormal").map(|channel| (channel.offset, channel.count)), Some((468, 7)));
        assert_eq!(physics.channel("accG").map(|channel| channel.offset), Some(44));
        assert!(physics.channel("brakeBias").is_none());
        let graphics = prefix(&acc::GRAPHICS_1588, 1320).unwrap();
        assert_eq!(graphics.channels().last().map(|channel| channel.name.as_ref()), Some("rainTyres"));
    }

    #[test]
    fn payloads_are_known_by_type_and_length_or_by_length_alone() {
        let named = |name: &str| Head { type_name: Some(name.into()), ..Head::default() };
        let full = "GameasDat.Core.Telemetry.Sources.AssettoCorsa.ACCPhysics, GamesDat.Core, Version=9.0.0.0";
        assert_eq!(Payload::of(&named(full), 496), Some(Payload::AccPhysics));
        assert_eq!(Payload::of(&named(full), 500), None);
        assert_eq!(Payload::of(&named("A.B.Other"), 496), None);
        assert_eq!(Payload::of(&Head::default(), 2056), Some(Payload::F1));
        assert_eq!(Payload::of(&named("StateData"), 112), Some(Payload::WarThunder));
        for (payload, _, bytes) in KNOWN {
            for part in payload.parts(bytes) {
                let layout = part.layout.unwrap();
                assert!(part.at + layout.frame_bytes() as usize <= bytes, "{payload:?}");
            }
        }
    }
}
