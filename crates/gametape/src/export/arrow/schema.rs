//! The columns of the table of one stream: four about the time of a row, then the channels.
//!
//! Takes a stream and the chosen channels. Returns the Arrow schema, and for each column the place of its bytes in a frame. Reads no frames.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use gametape_analysis::Recording;
use gametape_format::ChannelType;
use gametape_format::read::{Tape, TapeStream};

use super::super::{ChosenColumn, Columns};
use crate::laps::{Session, Tracked};

/// The longest array with a column for each element. Longer ones, which hold a value for each car of the field, are lists.
const LONGEST_SPREAD: usize = 8;

/// A column that is read from frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrameColumn {
    pub(super) kind: ChannelType,
    pub(super) shape: Shape,
    /// Byte offset in a frame.
    pub(super) offset: usize,
}

/// How the values of a channel become the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One number.
    Number,
    /// A text of this many code units.
    Text(usize),
    /// A list of this many numbers.
    List(usize),
}

impl FrameColumn {
    /// Returns the length of its bytes in a frame.
    pub(super) fn bytes(&self) -> usize {
        let count = match self.shape {
            Shape::Number => 1,
            Shape::Text(count) | Shape::List(count) => count,
        };
        count * self.kind.width()
    }
}

/// The schema of the table of one stream, and where its values are.
pub(super) struct StreamSchema {
    pub(super) schema: SchemaRef,
    /// The columns after [`time_fields`].
    pub(super) columns: Vec<FrameColumn>,
}

/// Returns the columns that precede the channels.
pub(super) fn time_fields() -> [Field; 4] {
    let with_unit = |field: Field, unit: &str| field.with_metadata(unit_of(unit));
    [
        with_unit(Field::new("t_ns", DataType::Int64, false), "ns"),
        Field::new("utc", utc_type(), true),
        Field::new("lap", DataType::Int32, true),
        with_unit(Field::new("lap_dist_m", DataType::Float32, true), "m"),
    ]
}

/// Wall-clock times: microseconds, the finest that all engines read.
pub(super) fn utc_type() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

/// Returns the metadata of a field with this unit.
pub(super) fn unit_of(unit: &str) -> HashMap<String, String> {
    if unit.is_empty() { HashMap::new() } else { HashMap::from([("unit".to_owned(), unit.to_owned())]) }
}

impl StreamSchema {
    /// Returns the table of the chosen channels of a stream.
    pub(super) fn new(tape: &Tape, stream: &TapeStream, chosen: &Columns, tracked: Option<&Tracked>) -> Self {
        let mut fields: Vec<Field> = time_fields().into();
        let mut names = Names::new(stream.name(), &fields);
        let mut columns = Vec::new();
        for channel in chosen.0.iter().filter(|column| column.stream == stream.id()) {
            for (name, column) in columns_of(channel, stream.name()) {
                let text = column.data_type();
                let mut metadata = unit_of(&channel.unit);
                metadata.insert("channel".to_owned(), channel.name.clone());
                fields.push(Field::new(names.free(&name), text, true).with_metadata(metadata));
                columns.push(column);
            }
        }
        let mut metadata = facts(tape, tracked);
        metadata.insert("gametape.stream".to_owned(), stream.name().to_owned());
        metadata.insert("gametape.layout".to_owned(), stream.spec().layout.clone());
        metadata.insert("gametape.units".to_owned(), units(&fields));
        Self { schema: Arc::new(Schema::new_with_metadata(fields, metadata)), columns }
    }
}

/// Returns the units of all columns that have one, as JSON.
pub(super) fn units(fields: &[Field]) -> String {
    let unit = |field: &Field| Some((field.name().clone(), field.metadata().get("unit")?.clone()));
    let units: BTreeMap<String, String> = fields.iter().filter_map(unit).collect();
    serde_json::to_string(&units).unwrap_or_default()
}

/// Returns what a file says about the tape: facts that differ between its sessions are left out.
pub(super) fn facts(tape: &Tape, tracked: Option<&Tracked>) -> HashMap<String, String> {
    let sessions = || tracked.iter().flat_map(|tracked| &tracked.sessions).map(|session| &session.session);
    let same = |of: fn(&Session) -> Option<&String>| {
        let first = of(sessions().next()?)?;
        sessions().all(|session| of(session) == Some(first)).then(|| first.clone())
    };
    let facts = [
        ("gametape.tape", tape.id().map(|id| id.0.iter().map(|byte| format!("{byte:02x}")).collect())),
        ("gametape.game", Some(Recording::game(tape)).filter(|game| !game.is_empty())),
        ("gametape.track", same(|session| session.track.as_ref())),
        ("gametape.track_layout", same(|session| session.layout.as_ref())),
        ("gametape.car", same(|session| session.car.as_ref())),
        ("gametape.driver", same(|session| session.driver.as_ref())),
    ];
    facts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// Returns the columns of a channel and their names, which are those of the game.
fn columns_of(channel: &ChosenColumn, stream: &str) -> Vec<(String, FrameColumn)> {
    let own = channel.name.strip_prefix(stream).and_then(|rest| rest.strip_prefix('/')).unwrap_or(&channel.name);
    let column = |name: String, shape, element: usize| {
        let offset = channel.offset + element * channel.kind.width();
        (name, FrameColumn { kind: channel.kind, shape, offset })
    };
    match channel.count {
        count if channel.is_text() => vec![column(own.to_owned(), Shape::Text(count), 0)],
        1 => vec![column(element_name(own), Shape::Number, 0)],
        count if count <= LONGEST_SPREAD => {
            (0..count).map(|element| column(format!("{own}_{element}"), Shape::Number, element)).collect()
        }
        count => vec![column(own.to_owned(), Shape::List(count), 0)],
    }
}

/// Returns `tyreWear_2` for `tyreWear[2]`, which SQL would not accept unquoted.
fn element_name(name: &str) -> String {
    let element = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    match element.filter(|(_, element)| element.parse::<u32>().is_ok()) {
        Some((array, element)) => format!("{array}_{element}"),
        None => name.to_owned(),
    }
}

impl FrameColumn {
    fn data_type(&self) -> DataType {
        match self.shape {
            Shape::Number => number_type(self.kind),
            Shape::Text(_) => DataType::Utf8,
            Shape::List(_) => DataType::List(Arc::new(Field::new_list_field(number_type(self.kind), false))),
        }
    }
}

fn number_type(kind: ChannelType) -> DataType {
    match kind {
        ChannelType::U8 | ChannelType::Char | ChannelType::Bits8 => DataType::UInt8,
        ChannelType::I8 => DataType::Int8,
        ChannelType::U16 | ChannelType::Char16 | ChannelType::Bits16 => DataType::UInt16,
        ChannelType::I16 => DataType::Int16,
        ChannelType::U32 | ChannelType::Bits32 => DataType::UInt32,
        ChannelType::I32 => DataType::Int32,
        ChannelType::U64 | ChannelType::Bits64 => DataType::UInt64,
        ChannelType::I64 => DataType::Int64,
        ChannelType::F32 => DataType::Float32,
        ChannelType::F64 => DataType::Float64,
        ChannelType::Bool => DataType::Boolean,
    }
}

/// Column names, unique without regard to case: many engines ignore it, and games have channels named `Lap`.
struct Names<'a> {
    stream: &'a str,
    taken: HashSet<String>,
}

impl<'a> Names<'a> {
    fn new(stream: &'a str, fields: &[Field]) -> Self {
        Self { stream, taken: fields.iter().map(|field| field.name().to_lowercase()).collect() }
    }

    /// Returns the name itself, or `STREAM_NAME`, or that with a number.
    fn free(&mut self, name: &str) -> String {
        let longer = format!("{}_{name}", self.stream);
        let numbered = (2..).map(|number: u64| format!("{longer}_{number}"));
        let mut names = [name.to_owned(), longer.clone()].into_iter().chain(numbered);
        let free = names.find(|name| !name.is_empty() && self.taken.insert(name.to_lowercase()));
        free.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use gametape_format::StreamId;

    use super::*;

    fn channel(name: &str, kind: ChannelType, count: usize) -> ChosenColumn {
        ChosenColumn { stream: StreamId(1), name: name.to_owned(), unit: String::new(), kind, offset: 16, count }
    }

    #[test]
    fn short_arrays_have_a_column_for_each_element_and_long_ones_are_lists() {
        let of = |name: &str, kind, count| columns_of(&channel(name, kind, count), "physics");
        let names = |columns: Vec<(String, FrameColumn)>| -> Vec<String> {
            columns.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(of("physics/gas", ChannelType::F32, 1)), ["gas"], "the stream is the file");
        assert_eq!(names(of("wear[2]", ChannelType::F32, 1)), ["wear_2"]);
        assert_eq!(names(of("odd[x]", ChannelType::F32, 1)), ["odd[x]"]);
        let spread = of("wear", ChannelType::F64, 8);
        assert_eq!((spread.len(), spread[7].0.as_str(), spread[7].1.offset), (8, "wear_7", 16 + 56));
        let list = of("cars", ChannelType::U16, 9);
        assert_eq!((list.len(), list[0].1.shape, list[0].1.bytes()), (1, Shape::List(9), 18));
        let text = of("track", ChannelType::Char16, 33);
        assert_eq!((text.len(), text[0].1.shape, text[0].1.bytes()), (1, Shape::Text(33), 66));
    }

    #[test]
    fn no_two_columns_have_the_same_name_in_any_case() {
        let mut names = Names::new("telemetry", &time_fields());
        let free: Vec<String> = ["Lap", "speed", "Speed", "lap", "UTC", "", ""].map(|name| names.free(name)).into();
        let expected = [
            "telemetry_Lap",
            "speed",
            "telemetry_Speed",
            "telemetry_lap_2",
            "telemetry_UTC",
            "telemetry_",
            "telemetry__2",
        ];
        assert_eq!(free, expected);
    }
}
