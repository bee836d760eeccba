//! Measures the compression and speed of column coding on real frames; every block is decoded and compared.
//!
//! ```text
//! column_sizes FILE.ibt [BLOCK_ROWS]
//! column_sizes FILE ROW_BYTES LAYOUT [BLOCK_ROWS]
//! ```
//!
//! `LAYOUT` is a text file with one column per line: offset, width, `f` or `i`; or the word `f32`. The environment
//! variable `JITTER_NS` adds that much noise to the times, which are 60 Hz otherwise; `PER_COLUMN` lists the columns.
#![allow(clippy::print_stdout)]

use gametape_format::column::{BlockDecoder, BlockEncoder, BlockHead, Column, check_columns, decode_times};
use std::error::Error;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Frames {
    columns: Vec<Column>,
    row_bytes: usize,
    rows: Vec<u8>,
}

fn i32_at(data: &[u8], at: usize) -> Result<i32> {
    let bytes = data.get(at..).and_then(|rest| rest.first_chunk::<4>()).ok_or("file ends early")?;
    Ok(i32::from_le_bytes(*bytes))
}

fn read_ibt(data: &[u8]) -> Result<Frames> {
    let at = |offset| i32_at(data, offset).and_then(|value| Ok(usize::try_from(value)?));
    let (count, table, row_bytes, start) = (at(24)?, at(28)?, at(36)?, at(52)?);
    let mut columns = Vec::new();
    for variable in 0..count {
        let entry = table + variable * 144;
        let (kind, offset, length) = (at(entry)?, at(entry + 4)?, at(entry + 8)?);
        let width: u8 = *[1, 1, 4, 4, 4, 8].get(kind).ok_or("unknown variable type")?;
        for element in 0..length {
            let offset = u32::try_from(offset + element * usize::from(width))?;
            columns.push(Column { offset, width, float: kind >= 4 });
        }
    }
    let rows = data.get(start..).ok_or("file ends early")?;
    Ok(Frames { columns: without_gaps(columns, row_bytes)?, row_bytes, rows: rows.to_vec() })
}

/// Adds byte columns for the bytes that no column covers.
fn without_gaps(mut named: Vec<Column>, row_bytes: usize) -> Result<Vec<Column>> {
    named.sort_by_key(|column| column.offset);
    let mut columns = Vec::new();
    let mut at = 0;
    for column in named {
        columns.extend((at..column.offset).map(|offset| Column { offset, width: 1, float: false }));
        at = column.offset + u32::from(column.width);
        columns.push(column);
    }
    columns.extend((at..u32::try_from(row_bytes)?).map(|offset| Column { offset, width: 1, float: false }));
    check_columns(&columns, row_bytes)?;
    Ok(columns)
}

fn read_layout(path: &str, row_bytes: usize) -> Result<Vec<Column>> {
    if path == "f32" {
        let offsets = (0..u32::try_from(row_bytes / 4)?).map(|i| i * 4);
        return without_gaps(offsets.map(|offset| Column { offset, width: 4, float: true }).collect(), row_bytes);
    }
    let mut columns = Vec::new();
    for line in std::fs::read_to_string(path)?.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let mut word = || words.next().ok_or("a line needs offset, width and type");
        columns.push(Column { offset: word()?.parse()?, width: word()?.parse()?, float: word()? == "f" });
    }
    without_gaps(columns, row_bytes)
}

struct Block {
    payload: Vec<u8>,
    head: usize,
    rows: usize,
}

fn best_of<T>(times: usize, mut f: impl FnMut() -> Result<T>) -> Result<(f64, T)> {
    let mut best = f64::INFINITY;
    let mut last = None;
    for _ in 0..times {
        let start = Instant::now();
        last = Some(f()?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok((best, last.ok_or("nothing measured")?))
}

fn times(rows: usize, jitter: u64) -> Vec<u64> {
    let mut noise = 1u64;
    let mut next = || {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (noise >> 33) % jitter.max(1)
    };
    (0..rows as u64).map(|row| if row == 0 { 0 } else { row * 16_666_667 + next() }).collect()
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let jitter = std::env::var("JITTER_NS").ok().and_then(|value| value.parse().ok()).unwrap_or(0);
    let path = args.first().ok_or("missing argument: FILE")?;
    let data = std::fs::read(path)?;
    let (mut frames, block_rows) = if path.ends_with(".ibt") {
        (read_ibt(&data)?, args.get(1))
    } else {
        let row_bytes = args.get(1).ok_or("missing argument: ROW_BYTES")?.parse()?;
        let columns = read_layout(args.get(2).ok_or("missing argument: LAYOUT")?, row_bytes)?;
        (Frames { columns, row_bytes, rows: data }, args.get(3))
    };
    let block_rows: usize = block_rows.map_or(Ok(1024), |rows| rows.parse())?;
    frames.rows.truncate(frames.rows.len() / frames.row_bytes * frames.row_bytes);
    let Frames { columns, row_bytes, rows } = &frames;
    let raw = rows.len() as f64;
    let chunks: Vec<&[u8]> = rows.chunks(block_rows * row_bytes).collect();
    let times = times(block_rows, jitter);

    let mut encoder = BlockEncoder::new();
    let (encode_s, blocks) = best_of(7, || {
        let mut blocks = Vec::new();
        for chunk in &chunks {
            let rows = chunk.len() / row_bytes;
            let mut payload = Vec::with_capacity(chunk.len() / 2);
            let head = encoder.encode(columns, *row_bytes, &times[..rows], chunk, &mut payload)?;
            blocks.push(Block { payload, head, rows });
        }
        Ok(blocks)
    })?;

    let parse =
        |block: &Block| BlockHead::parse(&block.payload[..block.head], columns, block.rows, block.payload.len());
    let mut decoder = BlockDecoder::new();
    let mut out = vec![0; block_rows * row_bytes];
    let (decode_s, ()) = best_of(15, || {
        for block in &blocks {
            let out = out.get_mut(..block.rows * row_bytes).ok_or("room")?;
            decoder.decode_rows(&parse(block)?, columns, *row_bytes, &block.payload, out)?;
        }
        Ok(())
    })?;
    for (block, chunk) in blocks.iter().zip(&chunks) {
        let out = out.get_mut(..block.rows * row_bytes).ok_or("room")?;
        let head = parse(block)?;
        decoder.decode_rows(&head, columns, *row_bytes, &block.payload, out)?;
        let mut decoded = Vec::new();
        decode_times(&head, &block.payload[head.times_range()], &mut decoded)?;
        if out != *chunk || decoded != times[..block.rows] {
            return Err("decoded rows differ".into());
        }
    }

    let first = parse(blocks.first().ok_or("no rows")?)?;
    let varying: Vec<usize> = (0..columns.len()).filter(|&column| first.constant(column).is_none()).collect();
    // At most 64 columns, spread evenly, are measured individually.
    let alone: Vec<usize> = varying.iter().copied().step_by(varying.len().div_ceil(64).max(1)).collect();
    let (mut values, mut other) = (Vec::new(), Vec::new());
    let (column_s, ()) = best_of(3, || {
        for &column in &alone {
            for block in &blocks {
                let head = parse(block)?;
                values.clear();
                other.clear();
                let body = &block.payload[head.body_range(column)];
                let reference = head.reference(column);
                if let Some(index) = reference {
                    let body = &block.payload[head.body_range(index)];
                    decoder.decode_column(&head, columns, index, body, None, &mut other)?;
                }
                let reference = reference.map(|_| other.as_slice());
                decoder.decode_column(&head, columns, column, body, reference, &mut values)?;
            }
        }
        Ok(())
    })?;
    let column_s = column_s / alone.len().max(1) as f64;

    if std::env::var_os("PER_COLUMN").is_some() {
        for (index, column) in columns.iter().enumerate() {
            let mut bytes = 0;
            let mut references = Vec::new();
            for block in &blocks {
                let head = parse(block)?;
                bytes += head.body_range(index).len();
                references.push(head.reference(index).map_or(-1, |other| other as i64));
            }
            if bytes > 0 {
                let bits = bytes as f64 * 8.0 / (rows.len() / row_bytes) as f64;
                println!(
                    "column {index} at {} width {}: {bits:.2} bits per row, {references:?}",
                    column.offset, column.width
                );
            }
        }
    }
    let stored: usize = blocks.iter().map(|block| block.payload.len()).sum();
    let heads: usize = blocks.iter().map(|block| block.head).sum();
    println!(
        "{} rows x {row_bytes} B, {} columns ({} vary in the first block), blocks of {block_rows}",
        rows.len() / row_bytes,
        columns.len(),
        varying.len()
    );
    println!("stored {stored} B (heads {heads}), ratio {:.3}", raw / stored as f64);
    println!(
        "encode {:.0} MB/s, decode rows {:.0} MB/s, one column {:.0} MB/s of raw bytes ({:.1} us per block)",
        raw / encode_s / 1e6,
        raw / decode_s / 1e6,
        raw / column_s / 1e6,
        column_s / blocks.len() as f64 * 1e6
    );
    Ok(())
}
