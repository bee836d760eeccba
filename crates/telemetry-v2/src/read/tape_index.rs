//! The index of a file: keyframes and frames with events, taken from the footer and the table of blocks, or from all
//! records if those are unusable.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

use super::problem::Problem;
use super::reader::{Item, ReadError, Reader};
use crate::generation::Evidence;
use crate::limits::ReadOptions;
use crate::proto::telemetry::v2::{CaptureFooter, EventType, KeyframeEntry};
use crate::record::{FrameOutline, RecordKind};
use crate::seek_table::{self, SeekTableError};

/// What is known about a file before its frames are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TapeIndex {
    /// Number of frames in the file.
    pub frame_count: u32,
    /// Time of the last frame.
    pub duration_ms: u32,
    /// Entry points for reading, by frame. Offsets are those in the file.
    pub keyframes: Vec<KeyframeEntry>,
    /// The frames with an event, by its type.
    pub events: BTreeMap<EventType, Vec<u32>>,
    /// Whether the file has a footer.
    pub has_footer: bool,
    /// Whether the footer's index was used. If not, the whole file was read to build one.
    pub from_footer: bool,
    /// Whether there are zstd blocks that can be decompressed independently.
    pub has_blocks: bool,
}

/// Frames from one keyframe to the next in an index built here.
const INTERVAL: u32 = 100;

/// The maximum number of problems kept: a file of garbage has one every few bytes.
pub(super) const MAX_PROBLEMS: usize = 1000;

/// Reads the index from the footer, using the table of blocks.
pub(super) fn from_footer<R: Read + Seek>(
    source: &mut R,
    options: &ReadOptions,
    evidence: &mut Evidence,
    problems: &mut Vec<Problem>,
) -> Result<Result<TapeIndex, Unusable>, ReadError> {
    let file_bytes = source.seek(SeekFrom::End(0))?;
    let tail_bytes = u64::try_from(seek_table::TAIL_BYTES).unwrap_or(u64::MAX).min(file_bytes);
    let tail = read_last(source, file_bytes, tail_bytes)?;
    let table_bytes = match seek_table::bytes_of(&tail) {
        Ok(bytes) => bytes as u64,
        Err(SeekTableError::Missing) => return Ok(Err(Unusable::NoTable)),
        Err(damaged) => return Ok(Err(Unusable::Damaged(damaged.to_string()))),
    };
    if table_bytes > file_bytes {
        return Ok(Err(Unusable::Damaged("the table of blocks is longer than the file".to_owned())));
    }
    let entries = match seek_table::decode(&read_last(source, file_bytes, table_bytes)?) {
        Ok(entries) => entries,
        Err(damaged) => return Ok(Err(Unusable::Damaged(damaged.to_string()))),
    };
    let mut starts = Vec::with_capacity(entries.len());
    let mut offset = 0u64;
    for entry in &entries {
        starts.push(offset);
        offset += u64::from(entry.packed_bytes);
    }
    if offset + table_bytes != file_bytes {
        return Ok(Err(Unusable::Damaged("the blocks of the table do not fill the file".to_owned())));
    }
    let Some(&last) = starts.last() else { return Ok(Err(Unusable::Damaged("the table has no blocks".to_owned()))) };
    source.seek(SeekFrom::Start(last))?;
    let mut reader = Reader::resume(source, options, true, last, 0)?;
    let mut footer = None;
    while let Some(item) = reader.next()? {
        match item {
            Item::Record(placed) if placed.record.kind() == RecordKind::Footer => {
                // The offsets in the stream are unknown here; that of the block is known.
                let place = crate::generation::RecordPlace { offset: last, end: u64::MAX, ..placed.place };
                evidence.observe(&placed.record, Some(place));
                footer = placed.record.footer(&options.limits).ok();
            }
            Item::Problem(problem @ Problem::Misfits { .. }) => problems.push(problem),
            Item::Problem(Problem::BrokenFooter { cause, .. }) => {
                return Ok(Err(Unusable::Damaged(format!("the footer cannot be read: {cause}"))));
            }
            _ => {}
        }
    }
    let Some(footer) = footer else { return Ok(Err(Unusable::Damaged("the last block has no footer".to_owned()))) };
    Ok(of_footer(&footer, &starts))
}

/// The reason why a footer was not used.
pub(super) enum Unusable {
    /// The file has no table of blocks, which is common.
    NoTable,
    /// It has one that does not match.
    Damaged(String),
}

fn of_footer(footer: &CaptureFooter, starts: &[u64]) -> Result<TapeIndex, Unusable> {
    let damaged = |what: &str| Err(Unusable::Damaged(what.to_owned()));
    let mut before = None;
    for entry in &footer.keyframe_index {
        if starts.binary_search(&entry.byte_offset).is_err() {
            return damaged("a keyframe of the footer is not at the start of a block");
        }
        if before.is_some_and(|before| before >= (entry.frame_index, entry.byte_offset)) {
            return damaged("the keyframes of the footer are not in order");
        }
        before = Some((entry.frame_index, entry.byte_offset));
    }
    if footer.frame_count > 0 && footer.keyframe_index.first().is_none_or(|first| first.frame_index != 0) {
        return damaged("the footer has no keyframe at frame 0");
    }
    let mut events: BTreeMap<EventType, Vec<u32>> = BTreeMap::new();
    for entry in &footer.event_index {
        if let Some(event) = entry.event.event_type() {
            events.entry(event).or_default().extend(&entry.frame_indices);
        }
    }
    Ok(TapeIndex {
        frame_count: footer.frame_count,
        duration_ms: footer.duration_ms,
        keyframes: footer.keyframe_index.clone(),
        events,
        has_footer: true,
        from_footer: true,
        has_blocks: true,
    })
}

fn read_last<R: Read + Seek>(source: &mut R, file_bytes: u64, count: u64) -> Result<Vec<u8>, ReadError> {
    source.seek(SeekFrom::Start(file_bytes.saturating_sub(count)))?;
    let mut bytes = Vec::new();
    source.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Builds an index by reading everything.
pub(super) fn from_records<R: Read + Seek>(
    source: &mut R,
    options: &ReadOptions,
    problems: &mut Vec<Problem>,
) -> Result<(TapeIndex, Evidence), ReadError> {
    source.seek(SeekFrom::Start(0))?;
    let mut reader = Reader::with_options(source, options)?;
    let mut index = TapeIndex::default();
    let mut evidence = Evidence::default();
    let mut last_block = None;
    let mut unlisted = 0u64;
    while let Some(item) = reader.next()? {
        let placed = match item {
            Item::Problem(problem) => {
                if problems.len() < MAX_PROBLEMS {
                    problems.push(problem);
                } else {
                    unlisted += 1;
                }
                continue;
            }
            Item::Record(placed) => placed,
        };
        evidence.observe(&placed.record, Some(placed.place));
        match placed.record.kind() {
            RecordKind::Footer => index.has_footer = true,
            RecordKind::Frame => {
                let Ok(outline) = placed.record.outline() else { continue };
                let offset = match placed.place.block {
                    None => (index.frame_count % INTERVAL == 0).then_some(placed.place.offset),
                    // Only a block that starts with a frame is an entry point; within other blocks, offsets are unknown.
                    Some(block) => (last_block != Some(block)).then_some(block),
                };
                last_block = placed.place.block;
                note(&mut index, &outline, offset);
            }
            _ => last_block = placed.place.block,
        }
    }
    if unlisted > 0 {
        problems.push(Problem::Unlisted { count: unlisted });
    }
    index.has_blocks = index.keyframes.len() > 1 && last_block.is_some();
    Ok((index, evidence))
}

fn note(index: &mut TapeIndex, outline: &FrameOutline, offset: Option<u64>) {
    // A frame out of order cannot be found by number: the first one with a number counts.
    if let Some(byte_offset) = offset
        && index.keyframes.last().is_none_or(|last| last.frame_index < outline.frame_index)
    {
        index.keyframes.push(KeyframeEntry { frame_index: outline.frame_index, byte_offset });
    }
    index.frame_count = index.frame_count.saturating_add(1);
    index.duration_ms = index.duration_ms.max(outline.timestamp_offset_ms);
    for event in &outline.events {
        let frames = index.events.entry(*event).or_default();
        if frames.last() != Some(&outline.frame_index) {
            frames.push(outline.frame_index);
        }
    }
}
