//! Writes records to a file: uncompressed, in zstd blocks with a table at the end, or as one zstd stream.

use std::io::{self, Write};

use super::writer::Layout;
use crate::dictionary::Dictionary;
#[cfg(feature = "zstd")]
use crate::seek_table::{self, SeekEntry};
use crate::wire;

/// The destination of records.
pub(super) struct Output<W: Write> {
    target: Target<W>,
    /// Size of the stream so far.
    pub(super) stream_bytes: u64,
    /// Records of the current block, or the single record being written.
    pending: Vec<u8>,
}

enum Target<W: Write> {
    Plain(W),
    #[cfg(feature = "zstd")]
    Blocks(Blocks<W>),
    #[cfg(feature = "zstd")]
    Stream(zstd::stream::write::Encoder<'static, W>),
}

#[cfg(feature = "zstd")]
struct Blocks<W> {
    sink: W,
    file_bytes: u64,
    entries: Vec<SeekEntry>,
    compressor: zstd::bulk::Compressor<'static>,
    /// Compresses every block but the first one, which holds the header.
    with_dictionary: Option<zstd::bulk::Compressor<'static>>,
}

impl<W: Write> Output<W> {
    pub(super) fn new(
        sink: W,
        layout: Layout,
        #[cfg_attr(not(feature = "zstd"), allow(unused))] level: i32,
        #[cfg_attr(not(feature = "zstd"), allow(unused))] dictionary: Option<&Dictionary>,
    ) -> io::Result<Self> {
        let target = match layout {
            Layout::Plain => Target::Plain(sink),
            #[cfg(feature = "zstd")]
            Layout::Blocks => {
                let bytes = dictionary.map(Dictionary::bytes);
                let mut compressor = zstd::bulk::Compressor::new(level)?;
                compressor.include_checksum(true)?;
                let mut with_dictionary =
                    bytes.map(|bytes| zstd::bulk::Compressor::with_dictionary(level, bytes)).transpose()?;
                with_dictionary.iter_mut().try_for_each(|compressor| compressor.include_checksum(true))?;
                Target::Blocks(Blocks { sink, file_bytes: 0, entries: Vec::new(), compressor, with_dictionary })
            }
            #[cfg(feature = "zstd")]
            Layout::Stream => {
                let bytes = dictionary.map(Dictionary::bytes).unwrap_or_default();
                let mut encoder = zstd::stream::write::Encoder::with_dictionary(sink, level, bytes)?;
                encoder.include_checksum(true)?;
                Target::Stream(encoder)
            }
        };
        Ok(Self { target, stream_bytes: 0, pending: Vec::new() })
    }

    /// The offset of the next record as the footer counts: that of its block in a file of blocks, otherwise that in the
    /// stream. Valid only at the start of a block.
    pub(super) fn offset(&self) -> u64 {
        match &self.target {
            #[cfg(feature = "zstd")]
            Target::Blocks(blocks) => blocks.file_bytes,
            _ => self.stream_bytes,
        }
    }

    /// The size of the current block.
    pub(super) fn block_bytes(&self) -> usize {
        self.pending.len()
    }

    pub(super) fn record(&mut self, bytes: &[u8]) -> io::Result<()> {
        let before = self.pending.len();
        wire::push_varint(bytes.len() as u64, &mut self.pending);
        self.pending.extend_from_slice(bytes);
        self.stream_bytes += (self.pending.len() - before) as u64;
        match &mut self.target {
            Target::Plain(sink) => sink.write_all(&self.pending)?,
            #[cfg(feature = "zstd")]
            Target::Blocks(_) => return Ok(()),
            #[cfg(feature = "zstd")]
            Target::Stream(encoder) => encoder.write_all(&self.pending)?,
        }
        self.pending.clear();
        Ok(())
    }

    /// Writes the current block.
    pub(super) fn end_block(&mut self) -> io::Result<()> {
        #[cfg(feature = "zstd")]
        if let Target::Blocks(blocks) = &mut self.target
            && !self.pending.is_empty()
        {
            let compressor = match &mut blocks.with_dictionary {
                Some(compressor) if !blocks.entries.is_empty() => compressor,
                _ => &mut blocks.compressor,
            };
            let packed = compressor.compress(&self.pending)?;
            let too_large = |_| io::Error::new(io::ErrorKind::FileTooLarge, "a block is larger than 4 GiB");
            blocks.entries.push(SeekEntry {
                packed_bytes: u32::try_from(packed.len()).map_err(too_large)?,
                raw_bytes: u32::try_from(self.pending.len()).map_err(too_large)?,
            });
            blocks.sink.write_all(&packed)?;
            blocks.file_bytes += packed.len() as u64;
            self.pending.clear();
        }
        Ok(())
    }

    pub(super) fn sink_mut(&mut self) -> &mut W {
        match &mut self.target {
            Target::Plain(sink) => sink,
            #[cfg(feature = "zstd")]
            Target::Blocks(blocks) => &mut blocks.sink,
            #[cfg(feature = "zstd")]
            Target::Stream(encoder) => encoder.get_mut(),
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Plain(sink) => sink.flush(),
            #[cfg(feature = "zstd")]
            Target::Blocks(blocks) => blocks.sink.flush(),
            #[cfg(feature = "zstd")]
            Target::Stream(encoder) => encoder.flush(),
        }
    }

    #[cfg_attr(not(feature = "zstd"), allow(clippy::infallible_destructuring_match))]
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.end_block()?;
        let mut sink = match self.target {
            Target::Plain(sink) => sink,
            #[cfg(feature = "zstd")]
            Target::Blocks(mut blocks) => {
                blocks.sink.write_all(&seek_table::encode(&blocks.entries))?;
                blocks.sink
            }
            #[cfg(feature = "zstd")]
            Target::Stream(encoder) => encoder.finish()?,
        };
        sink.flush()?;
        Ok(sink)
    }
}
