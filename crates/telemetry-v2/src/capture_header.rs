//! `CaptureHeader`, by hand: its fields 101 and 102 are strings in the fourth generation and numbers in the fifth. The wire type says which, so both are read, and each is
//! written as it is held.

use std::collections::BTreeMap;

use bytes::{Buf, BufMut, Bytes};
use prost::DecodeError;
use prost::encoding::{
    DecodeContext, WireType, btree_map, bytes as bytes_field, int32, message, skip_field, string, uint32,
};

use crate::Timestamp;
use crate::proto::telemetry::v2::{EchoArenaHeader, FrameEncoding, RawHeader};

/// The header of the game in a [`CaptureHeader`]: field numbers 10 to 99.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum GameHeader {
    /// Echo Arena.
    #[prost(message, tag = "10")]
    EchoArena(EchoArenaHeader),
    /// A game without messages of its own.
    #[prost(message, tag = "90")]
    Raw(RawHeader),
}

/// First record of a stream: what was captured, and by which rules the rest is to be read (`telemetry.v2.CaptureHeader`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaptureHeader {
    /// Names the capture.
    pub capture_id: String,
    /// When it began.
    pub created_at: Option<Timestamp>,
    /// 2. Some writers leave 0, which means 2 too.
    pub format_version: u32,
    /// Anything else, by name.
    pub metadata: BTreeMap<String, String>,
    /// With `format_patch` the rest of the version: 1 and 0 in what this crate writes, 2 since the fifth generation.
    pub format_minor: u32,
    /// See `format_minor`.
    pub format_patch: u32,
    /// A [`FrameEncoding`].
    pub frame_encoding: i32,
    /// Since the fourth generation: which game, as text.
    pub game_type: String,
    /// Since the fourth generation: the program that wrote this.
    pub producer: String,
    /// The header of the game.
    pub game_header: Option<GameHeader>,
    /// Since the fourth generation: of the zstd dictionary without which the file cannot be unpacked. Empty: none is stated.
    pub dictionary_sha256: Bytes,
    /// Field 101 as a string, as the fourth generation has it. Empty: not stated.
    pub engine_version: String,
    /// Field 102 as a string, as the fourth generation has it. Empty: not stated.
    pub engine_sha1: String,
    /// Field 101 as a number, as the fifth generation has it. `None`: not stated.
    pub nominal_frame_rate_hz: Option<u32>,
    /// Field 102 as a number, as the fifth generation has it. `None`: not stated.
    pub idle_frame_rate_hz: Option<u32>,
}

impl CaptureHeader {
    /// How frames hold their values. A number that this crate does not know counts as not stated.
    pub fn frame_encoding(&self) -> FrameEncoding {
        FrameEncoding::try_from(self.frame_encoding).unwrap_or_default()
    }

    fn numbers(&self) -> [(u32, u32); 3] {
        [(3, self.format_version), (5, self.format_minor), (6, self.format_patch)]
    }

    /// Fields 101 and 102: text, number.
    fn either(&self) -> [(u32, &String, Option<u32>); 2] {
        [(101, &self.engine_version, self.nominal_frame_rate_hz), (102, &self.engine_sha1, self.idle_frame_rate_hz)]
    }
}

fn encode_text(tag: u32, text: &String, buf: &mut impl BufMut) {
    if !text.is_empty() {
        string::encode(tag, text, buf);
    }
}

fn text_len(tag: u32, text: &String) -> usize {
    if text.is_empty() { 0 } else { string::encoded_len(tag, text) }
}

impl prost::Message for CaptureHeader {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        let [version, minor, patch] = self.numbers();
        let number = |(tag, value): (u32, u32), buf: &mut _| {
            if value != 0 {
                uint32::encode(tag, &value, buf);
            }
        };
        encode_text(1, &self.capture_id, buf);
        if let Some(time) = &self.created_at {
            message::encode(2, time, buf);
        }
        number(version, buf);
        btree_map::encode(
            string::encode,
            string::encoded_len,
            string::encode,
            string::encoded_len,
            4,
            &self.metadata,
            buf,
        );
        number(minor, buf);
        number(patch, buf);
        if self.frame_encoding != 0 {
            int32::encode(7, &self.frame_encoding, buf);
        }
        encode_text(8, &self.game_type, buf);
        encode_text(9, &self.producer, buf);
        if let Some(game) = &self.game_header {
            game.encode(buf);
        }
        if !self.dictionary_sha256.is_empty() {
            bytes_field::encode(100, &self.dictionary_sha256, buf);
        }
        for (tag, text, number) in self.either() {
            encode_text(tag, text, buf);
            if let Some(number) = number {
                uint32::encode(tag, &number, buf);
            }
        }
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let number = |to: &mut Option<u32>, buf: &mut _, ctx| uint32::merge(wire_type, to.insert(0), buf, ctx);
        match (tag, wire_type) {
            (1, _) => string::merge(wire_type, &mut self.capture_id, buf, ctx),
            (2, _) => message::merge(wire_type, self.created_at.get_or_insert_with(Timestamp::default), buf, ctx),
            (3, _) => uint32::merge(wire_type, &mut self.format_version, buf, ctx),
            (4, WireType::LengthDelimited) => {
                btree_map::merge(string::merge, string::merge, &mut self.metadata, buf, ctx)
            }
            (5, _) => uint32::merge(wire_type, &mut self.format_minor, buf, ctx),
            (6, _) => uint32::merge(wire_type, &mut self.format_patch, buf, ctx),
            (7, _) => int32::merge(wire_type, &mut self.frame_encoding, buf, ctx),
            (8, _) => string::merge(wire_type, &mut self.game_type, buf, ctx),
            (9, _) => string::merge(wire_type, &mut self.producer, buf, ctx),
            (10 | 90, _) => GameHeader::merge(&mut self.game_header, tag, wire_type, buf, ctx),
            (100, _) => bytes_field::merge(wire_type, &mut self.dictionary_sha256, buf, ctx),
            (101, WireType::LengthDelimited) => string::merge(wire_type, &mut self.engine_version, buf, ctx),
            (102, WireType::LengthDelimited) => string::merge(wire_type, &mut self.engine_sha1, buf, ctx),
            (101, _) => number(&mut self.nominal_frame_rate_hz, buf, ctx),
            (102, _) => number(&mut self.idle_frame_rate_hz, buf, ctx),
            _ => skip_field(wire_type, tag, buf, ctx),
        }
    }

    fn encoded_len(&self) -> usize {
        let numbers = self.numbers().into_iter().filter(|(_, value)| *value != 0);
        let either = self.either().map(|(tag, text, number)| {
            text_len(tag, text) + number.map_or(0, |number| uint32::encoded_len(tag, &number))
        });
        let encoding = match self.frame_encoding {
            0 => 0,
            encoding => int32::encoded_len(7, &encoding),
        };
        let dictionary = match self.dictionary_sha256.len() {
            0 => 0,
            _ => bytes_field::encoded_len(100, &self.dictionary_sha256),
        };
        text_len(1, &self.capture_id)
            + self.created_at.as_ref().map_or(0, |time| message::encoded_len(2, time))
            + numbers.map(|(tag, value)| uint32::encoded_len(tag, &value)).sum::<usize>()
            + btree_map::encoded_len(string::encoded_len, string::encoded_len, 4, &self.metadata)
            + encoding
            + text_len(8, &self.game_type)
            + text_len(9, &self.producer)
            + self.game_header.as_ref().map_or(0, GameHeader::encoded_len)
            + dictionary
            + either.iter().sum::<usize>()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message as _;

    #[test]
    fn both_meanings_of_fields_101_and_102_are_read_and_written() {
        let fourth = CaptureHeader {
            capture_id: "c".to_owned(),
            engine_version: "1.2".to_owned(),
            engine_sha1: "ab".to_owned(),
            ..Default::default()
        };
        let fifth = CaptureHeader {
            format_minor: 2,
            frame_encoding: 1,
            dictionary_sha256: Bytes::from_static(&[7; 32]),
            nominal_frame_rate_hz: Some(60),
            idle_frame_rate_hz: Some(0),
            metadata: [("a".to_owned(), "b".to_owned())].into(),
            game_header: Some(GameHeader::EchoArena(EchoArenaHeader {
                session_id: "s".to_owned(),
                ..Default::default()
            })),
            ..fourth.clone()
        };
        for header in [CaptureHeader::default(), fourth, fifth] {
            let bytes = header.encode_to_vec();
            assert_eq!(bytes.len(), header.encoded_len());
            assert_eq!(CaptureHeader::decode(bytes.as_slice()).unwrap(), header);
        }
    }

    #[test]
    fn a_third_wire_type_of_fields_101_and_102_is_refused() {
        assert!(CaptureHeader::decode(&[0x18, 2, 0xad, 6, 1, 2, 3, 4][..]).is_err());
    }
}
