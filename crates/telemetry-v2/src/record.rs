//! One record of a stream: the bytes of an `Envelope`, with access to its kind, its outline and its messages. The bytes
//! are kept, so that unknown fields are written back unchanged.

use bytes::Bytes;
use prost::Message as _;

use crate::fit::{self, Fitted};
use crate::limits::Limits;
use crate::proto::telemetry::v2::{CaptureFooter, CaptureHeader, Envelope, EventType, Frame, envelope};
use crate::wire::{Field, Fields, WireError};
use crate::{event_type, wire};

/// Field numbers of `Envelope`.
const HEADER: u32 = 1;
pub(crate) const FRAME: u32 = 2;
const FOOTER: u32 = 3;
/// Field numbers of payloads in `Frame`.
const PAYLOADS: std::ops::RangeInclusive<u32> = 10..=199;
pub(crate) const ECHO_ARENA: u32 = 10;
const EVENTS: u32 = 12;
pub(crate) const KEYFRAME_STATE: u32 = 1000;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// A `CaptureHeader`.
    Header,
    /// A `Frame`.
    Frame,
    /// A `CaptureFooter`.
    Footer,
    /// Another field of `Envelope`, from a later version.
    Unknown(u32),
    /// No field at all.
    Empty,
}

/// The reason why the message of a record could not be decoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecordError {
    /// The record is of another kind.
    #[error("the record is {actual:?}, not {expected:?}")]
    Kind {
        /// The requested kind.
        expected: RecordKind,
        /// The actual kind.
        actual: RecordKind,
    },
    /// The bytes are not the fields of a message.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A list in it has more elements than any game has.
    #[error("field {field} has more than {limit} elements")]
    TooMany {
        /// Number of the field.
        field: u32,
        /// Maximum number of elements.
        limit: usize,
    },
    /// A field does not match the schema.
    #[error("the record does not match the schema: {cause}")]
    Schema {
        /// The error reported by the decoder.
        #[source]
        cause: prost::DecodeError,
    },
}

impl From<prost::DecodeError> for RecordError {
    fn from(cause: prost::DecodeError) -> Self {
        Self::Schema { cause }
    }
}

/// The properties of a frame that are available without decoding it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameOutline {
    /// Its number.
    pub frame_index: u32,
    /// Its time since the header's.
    pub timestamp_offset_ms: u32,
    /// The keyframe mark of generation 4.
    pub is_keyframe: bool,
    /// Field number of the payload: 10 is Echo Arena. `None` if there is no payload.
    pub payload: Option<u32>,
    /// The types of its events, in order. Unknown events are not included.
    pub events: Vec<EventType>,
    /// Events without a type: those unknown to this crate, and those in [`FrameOutline::settings_changes`].
    pub unknown_events: u32,
    /// Events `match_settings_changed` of generation 5, whose fields and type in the index are unknown.
    pub settings_changes: u32,
    /// Whether it contains the full state ([`crate::StateTracker`]).
    pub has_state: bool,
}

/// The bytes of an `Envelope`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    bytes: Bytes,
    kind: RecordKind,
}

impl Record {
    /// Creates a record from these bytes, without the length prefix. Only the outermost fields are parsed.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<Self, WireError> {
        let bytes = bytes.into();
        let mut kind = RecordKind::Empty;
        for field in Fields::new(&bytes) {
            let field = field?;
            kind = match (field.number, field.bytes(), kind) {
                // The last variant of a oneof wins.
                (HEADER, Some(_), _) => RecordKind::Header,
                (FRAME, Some(_), _) => RecordKind::Frame,
                (FOOTER, Some(_), _) => RecordKind::Footer,
                (number, _, RecordKind::Empty) => RecordKind::Unknown(number),
                (_, _, kind) => kind,
            };
        }
        Ok(Self { bytes, kind })
    }

    /// Creates the record of a message.
    pub fn from_message(message: envelope::Message) -> Self {
        let kind = match message {
            envelope::Message::Header(_) => RecordKind::Header,
            envelope::Message::Frame(_) => RecordKind::Frame,
            envelope::Message::Footer(_) => RecordKind::Footer,
        };
        Self { bytes: Envelope { message: Some(message) }.encode_to_vec().into(), kind }
    }

    /// Its kind.
    pub fn kind(&self) -> RecordKind {
        self.kind
    }

    /// Its bytes, without the length prefix.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Decodes the message as it is on the wire. The meaning of a field differs between generations: see
    /// [`crate::meaning`]. Fields that do not match the schema are omitted and listed.
    pub fn fitted(&self, limits: &Limits) -> Result<Fitted<Envelope>, RecordError> {
        check_elements(&self.bytes, limits.elements)?;
        let strict = |cause| RecordError::Schema { cause };
        let fitted = fit::decode::<Envelope>(self.bytes.clone(), fit::TELEMETRY_V2_ENVELOPE).map_err(strict)?;
        if fitted.message.message.is_none() && !fitted.misfits.is_empty() {
            // The whole message is malformed: the strict decoder reports where.
            Envelope::decode(self.bytes.clone()).map_err(strict)?;
        }
        Ok(fitted)
    }

    /// [`Record::fitted`] without the list of mismatching fields.
    pub fn envelope(&self, limits: &Limits) -> Result<Envelope, RecordError> {
        Ok(self.fitted(limits)?.message)
    }

    /// Decodes the frame as it is on the wire, and lists its fields that do not match the schema. Bones share the
    /// memory of the record.
    pub fn fitted_frame(&self, limits: &Limits) -> Result<Fitted<Frame>, RecordError> {
        self.expect(RecordKind::Frame)?;
        self.fitted(limits)?.map(|envelope| match envelope.message {
            Some(envelope::Message::Frame(frame)) => Ok(frame),
            _ => Err(RecordError::Kind { expected: RecordKind::Frame, actual: self.kind }),
        })
    }

    /// Decodes the header as it is on the wire, and lists its fields that do not match the schema.
    pub fn fitted_header(&self, limits: &Limits) -> Result<Fitted<CaptureHeader>, RecordError> {
        self.expect(RecordKind::Header)?;
        self.fitted(limits)?.map(|envelope| match envelope.message {
            Some(envelope::Message::Header(header)) => Ok(header),
            _ => Err(RecordError::Kind { expected: RecordKind::Header, actual: self.kind }),
        })
    }

    /// Decodes the footer as it is on the wire, and lists its fields that do not match the schema.
    pub fn fitted_footer(&self, limits: &Limits) -> Result<Fitted<CaptureFooter>, RecordError> {
        self.expect(RecordKind::Footer)?;
        self.fitted(limits)?.map(|envelope| match envelope.message {
            Some(envelope::Message::Footer(footer)) => Ok(footer),
            _ => Err(RecordError::Kind { expected: RecordKind::Footer, actual: self.kind }),
        })
    }

    /// [`Record::fitted_frame`] without the list.
    pub fn frame(&self, limits: &Limits) -> Result<Frame, RecordError> {
        Ok(self.fitted_frame(limits)?.message)
    }

    /// [`Record::fitted_header`] without the list.
    pub fn header(&self, limits: &Limits) -> Result<CaptureHeader, RecordError> {
        Ok(self.fitted_header(limits)?.message)
    }

    /// [`Record::fitted_footer`] without the list.
    pub fn footer(&self, limits: &Limits) -> Result<CaptureFooter, RecordError> {
        Ok(self.fitted_footer(limits)?.message)
    }

    /// Returns the number, time, payload and event types of a frame, without decoding the rest.
    pub fn outline(&self) -> Result<FrameOutline, RecordError> {
        self.expect(RecordKind::Frame)?;
        let mut outline = FrameOutline::default();
        for frame in self.messages(FRAME) {
            for field in Fields::new(frame) {
                let field = field?;
                match (field.number, field.varint()) {
                    #[allow(clippy::cast_possible_truncation)]
                    (1, Some(index)) => outline.frame_index = index as u32,
                    #[allow(clippy::cast_possible_truncation)]
                    (2, Some(offset)) => outline.timestamp_offset_ms = offset as u32,
                    (3, Some(keyframe)) => outline.is_keyframe = keyframe != 0,
                    (number, None) if PAYLOADS.contains(&number) => {
                        outline.payload = Some(number);
                        if let (ECHO_ARENA, Some(arena)) = (number, field.bytes()) {
                            outline_arena(arena, &mut outline)?;
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(outline)
    }

    fn expect(&self, expected: RecordKind) -> Result<(), RecordError> {
        if self.kind == expected { Ok(()) } else { Err(RecordError::Kind { expected, actual: self.kind }) }
    }

    /// Iterates over the sub-messages of the envelope with this number. A message may be split into several parts,
    /// which protobuf merges.
    fn messages(&self, number: u32) -> impl Iterator<Item = &[u8]> {
        Fields::new(&self.bytes)
            .filter_map(Result::ok)
            .filter(move |field| field.number == number)
            .filter_map(|field| field.bytes())
    }

    /// Returns the record with the full state added to its frame; all other bytes stay unchanged. Returns the record
    /// itself if it is not a frame of Echo Arena.
    pub(crate) fn with_state(&self, state: &impl prost::Message) -> Self {
        let mut addition = Vec::new();
        wire::push_bytes(KEYFRAME_STATE, &state.encode_to_vec(), &mut addition);
        match wire::append_within(&self.bytes, &[FRAME, ECHO_ARENA], &addition) {
            Some(bytes) => Self { bytes: bytes.into(), kind: self.kind },
            None => self.clone(),
        }
    }
}

fn outline_arena(arena: &[u8], outline: &mut FrameOutline) -> Result<(), WireError> {
    for field in Fields::new(arena) {
        let field = field?;
        match (field.number, field.bytes()) {
            (EVENTS, Some(event)) => {
                let mut variant = None;
                for field in Fields::new(event) {
                    variant = Some(field?.number);
                }
                match variant.and_then(event_type::from_variant) {
                    Some(event) => outline.events.push(event),
                    None => {
                        outline.unknown_events = outline.unknown_events.saturating_add(1);
                        let settings = variant == Some(event_type::MATCH_SETTINGS_CHANGED);
                        outline.settings_changes = outline.settings_changes.saturating_add(settings.into());
                    }
                }
            }
            (KEYFRAME_STATE, Some(_)) => outline.has_state = true,
            _ => {}
        }
    }
    Ok(())
}

/// The lists of messages in records, as paths of field numbers.
const LISTS: [&[u32]; 8] = [
    &[HEADER, ECHO_ARENA, 8],
    &[HEADER, ECHO_ARENA, 13],
    &[HEADER, 90, 2],
    &[FRAME, ECHO_ARENA, 5],
    &[FRAME, ECHO_ARENA, 6],
    &[FRAME, ECHO_ARENA, EVENTS],
    &[FRAME, ECHO_ARENA, KEYFRAME_STATE, 1],
    &[FOOTER, 5],
];

/// A footer has an entry for every keyframe, of at least two bytes. With more than this, its file would be larger than any real one.
const KEYFRAMES_PER_ELEMENT: usize = 256;

/// Rejects records whose lists would take a hundred times their size in memory.
fn check_elements(bytes: &[u8], limit: usize) -> Result<(), RecordError> {
    // The smallest element has two bytes.
    if bytes.len() / 2 <= limit {
        return Ok(());
    }
    for path in LISTS {
        count(bytes, path, &mut 0, limit)?;
    }
    count(bytes, &[FOOTER, 4], &mut 0, limit.saturating_mul(KEYFRAMES_PER_ELEMENT))
}

fn count(bytes: &[u8], path: &[u32], total: &mut usize, limit: usize) -> Result<(), RecordError> {
    let Some((number, deeper)) = path.split_first() else { return Ok(()) };
    for field in Fields::new(bytes) {
        let Field { number: found, value: wire::Value::Bytes(inner), .. } = field? else { continue };
        if found != *number {
            continue;
        }
        if deeper.is_empty() {
            *total += 1;
            if *total > limit {
                return Err(RecordError::TooMany { field: *number, limit });
            }
        } else {
            count(inner, deeper, total, limit)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::telemetry::v2::{
        EchoArenaFrame, EchoArenaState, EchoEvent, GoalScored, PlayerBones, echo_event, frame,
    };

    fn arena(events: Vec<EchoEvent>) -> Frame {
        let bones = PlayerBones { slot: 3, transforms: Bytes::from(vec![7; 276]), ..Default::default() };
        let arena = EchoArenaFrame { player_bones: vec![bones], events, ..Default::default() };
        Frame {
            frame_index: 70_000,
            timestamp_offset_ms: 5,
            payload: Some(frame::Payload::EchoArena(arena)),
            ..Default::default()
        }
    }

    fn goal() -> EchoEvent {
        EchoEvent { event: Some(echo_event::Event::GoalScored(GoalScored { point_amount: 3, ..Default::default() })) }
    }

    #[test]
    fn outline_says_what_the_frame_says() {
        let record = Record::from_message(envelope::Message::Frame(arena(vec![goal(), EchoEvent { event: None }])));
        let outline = record.outline().unwrap();
        assert_eq!((outline.frame_index, outline.timestamp_offset_ms, outline.payload), (70_000, 5, Some(10)));
        assert_eq!((outline.events.as_slice(), outline.unknown_events), (&[EventType::GoalScored][..], 1));
        assert!(!outline.has_state);
        let state = EchoArenaState { blue_round_score: Some(1), ..Default::default() };
        let with_state = record.with_state(&state);
        assert!(with_state.outline().unwrap().has_state);
        let Some(frame::Payload::EchoArena(arena)) = with_state.frame(&Limits::default()).unwrap().payload else {
            panic!()
        };
        assert_eq!(arena.keyframe_state, Some(state));
    }

    #[test]
    fn bones_share_the_memory_of_the_record() {
        let record = Record::from_message(envelope::Message::Frame(arena(vec![])));
        let Some(frame::Payload::EchoArena(arena)) = record.frame(&Limits::default()).unwrap().payload else {
            panic!()
        };
        let (record, bones) = (record.bytes().as_ptr_range(), arena.player_bones[0].transforms.as_ptr_range());
        assert!(record.start <= bones.start && bones.end <= record.end);
    }

    #[test]
    fn unknown_variants_are_told_and_keep_their_bytes() {
        let bytes = [0x22, 3, 1, 2, 3, 0x28, 9];
        let record = Record::from_bytes(bytes.to_vec()).unwrap();
        assert_eq!((record.kind(), record.bytes().as_ref()), (RecordKind::Unknown(4), &bytes[..]));
        assert_eq!(Record::from_bytes(vec![]).unwrap().kind(), RecordKind::Empty);
        assert!(matches!(
            record.frame(&Limits::default()),
            Err(RecordError::Kind { actual: RecordKind::Unknown(4), .. })
        ));
    }

    #[test]
    fn lists_that_would_fill_the_memory_are_refused() {
        let limits = Limits { elements: 1000, ..Limits::default() };
        for (field, path) in [(5u32, [FRAME, ECHO_ARENA]), (12, [FRAME, ECHO_ARENA]), (8, [HEADER, ECHO_ARENA])] {
            let key = u8::try_from(field << 3 | 2).unwrap();
            let list = |count: usize| {
                let (mut inner, mut bytes) = (Vec::new(), Vec::new());
                wire::push_bytes(path[1], &[key, 0].repeat(count), &mut inner);
                wire::push_bytes(path[0], &inner, &mut bytes);
                Record::from_bytes(bytes).unwrap()
            };
            assert!(list(1000).envelope(&limits).is_ok());
            assert_eq!(list(1001).envelope(&limits), Err(RecordError::TooMany { field, limit: 1000 }));
        }
    }
}
