//! A stream of values that was decoded from a file: rows of floats, collected in memory and written to the tape at the end.

use gametape_format::{Channel, ChannelType, StreamId, StreamSpec};

use super::decoded_role;
use crate::import::ImportError;
use crate::import::out::Out;

/// Maximum bytes of all rows of one stream: hours of a match at 30 rows per second.
pub(super) const MAX_BYTES: usize = 16 << 20;

/// Name, type and unit of a channel.
pub(super) type Field = (&'static str, ChannelType, &'static str);

/// Rows of a fixed layout without padding, at non-decreasing times.
#[derive(Debug)]
pub(super) struct Decoded {
    name: String,
    layout: &'static str,
    fields: &'static [Field],
    describes_file: bool,
    row_bytes: usize,
    times_ns: Vec<u64>,
    rows: Vec<u8>,
    last: Vec<u8>,
}

impl Decoded {
    pub(super) fn new(name: impl Into<String>, layout: &'static str, fields: &'static [Field]) -> Self {
        let row_bytes = fields.iter().map(|(_, kind, _)| kind.width()).sum();
        let (times_ns, rows, last) = (Vec::new(), Vec::new(), Vec::new());
        Self { name: name.into(), layout, fields, describes_file: false, row_bytes, times_ns, rows, last }
    }

    /// Makes the rows a description of the file instead of frames of the match.
    #[cfg(feature = "rocket-league")]
    pub(super) fn describing(self) -> Self {
        Self { describes_file: true, ..self }
    }

    pub(super) fn len(&self) -> usize {
        self.times_ns.len()
    }

    /// Gives the stream its final name.
    #[cfg(feature = "rocket-league")]
    pub(super) fn rename(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    /// Adds a row. A time before that of the last row becomes that time. Returns whether there was room for it.
    pub(super) fn push(&mut self, time_ns: u64, row: &[u8]) -> bool {
        if row.len() != self.row_bytes || self.rows.len() + row.len() > MAX_BYTES {
            return false;
        }
        self.times_ns.push(self.times_ns.last().map_or(time_ns, |last| time_ns.max(*last)));
        self.rows.extend_from_slice(row);
        true
    }

    /// [`Decoded::push`], unless the row is equal to the last one.
    pub(super) fn push_changed(&mut self, time_ns: u64, row: &[u8]) -> bool {
        if self.last == row {
            return true;
        }
        self.last.clear();
        self.last.extend_from_slice(row);
        self.push(time_ns, row)
    }

    /// Writes the stream, unless it is empty.
    pub(super) fn write(self, game: &str, replay: StreamId, out: &mut dyn Out) -> Result<(), ImportError> {
        if self.times_ns.is_empty() {
            return Ok(());
        }
        let mut offset = 0;
        let mut channels = Vec::with_capacity(self.fields.len());
        for (name, kind, unit) in self.fields {
            channels.push(Channel::new(*name, *kind, offset, 1, *unit));
            offset += kind.width() as u32;
        }
        let (role, describes) = decoded_role(self.describes_file, replay);
        let spec = StreamSpec {
            game: game.into(),
            transport: "file".into(),
            layout: self.layout.into(),
            role,
            describes,
            ..StreamSpec::columns(self.name, offset, channels)
        };
        let stream = out.add_stream(spec)?;
        for (time_ns, row) in self.times_ns.iter().zip(self.rows.chunks_exact(self.row_bytes)) {
            out.append(stream, *time_ns, row, 0)?;
        }
        Ok(())
    }
}
