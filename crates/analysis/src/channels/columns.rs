//! Selects the channels of a table and names their columns.

use gametape_format::read::{Tape, TapeStream};
use gametape_format::{ChannelType, Role, StreamId};

use super::{ChannelNameError, FoundChannel, find_channel};

/// The longest array that is selected unless it is asked for: one with a value for each wheel or door.
pub(super) const LONGEST_ARRAY: usize = 8;

/// A channel, or one element of an array, as table columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenColumn {
    /// The stream that contains it.
    pub stream: StreamId,
    /// Name of the column: the channel's name, prefixed with the stream's if several streams have such a channel.
    pub name: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// Type of its values.
    pub kind: ChannelType,
    /// Byte offset in a frame.
    pub offset: usize,
    /// Number of values per row; a text is one cell.
    pub count: usize,
}

impl ChosenColumn {
    /// Returns whether it is a text. A text is one cell, whatever its length.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.kind, ChannelType::Char | ChannelType::Char16)
    }

    /// Returns the number of cells per row.
    #[must_use]
    pub fn cells(&self) -> usize {
        if self.is_text() { 1 } else { self.count }
    }
}

/// The channels of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns(pub Vec<ChosenColumn>);

impl Columns {
    /// Returns the streams that the table needs.
    pub fn streams<'a>(&self, tape: &'a Tape) -> impl Iterator<Item = &'a TapeStream> {
        tape.streams().filter(|stream| self.0.iter().any(|column| column.stream == stream.id()))
    }
}

/// Selects channels by name, as parsed by [`find_channel`]: `speedKmh`, `wheelSlip[2]`, or `physics/gas` if several streams have such a
/// channel. An empty list selects all channels of the game's streams.
///
/// # Errors
/// If a name matches no channel, or more than one.
pub fn choose(tape: &Tape, names: &[String]) -> Result<Columns, ChannelNameError> {
    let data: Vec<&TapeStream> = tape.streams().filter(|stream| stream.spec().role == Role::Data).collect();
    let found: Vec<FoundChannel<'_>> = match names.is_empty() {
        true => every(&data).collect(),
        false => names.iter().map(|name| find_channel(&data, name)).collect::<Result<_, _>>()?,
    };
    Ok(Columns(found.iter().map(|found| ChosenColumn::of(found, &data)).collect()))
}

/// Selects all channels of the game's streams.
#[must_use]
pub fn choose_every(tape: &Tape) -> Columns {
    let data: Vec<&TapeStream> = tape.streams().filter(|stream| stream.spec().role == Role::Data).collect();
    Columns(every(&data).map(|found| ChosenColumn::of(&found, &data)).collect())
}

/// Selects all channels but long arrays, which hold a value for each car of the field.
#[must_use]
pub fn choose_short(tape: &Tape) -> Columns {
    let mut columns = choose_every(tape);
    columns.0.retain(|column| column.cells() <= LONGEST_ARRAY);
    columns
}

pub(crate) fn every<'a>(data: &[&'a TapeStream]) -> impl Iterator<Item = FoundChannel<'a>> {
    let of = |stream: &'a TapeStream| {
        stream.spec().channels.iter().map(move |channel| FoundChannel { stream, channel, element: None })
    };
    data.iter().flat_map(move |stream| of(stream))
}

/// Returns the name of a column: the channel's name, prefixed with the stream's if several streams have such a channel. All tables use it.
#[must_use]
pub fn column_name(found: &FoundChannel<'_>, streams: &[&TapeStream]) -> String {
    let channels = streams.iter().flat_map(|stream| &stream.spec().channels);
    match channels.filter(|channel| channel.name == found.channel.name).nth(1) {
        Some(_) => found.qualified_name(),
        None => found.name(),
    }
}

impl ChosenColumn {
    pub(super) fn of(found: &FoundChannel<'_>, streams: &[&TapeStream]) -> Self {
        let FoundChannel { stream, channel, element } = found;
        Self {
            stream: stream.id(),
            name: column_name(found, streams),
            unit: channel.unit.clone(),
            kind: channel.kind,
            offset: channel.offset as usize + element.unwrap_or_default() as usize * channel.kind.width(),
            count: if element.is_some() { 1 } else { channel.count as usize },
        }
    }
}
