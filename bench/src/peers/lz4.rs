//! GamesDat: a short header, then one LZ4 frame of linked 64 KiB blocks without checksums, which holds records with a
//! 12-byte header. One file per stream. Times are stored in units of 100 ns.

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use lz4_flex::frame::{BlockMode, BlockSize, FrameDecoder, FrameEncoder, FrameInfo};

use super::{Peer, create, open, record, stream_path};
use crate::data::{DataSet, Frames, Shape};

const GAME: &str = "ACC";
/// As long as the type names that GamesDat writes.
const TYPE_NAME: &str = "GamesDat.Core.Telemetry.Sources.AssettoCorsa.ACCPhysics, GamesDat.Core, Version=1.0.0.0, \
                         Culture=neutral, PublicKeyToken=null";

/// The GamesDat format.
pub(super) struct GamesDatLz4;

/// Magic, version, game id, type name, data version, struct size, 16 reserved bytes.
fn header(row_bytes: usize) -> Result<Vec<u8>> {
    let mut header = b"GDT\0\x01\x00".to_vec();
    header.push(u8::try_from(GAME.len())?);
    header.extend(GAME.as_bytes());
    header.extend(u16::try_from(TYPE_NAME.len())?.to_le_bytes());
    header.extend(TYPE_NAME.as_bytes());
    header.extend(0x0100_0000u32.to_le_bytes());
    header.extend(i32::try_from(row_bytes)?.to_le_bytes());
    header.extend([0; 16]);
    Ok(header)
}

fn reader(path: &Path, row_bytes: usize) -> Result<impl Read> {
    let mut file = BufReader::new(open(path)?);
    file.read_exact(&mut header(row_bytes)?)?;
    Ok(FrameDecoder::new(file))
}

impl Peer for GamesDatLz4 {
    fn name(&self) -> &'static str {
        "gamesdat-lz4"
    }

    fn time_unit_ns(&self) -> Option<u64> {
        Some(record::TICK_NS)
    }

    fn write(&self, set: &DataSet, directory: &Path) -> Result<()> {
        for (number, (shape, frames)) in set.shape.streams.iter().zip(&set.frames).enumerate() {
            let mut file = BufWriter::new(create(&stream_path(directory, number))?);
            file.write_all(&header(shape.row_bytes)?)?;
            let settings = FrameInfo::new().block_size(BlockSize::Max64KB).block_mode(BlockMode::Linked);
            let mut encoder = FrameEncoder::with_frame_info(settings, file);
            record::write_all(frames, shape.row_bytes, &mut encoder)?;
            encoder.finish()?.flush()?;
        }
        Ok(())
    }

    fn read(&self, shape: &Shape, directory: &Path) -> Result<Frames> {
        let read = |(number, stream): (usize, &crate::data::StreamShape)| {
            record::read_all(reader(&stream_path(directory, number), stream.row_bytes)?, stream.row_bytes)
        };
        shape.streams.iter().enumerate().map(read).collect()
    }

    fn read_channel(&self, shape: &Shape, directory: &Path) -> Result<Vec<f32>> {
        let channel = shape.channel;
        let row_bytes = shape.streams.get(channel.stream).context("no such stream")?.row_bytes;
        record::read_channel(reader(&stream_path(directory, channel.stream), row_bytes)?, row_bytes, channel.offset)
    }
}
