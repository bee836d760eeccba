//! Which channels a table has, and what they are called.

use gametape_format::read::{Tape, TapeStream};
use gametape_format::{Channel, ChannelType, Role, StreamId};

/// A channel, or one element of an array, as columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenColumn {
    /// The stream it is in.
    pub stream: StreamId,
    /// Its name in the table: that of the channel, with the stream's before it where two streams have one.
    pub name: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// What its values are.
    pub kind: ChannelType,
    /// Where its bytes begin in a frame.
    pub offset: usize,
    /// Values in a row; text is one cell.
    pub count: usize,
}

impl ChosenColumn {
    /// Whether it is text, which is one cell however long.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.kind, ChannelType::Char | ChannelType::Char16)
    }

    /// Cells of a row.
    #[must_use]
    pub fn cells(&self) -> usize {
        if self.is_text() { 1 } else { self.count }
    }
}

/// The channels of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns(pub Vec<ChosenColumn>);

/// A channel that the tape does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no stream of the tape has a channel {name:?}; `gametape info --channels` lists what there is")]
pub struct NoSuchChannel {
    /// What was asked for.
    pub name: String,
}

impl Columns {
    /// The streams that the table needs.
    pub fn streams<'a>(&self, tape: &'a Tape) -> impl Iterator<Item = &'a TapeStream> {
        tape.streams().filter(|stream| self.0.iter().any(|column| column.stream == stream.id()))
    }
}

/// Chooses channels by name: `speedKmh`, `wheelSlip[2]`, `physics/gas` where two streams have one; all channels of the game's streams if no name is given.
///
/// # Errors
/// If no stream has one of them.
pub fn choose(tape: &Tape, names: &[String]) -> Result<Columns, NoSuchChannel> {
    let data: Vec<&TapeStream> = tape.streams().filter(|stream| stream.spec().role == Role::Data).collect();
    let all = || data.iter().flat_map(|stream| stream.spec().channels.iter().map(move |channel| (*stream, channel)));
    let shared = |name: &str| all().filter(|(_, channel)| channel.name == name).count() > 1;
    let column = |stream: &TapeStream, channel: &Channel, element: Option<usize>| {
        let prefix = if shared(&channel.name) { format!("{}/", stream.spec().name) } else { String::new() };
        let suffix = element.map_or_else(String::new, |element| format!("[{element}]"));
        ChosenColumn {
            stream: stream.id(),
            name: format!("{prefix}{}{suffix}", channel.name),
            unit: channel.unit.clone(),
            kind: channel.kind,
            offset: channel.offset as usize + element.unwrap_or_default() * channel.kind.width(),
            count: if element.is_some() { 1 } else { channel.count as usize },
        }
    };
    if names.is_empty() {
        return Ok(Columns(all().map(|(stream, channel)| column(stream, channel, None)).collect()));
    }
    let find = |name: &String| {
        let (stream, plain) = name.split_once('/').map_or((None, name.as_str()), |(stream, name)| (Some(stream), name));
        let of_stream = |(of, _): &(&TapeStream, &Channel)| stream.is_none_or(|stream| of.spec().name == stream);
        let whole = all().filter(of_stream).find(|(_, channel)| channel.name == plain);
        let part = || {
            let (array, element) = plain.strip_suffix(']')?.rsplit_once('[')?;
            let element: usize = element.parse().ok()?;
            let (stream, channel) = all().filter(of_stream).find(|(_, channel)| channel.name == array)?;
            (element < channel.count as usize).then(|| column(stream, channel, Some(element)))
        };
        let found = whole.map(|(stream, channel)| column(stream, channel, None)).or_else(part);
        found.ok_or_else(|| NoSuchChannel { name: name.clone() })
    };
    names.iter().map(find).collect::<Result<_, _>>().map(Columns)
}
