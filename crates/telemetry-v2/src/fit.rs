//! Decodes messages whose fields do not all have the types given in the schema: returns a message without the
//! mismatching fields, and a list of them.
//!
//! A generated decoder rejects a whole message because of one field with another type. A later generation that changes
//! a field would thus cost the roster, the session and the start time. Here it costs only the field. The bytes of the
//! record stay unchanged; only the decoded message lacks the field.

use std::fmt;

use crate::wire::{self, Fields, Value, WireError};

include!("generated/schema.rs");

/// A message of the schema.
pub(crate) struct Message {
    name: &'static str,
    /// Number, name and shape.
    fields: &'static [(u32, &'static str, Shape)],
}

/// The wire representation of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Varint,
    Fixed32,
    Fixed64,
    Text,
    Bytes,
    /// A message, as an index into [`MESSAGES`].
    Message(usize),
    /// Lists of numbers, packed or not.
    Varints,
    Fixed32s,
    Fixed64s,
    /// A string in one generation, a number in another.
    TextOrVarint,
    TextOrFixed32,
}

/// The maximum number of misfits listed; all are counted.
const LISTED: usize = 16;
/// The schema is less deep than this.
const MAX_DEPTH: usize = 32;

/// The reason why a field does not match the schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MisfitCause {
    /// It has another wire type.
    #[error("is {found}, not {expected}")]
    WireType {
        /// The actual type.
        found: &'static str,
        /// The type in the schema.
        expected: &'static str,
    },
    /// A string that is not UTF-8.
    #[error("is not UTF-8 text")]
    NotUtf8,
    /// A message or list whose bytes are not valid fields or numbers.
    #[error("is malformed")]
    Malformed,
}

/// A field that does not match the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The full name of its message.
    pub message: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Its number.
    pub number: u32,
    /// What is wrong with it.
    pub cause: MisfitCause,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, field, number, cause } = self;
        let message = message.rsplit('.').next().unwrap_or(message);
        write!(f, "{message}.{field} (field {number}) {cause}")
    }
}

/// The fields of a record that do not match the schema. Empty for almost every record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Misfits {
    /// The first of them.
    pub listed: Vec<Misfit>,
    /// The total number of misfits.
    pub count: u64,
}

impl Misfits {
    /// Whether all fields match.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn push(&mut self, misfit: Misfit) {
        self.count += 1;
        if self.listed.len() < LISTED {
            self.listed.push(misfit);
        }
    }
}

impl fmt::Display for Misfits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, misfit) in self.listed.iter().enumerate() {
            write!(f, "{}{misfit}", if place == 0 { "" } else { "; " })?;
        }
        match self.count - self.listed.len() as u64 {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// A message and the fields of its record that could not be decoded into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted<T> {
    /// The message, without those fields.
    pub message: T,
    /// These fields. The record still contains them.
    pub misfits: Misfits,
}

impl<T> Fitted<T> {
    pub(crate) fn map<U, E>(self, map: impl FnOnce(T) -> Result<U, E>) -> Result<Fitted<U>, E> {
        let misfits = self.misfits;
        map(self.message).map(|message| Fitted { message, misfits })
    }
}

/// Decodes a message; if it does not match the schema, decodes it without the mismatching fields. `message` is its
/// index in [`MESSAGES`].
pub(crate) fn decode<M: prost::Message + Default>(
    bytes: bytes::Bytes,
    message: usize,
) -> Result<Fitted<M>, prost::DecodeError> {
    let error = match M::decode(bytes.clone()) {
        Ok(message) => return Ok(Fitted { message, misfits: Misfits::default() }),
        Err(error) => error,
    };
    let (mut fitting, mut misfits) = (Vec::with_capacity(bytes.len()), Misfits::default());
    let Some(schema) = MESSAGES.get(message) else { return Err(error) };
    match fit(&bytes, schema, MAX_DEPTH, &mut fitting, &mut misfits) {
        Ok(()) if !misfits.is_empty() => Ok(Fitted { message: M::decode(bytes::Bytes::from(fitting))?, misfits }),
        _ => Err(error),
    }
}

/// Appends the fields of a message that match.
fn fit(
    bytes: &[u8],
    message: &Message,
    depth: usize,
    out: &mut Vec<u8>,
    misfits: &mut Misfits,
) -> Result<(), WireError> {
    for field in Fields::new(bytes) {
        let field = field?;
        let known = message.fields.iter().find(|(number, ..)| *number == field.number);
        let Some((number, name, shape)) = known.copied() else {
            out.extend_from_slice(field.raw);
            continue;
        };
        let misfit = |cause| Misfit { message: message.name, field: name, number, cause };
        match (shape, field.value) {
            (Shape::Message(place), Value::Bytes(inner)) => {
                let mut fitting = Vec::new();
                let whole = MESSAGES
                    .get(place)
                    .filter(|_| depth > 0)
                    .is_some_and(|message| fit(inner, message, depth - 1, &mut fitting, misfits).is_ok());
                match whole {
                    true => wire::push_bytes(number, &fitting, out),
                    false => misfits.push(misfit(MisfitCause::Malformed)),
                }
            }
            (shape, value) => match check(shape, value) {
                Ok(()) => out.extend_from_slice(field.raw),
                Err(cause) => misfits.push(misfit(cause)),
            },
        }
    }
    Ok(())
}

fn check(shape: Shape, value: Value<'_>) -> Result<(), MisfitCause> {
    let malformed_unless = |whole: bool| if whole { Ok(()) } else { Err(MisfitCause::Malformed) };
    match (shape, value) {
        (Shape::Text | Shape::TextOrVarint | Shape::TextOrFixed32, Value::Bytes(text)) => {
            match std::str::from_utf8(text) {
                Ok(_) => Ok(()),
                Err(_) => Err(MisfitCause::NotUtf8),
            }
        }
        (Shape::Varint | Shape::Varints | Shape::TextOrVarint, Value::Varint(_))
        | (Shape::Fixed32 | Shape::Fixed32s | Shape::TextOrFixed32, Value::Fixed32(_))
        | (Shape::Fixed64 | Shape::Fixed64s, Value::Fixed64(_))
        | (Shape::Bytes, Value::Bytes(_)) => Ok(()),
        (Shape::Fixed32s, Value::Bytes(list)) => malformed_unless(list.len().is_multiple_of(4)),
        (Shape::Fixed64s, Value::Bytes(list)) => malformed_unless(list.len().is_multiple_of(8)),
        (Shape::Varints, Value::Bytes(mut list)) => loop {
            match wire::varint(list) {
                _ if list.is_empty() => break Ok(()),
                Ok((_, rest)) => list = rest,
                Err(_) => break Err(MisfitCause::Malformed),
            }
        },
        (shape, value) => Err(MisfitCause::WireType { found: name_of_value(value), expected: name_of(shape) }),
    }
}

fn name_of(shape: Shape) -> &'static str {
    match shape {
        Shape::Varint => "an integer",
        Shape::Fixed32 => "a float",
        Shape::Fixed64 => "a double",
        Shape::Text => "a string",
        Shape::Bytes => "bytes",
        Shape::Message(_) => "a message",
        Shape::Varints | Shape::Fixed32s | Shape::Fixed64s => "a list of numbers",
        Shape::TextOrVarint => "a string or an integer",
        Shape::TextOrFixed32 => "a string or a float",
    }
}

fn name_of_value(value: Value<'_>) -> &'static str {
    match value {
        Value::Varint(_) => "an integer",
        Value::Fixed32(_) => "a 32-bit number",
        Value::Fixed64(_) => "a 64-bit number",
        Value::Bytes(_) => "a string, bytes or a message",
        Value::Group => "a group",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::telemetry::v2::{CaptureHeader, EchoArenaHeader, Envelope, PlayerInfo, capture_header, envelope};
    use prost::Message as _;

    fn header() -> CaptureHeader {
        let player = PlayerInfo { slot: 3, display_name: "Driver 1".to_owned(), ..Default::default() };
        let arena = EchoArenaHeader { session_id: "s".to_owned(), initial_roster: vec![player], ..Default::default() };
        CaptureHeader {
            capture_id: "c".to_owned(),
            game_header: Some(capture_header::GameHeader::EchoArena(arena)),
            ..Default::default()
        }
    }

    fn envelope(header: &[u8]) -> bytes::Bytes {
        let mut bytes = Vec::new();
        wire::push_bytes(1, header, &mut bytes);
        bytes.into()
    }

    fn read(header: &[u8]) -> Fitted<Envelope> {
        decode(envelope(header), TELEMETRY_V2_ENVELOPE).unwrap()
    }

    #[test]
    fn a_field_of_another_type_costs_that_field_wherever_it_is() {
        let Some(capture_header::GameHeader::EchoArena(arena)) = header().game_header else { panic!() };
        let mut player = arena.initial_roster[0].encode_to_vec();
        // Its level as a string.
        player.extend([0x32, 2, b'4', b'0']);
        let (mut arena, mut bytes) = (EchoArenaHeader { initial_roster: Vec::new(), ..arena }.encode_to_vec(), vec![]);
        wire::push_bytes(8, &player, &mut arena);
        // The producer as a number, the version as a double, a string that is not UTF-8, and an unknown field.
        bytes.extend([0x0a, 1, b'c', 0x48, 5, 0x29, 1, 2, 3, 4, 5, 6, 7, 8, 0x42, 1, 0xff, 0xf8, 6, 1]);
        wire::push_bytes(10, &arena, &mut bytes);
        let Fitted { message, misfits } = read(&bytes);
        assert_eq!(message.message, Some(envelope::Message::Header(header())));
        assert_eq!(misfits.count, 4);
        assert_eq!(
            misfits.to_string(),
            "CaptureHeader.producer (field 9) is an integer, not a string; CaptureHeader.format_minor (field 5) is a 64-bit number, not an integer; \
             CaptureHeader.game_type (field 8) is not UTF-8 text; PlayerInfo.level (field 6) is a string, bytes or a message, not an integer"
        );
    }

    #[test]
    fn messages_that_fit_are_not_touched() {
        let Fitted { message, misfits } = read(&header().encode_to_vec());
        assert_eq!(message.message, Some(envelope::Message::Header(header())));
        assert!(misfits.is_empty());
    }

    #[test]
    fn a_broken_message_costs_itself_and_not_what_it_is_in() {
        let mut bytes = header().encode_to_vec();
        // A truncated timestamp.
        bytes.extend([0x12, 2, 0x08, 0x80]);
        let Fitted { message, misfits } = read(&bytes);
        assert_eq!(message.message, Some(envelope::Message::Header(header())));
        assert_eq!(misfits.to_string(), "CaptureHeader.created_at (field 2) is malformed");
    }

    #[test]
    fn misfits_without_end_are_counted_and_the_first_are_listed() {
        let Fitted { misfits, .. } = read(&[0x48, 1].repeat(5000));
        assert_eq!((misfits.count, misfits.listed.len()), (5000, LISTED));
        assert!(misfits.to_string().ends_with("; and 4984 more"));
    }

    #[test]
    fn every_message_of_the_table_leads_to_messages_of_the_table() {
        assert_eq!(MESSAGES[TELEMETRY_V2_ENVELOPE].name, "telemetry.v2.Envelope");
        for message in MESSAGES {
            assert!(message.fields.is_sorted_by_key(|(number, ..)| *number), "{}", message.name);
            for (_, name, shape) in message.fields {
                if let Shape::Message(place) = shape {
                    assert!(MESSAGES.get(*place).is_some(), "{}.{name}", message.name);
                }
            }
        }
    }
}
