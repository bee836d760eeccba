//! Distributes records to streams.
//!
//! ```text
//! physics, graphics, static, telemetry, state   parts of the payload, as its layout has them
//! motion, lap-data, car-telemetry, …            F1: a stream for each kind of packet, its frames the datagrams
//! gamesdat.records                              time of each record, and its bytes that are in no frame
//! gamesdat.unread                               decompressed bytes of unknown meaning
//! ```
//! If a file has F1 packets of a second format, their stream names get the format as a suffix: `motion-2024`.

use gametape_format::{Role, StreamId, StreamSpec};
use gametape_games::{About, Seen, SeenFrame, acc};

use super::head::Head;
use super::payload::{Part, Payload, RecordRow};
use super::records::RECORD_HEAD_BYTES;
use crate::import::ImportError;
use crate::import::f1_packets::F1Packets;
use crate::import::out::Out;
use crate::import::problems::Problems;
use crate::import::rest::Rest;
use crate::layout::stream_of_layout;

/// Range of the datagram in an F1 payload.
const DATAGRAM: std::ops::Range<usize> = 3..2051;

/// Position and time of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordPosition {
    pub(super) number: u64,
    pub(super) time_ns: u64,
    /// Offset of the LZ4 block in which the record ends.
    pub(super) offset: u64,
}

/// Writes records to a tape.
pub(super) struct Split {
    payload: Option<Payload>,
    parts: Vec<(Part, StreamId)>,
    /// Stream for whole payloads of an unknown type.
    whole: Option<StreamId>,
    records: StreamId,
    packets: F1Packets,
    about: About,
}

impl Split {
    pub(super) fn begin(
        head: &Head,
        payload_bytes: usize,
        out: &mut dyn Out,
        problems: &mut Problems,
    ) -> Result<Self, ImportError> {
        let payload = Payload::of(head, payload_bytes);
        let mut parts = Vec::new();
        for part in payload.map(|payload| payload.parts(payload_bytes)).unwrap_or_default() {
            let spec = match &part.layout {
                Some(layout) => stream_of_layout(part.game, part.stream, "file", layout),
                None => plain(part.game, part.stream),
            };
            parts.push((part, out.add_stream(spec)?));
        }
        let mut whole = None;
        if payload.is_none() {
            let name = head.short_type().map_or_else(|| "records".into(), kebab);
            let game = head.game.as_deref().map(kebab).unwrap_or_default();
            problems.add(format!("payloads of {payload_bytes} bytes ({name}) are not known: they are kept as bytes"));
            whole = Some(out.add_stream(plain(&game, &name))?);
        }
        let row = RecordRow::of(payload);
        let records = StreamSpec {
            layout: format!("gamesdat-record-{}", row.bytes),
            role: Role::Describe,
            transport: "file".into(),
            describes: parts.first().map(|(_, stream)| *stream).or(whole),
            ..StreamSpec::columns("gamesdat.records", row.bytes, row.channels)
        };
        let records = out.add_stream(records)?;
        let (packets, about) = (F1Packets::default(), About::default());
        Ok(Self { payload, parts, whole, records, packets, about })
    }

    /// Writes a complete record.
    pub(super) fn take(
        &mut self,
        record: &[u8],
        place: &RecordPosition,
        out: &mut dyn Out,
        problems: &mut Problems,
        unread: &mut Rest,
    ) -> Result<(), ImportError> {
        let Some((head, payload)) = record.split_at_checked(RECORD_HEAD_BYTES) else { return Ok(()) };
        let RecordPosition { time_ns, offset, .. } = *place;
        let tail: &[u8] = match self.payload {
            Some(Payload::F1) => {
                self.take_packet(payload, place, out, problems, unread)?;
                let (front, back) = (payload.get(..DATAGRAM.start), payload.get(DATAGRAM.end..));
                &[front.unwrap_or_default(), back.unwrap_or_default()].concat()
            }
            Some(Payload::AccCombined) => payload.get(2636..).unwrap_or_default(),
            _ => &[],
        };
        for (part, stream) in &self.parts {
            let bytes = part.layout.as_ref().map_or(payload.len(), |layout| layout.frame_bytes() as usize);
            out.append(*stream, time_ns, payload.get(part.at..part.at + bytes).unwrap_or(payload), offset)?;
        }
        if let Some(whole) = self.whole {
            out.append(whole, time_ns, payload, offset)?;
        }
        self.look_at(payload);
        out.append(self.records, time_ns, &[head, tail].concat(), offset)
    }

    fn take_packet(
        &mut self,
        payload: &[u8],
        place: &RecordPosition,
        out: &mut dyn Out,
        problems: &mut Problems,
        unread: &mut Rest,
    ) -> Result<(), ImportError> {
        let room = payload.get(DATAGRAM).unwrap_or_default();
        let length = payload.get(DATAGRAM.end + 1..).and_then(|bytes| bytes.first_chunk()).copied();
        let length = length.map(i32::from_le_bytes).unwrap_or_default();
        let whole = usize::try_from(length).ok().and_then(|length| room.split_at_checked(length));
        let Some((datagram, behind)) = whole else {
            problems.add(format!(
                "record {}, in the block at byte {}: its datagram is said to have {length} bytes, at most {} can be",
                place.number,
                place.offset,
                room.len()
            ));
            return unread.keep(out, place.time_ns, room, place.offset);
        };
        let at = format!("record {}, in the block at byte {}", place.number, place.offset);
        let stream = self.packets.stream(datagram, &at, out, problems)?;
        out.append(stream, place.time_ns, datagram, place.offset)?;
        let used = behind.iter().any(|byte| *byte != 0);
        unread.keep(out, place.time_ns, if used { behind } else { &[] }, place.offset)
    }

    /// Updates `about` from the static page.
    fn look_at(&mut self, payload: &[u8]) {
        let at = match self.payload {
            Some(Payload::AccStatic) => 0,
            Some(Payload::AccCombined) => 1816,
            _ => return,
        };
        let Some(bytes) = payload.get(at..at + 820).filter(|page| page.iter().any(|byte| *byte != 0)) else { return };
        let seen = [SeenFrame { stream: "static", layout: &acc::STATIC_820, bytes }];
        self.about = acc::GAME.rules.about(Seen(&seen));
    }

    /// Returns the game's description of itself.
    pub(super) fn about(&self) -> &About {
        &self.about
    }
}

fn plain(game: &str, name: &str) -> StreamSpec {
    StreamSpec { game: game.into(), transport: "file".into(), ..StreamSpec::rows(name) }
}

/// Converts `WarThunder` to `war-thunder`, truncated to a valid name length.
fn kebab(name: &str) -> String {
    const LONGEST: usize = 64;
    let mut kebab = String::new();
    let mut before_small = false;
    for letter in name.chars().take(LONGEST) {
        if letter.is_uppercase() && before_small {
            kebab.push('-');
        }
        before_small = letter.is_lowercase() || letter.is_ascii_digit();
        match letter.is_alphanumeric() {
            true => kebab.extend(letter.to_lowercase()),
            false if !kebab.is_empty() && !kebab.ends_with('-') => kebab.push('-'),
            false => {}
        }
    }
    let kebab = kebab.trim_end_matches('-').to_owned();
    if kebab.is_empty() { "records".into() } else { kebab }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_become_names_of_streams() {
        assert_eq!(
            ["WarThunder", "ACC", "F1", "My Type`1", "", "--"].map(kebab),
            ["war-thunder", "acc", "f1", "my-type-1", "records", "records"]
        );
        assert!(kebab(&"é".repeat(1000)).len() < 200);
    }
}
