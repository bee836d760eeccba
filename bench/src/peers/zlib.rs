//! ksana: a 72-byte header, then each frame as a separate zlib stream (level 6, pure Rust) with a 12-byte header. Times
//! are not stored. One file per stream.
//!
//! ```text
//! frame: i32 12 | u32 compressed bytes | u32 raw bytes | zlib stream
//! ```

use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::{Peer, create, open, stream_path};
use crate::data::bytes::{f32_at, u32_at};
use crate::data::{DataSet, Frames, Shape, StreamFrames};

const HEADER_BYTES: usize = 72;
const FRAME_HEAD_BYTES: u32 = 12;

/// The ksana format.
pub(super) struct KsanaZlib;

fn header() -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    let known = b"RECROCKS\x02\0\0\0\x3C\0\0\0acsa\x02\0\0\0";
    header.iter_mut().zip(known).for_each(|(to, from)| *to = *from);
    header
}

/// Input is a zlib stream, its checksum is verified, and the output buffer holds all of it.
const INFLATE_FLAGS: u32 =
    inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;

/// Level 6, with zlib header and checksum.
fn compressor() -> CompressorOxide {
    CompressorOxide::new(create_comp_flags_from_zip_params(6, 1, 0))
}

/// Compresses a frame as a separate zlib stream.
fn pack(deflate: &mut CompressorOxide, row: &[u8], packed: &mut Vec<u8>) -> Result<()> {
    deflate.reset();
    // Enough space for incompressible data: 5 bytes for each stored block, header and checksum.
    packed.resize(row.len() + row.len() / 1024 + 128, 0);
    let (status, _, made) = compress(deflate, row, packed, TDEFLFlush::Finish);
    ensure!(status == TDEFLStatus::Done, "a compressed frame does not fit into its buffer");
    packed.truncate(made);
    Ok(())
}

/// Calls `take` with each frame.
fn for_each(path: &Path, row_bytes: usize, mut take: impl FnMut(&[u8])) -> Result<()> {
    let mut file = BufReader::new(open(path)?);
    let mut head = [0; HEADER_BYTES];
    file.read_exact(&mut head)?;
    ensure!(head == header(), "unexpected file header");
    let mut inflate = DecompressorOxide::new();
    let mut packed = Vec::new();
    let mut row = vec![0; row_bytes];
    loop {
        let mut head = [0; FRAME_HEAD_BYTES as usize];
        match file.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            other => other?,
        }
        ensure!(u32_at(&head, 8) as usize == row_bytes, "a frame has an unexpected size");
        packed.resize(u32_at(&head, 4) as usize, 0);
        file.read_exact(&mut packed)?;
        inflate.init();
        let (status, _, made) = decompress(&mut inflate, &packed, &mut row, 0, INFLATE_FLAGS);
        ensure!(status == TINFLStatus::Done && made == row_bytes, "a frame is truncated");
        take(&row);
    }
}

impl Peer for KsanaZlib {
    fn name(&self) -> &'static str {
        "ksana-zlib"
    }

    fn time_unit_ns(&self) -> Option<u64> {
        None
    }

    fn write(&self, set: &DataSet, directory: &Path) -> Result<()> {
        for (number, (shape, frames)) in set.shape.streams.iter().zip(&set.frames).enumerate() {
            let mut file = BufWriter::new(create(&stream_path(directory, number))?);
            file.write_all(&header())?;
            let mut deflate = compressor();
            let mut packed = Vec::new();
            for row in frames.rows.chunks_exact(shape.row_bytes) {
                pack(&mut deflate, row, &mut packed)?;
                file.write_all(&FRAME_HEAD_BYTES.to_le_bytes())?;
                file.write_all(&u32::try_from(packed.len())?.to_le_bytes())?;
                file.write_all(&u32::try_from(row.len())?.to_le_bytes())?;
                file.write_all(&packed)?;
            }
            file.flush()?;
        }
        Ok(())
    }

    fn read(&self, shape: &Shape, directory: &Path) -> Result<Frames> {
        let mut streams = Frames::new();
        for (number, stream) in shape.streams.iter().enumerate() {
            let mut rows = Vec::new();
            for_each(&stream_path(directory, number), stream.row_bytes, |row| rows.extend_from_slice(row))?;
            streams.push(StreamFrames { rows, times_ns: Vec::new() });
        }
        Ok(streams)
    }

    fn read_channel(&self, shape: &Shape, directory: &Path) -> Result<Vec<f32>> {
        let channel = shape.channel;
        let row_bytes = shape.streams.get(channel.stream).context("no such stream")?.row_bytes;
        let mut values = Vec::new();
        let path = stream_path(directory, channel.stream);
        for_each(&path, row_bytes, |row| values.push(f32_at(row, channel.offset)))?;
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks for the bytes of the pure Rust compressor, whatever backend the rest of the workspace chooses for flate2.
    #[test]
    fn frames_are_packed_by_miniz_oxide() {
        let row: Vec<u8> = (0..4000u32).flat_map(|i| (i.wrapping_mul(i) % 251).to_le_bytes()).collect();
        let (mut deflate, mut packed) = (compressor(), Vec::new());
        for _ in 0..2 {
            pack(&mut deflate, &row, &mut packed).unwrap();
            assert_eq!(packed, miniz_oxide::deflate::compress_to_vec_zlib(&row, 6));
        }
        let noise: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        pack(&mut deflate, &noise, &mut packed).unwrap();
        assert_eq!(packed, miniz_oxide::deflate::compress_to_vec_zlib(&noise, 6));
        assert!(!include_str!("../../Cargo.toml").lines().any(|line| line.starts_with("flate2")));
    }
}
