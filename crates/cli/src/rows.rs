//! Formats blocks of channel values as rows of text: CSV or JSON lines.
//!
//! Most values of a car do not change from tick to tick, so the text of each value is cached and formatted again only when the
//! value changes. Nothing is allocated per value.

use std::io::{self, Write};
use std::ops::Range;

pub(crate) use gametape::export::{write_csv as write_csv_text, write_json as write_json_text};
use gametape::format::ChannelType;
use gametape::format::read::{ChannelBlock, Values};
use gametape::games::windows_1252_text;

/// The format of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFormat {
    /// A table with a header line; arrays take a column for each element.
    Csv,
    /// One object per row; arrays are arrays.
    Jsonl,
}

/// A chosen channel.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// As requested: `speedKmh`, `tyreWear`, `tyreWear[2]`.
    pub(crate) name: String,
    pub(crate) kind: ChannelType,
    /// Values per row.
    pub(crate) count: usize,
}

impl Column {
    fn is_text(&self) -> bool {
        matches!(self.kind, ChannelType::Char | ChannelType::Char16)
    }

    /// Returns the number of cells in a row. Text is one cell, whatever its length.
    fn cells(&self) -> usize {
        if self.is_text() { 1 } else { self.count }
    }
}

/// A writer of rows.
pub(crate) struct RowText {
    format: RowFormat,
    columns: Vec<Column>,
    /// The text before the value of each column.
    keys: Vec<Vec<u8>>,
    /// Text of each cell in the previous row.
    cells: Vec<Vec<u8>>,
    line: Vec<u8>,
}

impl RowText {
    /// A writer for rows of these columns.
    pub(crate) fn new(format: RowFormat, columns: Vec<Column>) -> Self {
        let key = |column: &Column| match format {
            RowFormat::Csv => b",".to_vec(),
            RowFormat::Jsonl => {
                let mut key = b",".to_vec();
                write_json_text(&mut key, &column.name);
                key.push(b':');
                key
            }
        };
        let cells = columns.iter().map(Column::cells).sum();
        let keys = columns.iter().map(key).collect();
        Self { format, columns, keys, cells: vec![Vec::new(); cells], line: Vec::new() }
    }

    /// Writes the header line, if the format has one.
    pub(crate) fn write_header(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.format == RowFormat::Jsonl {
            return Ok(());
        }
        let mut line = b"time_ns".to_vec();
        for column in &self.columns {
            for cell in 0..column.cells() {
                line.push(b',');
                match column.cells() {
                    1 => write_csv_text(&mut line, &column.name),
                    _ => write_csv_text(&mut line, &format!("{}[{cell}]", column.name)),
                }
            }
        }
        line.push(b'\n');
        out.write_all(&line)
    }

    /// Writes a range of rows of a block.
    pub(crate) fn write_rows(
        &mut self,
        block: &ChannelBlock,
        rows: Range<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let first = rows.start;
        for row in rows {
            self.update_cells(block, row, row == first);
            self.line.clear();
            let time = block.times.get(row).copied().unwrap_or_default();
            match self.format {
                RowFormat::Csv => write!(self.line, "{time}")?,
                RowFormat::Jsonl => write!(self.line, "{{\"time_ns\":{time}")?,
            }
            self.join_cells();
            out.write_all(&self.line)?;
        }
        Ok(())
    }

    /// Formats the cells that differ from the previous row.
    fn update_cells(&mut self, block: &ChannelBlock, row: usize, all: bool) {
        let mut cells = self.cells.iter_mut();
        for (column, values) in self.columns.iter().zip(&block.values) {
            let start = row * column.count;
            for (number, cell) in cells.by_ref().take(column.cells()).enumerate() {
                let range =
                    if column.is_text() { start..start + column.count } else { start + number..start + number + 1 };
                if !all && same_as_row_before(values, &range, column.count) {
                    continue;
                }
                cell.clear();
                match column.is_text() {
                    true => write_text(cell, values, range, self.format),
                    false => write_value(cell, values, range.start, self.format),
                }
            }
        }
    }

    fn join_cells(&mut self) {
        let mut cells = self.cells.iter();
        for (column, key) in self.columns.iter().zip(&self.keys) {
            self.line.extend_from_slice(key);
            let array = self.format == RowFormat::Jsonl && column.cells() > 1;
            if array {
                self.line.push(b'[');
            }
            for (number, cell) in cells.by_ref().take(column.cells()).enumerate() {
                if number > 0 {
                    self.line.push(b',');
                }
                self.line.extend_from_slice(cell);
            }
            if array {
                self.line.push(b']');
            }
        }
        self.line.extend_from_slice(match self.format {
            RowFormat::Csv => b"\n",
            RowFormat::Jsonl => b"}\n",
        });
    }
}

/// Whether the values are bit-identical to those of the previous row.
fn same_as_row_before(values: &Values, range: &Range<usize>, stride: usize) -> bool {
    fn same<T, B: PartialEq>(values: &[T], range: &Range<usize>, stride: usize, bits: impl Fn(&T) -> B) -> bool {
        let Some(before) = range.start.checked_sub(stride) else { return false };
        let (now, before) = (values.get(range.clone()), values.get(before..range.end - stride));
        match now.zip(before) {
            Some((now, before)) => now.iter().map(&bits).eq(before.iter().map(&bits)),
            None => false,
        }
    }
    match values {
        Values::U8(values) => same(values, range, stride, |v| *v),
        Values::I8(values) => same(values, range, stride, |v| *v),
        Values::U16(values) => same(values, range, stride, |v| *v),
        Values::I16(values) => same(values, range, stride, |v| *v),
        Values::U32(values) => same(values, range, stride, |v| *v),
        Values::I32(values) => same(values, range, stride, |v| *v),
        Values::U64(values) => same(values, range, stride, |v| *v),
        Values::I64(values) => same(values, range, stride, |v| *v),
        Values::F32(values) => same(values, range, stride, |v| v.to_bits()),
        Values::F64(values) => same(values, range, stride, |v| v.to_bits()),
        Values::Bool(values) => same(values, range, stride, |v| *v),
    }
}

/// Writes a number exactly: parsing it gives the same bits. A missing value is empty or `null`, and so is a number that JSON
/// cannot represent.
fn write_value(out: &mut Vec<u8>, values: &Values, index: usize, format: RowFormat) {
    let json = format == RowFormat::Jsonl;
    if json && values.as_f64(index).is_none_or(|value| !value.is_finite()) {
        out.extend_from_slice(b"null");
        return;
    }
    // Writing to memory cannot fail.
    let _ = match values {
        Values::U8(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::I8(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::U16(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::I16(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::U32(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::I32(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::U64(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::I64(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::F32(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::F64(values) => values.get(index).map(|v| write!(out, "{v}")),
        Values::Bool(values) => values.get(index).map(|v| write!(out, "{v}")),
    };
}

/// Writes text up to the first NUL.
fn write_text(out: &mut Vec<u8>, values: &Values, range: Range<usize>, format: RowFormat) {
    let text = match values {
        Values::U8(values) => values.get(range).map(|bytes| {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            windows_1252_text(bytes.get(..end).unwrap_or_default())
        }),
        Values::U16(values) => values.get(range).map(|units| {
            let units = units.iter().copied().take_while(|unit| *unit != 0);
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }),
        _ => None,
    };
    match (text, format) {
        (Some(text), RowFormat::Csv) => write_csv_text(out, &text),
        (Some(text), RowFormat::Jsonl) => write_json_text(out, &text),
        (None, RowFormat::Csv) => {}
        (None, RowFormat::Jsonl) => out.extend_from_slice(b"null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: ChannelType, count: usize) -> Column {
        Column { name: name.into(), kind, count }
    }

    fn block(values: Vec<Values>) -> ChannelBlock {
        ChannelBlock { first_seq: 0, times: vec![5, 10, 15], values }
    }

    fn text(format: RowFormat, columns: Vec<Column>, values: Vec<Values>) -> String {
        let mut out = Vec::new();
        let mut rows = RowText::new(format, columns);
        rows.write_header(&mut out).unwrap();
        rows.write_rows(&block(values), 0..3, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn some_of_everything() -> (Vec<Column>, Vec<Values>) {
        let columns = vec![
            column("speed, wind", ChannelType::F32, 1),
            column("tyre", ChannelType::I8, 2),
            column("name", ChannelType::Char16, 3),
            column("on", ChannelType::Bool, 1),
        ];
        let values = vec![
            Values::F32(vec![0.1, 0.1, f32::NAN]),
            Values::I8(vec![1, 2, 1, -3, 1, -3]),
            Values::U16(vec![0x41, 0, 0x42, 0x41, 0x22, 0, 0x41, 0x2C, 0xE9]),
            Values::Bool(vec![true, true, false]),
        ];
        (columns, values)
    }

    #[test]
    fn csv_has_a_column_for_each_element_and_quotes_only_where_needed() {
        let (columns, values) = some_of_everything();
        let expected = "time_ns,\"speed, wind\",tyre[0],tyre[1],name,on\n5,0.1,1,2,A,true\n10,0.1,1,-3,\"A\"\"\",true\n15,NaN,1,-3,\"A,é\",false\n";
        assert_eq!(text(RowFormat::Csv, columns, values), expected);
    }

    #[test]
    fn json_lines_have_arrays_and_null_for_what_is_no_number() {
        let (columns, values) = some_of_everything();
        let lines = text(RowFormat::Jsonl, columns, values);
        let parsed: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(
            parsed[1],
            serde_json::json!({"time_ns": 10, "speed, wind": 0.1, "tyre": [1, -3], "name": "A\"", "on": true})
        );
        assert!(parsed[2]["speed, wind"].is_null());
    }

    #[test]
    fn rows_of_another_size_have_empty_cells() {
        let columns = vec![column("speed", ChannelType::F32, 1), column("name", ChannelType::Char, 4)];
        let none = || vec![Values::F32(vec![]), Values::U8(vec![])];
        assert_eq!(text(RowFormat::Csv, columns.clone(), none()), "time_ns,speed,name\n5,,\n10,,\n15,,\n");
        assert!(text(RowFormat::Jsonl, columns, none()).starts_with("{\"time_ns\":5,\"speed\":null,\"name\":null}\n"));
    }

    #[test]
    fn numbers_come_back_to_the_bit() {
        for value in [f32::MIN_POSITIVE, f32::MAX, -0.0, 1.0 / 3.0, f32::from_bits(1)] {
            let values = Values::F32(vec![value]);
            let mut out = Vec::new();
            write_value(&mut out, &values, 0, RowFormat::Csv);
            let back: f32 = String::from_utf8(out).unwrap().parse().unwrap();
            assert_eq!(back.to_bits(), value.to_bits());
        }
    }
}
