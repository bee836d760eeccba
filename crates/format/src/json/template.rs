//! A skeleton with the kinds of its values, which renders rows of values as frames.
//!
//! ```text
//! u32 number of values V
//! ..  V kinds                          (see `kind`)
//! u32 length of literal × (V + 1)
//! ..  the literals, back to back
//! ```

use std::ops::Range;

use super::kind::Kind;
use crate::column::Column;
use crate::cursor::{Cursor, Malformed, within};
use crate::limits;

/// The maximum number of values in a template.
pub(crate) const MOST_VALUES: usize = 1 << 20;
/// The size of the shortest description of a value: a kind and the length of its literal.
const LEAST_VALUE_BYTES: usize = 5;

/// One value of a frame.
#[derive(Debug, Clone)]
struct Slot {
    /// The literal before it, in the template's bytes.
    literal: Range<u32>,
    /// The offset of its columns in a row.
    offset: u32,
    kind: Kind,
}

/// A skeleton and the kinds of its values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
    last: Range<u32>,
    row_bytes: u32,
    columns: Vec<Column>,
}

impl Template {
    /// Parses the unpacked bytes of a template.
    pub(crate) fn parse(bytes: Vec<u8>) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(&bytes);
        let count = within("number of values", u64::from(cursor.u32("number of values")?), MOST_VALUES)?;
        let mut slots = Vec::with_capacity(count.min(bytes.len() / LEAST_VALUE_BYTES));
        let (mut row_bytes, mut columns) = (0, Vec::new());
        for _ in 0..count {
            let kind = Kind::parse(&mut cursor, bytes.len())?;
            let offset = row_bytes;
            kind.add_columns(&mut row_bytes, &mut columns);
            within("number of columns of a template", columns.len() as u64, limits::COLUMNS)?;
            slots.push(Slot { literal: 0..0, offset, kind });
        }
        let lengths = cursor.bytes((count + 1) * 4, "lengths of literals")?;
        let mut end = (bytes.len() - cursor.rest().len()) as u64;
        let mut last = 0..0;
        for (number, length) in lengths.as_chunks::<4>().0.iter().enumerate() {
            let start = end;
            end += u64::from(u32::from_le_bytes(*length));
            let literal = start as u32..within("end of a literal", end, bytes.len())? as u32;
            match slots.get_mut(number) {
                Some(slot) => slot.literal = literal,
                None => last = literal,
            }
        }
        if end != bytes.len() as u64 {
            return Err(Malformed::Value { what: "length of the literals", found: end });
        }
        Ok(Self { bytes, slots, last, row_bytes, columns })
    }

    /// The columns of its values.
    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The size of the values of a frame.
    pub(crate) fn row_bytes(&self) -> usize {
        self.row_bytes as usize
    }

    /// Appends a frame. Returns `false` if the values do not match their kinds or `out` would become longer than `limit`.
    pub(crate) fn render(&self, row: &[u8], limit: usize, out: &mut Vec<u8>) -> bool {
        let literal = |range: &Range<u32>| self.bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
        for slot in &self.slots {
            match literal(&slot.literal) {
                [byte] => out.push(*byte),
                bytes => out.extend_from_slice(bytes),
            }
            let values = row.get(slot.offset as usize..).unwrap_or_default();
            if !slot.kind.write(values, &self.bytes, out) || out.len() > limit {
                return false;
            }
        }
        out.extend_from_slice(literal(&self.last));
        out.len() <= limit
    }
}

/// A template under construction; values that are the same in all frames become literals.
#[cfg(feature = "write")]
#[derive(Debug, Default)]
pub(crate) struct TemplateMaker {
    count: u32,
    kinds: Vec<u8>,
    lengths: Vec<u8>,
    literals: Vec<u8>,
    /// The start of the current literal.
    start: usize,
}

#[cfg(feature = "write")]
impl TemplateMaker {
    pub(crate) fn clear(&mut self) {
        *self = Self {
            kinds: std::mem::take(&mut self.kinds),
            lengths: std::mem::take(&mut self.lengths),
            literals: std::mem::take(&mut self.literals),
            ..Self::default()
        };
        self.kinds.clear();
        self.lengths.clear();
        self.literals.clear();
    }

    /// Adds bytes that all frames have here.
    pub(crate) fn literal(&mut self, bytes: &[u8]) {
        self.literals.extend_from_slice(bytes);
    }

    /// Adds a value that is the same in all frames.
    pub(crate) fn constant(&mut self, token: Option<super::shape::Token>, data: &[u8]) {
        match token.map(|token| (token, token.decimal())) {
            Some((_, Some(decimal))) => {
                decimal.write(&mut self.literals);
            }
            Some((token, None)) => self.literals.extend_from_slice(token.bytes(data)),
            None => {}
        }
    }

    /// Adds a value that varies; ranges of its kind refer to `bytes`.
    pub(crate) fn value(&mut self, kind: &Kind, bytes: &[u8]) {
        self.count += 1;
        kind.put(bytes, &mut self.kinds);
        self.end_literal();
    }

    fn end_literal(&mut self) {
        self.lengths.extend_from_slice(&((self.literals.len() - self.start) as u32).to_le_bytes());
        self.start = self.literals.len();
    }

    /// Serializes the template.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.end_literal();
        out.clear();
        out.extend_from_slice(&self.count.to_le_bytes());
        for part in [&self.kinds, &self.lengths, &self.literals] {
            out.extend_from_slice(part);
        }
    }
}
