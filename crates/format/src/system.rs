//! The streams that gametape itself writes: events, clock, metadata and status (docs/format.md, section 8).
//!
//! Serializes structs to frame bytes and parses them.

use crate::cursor::{Cursor, Malformed, put_text};
use crate::record::NO_STREAM;
use crate::stream::{Channel, ChannelType, Ranges, Role, StreamId, StreamSpec};

/// The size of a status frame.
pub(crate) const STATUS_BYTES: usize = 64;
/// Marks a time as unspecified.
pub(crate) const UNSPECIFIED: u64 = u64::MAX;

/// Something that happened at a point in time: a mark, a lap start, a session change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Tape time in nanoseconds since the start.
    pub at_ns: u64,
    /// The kind: `mark`, `lap_start`, `session_start`, …
    pub kind: String,
    /// A human-readable description.
    pub text: String,
    /// How long it had lasted by then, for events with a duration such as a gap.
    pub length_ns: Option<u64>,
}

impl Event {
    /// Serializes an event as a frame.
    pub fn to_bytes(kind: &str, text: &str, length_ns: Option<u64>) -> Vec<u8> {
        let mut out = Vec::with_capacity(12 + kind.len() + text.len());
        put_text(&mut out, kind);
        put_text(&mut out, text);
        if let Some(length_ns) = length_ns {
            out.extend_from_slice(&length_ns.to_le_bytes());
        }
        out
    }

    /// Returns the kind of the event in a frame.
    pub(crate) fn kind_of(data: &[u8]) -> Result<&str, Malformed> {
        Cursor::new(data).text("event kind")
    }

    /// Parses the frame of an event.
    pub fn parse(at_ns: u64, data: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(data);
        let kind = cursor.text("event kind")?.to_owned();
        let text = cursor.text("event text")?.to_owned();
        // Tapes written by earlier versions have no length here.
        let length_ns = cursor.u64("event length").ok().filter(|length_ns| *length_ns != UNSPECIFIED);
        Ok(Self { at_ns, kind, text, length_ns })
    }
}

/// Serializes a metadata entry as a frame.
pub(crate) fn metadata_bytes(key: &str, value: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 + key.len() + value.len());
    put_text(&mut out, key);
    out.extend_from_slice(value.as_bytes());
    out
}

/// Parses the frame of a metadata entry.
pub(crate) fn parse_metadata(data: &[u8]) -> Result<(String, String), Malformed> {
    let mut cursor = Cursor::new(data);
    let key = cursor.text("metadata key")?.to_owned();
    let value = std::str::from_utf8(cursor.rest()).map_err(|_| Malformed::Text { what: "metadata value" })?;
    Ok((key, value.to_owned()))
}

/// Loss and anomaly counters of a stream since the start of the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Frames that could not be stored.
    pub dropped: u64,
    /// Copies discarded because the game was writing at the time.
    pub torn: u64,
    /// Ticks for which no frame could be captured.
    pub missed: u64,
    /// Periods during which the source was unavailable.
    pub gaps: u64,
    /// Samples captured late.
    pub late: u64,
    /// Frames identical to the previous one, which are not stored again.
    pub unchanged: u64,
}

impl Counters {
    /// Whether anything is missing from the tape.
    pub fn is_loss(&self) -> bool {
        self.dropped | self.torn | self.missed | self.gaps != 0
    }

    /// Adds another set of counters to this one.
    pub fn add(&mut self, other: &Self) {
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.torn = self.torn.saturating_add(other.torn);
        self.missed = self.missed.saturating_add(other.missed);
        self.gaps = self.gaps.saturating_add(other.gaps);
        self.late = self.late.saturating_add(other.late);
        self.unchanged = self.unchanged.saturating_add(other.unchanged);
    }

    /// Combines the counters of all streams of a recording. A missed or late tick and a gap affect every stream and are
    /// counted on each, so the largest count is used; lost frames and torn copies are summed.
    pub fn of_streams<'a>(streams: impl IntoIterator<Item = &'a Self>) -> Self {
        streams.into_iter().fold(Self::default(), |all, stream| {
            let mut sum = all;
            sum.add(stream);
            let (missed, gaps, late) =
                (all.missed.max(stream.missed), all.gaps.max(stream.gaps), all.late.max(stream.late));
            Self { missed, gaps, late, ..sum }
        })
    }

    /// Returns the difference to an earlier state.
    #[cfg(feature = "write")]
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        Self {
            dropped: self.dropped.saturating_sub(earlier.dropped),
            torn: self.torn.saturating_sub(earlier.torn),
            missed: self.missed.saturating_sub(earlier.missed),
            gaps: self.gaps.saturating_sub(earlier.gaps),
            late: self.late.saturating_sub(earlier.late),
            unchanged: self.unchanged.saturating_sub(earlier.unchanged),
        }
    }

    pub(crate) fn to_array(self) -> [u64; 6] {
        [self.dropped, self.torn, self.missed, self.gaps, self.late, self.unchanged]
    }

    pub(crate) fn parse(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            dropped: cursor.u64("dropped")?,
            torn: cursor.u64("torn")?,
            missed: cursor.u64("missed")?,
            gaps: cursor.u64("gaps")?,
            late: cursor.u64("late")?,
            unchanged: cursor.u64("unchanged")?,
        })
    }
}

/// The position of a row within a group of rows that belong together. A group counts only if it is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) rows: u16,
    pub(crate) number: u16,
}

/// The counters of one stream and the time until which its last frame was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    /// The time until which the game still showed the last stored frame.
    pub seen_until_ns: Option<u64>,
    /// The counters.
    pub counters: Counters,
}

impl Status {
    /// Serializes a status as a frame; `None` refers to the tape as a whole.
    pub(crate) fn to_bytes(self, stream: Option<StreamId>, group: Group) -> [u8; STATUS_BYTES] {
        let mut out = [0; STATUS_BYTES];
        let id = u64::from(stream.map_or(NO_STREAM, |id| id.0));
        let first = id | u64::from(group.rows) << 16 | u64::from(group.number) << 32;
        let numbers = [first, self.seen_until_ns.unwrap_or(UNSPECIFIED)];
        let all = numbers.into_iter().chain(self.counters.to_array());
        for (room, number) in out.chunks_exact_mut(8).zip(all) {
            room.copy_from_slice(&number.to_le_bytes());
        }
        out
    }

    /// Parses the frame of a status.
    pub(crate) fn parse(data: &[u8]) -> Result<(Option<StreamId>, Group, Self), Malformed> {
        let mut cursor = Cursor::new(data);
        let stream = cursor.u16("status stream")?;
        let group =
            Group { rows: cursor.u16("rows of a status group")?, number: cursor.u16("number in a status group")? };
        cursor.u16("status")?;
        let seen_until = cursor.u64("seen until")?;
        let counters = Counters::parse(&mut cursor)?;
        let seen_until_ns = (seen_until != UNSPECIFIED).then_some(seen_until);
        Ok(((stream != NO_STREAM).then_some(StreamId(stream)), group, Self { seen_until_ns, counters }))
    }
}

/// Returns the descriptor of a system stream.
pub(crate) fn system_stream(role: Role) -> StreamSpec {
    let plain = |name: &str, kind, offset, unit: &str| Channel {
        ranges: Ranges::None,
        ..Channel::new(name, kind, offset, 1, unit)
    };
    let (name, frame_bytes, channels) = match role {
        Role::Events => (".events", 0, Vec::new()),
        Role::Metadata => (".metadata", 0, Vec::new()),
        Role::Clock => (".clock", 8, vec![plain("utc_ns", ChannelType::I64, 0, "ns")]),
        _ => {
            let names = ["seen_until_ns", "dropped", "torn", "missed", "gaps", "late", "unchanged"];
            let mut channels = vec![
                plain("stream", ChannelType::U16, 0, ""),
                plain("group_rows", ChannelType::U16, 2, ""),
                plain("group_number", ChannelType::U16, 4, ""),
            ];
            channels
                .extend(names.iter().enumerate().map(|(i, name)| plain(name, ChannelType::U64, 8 + 8 * i as u32, "")));
            (".status", STATUS_BYTES as u32, channels)
        }
    };
    StreamSpec { role, ..StreamSpec::columns(name, frame_bytes, channels) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_an_event_follows_its_text_and_may_be_absent() {
        let parsed = |bytes: &[u8]| Event::parse(9, bytes).unwrap();
        let event = |length_ns| Event { at_ns: 9, kind: "gap".into(), text: "away".into(), length_ns };
        let bytes = Event::to_bytes("gap", "away", Some(1_490_000_123));
        assert_eq!(parsed(&bytes), event(Some(1_490_000_123)));
        assert_eq!(parsed(&Event::to_bytes("gap", "away", None)), event(None), "as earlier versions wrote it");
        assert_eq!(parsed(&bytes[..bytes.len() - 1]), event(None), "too short to be a length");
        assert_eq!(parsed(&Event::to_bytes("gap", "away", Some(UNSPECIFIED))), event(None));
        assert_eq!(parsed(&[&bytes[..], b"room for later"].concat()), event(Some(1_490_000_123)));
    }
}
