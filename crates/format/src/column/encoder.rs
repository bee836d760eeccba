//! Encodes blocks.

use super::head::{self, index_bytes};
use super::plan::{Buffers, Planner, Sample};
use super::reference::{Candidate, References};
use super::runs::Runs;
use super::tiles::{changed_bytes, collect, tile_rows};
use super::word::Word;
use super::{Column, ColumnError, check_columns, check_shape};
use crate::pack::Packer;
use std::collections::HashMap;

/// The minimum number of rows for which a reference is searched.
const REFERENCE_ROWS: usize = 24;

/// A column that is not constant, with the position of its values in the arena of its word size.
#[derive(Debug, Clone, Copy)]
struct Varying {
    column: usize,
    start: usize,
}

/// The sections of the head under construction.
#[derive(Default)]
struct Sections {
    codings: Vec<u8>,
    others: Vec<u8>,
    values: Vec<u8>,
    lengths: Vec<u8>,
    crcs: Vec<u8>,
    raw: Vec<u8>,
}

impl Sections {
    fn clear(&mut self) {
        for section in [&mut self.codings, &mut self.others, &mut self.values, &mut self.lengths, &mut self.crcs] {
            section.clear();
        }
    }

    fn body(&mut self, bytes: &[u8]) {
        self.lengths.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
        self.crcs.extend_from_slice(&crc32c::crc32c(bytes).to_le_bytes());
    }

    fn other(&mut self, column: usize, columns: usize) {
        let bytes = (column as u32).to_le_bytes();
        self.others.extend(bytes.iter().take(index_bytes(columns)));
    }
}

/// Encodes blocks; keeps its buffers between calls.
#[derive(Default)]
pub struct BlockEncoder {
    planner: Planner,
    packer: Packer,
    references: References,
    narrow_buffers: Buffers<u32>,
    wide_buffers: Buffers<u64>,
    /// Bits that differ from the first row in at least one row.
    changed: Vec<u8>,
    varying: Vec<Varying>,
    narrow: Vec<u32>,
    wide: Vec<u64>,
    originals: HashMap<u64, Varying>,
    sections: Sections,
    bodies: Vec<u8>,
}

impl std::fmt::Debug for BlockEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockEncoder").finish_non_exhaustive()
    }
}

impl BlockEncoder {
    /// Creates an encoder without allocating anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the payload of a block to `out` and returns the length of its head.
    ///
    /// `columns` must cover the row in order of offset. `times` are nanoseconds since the first row: they start at 0
    /// and never decrease. `rows` holds the rows, back to back.
    pub fn encode(
        &mut self,
        columns: &[Column],
        row_bytes: usize,
        times: &[u64],
        rows: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<usize, ColumnError> {
        let count = times.len();
        check_shape(count, row_bytes)?;
        check_columns(columns, row_bytes)?;
        if rows.len() != count * row_bytes {
            return Err(ColumnError::WrongLength { what: "rows", expected: count * row_bytes, actual: rows.len() });
        }
        if times.first() != Some(&0) || !times.is_sorted() {
            return Err(ColumnError::Damaged { what: "order of times" });
        }
        self.sections.clear();
        self.bodies.clear();
        self.references.clear();
        self.originals.clear();
        self.planner.encode_integers_with(times, &mut self.wide_buffers, &mut self.bodies);
        self.sections.body(&self.bodies);
        self.find_varying(columns, row_bytes, rows, count);
        self.gather(columns, row_bytes, rows, count);
        let sample = Sample::of(count);
        for index in 0..self.varying.len() {
            let Some(&varying) = self.varying.get(index) else { break };
            let Some(column) = columns.get(varying.column) else { break };
            if column.is_wide() {
                self.encode_column::<u64>(varying, columns, &sample, count);
            } else {
                self.encode_column::<u32>(varying, columns, &sample, count);
            }
        }
        let before = out.len();
        self.write_head(out);
        let head = out.len() - before;
        out.extend_from_slice(&self.bodies);
        Ok(head)
    }

    /// Separates constant from varying columns; constants are written to the head right away.
    fn find_varying(&mut self, columns: &[Column], row_bytes: usize, rows: &[u8], count: usize) {
        let first = rows.get(..row_bytes).unwrap_or_default();
        changed_bytes(rows, row_bytes, &mut self.changed);
        self.varying.clear();
        let (mut narrow, mut wide) = (0, 0);
        for (index, column) in columns.iter().enumerate() {
            let range = column.range();
            let any = |bytes: &[u8]| bytes.get(range.clone()).unwrap_or_default().iter().any(|&byte| byte != 0);
            if any(&self.changed) {
                let used = if column.is_wide() { &mut wide } else { &mut narrow };
                self.varying.push(Varying { column: index, start: *used });
                *used += count;
                self.sections.codings.push(head::PREDICTED);
            } else if any(first) {
                self.sections.codings.push(head::CONSTANT);
                self.sections.values.extend_from_slice(first.get(range).unwrap_or_default());
            } else {
                self.sections.codings.push(head::ZERO);
            }
        }
        if self.narrow.len() < narrow {
            self.narrow.resize(narrow, 0);
        }
        if self.wide.len() < wide {
            self.wide.resize(wide, 0);
        }
    }

    /// Copies the values of varying columns out of the rows, tile by tile.
    fn gather(&mut self, columns: &[Column], row_bytes: usize, rows: &[u8], count: usize) {
        let tile_rows = tile_rows(row_bytes);
        for (index, tile) in rows.chunks(tile_rows * row_bytes).enumerate() {
            for varying in &self.varying {
                let Some(column) = columns.get(varying.column) else { continue };
                let range = varying.start + index * tile_rows..varying.start + count;
                let offset = column.offset as usize;
                let narrow = self.narrow.get_mut(range.clone()).unwrap_or_default();
                match column.width {
                    1 => collect(tile, row_bytes, offset, narrow, |[byte]: [u8; 1]| u32::from(byte)),
                    2 => collect(tile, row_bytes, offset, narrow, |bytes| u32::from(u16::from_le_bytes(bytes))),
                    4 => collect(tile, row_bytes, offset, narrow, u32::from_le_bytes),
                    _ => {
                        let wide = self.wide.get_mut(range).unwrap_or_default();
                        collect(tile, row_bytes, offset, wide, u64::from_le_bytes);
                    }
                }
            }
        }
    }

    fn encode_column<W: Size>(&mut self, varying: Varying, columns: &[Column], sample: &Sample, count: usize) {
        let Some(column) = columns.get(varying.column) else { return };
        let (values, buffers) = W::of(&self.narrow, &self.wide, &mut self.narrow_buffers, &mut self.wide_buffers);
        let all = values;
        let values = all.get(varying.start..varying.start + count).unwrap_or_default();
        let set = |codings: &mut Vec<u8>, coding: u8| {
            if let Some(place) = codings.get_mut(varying.column) {
                *place = coding;
            }
        };
        // Detects a copy of an earlier column: looked up by a hash of a few values, then compared in full.
        sample.take(values, &mut buffers.sample);
        let key = buffers.sample.iter().step_by(7).fold(u64::from(column.width), |key, v| {
            (key ^ v.to_u64()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        });
        let original = *self.originals.entry(key).or_insert(varying);
        if original.column != varying.column
            && columns.get(original.column).is_some_and(|other| other.width == column.width)
            && all.get(original.start..original.start + count) == Some(values)
        {
            set(&mut self.sections.codings, head::COPY);
            self.sections.other(original.column, columns.len());
            return;
        }
        let start = self.bodies.len();
        let bits = u32::from(column.width) * 8;
        let unused = W::BITS - bits;
        let mut plan = self.planner.plan(sample, values, column.is_float(), unused, buffers);
        let runs = Runs::measure(values, bits, count / 4);
        if let Some(runs) = runs.filter(|runs| (runs.bits as f32) < plan.price * count as f32 + 120.0) {
            runs.write(values, bits, &mut self.bodies);
            set(&mut self.sections.codings, head::RUNS);
            self.sections.body(self.bodies.get(start..).unwrap_or_default());
            return;
        }
        let mut reference = None;
        if column.is_float() && count >= REFERENCE_ROWS {
            let me = Candidate { column: varying.column, start: varying.start, wide: column.is_wide() };
            if let Some((better, candidate)) = self.references.improve(&self.planner, sample, plan, me, count, buffers)
            {
                plan = better;
                reference = Some(candidate);
            }
        }
        match reference {
            None => self.planner.write(plan, values, std::iter::empty(), unused, buffers, &mut self.bodies),
            Some(other) => {
                let range = other.start..other.start + count;
                let (narrow, wide) = (self.narrow.get(range.clone()), self.wide.get(range));
                if other.wide {
                    let floats = wide.unwrap_or_default().iter().map(|v| v.to_reference());
                    self.planner.write(plan, values, floats, unused, buffers, &mut self.bodies);
                } else {
                    let floats = narrow.unwrap_or_default().iter().map(|v| v.to_reference());
                    self.planner.write(plan, values, floats, unused, buffers, &mut self.bodies);
                }
                let offset = if plan.line.is_some_and(|line| line.offset != 0.0) { head::OFFSET } else { 0 };
                let slope = if plan.line.is_some_and(|line| line.slope) { head::SLOPE } else { 0 };
                set(&mut self.sections.codings, head::SCALED + offset + slope);
                self.sections.other(other.column, columns.len());
            }
        }
        self.sections.body(self.bodies.get(start..).unwrap_or_default());
    }

    fn write_head(&mut self, out: &mut Vec<u8>) {
        let Sections { codings, others, values, lengths, crcs, raw } = &mut self.sections;
        let (times_length, lengths) = lengths.split_at_checked(2).unwrap_or_default();
        let (times_crc, crcs) = crcs.split_at_checked(4).unwrap_or_default();
        raw.clear();
        for section in [times_length, times_crc, codings, others, values, lengths, crcs] {
            raw.extend_from_slice(section);
        }
        self.packer.pack(raw, out);
    }
}

/// Selects the arena and the buffers for a word size.
trait Size: Word {
    fn of<'a>(
        narrow: &'a [u32],
        wide: &'a [u64],
        narrow_buffers: &'a mut Buffers<u32>,
        wide_buffers: &'a mut Buffers<u64>,
    ) -> (&'a [Self], &'a mut Buffers<Self>);
}

impl Size for u32 {
    fn of<'a>(
        narrow: &'a [u32],
        _: &'a [u64],
        narrow_buffers: &'a mut Buffers<u32>,
        _: &'a mut Buffers<u64>,
    ) -> (&'a [Self], &'a mut Buffers<Self>) {
        (narrow, narrow_buffers)
    }
}

impl Size for u64 {
    fn of<'a>(
        _: &'a [u32],
        wide: &'a [u64],
        _: &'a mut Buffers<u32>,
        wide_buffers: &'a mut Buffers<u64>,
    ) -> (&'a [Self], &'a mut Buffers<Self>) {
        (wide, wide_buffers)
    }
}
