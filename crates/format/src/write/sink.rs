//! The output side of a writer: appends records to the tape file, keeps the index entries of blocks, and on close
//! writes pages, footer and trailer. Takes finished payloads; does not create blocks itself.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::files::{TapeFile, is_no_room};
use super::index_page::encode_page;
use crate::block::Block;
use crate::footer::{Footer, PageRef, StreamSummary, Totals};
use crate::index::BlockEntry;
use crate::limits;
use crate::pack;
use crate::ranges::{self, EMPTY, Range, Slot};
use crate::record::{FileHeader, NO_STREAM, RecordHeader, RecordKind, Trailer};
use crate::stream::{StreamId, StreamSpec};
use crate::system::Status;

/// A page is written early when it holds this many ranges of 16 bytes, which bounds memory for streams with very many channels.
const PAGE_RANGES: usize = 1 << 17;

struct SinkStream {
    slots: Vec<Slot>,
    descriptor_offset: u64,
    totals: Totals,
    entries: Vec<BlockEntry>,
    /// For each slot, one range per entry.
    ranges: Vec<Vec<Range>>,
    pages: Vec<PageRef>,
}

/// A tape file that grows.
pub(crate) struct Sink {
    file: Box<dyn TapeFile>,
    header: FileHeader,
    offset: u64,
    streams: BTreeMap<u16, SinkStream>,
}

impl Sink {
    /// Creates a sink and writes the file header.
    pub(crate) fn new(mut file: Box<dyn TapeFile>, header: FileHeader) -> io::Result<Self> {
        let bytes = header.to_bytes();
        file.append(&bytes)?;
        Ok(Self { file, header, offset: bytes.len() as u64, streams: BTreeMap::new() })
    }

    /// The number of bytes written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.offset
    }

    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }

    /// Whether `path` still refers to the file. If the system cannot tell, returns `true`.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.file.is_at(path).unwrap_or(true)
    }

    /// Writes a stream descriptor.
    pub(crate) fn add_stream(&mut self, id: StreamId, spec: &StreamSpec) -> io::Result<()> {
        let mut payload = Vec::new();
        pack::pack_table(&spec.to_bytes(), &mut payload);
        let offset = self.record(RecordHeader::plain(RecordKind::Stream, id.0, &payload), &payload)?;
        let slots = ranges::slots(spec);
        let stream = SinkStream {
            ranges: vec![Vec::new(); slots.len()],
            slots,
            descriptor_offset: offset,
            totals: Totals::default(),
            entries: Vec::new(),
            pages: Vec::new(),
        };
        self.streams.insert(id.0, stream);
        Ok(())
    }

    /// Writes a block and adds it to the index with the ranges of its frames.
    pub(crate) fn write_block(&mut self, mut header: RecordHeader, payload: &[u8], block: &Block) -> io::Result<()> {
        // If there was no room for a page after the last block, write it first: a page must not exceed its limit.
        if self.page_is_due(header.stream) {
            self.write_page(header.stream)?;
        }
        header.offset = self.record(header, payload)?;
        let Some(stream) = self.streams.get_mut(&header.stream) else {
            return Err(io::Error::other("a block of a stream without a descriptor"));
        };
        stream.entries.push(BlockEntry::of(&header));
        if block.is_columnar() {
            let found = ranges::over(&stream.slots, block.data(), block.frame_bytes());
            stream.ranges.iter_mut().zip(found).for_each(|(ranges, range)| ranges.push(range));
        } else {
            stream.ranges.iter_mut().for_each(|ranges| ranges.push(EMPTY));
        }
        let totals = &mut stream.totals;
        totals.frames += u64::from(header.rows);
        totals.raw_bytes += u64::from(header.raw_bytes);
        totals.stored_bytes += header.record_bytes();
        totals.first_ns = totals.first_ns.or(Some(header.first_ns));
        totals.last_ns = Some(header.last_ns);
        if self.page_is_due(header.stream) {
            // The block has been written. If there is no room for the page, it waits for the next block or the close.
            self.write_page(header.stream).or_else(|error| if is_no_room(&error) { Ok(()) } else { Err(error) })?;
        }
        Ok(())
    }

    fn page_is_due(&self, id: u16) -> bool {
        self.streams.get(&id).is_some_and(|stream| {
            let blocks = stream.entries.len();
            blocks >= limits::PAGE_BLOCKS || blocks * stream.slots.len() >= PAGE_RANGES
        })
    }

    fn write_page(&mut self, id: u16) -> io::Result<()> {
        let Some(stream) = self.streams.get_mut(&id) else { return Ok(()) };
        let (Some(first), Some(last)) = (stream.entries.first(), stream.entries.last()) else { return Ok(()) };
        let mut payload = Vec::new();
        let head_bytes = encode_page(&stream.entries, &stream.slots, &stream.ranges, &mut payload);
        let header = RecordHeader {
            payload_bytes: payload.len() as u32,
            head_bytes: head_bytes as u32,
            first_seq: first.first_seq,
            first_ns: first.first_ns,
            last_ns: last.last_ns,
            rows: stream.entries.len() as u32,
            ..RecordHeader::plain(RecordKind::IndexPage, id, payload.get(..head_bytes).unwrap_or_default())
        };
        let offset = self.record(header, &payload)?;
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.entries.clear();
            stream.ranges.iter_mut().for_each(Vec::clear);
            stream.pages.push(PageRef::of(&RecordHeader { offset, ..header }));
        }
        Ok(())
    }

    /// Closes the tape: index pages, footer, sync, trailer, sync. Returns the length of the file.
    pub(crate) fn close(&mut self, status: &BTreeMap<u16, Status>) -> io::Result<u64> {
        let ids: Vec<u16> = self.streams.keys().copied().collect();
        for id in ids {
            self.write_page(id)?;
        }
        let streams = self.streams.iter().map(|(id, stream)| StreamSummary {
            id: StreamId(*id),
            descriptor_offset: stream.descriptor_offset,
            totals: stream.totals,
            status: status.get(id).copied().unwrap_or_default(),
            pages: stream.pages.clone(),
        });
        let footer = Footer { header: self.header, streams: streams.collect() };
        let mut payload = Vec::new();
        pack::pack_table(&footer.to_bytes(), &mut payload);
        let header = RecordHeader::plain(RecordKind::Footer, NO_STREAM, &payload);
        let footer_offset = self.record(header, &payload)?;
        // A power cut may keep the trailer and lose blocks before it, and readers of a closed tape ignore the journals.
        // So the trailer is written only after everything before it is durable.
        self.sync()?;
        let trailer = Trailer { footer_offset, footer_bytes: header.record_bytes() };
        self.append(&[&trailer.to_bytes()])?;
        self.sync()?;
        Ok(self.offset)
    }

    /// The frames and bytes of a stream so far.
    pub(crate) fn totals(&self, id: StreamId) -> Totals {
        self.streams.get(&id.0).map(|stream| stream.totals).unwrap_or_default()
    }

    fn record(&mut self, mut header: RecordHeader, payload: &[u8]) -> io::Result<u64> {
        header.offset = self.offset;
        self.append(&[&header.to_bytes(), payload])?;
        Ok(header.offset)
    }

    /// Appends all parts or nothing, as far as the disk allows.
    fn append(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        for part in parts {
            if let Err(error) = self.file.append(part) {
                // If this fails too, a reader finds a record that extends beyond the file and ignores it. Nothing can
                // be appended after it, so this error does not go away when there is room again.
                return Err(match self.file.truncate(self.offset) {
                    Ok(()) => error,
                    Err(_) => io::Error::other(error),
                });
            }
        }
        self.offset += parts.iter().map(|part| part.len() as u64).sum::<u64>();
        Ok(())
    }
}
