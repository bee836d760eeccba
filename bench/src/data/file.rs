//! Loads any file of fixed-size frames as a data set.
//!
//! Layout text: one field per line, `OFFSET WIDTH f|i`, offsets and widths in bytes; empty lines and lines that begin
//! with `#` are skipped. Without a layout a frame consists of 4-byte integers.

use anyhow::{Context, Result, bail, ensure};

use super::{DataSet, Field, StreamShape, liveliest_float};

/// Sorts fields and rejects those that overlap, extend past the frame or have an unsupported width.
pub(crate) fn checked(mut fields: Vec<Field>, row_bytes: usize) -> Result<Vec<Field>> {
    fields.sort_by_key(|field| field.offset);
    let mut free_from = 0;
    for field in &fields {
        let Field { name, offset, width, float, count } = field;
        ensure!(matches!(width, 1 | 2 | 4 | 8), "field {name}: unsupported width of {width} bytes");
        ensure!(!float || *width >= 4, "field {name}: unsupported float of {width} bytes");
        ensure!(*offset >= free_from, "field {name} at {offset} overlaps the previous one");
        let end = width.checked_mul(*count).and_then(|bytes| bytes.checked_add(*offset));
        free_from = end.with_context(|| format!("field {name}: too large"))?;
        ensure!(free_from <= row_bytes, "field {name} ends at {free_from}, after the frame of {row_bytes} bytes");
    }
    Ok(fields)
}

/// Parses layout text.
pub(crate) fn parse_layout(text: &str, row_bytes: usize) -> Result<Vec<Field>> {
    let mut fields = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(offset), Some(width), Some(kind), 3) = (words.first(), words.get(1), words.get(2), words.len())
        else {
            bail!("layout line {}: expected `OFFSET WIDTH f|i`, found `{line}`", number + 1);
        };
        let whole = |word: &str| word.parse().with_context(|| format!("layout line {}: `{word}`", number + 1));
        let float = match *kind {
            "f" => true,
            "i" => false,
            other => bail!("layout line {}: expected f or i, found `{other}`", number + 1),
        };
        fields.push(Field::new(format!("at_{offset}"), whole(offset)?, whole(width)?, float, 1));
    }
    checked(fields, row_bytes)
}

/// Returns frames of `row_bytes` from `offset` to the end of the file; a partial frame at the end is left out.
pub(crate) fn parse(
    name: &str,
    data: &[u8],
    offset: usize,
    row_bytes: usize,
    layout: Option<&str>,
    hz: u64,
) -> Result<DataSet> {
    ensure!(row_bytes > 0, "the frame size must not be 0");
    let body = data.get(offset..).context("the offset is past the end of the file")?;
    let rows = body.get(..body.len() / row_bytes * row_bytes).unwrap_or_default().to_vec();
    ensure!(!rows.is_empty(), "the file holds no whole frame of {row_bytes} bytes");
    let fields = match layout {
        Some(text) => parse_layout(text, row_bytes)?,
        None => vec![Field::new("words", 0, 4, false, row_bytes / 4)],
    };
    let stream = StreamShape { name: "frames".into(), row_bytes, fields };
    let first_word = || stream.columns().into_iter().find(|column| column.width == 4).map(|column| column.offset);
    let channel = liveliest_float(&stream, &rows).or_else(first_word);
    let channel = channel.context("the layout has no 4-byte column for the one-channel test")?;
    Ok(DataSet::of_one_stream(name, stream, channel, rows, hz))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_sorted_and_typed() {
        let fields = parse_layout("# two columns\n4 4 f\n\n0 2 i\n", 8).unwrap();
        assert_eq!(fields, [Field::new("at_0", 0, 2, false, 1), Field::new("at_4", 4, 4, true, 1)]);
    }

    #[test]
    fn bad_layouts_name_their_line_or_field() {
        for (text, word) in [
            ("0 4", "line 1"),
            ("0 4 f\n4 4 x", "line 2"),
            ("a 4 f", "line 1"),
            ("0 3 i", "width of 3"),
            ("0 2 f", "float of 2"),
            ("0 4 f\n2 4 f", "overlaps"),
            ("6 4 f", "after the frame"),
        ] {
            let error = format!("{:#}", parse_layout(text, 8).unwrap_err());
            assert!(error.contains(word), "{text:?} gave {error:?}");
        }
    }

    #[test]
    fn without_a_layout_frames_are_words() {
        let set = parse("x", &[7; 21], 1, 6, None, 60).unwrap();
        assert_eq!(set.frames[0].rows.len(), 18);
        assert_eq!(set.shape.streams[0].columns().len(), 3);
    }
}
