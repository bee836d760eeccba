//! The footer of a closed tape: every stream with its totals, last status and index pages (docs/format.md, section 7).

use crate::cursor::{Cursor, Malformed, within};
use crate::limits;
use crate::record::{FileHeader, HEADER_BYTES, RecordHeader};
use crate::stream::StreamId;
use crate::system::{Counters, Status, UNSPECIFIED};

/// The location of an index page and what it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageRef {
    pub(crate) offset: u64,
    pub(crate) record_bytes: u32,
    pub(crate) blocks: u32,
    pub(crate) first_seq: u64,
    pub(crate) first_ns: u64,
    pub(crate) last_ns: u64,
}

impl PageRef {
    /// Creates the reference to the page with this record header.
    pub(crate) fn of(header: &RecordHeader) -> Self {
        Self {
            offset: header.offset,
            record_bytes: header.record_bytes() as u32,
            blocks: header.rows,
            first_seq: header.first_seq,
            first_ns: header.first_ns,
            last_ns: header.last_ns,
        }
    }
}

/// Totals of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Number of stored frames.
    pub frames: u64,
    /// Sum of their sizes.
    pub raw_bytes: u64,
    /// Size of the records that contain them.
    pub stored_bytes: u64,
    /// Time of the first frame.
    pub first_ns: Option<u64>,
    /// Time of the last frame.
    pub last_ns: Option<u64>,
}

/// The footer entry of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamSummary {
    pub(crate) id: StreamId,
    pub(crate) descriptor_offset: u64,
    pub(crate) totals: Totals,
    pub(crate) status: Status,
    pub(crate) pages: Vec<PageRef>,
}

/// The unpacked footer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Footer {
    pub(crate) header: FileHeader,
    pub(crate) streams: Vec<StreamSummary>,
}

impl Footer {
    #[cfg(feature = "write")]
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.header.to_bytes().to_vec();
        out.extend_from_slice(&(self.streams.len() as u32).to_le_bytes());
        for stream in &self.streams {
            let totals = &stream.totals;
            out.extend_from_slice(&stream.id.0.to_le_bytes());
            let numbers = [
                stream.descriptor_offset,
                totals.frames,
                totals.raw_bytes,
                totals.stored_bytes,
                totals.first_ns.unwrap_or(UNSPECIFIED),
                totals.last_ns.unwrap_or(UNSPECIFIED),
                stream.status.seen_until_ns.unwrap_or(UNSPECIFIED),
            ];
            for number in numbers.into_iter().chain(stream.status.counters.to_array()) {
                out.extend_from_slice(&number.to_le_bytes());
            }
            out.extend_from_slice(&(stream.pages.len() as u32).to_le_bytes());
            for page in &stream.pages {
                out.extend_from_slice(&page.offset.to_le_bytes());
                out.extend_from_slice(&page.record_bytes.to_le_bytes());
                out.extend_from_slice(&page.blocks.to_le_bytes());
                out.extend_from_slice(&page.first_seq.to_le_bytes());
                out.extend_from_slice(&page.first_ns.to_le_bytes());
                out.extend_from_slice(&page.last_ns.to_le_bytes());
            }
        }
        out
    }

    pub(crate) fn parse(data: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(data);
        let header = FileHeader::parse(cursor.bytes(HEADER_BYTES, "copy of the file header")?)?;
        let count = within("streams", u64::from(cursor.u32("streams")?), limits::STREAMS)?;
        let mut streams = Vec::new();
        for _ in 0..count {
            streams.push(parse_stream(&mut cursor)?);
        }
        Ok(Self { header, streams })
    }
}

fn parse_stream(cursor: &mut Cursor<'_>) -> Result<StreamSummary, Malformed> {
    let id = StreamId(cursor.u16("stream id")?);
    let descriptor_offset = cursor.u64("descriptor offset")?;
    let specified = |value: u64| (value != UNSPECIFIED).then_some(value);
    let totals = Totals {
        frames: cursor.u64("frames")?,
        raw_bytes: cursor.u64("raw bytes")?,
        stored_bytes: cursor.u64("stored bytes")?,
        first_ns: specified(cursor.u64("first time")?),
        last_ns: specified(cursor.u64("last time")?),
    };
    let seen_until_ns = specified(cursor.u64("seen until")?);
    let status = Status { seen_until_ns, counters: Counters::parse(cursor)? };
    let count = cursor.u32("index pages")? as usize;
    let mut pages = Vec::new();
    for _ in 0..count {
        pages.push(PageRef {
            offset: cursor.u64("page offset")?,
            record_bytes: cursor.u32("page length")?,
            blocks: cursor.u32("blocks")?,
            first_seq: cursor.u64("first sequence number")?,
            first_ns: cursor.u64("first time")?,
            last_ns: cursor.u64("last time")?,
        });
    }
    Ok(StreamSummary { id, descriptor_offset, totals, status, pages })
}
