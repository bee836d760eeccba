//! MCAP, written with the `mcap` crate's defaults (1 MiB chunks, indexes, checksums) but without its compression
//! threads, and read with its record reader, which returns messages without copying them. One file, one channel per
//! stream.

use std::collections::BTreeMap;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use mcap::records::{MessageHeader, Record};
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader};
use mcap::{Compression, WriteOptions};

use super::{Peer, create, open};
use crate::data::bytes::f32_at;
use crate::data::{DataSet, Frames, Shape, StreamFrames};

const FILE: &str = "frames.mcap";

/// MCAP with one of its two compression methods.
pub(super) struct Mcap {
    name: &'static str,
    compression: Compression,
}

/// Chunks compressed with zstd, the crate's default.
pub(super) const ZSTD: Mcap = Mcap { name: "mcap-zstd", compression: Compression::Zstd };
/// Chunks compressed with LZ4.
pub(super) const LZ4: Mcap = Mcap { name: "mcap-lz4", compression: Compression::Lz4 };

/// Calls `take` with the stream, time and bytes of each message. Channel ids are stream numbers from 1.
fn for_each(directory: &Path, mut take: impl FnMut(usize, u64, &[u8])) -> Result<()> {
    let mut file = open(&directory.join(FILE))?;
    let mut reader = LinearReader::new();
    while let Some(event) = reader.next_event() {
        match event? {
            LinearReadEvent::ReadRequest(need) => {
                let read = file.read(reader.insert(need))?;
                reader.notify_read(read);
            }
            LinearReadEvent::Record { opcode: mcap::records::op::MESSAGE, data } => {
                if let Record::Message { header, data } = mcap::parse_record(mcap::records::op::MESSAGE, data)? {
                    take(usize::from(header.channel_id).wrapping_sub(1), header.log_time, &data);
                }
            }
            LinearReadEvent::Record { .. } => {}
        }
    }
    Ok(())
}

impl Peer for Mcap {
    fn name(&self) -> &'static str {
        self.name
    }

    fn time_unit_ns(&self) -> Option<u64> {
        Some(1)
    }

    fn write(&self, set: &DataSet, directory: &Path) -> Result<()> {
        let options = WriteOptions::new().compression(Some(self.compression)).compression_threads(0);
        let mut writer = options.create(BufWriter::new(create(&directory.join(FILE))?))?;
        for stream in &set.shape.streams {
            writer.add_channel(0, &stream.name, "raw", &BTreeMap::new())?;
        }
        for &(stream, row) in &set.order {
            let (time_ns, data) = set.frame((stream, row)).context("no such frame")?;
            let channel_id = u16::try_from(stream + 1)?;
            let sequence = u32::try_from(row)?;
            let header = MessageHeader { channel_id, sequence, log_time: time_ns, publish_time: time_ns };
            writer.write_to_known_channel(&header, data)?;
        }
        writer.finish()?;
        writer.into_inner().flush()?;
        Ok(())
    }

    fn read(&self, shape: &Shape, directory: &Path) -> Result<Frames> {
        let mut streams: Frames = vec![StreamFrames::default(); shape.streams.len()];
        for_each(directory, |stream, time_ns, data| {
            if let Some(frames) = streams.get_mut(stream) {
                frames.times_ns.push(time_ns);
                frames.rows.extend_from_slice(data);
            }
        })?;
        Ok(streams)
    }

    fn read_channel(&self, shape: &Shape, directory: &Path) -> Result<Vec<f32>> {
        let channel = shape.channel;
        let mut values = Vec::new();
        for_each(directory, |stream, _, data| {
            if stream == channel.stream {
                values.push(f32_at(data, channel.offset));
            }
        })?;
        Ok(values)
    }
}
