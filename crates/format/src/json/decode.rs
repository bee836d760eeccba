//! Decodes a payload into frames: all of them or a single one.
//!
//! ```text
//! u32 length of the times,     then integers(rows values: time − first time)
//! u32 length of the template numbers, then integers(rows values: 0 = stored verbatim, else a template, from 1 on)
//! u32 length of the sizes,     then integers(sizes of the frames stored verbatim)
//! u32 length,                  then packed: these frames, back to back
//! for each template: u32 length, then packed: the template
//!                    u32 head bytes, u32 CRC-32C of the head, u32 length, then the payload of a column block (section 6)
//! ```

use super::template::Template;
use super::{TEMPLATES, TEMPLATES_BYTES, VALUES_BYTES};
use crate::column::{self, BlockDecoder, BlockHead};
use crate::cursor::{Cursor, Malformed, within};
use crate::pack;

/// Rendered frames, and their times as stored.
pub(crate) struct Rendered<'a> {
    pub(crate) times: &'a mut Vec<u64>,
    pub(crate) data: &'a mut Vec<u8>,
    /// End of each frame in `data`.
    pub(crate) ends: &'a mut Vec<u32>,
}

/// The values of the frames of one template.
struct Table {
    template: Template,
    values: Vec<u8>,
    /// Number of frames rendered.
    done: usize,
}

/// A payload whose frames have not been rendered yet.
struct Opened {
    /// The template of each row; 0 = stored verbatim.
    numbers: Vec<u64>,
    /// The sizes of the frames stored verbatim, and these frames.
    sizes: Vec<u64>,
    plain: Vec<u8>,
    tables: Vec<Table>,
    raw_bytes: usize,
}

/// Decodes the payload of a block of `rows` frames with a total size of `raw_bytes`.
pub(crate) fn decode(
    payload: &[u8],
    rows: usize,
    raw_bytes: usize,
    decoder: &mut BlockDecoder,
    to: Rendered<'_>,
) -> Result<(), Malformed> {
    Opened::read(payload, rows, raw_bytes, decoder, to.times)?.render(to.data, to.ends)
}

/// Decodes the times and one frame, that of the row which `choose` selects by the times. Rendering the others would
/// take most of the time.
pub(crate) fn decode_row(
    payload: &[u8],
    rows: usize,
    raw_bytes: usize,
    decoder: &mut BlockDecoder,
    times: &mut Vec<u64>,
    choose: impl FnOnce(&[u64]) -> Option<usize>,
) -> Result<Option<(usize, Vec<u8>)>, Malformed> {
    let opened = Opened::read(payload, rows, raw_bytes, decoder, times)?;
    let Some(row) = choose(times) else { return Ok(None) };
    opened.render_row(row).map(|frame| Some((row, frame)))
}

impl Opened {
    fn read(
        payload: &[u8],
        rows: usize,
        raw_bytes: usize,
        decoder: &mut BlockDecoder,
        times: &mut Vec<u64>,
    ) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(payload);
        column::decode_integers(cursor.section("row times")?, rows, times)?;
        let mut numbers = Vec::new();
        column::decode_integers(cursor.section("templates of rows")?, rows, &mut numbers)?;
        let highest = numbers.iter().copied().max().unwrap_or_default();
        let highest = within("number of a template", highest, TEMPLATES)?;
        let count = |number: usize| numbers.iter().filter(|of| **of == number as u64).count();
        let mut sizes = Vec::new();
        column::decode_integers(cursor.section("sizes of whole rows")?, count(0), &mut sizes)?;
        let plain = pack::unpack(cursor.section("whole rows")?, raw_bytes)?;
        let (mut unpacked_left, mut values_left) = (TEMPLATES_BYTES, VALUES_BYTES);
        let mut tables = Vec::with_capacity(highest);
        for number in 1..=highest {
            tables.push(Table::read(&mut cursor, count(number), &mut unpacked_left, &mut values_left, decoder)?);
        }
        if !cursor.rest().is_empty() {
            return Err(Malformed::Value { what: "bytes after the templates", found: cursor.rest().len() as u64 });
        }
        Ok(Self { numbers, sizes, plain, tables, raw_bytes })
    }

    fn render(mut self, data: &mut Vec<u8>, ends: &mut Vec<u32>) -> Result<(), Malformed> {
        let raw_bytes = self.raw_bytes;
        data.clear();
        data.reserve(raw_bytes);
        let (mut plain, mut sizes) = (self.plain.as_slice(), self.sizes.into_iter());
        for number in self.numbers {
            match (number as usize).checked_sub(1) {
                None => {
                    let size = within("size of a whole row", sizes.next().unwrap_or_default(), plain.len())?;
                    let (frame, rest) = plain.split_at_checked(size).unwrap_or_default();
                    data.extend_from_slice(frame);
                    plain = rest;
                }
                Some(number) => {
                    let table = self.tables.get_mut(number);
                    if !table.is_some_and(|table| table.next_into(raw_bytes, data)) {
                        return Err(wrong_value(number));
                    }
                }
            }
            ends.push(within("sum of the row sizes", data.len() as u64, raw_bytes)? as u32);
        }
        if !plain.is_empty() {
            return Err(Malformed::Value { what: "bytes after the whole rows", found: plain.len() as u64 });
        }
        Ok(())
    }

    fn render_row(mut self, row: usize) -> Result<Vec<u8>, Malformed> {
        let outside = Malformed::Value { what: "a row of the block", found: row as u64 };
        let number = *self.numbers.get(row).ok_or(outside)?;
        let before = self.numbers.iter().take(row).filter(|of| **of == number).count();
        let Some(table) = (number as usize).checked_sub(1) else {
            let start: u64 = self.sizes.iter().take(before).fold(0, |sum, size| sum.saturating_add(*size));
            let size = self.sizes.get(before).copied().unwrap_or_default();
            let end = within("end of a whole row", start.saturating_add(size), self.plain.len())?;
            return Ok(self.plain.get(start as usize..end).unwrap_or_default().to_vec());
        };
        let mut frame = Vec::new();
        let rendered = self.tables.get_mut(table).is_some_and(|table| {
            table.done = before;
            table.next_into(self.raw_bytes, &mut frame)
        });
        rendered.then_some(frame).ok_or_else(|| wrong_value(table))
    }
}

fn wrong_value(template: usize) -> Malformed {
    Malformed::Value { what: "a value of a template", found: template as u64 }
}

impl Table {
    fn read(
        cursor: &mut Cursor<'_>,
        rows: usize,
        unpacked_left: &mut usize,
        values_left: &mut usize,
        decoder: &mut BlockDecoder,
    ) -> Result<Self, Malformed> {
        let unpacked = pack::unpack(cursor.section("template")?, *unpacked_left)?;
        *unpacked_left -= unpacked.len();
        let template = Template::parse(unpacked)?;
        let head_bytes = cursor.u32("head of the values")? as usize;
        let head_crc = cursor.u32("checksum of the values' head")?;
        let payload = cursor.section("values")?;
        let row_bytes = template.row_bytes();
        let bytes = (rows as u64).saturating_mul(row_bytes as u64);
        *values_left -= within("bytes of all values", bytes, *values_left)?;
        let mut values = Vec::new();
        if bytes > 0 {
            let short = Malformed::Short { what: "head of the values", needed: head_bytes, available: payload.len() };
            let head = payload.get(..head_bytes).ok_or(short)?;
            if crc32c::crc32c(head) != head_crc {
                return Err(Malformed::Checksum { what: "the values' head" });
            }
            let head = BlockHead::parse(head, template.columns(), rows, payload.len())?;
            values.resize(bytes as usize, 0);
            decoder.decode_rows(&head, template.columns(), row_bytes, payload, &mut values)?;
        } else if head_bytes != 0 || head_crc != 0 || !payload.is_empty() {
            return Err(Malformed::Value { what: "values of a template without any", found: payload.len() as u64 });
        }
        Ok(Self { template, values, done: 0 })
    }

    /// Renders the next frame.
    fn next_into(&mut self, limit: usize, out: &mut Vec<u8>) -> bool {
        let start = self.done * self.template.row_bytes();
        self.done += 1;
        let row = self.values.get(start..start + self.template.row_bytes());
        row.is_some_and(|row| self.template.render(row, limit, out))
    }
}
