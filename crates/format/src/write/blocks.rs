//! Collects the frames of many streams into blocks and writes each block when it is full.
//!
//! Used by both the recorder's encoder thread and the converters.

use std::collections::BTreeMap;
use std::io;

use super::files::is_no_room;
use super::sink::Sink;
use crate::block::{Block, Sealer};
use crate::column::Column;
use crate::limits;
use crate::stream::{StreamId, StreamSpec};

/// A column block is written when it has this many bytes, although the format allows more. Frames this large have thousands of columns and compress little
/// better in larger blocks, but the open block of each stream is held in memory, and encoding takes as much again.
const COLUMN_BLOCK_BYTES: usize = 6 << 20;

/// The frames of a stream that are not in a block yet.
pub(crate) struct OpenStream {
    columns: Vec<Column>,
    frame_bytes: usize,
    /// Whether the frames are text that may be split into a skeleton and values.
    text: bool,
    pub(crate) block: Block,
}

/// Assembles blocks.
pub(crate) struct BlockMaker {
    pub(crate) sink: Sink,
    sealer: Sealer,
    payload: Vec<u8>,
    open: BTreeMap<u16, OpenStream>,
}

impl BlockMaker {
    pub(crate) fn new(sink: Sink) -> Self {
        Self { sink, sealer: Sealer::default(), payload: Vec::new(), open: BTreeMap::new() }
    }

    /// Writes a descriptor and accepts frames of the stream from now on. Does nothing if the stream is already known.
    pub(crate) fn add_stream(&mut self, id: StreamId, spec: &StreamSpec) -> io::Result<()> {
        if self.open.contains_key(&id.0) {
            return Ok(());
        }
        self.sink.add_stream(id, spec)?;
        let stream = OpenStream {
            columns: spec.to_columns(),
            frame_bytes: spec.frame_bytes as usize,
            text: spec.is_text(),
            block: Block::default(),
        };
        self.open.insert(id.0, stream);
        Ok(())
    }

    /// Adds the next frame of a stream. If there is no room on the disk, the frame is not added and the call can be repeated.
    pub(crate) fn push(&mut self, id: StreamId, seq: u64, time_ns: u64, frame: &[u8]) -> io::Result<()> {
        let unknown = || io::Error::other("a frame of a stream without a descriptor");
        let stream = self.open.get_mut(&id.0).ok_or_else(unknown)?;
        let columnar = stream.frame_bytes != 0 && frame.len() == stream.frame_bytes;
        let block = &stream.block;
        let is_large = columnar && block.raw_bytes() + frame.len() > COLUMN_BLOCK_BYTES;
        let fits =
            block.has_room(frame.len()) && !is_large && block.is_columnar() == columnar && block.end_seq() == seq;
        if block.rows() > 0 && !fits {
            self.seal(id)?;
        }
        let stream = self.open.get_mut(&id.0).ok_or_else(unknown)?;
        if stream.block.rows() == 0 {
            stream.block.clear(seq, if columnar { stream.frame_bytes } else { 0 });
        }
        stream.block.push(time_ns, frame);
        if stream.block.rows() == limits::BLOCK_ROWS {
            // The frame has been added. If there is no room for the block, it waits for the next frame or the close.
            self.seal(id).or_else(|error| if is_no_room(&error) { Ok(()) } else { Err(error) })?;
        }
        Ok(())
    }

    /// Writes the open frames of a stream as a block.
    pub(crate) fn seal(&mut self, id: StreamId) -> io::Result<()> {
        let Some(stream) = self.open.get_mut(&id.0).filter(|stream| stream.block.rows() > 0) else { return Ok(()) };
        let sealed = self.sealer.seal(id.0, &stream.block, &stream.columns, stream.text, &mut self.payload);
        let header = sealed.map_err(io::Error::other)?;
        self.sink.write_block(header, &self.payload, &stream.block)?;
        let end = stream.block.end_seq();
        stream.block.clear(end, 0);
        Ok(())
    }

    /// Writes the open frames of all streams.
    pub(crate) fn seal_all(&mut self) -> io::Result<()> {
        let ids: Vec<u16> = self.open.keys().copied().collect();
        ids.into_iter().try_for_each(|id| self.seal(StreamId(id)))
    }

    /// Returns the streams with open frames, and these frames.
    pub(crate) fn open_blocks(&self) -> impl Iterator<Item = (StreamId, &Block)> {
        let open = self.open.iter().map(|(id, stream)| (StreamId(*id), &stream.block));
        open.filter(|(_, block)| block.rows() > 0)
    }
}
