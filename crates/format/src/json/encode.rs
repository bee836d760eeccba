//! Encodes frames as a payload. Frames with the same skeleton form a table; each frame is rendered again from the
//! stored values and compared.

use super::kind::Kind;
use super::shape::{Shape, ShapeRow, Shapes, Token};
use super::template::{Template, TemplateMaker};
use super::values::Values;
use super::{TEMPLATES, TEMPLATES_BYTES, VALUES_BYTES};
use crate::block::Block;
use crate::column::{self, BlockEncoder, Column};
use crate::limits;
use crate::pack;

/// Skeletons with fewer frames than this are not split; their frames are stored verbatim.
const FEWEST_ROWS: usize = 8;
/// The number of values that are gathered together: neighbouring values share cache lines.
const GATHERED: usize = 8;

/// Encodes blocks of text; keeps its buffers between calls.
#[derive(Debug, Default)]
pub(crate) struct TextEncoder {
    shapes: Shapes,
    gathered: [Values; GATHERED],
    maker: TemplateMaker,
    /// The template of each row; 0 = stored verbatim.
    numbers: Vec<u64>,
    table: Table,
    tables: Vec<u8>,
    columns: BlockEncoder,
    rendered: Vec<u8>,
    /// Set once a number treated as a float turns out not to be one; from then on each float is checked individually.
    careful: bool,
}

/// The values of the frames of one skeleton.
#[derive(Debug, Default)]
struct Table {
    template: Vec<u8>,
    layout: Vec<Column>,
    row_bytes: u32,
    /// Columns, back to back.
    by_column: Vec<u64>,
    /// The same values as rows.
    by_row: Vec<u8>,
}

impl TextEncoder {
    /// Appends the payload of a block. Returns `false`, with nothing appended, if splitting does not pay off.
    pub(crate) fn encode(&mut self, block: &Block, times: &[u64], out: &mut Vec<u8>) -> bool {
        if block.rows() < FEWEST_ROWS {
            return false;
        }
        self.shapes.clear();
        let mut start = 0;
        for row in 0..block.rows() {
            let end = start + block.frame(row).len();
            self.shapes.add(row, block.data(), start, end);
            start = end;
        }
        self.numbers.clear();
        self.numbers.resize(block.rows(), 0);
        self.tables.clear();
        let mut shapes = std::mem::take(&mut self.shapes.shapes);
        shapes.sort_by_key(|shape| std::cmp::Reverse(shape.rows.len()));
        let (mut made, mut templates_left, mut values_left) = (0, TEMPLATES_BYTES, VALUES_BYTES);
        let mut split_bytes = 0;
        for shape in shapes.iter_mut().take(TEMPLATES).take_while(|shape| shape.rows.len() >= FEWEST_ROWS) {
            if !self.make_table(shape, block, values_left) {
                continue;
            }
            let values = self.table.by_row.len();
            if shape.rows.len() < FEWEST_ROWS || self.table.template.len() > templates_left || values > values_left {
                continue;
            }
            templates_left -= self.table.template.len();
            values_left -= values;
            let tables_end = self.tables.len();
            if !self.put_table(shape.rows.len()) {
                self.tables.truncate(tables_end);
                continue;
            }
            made += 1;
            for ShapeRow { row, .. } in &shape.rows {
                split_bytes += block.frame(*row).len();
                if let Some(number) = self.numbers.get_mut(*row) {
                    *number = made;
                }
            }
        }
        self.shapes.shapes = shapes;
        if split_bytes * 2 < block.raw_bytes() {
            return false;
        }
        let before = out.len();
        self.put(block, times, out);
        let worth = out.len() - before < block.raw_bytes();
        if !worth {
            out.truncate(before);
        }
        worth
    }

    /// Whether floats are checked individually.
    #[cfg(test)]
    pub(crate) fn is_careful(&self) -> bool {
        self.careful
    }

    /// Builds the table of a skeleton and removes the rows that it would not reproduce. Returns `false` if it would be too large.
    fn make_table(&mut self, shape: &mut Shape, block: &Block, most_bytes: usize) -> bool {
        // A second pass checks each float if the sampling was wrong; a third leaves out the rows that differ. After
        // that no row can differ.
        for _ in 0..3 {
            if shape.rows.len() < FEWEST_ROWS || !self.fill_table(shape, block, most_bytes) {
                return false;
            }
            let Ok(template) = Template::parse(self.table.template.clone()) else { return false };
            let Self { rendered, table, .. } = self;
            let mut rows = 0..;
            let row_bytes = template.row_bytes();
            let comes_back = |row: &ShapeRow| {
                let start = rows.next().unwrap_or(0) * row_bytes;
                let values = table.by_row.get(start..start + row_bytes).unwrap_or_default();
                let frame = block.frame(row.row);
                rendered.clear();
                template.render(values, frame.len(), rendered) && rendered == frame
            };
            if !self.careful {
                if shape.rows.iter().all(comes_back) {
                    return true;
                }
                self.careful = true;
                continue;
            }
            let before = shape.rows.len();
            shape.rows.retain(comes_back);
            if shape.rows.len() == before {
                return true;
            }
        }
        false
    }

    /// Chooses the kind of each value and converts the values into rows of columns.
    fn fill_table(&mut self, shape: &Shape, block: &Block, most_bytes: usize) -> bool {
        let data = block.data();
        let rows = shape.rows.len();
        self.maker.clear();
        let table = &mut self.table;
        table.layout.clear();
        table.by_column.clear();
        table.row_bytes = 0;
        for first in (0..shape.values()).step_by(GATHERED) {
            let count = GATHERED.min(shape.values() - first);
            let places = self.gathered.get_mut(..count).unwrap_or_default();
            places.iter_mut().for_each(|values| values.tokens.clear());
            for ShapeRow { tokens, .. } in &shape.rows {
                for (number, values) in places.iter_mut().enumerate() {
                    let none = Token { number: 0, code: 0 };
                    values.tokens.push(self.shapes.tokens.get(tokens + first + number).unwrap_or(none));
                }
            }
            for (number, values) in places.iter_mut().enumerate() {
                self.maker.literal(shape.literal(first + number));
                if values.is_constant(data) {
                    self.maker.constant(values.tokens.first().copied(), data);
                    continue;
                }
                let kind: Kind = values.choose(data, !self.careful);
                kind.add_columns(&mut table.row_bytes, &mut table.layout);
                table.by_column.extend_from_slice(&values.columns);
                self.maker.value(&kind, &values.texts);
                let bytes = (table.row_bytes as usize).saturating_mul(rows);
                if bytes > most_bytes || table.layout.len() > limits::COLUMNS {
                    return false;
                }
            }
        }
        self.maker.literal(shape.literal(shape.values()));
        self.maker.finish(&mut table.template);
        table.turn(rows);
        true
    }

    /// Appends the table to the tables.
    fn put_table(&mut self, rows: usize) -> bool {
        put_section(&mut self.tables, |out| pack::pack_frames(&self.table.template, out));
        let places = self.tables.len();
        self.tables.extend_from_slice(&[0; 12]);
        let start = self.tables.len();
        let mut head_bytes = 0;
        if !self.table.by_row.is_empty() {
            let times = vec![0; rows];
            let Table { layout, row_bytes, by_row, .. } = &self.table;
            let Ok(head) = self.columns.encode(layout, *row_bytes as usize, &times, by_row, &mut self.tables) else {
                return false;
            };
            head_bytes = head;
        }
        let length = self.tables.len() - start;
        let crc = match head_bytes {
            0 => 0,
            _ => crc32c::crc32c(self.tables.get(start..start + head_bytes).unwrap_or_default()),
        };
        for (place, value) in [head_bytes as u32, crc, length as u32].into_iter().enumerate() {
            let at = places + place * 4;
            if let Some(room) = self.tables.get_mut(at..at + 4) {
                room.copy_from_slice(&value.to_le_bytes());
            }
        }
        true
    }

    fn put(&mut self, block: &Block, times: &[u64], out: &mut Vec<u8>) {
        put_section(out, |out| column::encode_integers(times, out));
        put_section(out, |out| column::encode_integers(&self.numbers, out));
        let whole =
            || self.numbers.iter().enumerate().filter(|(_, number)| **number == 0).map(|(row, _)| block.frame(row));
        let sizes: Vec<u64> = whole().map(|frame| frame.len() as u64).collect();
        put_section(out, |out| column::encode_integers(&sizes, out));
        let frames: Vec<u8> = whole().flatten().copied().collect();
        put_section(out, |out| pack::pack_frames(&frames, out));
        out.extend_from_slice(&self.tables);
    }
}

impl Table {
    /// Transposes columns into rows, a few rows at a time so that they stay in the cache.
    fn turn(&mut self, rows: usize) {
        let row_bytes = self.row_bytes as usize;
        self.by_row.clear();
        self.by_row.resize(rows * row_bytes, 0);
        if row_bytes == 0 {
            return;
        }
        let tile_rows = column::tile_rows(row_bytes);
        for (tile_number, tile) in self.by_row.chunks_mut(tile_rows * row_bytes).enumerate() {
            for (number, column) in self.layout.iter().enumerate() {
                let start = number * rows + tile_number * tile_rows;
                let values = self.by_column.get(start..(number + 1) * rows).unwrap_or_default();
                let offset = column.offset as usize;
                match column.width {
                    1 => column::scatter(tile, row_bytes, offset, values, |value| [value as u8]),
                    2 => column::scatter(tile, row_bytes, offset, values, |value| (value as u16).to_le_bytes()),
                    4 => column::scatter(tile, row_bytes, offset, values, |value| (value as u32).to_le_bytes()),
                    _ => column::scatter(tile, row_bytes, offset, values, u64::to_le_bytes),
                }
            }
        }
    }
}

/// Appends a section: a length and the bytes that `write` appends.
fn put_section(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let place = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    let length = (out.len() - place - 4) as u32;
    if let Some(room) = out.get_mut(place..place + 4) {
        room.copy_from_slice(&length.to_le_bytes());
    }
}
