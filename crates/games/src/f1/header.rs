//! The header of all packets, in the formats since 2022.
//!
//! ```text
//!  2022   format u16 · version u8 × 3 · id u8 · UID u64 · time f32 · frame u32 · player u8 · second player u8          24 bytes
//!  2023   format u16 · year u8 · version u8 × 3 · id u8 · UID u64 · time f32 · frame u32 × 2 · player u8 · second u8   29 bytes
//! ```
use crate::bytes::array_at;

/// Values of a packet header.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Header {
    /// The year of the game that sends; 0 in some packets of format 2023, `None` in format 2022.
    pub(super) game_year: Option<u8>,
    pub(super) version: (u8, u8),
    pub(super) packet_id: u8,
    /// 0 in the menus.
    pub(super) session_uid: u64,
    /// Number of the rendered frame. It goes back when the player uses a flashback.
    pub(super) frame: u32,
    /// The same without going back; 0 if the format or the game does not have it.
    overall_frame: u32,
    pub(super) player: u8,
}

impl Header {
    /// Length of the header.
    pub(super) const fn bytes(format: u16) -> usize {
        if format < 2023 { 24 } else { 29 }
    }

    /// Reads the header of a packet; `None` if it is too short or has another format.
    pub(super) fn read(packet: &[u8], format: u16) -> Option<Self> {
        if packet.first_chunk() != Some(&format.to_le_bytes()) {
            return None;
        }
        let has_year = format >= 2023;
        let after_year = if has_year { 3 } else { 2 };
        let byte = |at: usize| packet.get(at).copied();
        let number = |at: usize| array_at(packet, at).map(u32::from_le_bytes);
        let player = Self::bytes(format) - 2;
        Some(Self {
            game_year: if has_year { byte(2) } else { None },
            version: (byte(after_year)?, byte(after_year + 1)?),
            packet_id: byte(after_year + 3)?,
            session_uid: u64::from_le_bytes(array_at(packet, after_year + 4)?),
            frame: number(after_year + 16)?,
            overall_frame: if has_year { number(after_year + 20)? } else { 0 },
            player: byte(player)?,
        })
    }

    /// Returns a number that increases with every frame of the game. Packets of format 2023 that a newer game sends lack the one that does
    /// not go back.
    pub(super) fn counter(&self) -> i64 {
        if self.overall_frame == 0 { self.frame.into() } else { self.overall_frame.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::f1::packet_layout;

    #[test]
    fn headers_are_read_where_the_tables_have_their_fields() {
        for format in 2022..=2026 {
            let layout = packet_layout(format, 2).unwrap();
            let mut packet: Vec<u8> = (0..layout.frame_bytes()).map(|at| (at % 250) as u8 + 1).collect();
            packet[..2].copy_from_slice(&format.to_le_bytes());
            let at = |name: &str| layout.channel(name).unwrap().offset as usize;
            let header = Header::read(&packet, format).unwrap();
            assert_eq!(header.packet_id, packet[at("packetId")]);
            assert_eq!(header.version, (packet[at("gameMajorVersion")], packet[at("gameMinorVersion")]));
            assert_eq!(header.session_uid.to_le_bytes(), packet[at("sessionUID")..][..8]);
            assert_eq!(header.frame.to_le_bytes(), packet[at("frameIdentifier")..][..4]);
            assert_eq!(header.player, packet[at("playerCarIndex")]);
            assert_eq!(header.game_year, (format > 2022).then(|| packet[at("gameYear")]));
            if format > 2022 {
                assert_eq!(header.overall_frame.to_le_bytes(), packet[at("overallFrameIdentifier")..][..4]);
            }
            let first = layout.channel("lapData[0].lastLapTimeInMS").unwrap();
            assert_eq!(first.offset as usize, Header::bytes(format));
            for length in 0..Header::bytes(format) - 1 {
                assert_eq!(Header::read(&packet[..length], format), None);
            }
            assert_eq!(Header::read(&packet, format + 1), None);
        }
    }

    #[test]
    fn the_counter_is_the_one_that_does_not_go_back_if_there_is_one() {
        let header = Header {
            game_year: None,
            version: (1, 17),
            packet_id: 2,
            session_uid: 1,
            frame: 63_212,
            overall_frame: 64_817,
            player: 0,
        };
        assert_eq!(header.counter(), 64_817);
        assert_eq!(Header { overall_frame: 0, ..header }.counter(), 63_212);
    }
}
