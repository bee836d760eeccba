//! The project's tape with default settings: one file with all streams, their column tables and the index.
//!
//! Encoding uses `TapeBuilder` on the calling thread. Files are written but not synced, as with all peers.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use gametape_format::read::{Tape, Values};
use gametape_format::write::{Files, StdFiles, TapeBuilder, TapeFile, WriteOptions};
use gametape_format::{Channel, ChannelType, StreamSpec, TapeId};

use super::Peer;
use crate::data::{DataSet, Field, Frames, Shape, StreamFrames, StreamShape};

/// The project's format.
pub(super) struct Gametape;

fn tape_path(directory: &Path) -> PathBuf {
    directory.join("all.gtape")
}

/// Describes a stream of a data set.
pub(crate) fn stream_spec(shape: &StreamShape) -> StreamSpec {
    let channel = |field: &Field| {
        let kind = match (field.width, field.float) {
            (4, true) => ChannelType::F32,
            (8, true) => ChannelType::F64,
            (1, _) => ChannelType::U8,
            (2, _) => ChannelType::I16,
            (8, _) => ChannelType::I64,
            _ => ChannelType::I32,
        };
        Channel::new(&field.name, kind, field.offset as u32, field.count as u32, "")
    };
    StreamSpec::columns(&shape.name, shape.row_bytes as u32, shape.fields.iter().map(channel).collect())
}

/// Creates a tape that is not synced.
pub(crate) fn builder(path: &Path) -> Result<TapeBuilder> {
    let options = WriteOptions { start_utc_ns: Some(0), ..WriteOptions::new(TapeId([1; 16])) };
    Ok(TapeBuilder::create(Arc::new(Unsynced(StdFiles)), path, &options, false)?)
}

impl Peer for Gametape {
    fn name(&self) -> &'static str {
        "gametape"
    }

    fn time_unit_ns(&self) -> Option<u64> {
        Some(1)
    }

    fn write(&self, set: &DataSet, directory: &Path) -> Result<()> {
        let mut builder = builder(&tape_path(directory))?;
        let add = |shape: &StreamShape| builder.add_stream(stream_spec(shape), 0);
        let ids = set.shape.streams.iter().map(add).collect::<Result<Vec<_>, _>>()?;
        for place in &set.order {
            let (time_ns, row) = set.frame(*place).context("no such frame")?;
            builder.append(*ids.get(place.0).context("no such stream")?, time_ns, row)?;
        }
        builder.finish()?;
        Ok(())
    }

    fn read(&self, shape: &Shape, directory: &Path) -> Result<Frames> {
        let tape = Tape::open(tape_path(directory))?;
        let read = |shape: &StreamShape| {
            let stream = tape.stream_named(&shape.name)?;
            let total = stream.totals();
            let mut rows = Vec::with_capacity(total.raw_bytes as usize);
            let mut times_ns = Vec::with_capacity(total.frames as usize);
            let mut frames = tape.frames(stream);
            while let Some(frame) = frames.next()? {
                rows.extend_from_slice(frame.data);
                times_ns.push(frame.time_ns);
            }
            Ok(StreamFrames { rows, times_ns })
        };
        shape.streams.iter().map(read).collect()
    }

    fn read_channel(&self, shape: &Shape, directory: &Path) -> Result<Vec<f32>> {
        let tape = Tape::open(tape_path(directory))?;
        let stream = shape.streams.get(shape.channel.stream).context("no such stream")?;
        let name = channel_name(stream, shape.channel.offset).context("no such channel")?;
        let stream = tape.stream_named(&stream.name)?;
        let mut channels = tape.channels(stream, &[name.as_str()])?.without_times();
        let mut values = Vec::with_capacity(stream.totals().frames as usize);
        while let Some(block) = channels.next_block()? {
            match block.values.first() {
                Some(Values::F32(block)) => values.extend_from_slice(block),
                // Without a layout, frames consist of integers; the bits are the same.
                Some(Values::I32(block)) => {
                    values.extend(block.iter().map(|word| f32::from_bits(word.cast_unsigned())))
                }
                _ => anyhow::bail!("{name} has no values of four bytes"),
            }
        }
        Ok(values)
    }
}

fn channel_name(shape: &StreamShape, offset: usize) -> Option<String> {
    let inside = |field: &&Field| (field.offset..field.offset + field.width * field.count).contains(&offset);
    let field = shape.fields.iter().find(inside)?;
    Some(match field.count {
        1 => field.name.clone(),
        _ => format!("{}[{}]", field.name, (offset - field.offset) / field.width),
    })
}

/// Files that are written but not synced.
struct Unsynced(StdFiles);

impl Files for Unsynced {
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        Ok(Box::new(UnsyncedTape(self.0.create_tape(path)?)))
    }

    fn sync_directory(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }
}

struct UnsyncedTape(Box<dyn TapeFile>);

impl TapeFile for UnsyncedTape {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        self.0.append(data)
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.0.truncate(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
