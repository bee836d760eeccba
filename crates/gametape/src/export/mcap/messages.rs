//! The messages of a stream: its channels as fields of a protobuf message, and its frames as bytes.

use std::collections::{BTreeMap, HashSet};

use gametape_format::ChannelType;
use gametape_format::read::TapeStream;

use super::descriptor::{FieldSchema, Type, of_tape};
use super::wire::{Wire, zigzag};
use crate::export::cells::text_of;
use crate::export::{ChosenColumn, Columns};

/// Field 1 of every message: the time since the start of the tape.
const TIME: &str = "time_ns";
/// Field numbers that protobuf keeps for itself.
const RESERVED: std::ops::Range<u32> = 19_000..20_000;

/// The messages of a stream.
pub(super) struct Messages {
    pub(super) message: String,
    fields: Vec<Field>,
    scratch: Wire,
}

struct Field {
    name: String,
    number: u32,
    column: ChosenColumn,
}

impl Messages {
    /// Returns the messages of a stream with these channels; `None` if none of them is in it. `names` has the names of other messages.
    pub(super) fn of(stream: &TapeStream, columns: &Columns, names: &mut Identifiers) -> Option<Self> {
        let mut fields = Identifiers::default();
        fields.unique(TIME);
        let prefix = format!("{}/", stream.name());
        let mut number = 1;
        let mut field = |column: &ChosenColumn| {
            number += 1;
            if number == RESERVED.start {
                number = RESERVED.end;
            }
            let name = column.name.strip_prefix(prefix.as_str()).unwrap_or(&column.name);
            Field { name: fields.unique(name), number, column: column.clone() }
        };
        let fields: Vec<Field> =
            columns.0.iter().filter(|column| column.stream == stream.id()).map(&mut field).collect();
        let message = (!fields.is_empty()).then(|| names.unique(stream.name()))?;
        Some(Self { message, fields, scratch: Wire::default() })
    }

    /// Returns the full name and the bytes of their schema.
    pub(super) fn schema(&self) -> (String, Vec<u8>) {
        let time = FieldSchema::one(TIME, 1, Type::Uint64);
        let fields = self.fields.iter().map(|field| FieldSchema {
            is_repeated: field.column.cells() > 1,
            ..FieldSchema::one(&field.name, field.number, type_of(field.column.kind))
        });
        of_tape(&self.message, &std::iter::once(time).chain(fields).collect::<Vec<_>>())
    }

    /// Returns the units by the name of the field.
    pub(super) fn units(&self) -> BTreeMap<String, String> {
        let with_unit = self.fields.iter().filter(|field| !field.column.unit.is_empty());
        with_unit.map(|field| (format!("unit.{}", field.name), field.column.unit.clone())).collect()
    }

    /// Returns the number of channels.
    pub(super) fn channels(&self) -> usize {
        self.fields.len()
    }

    /// Writes the message of a frame. Values that a short frame lacks are not in it.
    pub(super) fn write(&mut self, time_ns: u64, frame: &[u8], out: &mut Wire) {
        out.0.clear();
        out.uint(1, time_ns);
        for Field { number, column, .. } in &self.fields {
            let width = column.kind.width();
            let values = frame.get(column.offset..).unwrap_or_default();
            if column.is_text() {
                if let Some(bytes) = values.get(..width * column.count) {
                    out.bytes(*number, text_of(column.kind, bytes).as_bytes());
                }
            } else if column.count == 1 {
                if let Some(bytes) = values.get(..width) {
                    write_value(out, *number, column.kind, bytes);
                }
            } else {
                self.scratch.0.clear();
                let whole = values.get(..(width * column.count).min(values.len())).unwrap_or_default();
                whole.chunks_exact(width).for_each(|bytes| write_element(&mut self.scratch, column.kind, bytes));
                out.bytes(*number, &self.scratch.0);
            }
        }
    }
}

fn type_of(kind: ChannelType) -> Type {
    match kind {
        ChannelType::U8 | ChannelType::U16 | ChannelType::U32 => Type::Uint32,
        ChannelType::Bits8 | ChannelType::Bits16 | ChannelType::Bits32 => Type::Uint32,
        ChannelType::I8 | ChannelType::I16 | ChannelType::I32 => Type::Sint32,
        ChannelType::U64 | ChannelType::Bits64 => Type::Uint64,
        ChannelType::I64 => Type::Sint64,
        ChannelType::F32 => Type::Float,
        ChannelType::F64 => Type::Double,
        ChannelType::Bool => Type::Bool,
        ChannelType::Char | ChannelType::Char16 => Type::Text,
    }
}

fn write_value(out: &mut Wire, number: u32, kind: ChannelType, bytes: &[u8]) {
    match (kind, bytes) {
        (ChannelType::F32, &[a, b, c, d]) => out.float(number, f32::from_le_bytes([a, b, c, d])),
        (ChannelType::F64, bytes) => {
            out.double(number, f64::from_le_bytes(bytes.try_into().unwrap_or_default()));
        }
        _ => out.uint(number, integer(kind, bytes)),
    }
}

fn write_element(out: &mut Wire, kind: ChannelType, bytes: &[u8]) {
    match kind {
        ChannelType::F32 | ChannelType::F64 => out.0.extend_from_slice(bytes),
        _ => out.element(integer(kind, bytes)),
    }
}

/// Returns an integer as it is on the wire.
fn integer(kind: ChannelType, bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    if let Some(room) = wide.get_mut(..bytes.len()) {
        room.copy_from_slice(bytes);
    }
    let value = u64::from_le_bytes(wide);
    match kind {
        ChannelType::Bool => u64::from(value != 0),
        ChannelType::I8 => zigzag((value as u8).cast_signed().into()),
        ChannelType::I16 => zigzag((value as u16).cast_signed().into()),
        ChannelType::I32 => zigzag((value as u32).cast_signed().into()),
        ChannelType::I64 => zigzag(value.cast_signed()),
        _ => value,
    }
}

/// Identifiers of protobuf, all different: also in their JSON form, which has capitals instead of underscores. Readers check that.
#[derive(Default)]
pub(super) struct Identifiers(HashSet<String>);

impl Identifiers {
    /// Returns a text of a tape as an identifier: `wheelSlip[2]` is `wheelSlip_2`.
    pub(super) fn unique(&mut self, text: &str) -> String {
        let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let plain: String = text.chars().map(letter).collect();
        let plain = plain.trim_end_matches('_');
        let plain = match plain.chars().next() {
            None => "channel".to_owned(),
            Some(first) if first.is_ascii_digit() => format!("_{plain}"),
            Some(_) => plain.to_owned(),
        };
        let mut name = plain.clone();
        let mut number = 1;
        while !self.0.insert(name.replace('_', "").to_lowercase()) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_an_identifier_of_its_own() {
        let mut names = Identifiers::default();
        let texts =
            ["time_ns", "wheelSlip[2]", "wheelSlip.2", "2nd gear", "\u{1F3CE}", "", "a\0\"b", "gas", "Gas", "gas"];
        let found = texts.map(|text| names.unique(text));
        let expected = [
            "time_ns",
            "wheelSlip_2",
            "wheelSlip_2_2",
            "_2nd_gear",
            "channel",
            "channel_2",
            "a__b",
            "gas",
            "Gas_2",
            "gas_3",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn integers_are_extended_by_their_sign() {
        assert_eq!(integer(ChannelType::I8, &[0xFF]), 1);
        assert_eq!(integer(ChannelType::I16, &[0, 0x80]), 65_535);
        assert_eq!(integer(ChannelType::U16, &[0xFF, 0xFF]), 65_535);
        assert_eq!(integer(ChannelType::Bool, &[7]), 1);
        assert_eq!(integer(ChannelType::I64, &[0xFF; 8]), 1);
    }
}
