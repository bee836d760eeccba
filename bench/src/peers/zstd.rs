//! A single zstd stream at level 3 over records with a 12-byte header (time and size): what a general-purpose
//! compressor achieves without knowing the layout. One file per stream. Times are stored in units of 100 ns.

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};

use super::{Peer, create, open, record, stream_path};
use crate::data::{DataSet, Frames, Shape};

const LEVEL: i32 = 3;

/// A single zstd stream at level 3.
pub(super) struct Zstd3Stream;

fn reader(path: &Path) -> Result<impl Read> {
    // Every read from the decoder is a call into C. A buffer reduces that to one per 64 KiB.
    Ok(BufReader::with_capacity(1 << 16, zstd::Decoder::new(open(path)?)?))
}

impl Peer for Zstd3Stream {
    fn name(&self) -> &'static str {
        "zstd3-stream"
    }

    fn time_unit_ns(&self) -> Option<u64> {
        Some(record::TICK_NS)
    }

    fn write(&self, set: &DataSet, directory: &Path) -> Result<()> {
        for (number, (shape, frames)) in set.shape.streams.iter().zip(&set.frames).enumerate() {
            let file = BufWriter::new(create(&stream_path(directory, number))?);
            let mut encoder = BufWriter::with_capacity(1 << 16, zstd::Encoder::new(file, LEVEL)?);
            record::write_all(frames, shape.row_bytes, &mut encoder)?;
            let encoder = encoder.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            encoder.finish()?.flush()?;
        }
        Ok(())
    }

    fn read(&self, shape: &Shape, directory: &Path) -> Result<Frames> {
        let read = |(number, stream): (usize, &crate::data::StreamShape)| {
            record::read_all(reader(&stream_path(directory, number))?, stream.row_bytes)
        };
        shape.streams.iter().enumerate().map(read).collect()
    }

    fn read_channel(&self, shape: &Shape, directory: &Path) -> Result<Vec<f32>> {
        let channel = shape.channel;
        let row_bytes = shape.streams.get(channel.stream).context("no such stream")?.row_bytes;
        record::read_channel(reader(&stream_path(directory, channel.stream))?, row_bytes, channel.offset)
    }
}
