//! The blocks of a stream and where they are: in index pages, loose in the tape, or as runs in journals.
//!
//! The reader looks up the n-th block, or the block of a time or sequence number; pages are loaded on demand.

use std::collections::BTreeMap;
use std::ops::Range;

use super::journals::{JournalView, Run};
use super::order;
use super::problem::{Problem, ProblemKind, ReadError, io_at};
use super::scan::{Hop, Scan};
use crate::block::checked_head;
use crate::footer::{PageRef, Totals};
use crate::index::{BlockEntry, IndexPage};
use crate::limits;
use crate::ranges::Slot;
use crate::record::{HEADER_BYTES, RecordHeader, RecordKind};
use crate::source::{ReadAt, read_full};

/// Number of bytes that are read along with the header of an index page.
const FIRST_READ: usize = 64 << 10;

/// Where the frames of a block are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockLocation {
    /// A record of the tape.
    Tape { offset: u64, record_bytes: u64 },
    /// A run in a journal (an index into the reader's list).
    Journal { journal: usize, run: Run },
}

/// A block that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) first_seq: u64,
    pub(crate) rows: u32,
    /// A lower bound for the first frame's time.
    pub(crate) first_ns: u64,
    /// An upper bound for the last frame's time.
    pub(crate) last_ns: u64,
    pub(crate) raw_bytes: u32,
    pub(crate) location: BlockLocation,
}

impl Located {
    pub(crate) fn in_tape(entry: &BlockEntry) -> Self {
        Self {
            first_seq: entry.first_seq,
            rows: entry.rows,
            first_ns: entry.first_ns,
            last_ns: entry.last_ns,
            raw_bytes: entry.raw_bytes,
            location: BlockLocation::Tape { offset: entry.offset, record_bytes: entry.record_bytes },
        }
    }

    pub(crate) fn end_seq(&self) -> u64 {
        self.first_seq.saturating_add(u64::from(self.rows))
    }
}

/// All blocks of a stream, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockList {
    pub(crate) pages: Vec<PageRef>,
    /// Totals of the pages found by scanning (a closed tape has them in its footer).
    paged: Totals,
    paged_end_seq: u64,
    /// Blocks in the tape that are not in a page.
    pub(crate) loose: Vec<BlockEntry>,
    /// Loose blocks and journal runs together, without duplicates.
    pub(crate) tail: Vec<Located>,
}

/// A loaded page.
#[derive(Debug, Default)]
pub(crate) struct PageCache {
    page: Option<usize>,
    entries: Vec<BlockEntry>,
}

impl BlockList {
    fn paged_blocks(&self) -> usize {
        self.pages.iter().map(|page| page.blocks as usize).sum()
    }

    /// The number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.paged_blocks() + self.tail.len()
    }

    /// Assembles everything outside of pages: first blocks, then frames that are only in journals. `file_bytes` is the
    /// size of the tape and its journals.
    pub(crate) fn rebuild_tail(
        &mut self,
        stream: u16,
        journals: &[JournalView],
        file_bytes: u64,
        notes: &super::Notes,
    ) {
        self.tail.clear();
        self.loose.sort_by_key(|entry| entry.first_seq);
        let mut covered = Covered::default();
        covered.add(0..self.paged_end_seq);
        for entry in &self.loose {
            let seqs = entry.first_seq..entry.end_seq();
            if covered.gaps(seqs.clone()) != [seqs.clone()] {
                let text = "a block overlaps another one; it is left out";
                let problem = Problem::new(ProblemKind::Block, entry.offset, text).of_stream(stream);
                notes.add(problem.losing(0));
                continue;
            }
            covered.add(seqs);
            self.tail.push(Located::in_tape(entry));
        }
        for (number, journal) in journals.iter().enumerate() {
            for run in journal.runs.get(&stream).into_iter().flatten() {
                for seqs in covered.gaps(run.first_seq..run.end_seq()) {
                    self.tail.push(Located {
                        first_seq: seqs.start,
                        rows: (seqs.end - seqs.start) as u32,
                        first_ns: run.first_ns,
                        last_ns: run.last_ns,
                        raw_bytes: run.raw_bytes,
                        location: BlockLocation::Journal { journal: number, run: *run },
                    });
                    covered.add(seqs);
                }
            }
        }
        self.tail.sort_by_key(|block| block.first_seq);
        let far = order::leave_out_leaps(&mut self.tail, self.paged.frames, file_bytes);
        let fallen = order::leave_out_of_order(&mut self.tail);
        let far = far.into_iter().map(|block| (block, "sequence numbers jump further than the files have room for"));
        let fallen = fallen.into_iter().map(|block| (block, "times decrease while sequence numbers increase"));
        for (block, why) in far.chain(fallen) {
            let (kind, at, generation) = match block.location {
                BlockLocation::Tape { offset, .. } => (ProblemKind::Block, offset, None),
                BlockLocation::Journal { journal, run } => {
                    (ProblemKind::JournalRow, run.start, journals.get(journal).map(|journal| journal.generation))
                }
            };
            let text = format!("{why}; the frames from number {} on are left out", block.first_seq);
            let problem = Problem::new(kind, at, text).of_stream(stream).losing(block.rows.into());
            notes.add(Problem { journal: generation, ..problem });
        }
    }

    /// Replaces loose blocks with the page that lists them.
    pub(crate) fn take_page(&mut self, page: PageRef, entries: &[BlockEntry]) {
        let at = self.loose.len().saturating_sub(entries.len());
        // If there are blocks before it that are not in a page (after damage), all of them stay loose, which keeps the order simple.
        if at > 0 || self.loose != entries {
            return;
        }
        self.loose.clear();
        self.pages.push(page);
        for entry in entries {
            add(&mut self.paged, &Located::in_tape(entry));
            self.paged_end_seq = entry.end_seq();
        }
    }

    /// The frames and bytes of all blocks.
    pub(crate) fn totals(&self) -> Totals {
        self.tail.iter().fold(self.paged, |mut totals, block| {
            add(&mut totals, block);
            totals
        })
    }

    /// Whether the pages listed in a footer are plausible: one after another, before the footer. This ensures that each
    /// part of the file is read once, whatever a hostile footer contains.
    pub(crate) fn check_pages(&self, footer: u64) -> bool {
        let end = |page: &PageRef| page.offset.saturating_add(u64::from(page.record_bytes));
        let sound = |page: &PageRef| {
            let blocks = page.blocks as usize;
            (1..=limits::PAGE_BLOCKS).contains(&blocks)
                && page.first_ns <= page.last_ns
                && page.record_bytes as usize > HEADER_BYTES
        };
        let ordered =
            |a: &PageRef, b: &PageRef| end(a) <= b.offset && a.first_seq < b.first_seq && a.last_ns <= b.first_ns;
        self.pages.iter().all(sound)
            && self.pages.is_sorted_by(ordered)
            && self.pages.last().is_none_or(|last| end(last) <= footer)
    }

    /// Returns the n-th block. If a damaged page leaves that block unknown, returns the next known one and sets `number` to it.
    pub(crate) fn get(
        &self,
        tape: &TapeBytes<'_>,
        cache: &mut PageCache,
        number: &mut usize,
    ) -> Result<Option<Located>, ReadError> {
        let mut before = 0;
        for (index, page) in self.pages.iter().enumerate() {
            let after = before + page.blocks as usize;
            if *number < after {
                self.load(tape, cache, index)?;
                if let Some(entry) = cache.entries.get(*number - before) {
                    return Ok(Some(Located::in_tape(entry)));
                }
                *number = after;
            }
            before = after;
        }
        Ok(self.tail.get(*number - before).copied())
    }

    /// Returns the number of the first block whose last frame is not before `time_ns`.
    pub(crate) fn find_time(
        &self,
        tape: &TapeBytes<'_>,
        cache: &mut PageCache,
        time_ns: u64,
    ) -> Result<usize, ReadError> {
        self.find(tape, cache, |page| page.last_ns < time_ns, |block| block.last_ns < time_ns)
    }

    /// Returns the number of the first block that ends after `seq`.
    pub(crate) fn find_seq(&self, tape: &TapeBytes<'_>, cache: &mut PageCache, seq: u64) -> Result<usize, ReadError> {
        // A page entry does not tell where the page ends, so the page before the first one that begins after `seq` is searched.
        let behind = self.pages.partition_point(|page| page.first_seq <= seq);
        let candidate = behind.checked_sub(1);
        let before: usize = self.pages.iter().take(candidate.unwrap_or(0)).map(|page| page.blocks as usize).sum();
        if let Some(candidate) = candidate {
            self.load(tape, cache, candidate)?;
            let inside = cache.entries.partition_point(|entry| entry.end_seq() <= seq);
            if inside < cache.entries.len() {
                return Ok(before + inside);
            }
        } else if !self.pages.is_empty() {
            return Ok(0);
        }
        if behind < self.pages.len() {
            return Ok(before + cache.entries.len());
        }
        Ok(self.paged_blocks() + self.tail.partition_point(|block| block.end_seq() <= seq))
    }

    fn find(
        &self,
        tape: &TapeBytes<'_>,
        cache: &mut PageCache,
        page_before: impl Fn(&PageRef) -> bool,
        block_before: impl Fn(&Located) -> bool,
    ) -> Result<usize, ReadError> {
        let page = self.pages.partition_point(page_before);
        let before: usize = self.pages.iter().take(page).map(|page| page.blocks as usize).sum();
        if page < self.pages.len() {
            self.load(tape, cache, page)?;
            let inside = cache.entries.partition_point(|entry| block_before(&Located::in_tape(entry)));
            return Ok(before + inside);
        }
        Ok(before + self.tail.partition_point(block_before))
    }

    /// The blocks of a page.
    pub(crate) fn page_blocks<'a>(
        &self,
        tape: &TapeBytes<'_>,
        cache: &'a mut PageCache,
        page: usize,
    ) -> Result<&'a [BlockEntry], ReadError> {
        self.load(tape, cache, page)?;
        Ok(&cache.entries)
    }

    fn load(&self, tape: &TapeBytes<'_>, cache: &mut PageCache, index: usize) -> Result<(), ReadError> {
        if cache.page == Some(index) {
            return Ok(());
        }
        let Some(page) = self.pages.get(index) else { return Ok(()) };
        let previous = index.checked_sub(1).and_then(|index| self.pages.get(index));
        let from = previous.map_or(HEADER_BYTES as u64, |page| page.offset);
        let before_seq = self.pages.get(index + 1).map_or(u64::MAX, |next| next.first_seq);
        cache.entries = tape.page_entries(page, from, before_seq)?;
        cache.page = Some(index);
        Ok(())
    }
}

fn add(totals: &mut Totals, block: &Located) {
    totals.frames += u64::from(block.rows);
    totals.first_ns = totals.first_ns.or(Some(block.first_ns));
    totals.last_ns = totals.last_ns.max(Some(block.last_ns));
    match block.location {
        BlockLocation::Tape { record_bytes, .. } => {
            totals.raw_bytes += u64::from(block.raw_bytes);
            totals.stored_bytes += record_bytes;
        }
        BlockLocation::Journal { run, .. } => {
            let raw = u64::from(block.raw_bytes) * u64::from(block.rows) / u64::from(run.rows.max(1));
            totals.raw_bytes += raw;
            totals.stored_bytes += raw + u64::from(block.rows) * crate::journal::ROW_BYTES as u64;
        }
    }
}

/// The sequence numbers already covered, as disjoint, non-adjacent ranges: start and end.
#[derive(Debug, Default)]
struct Covered(BTreeMap<u64, u64>);

impl Covered {
    /// Returns the parts of a range that are not covered.
    fn gaps(&self, wanted: Range<u64>) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut at = wanted.start;
        if let Some((_, end)) = self.0.range(..=at).next_back() {
            at = at.max(*end);
        }
        for (start, end) in self.0.range(at..wanted.end.max(at)) {
            if at < *start {
                gaps.push(at..*start);
            }
            at = *end;
        }
        if at < wanted.end {
            gaps.push(at..wanted.end);
        }
        gaps
    }

    /// Adds a range that is not covered at all.
    fn add(&mut self, seqs: Range<u64>) {
        if seqs.is_empty() {
            return;
        }
        let end = self.0.remove(&seqs.end).unwrap_or(seqs.end);
        match self.0.range_mut(..seqs.start).next_back().filter(|(_, before)| **before == seqs.start) {
            Some((_, before)) => *before = end,
            None => drop(self.0.insert(seqs.start, end)),
        }
    }
}

/// The bytes of a tape, with everything needed to read its index.
pub(crate) struct TapeBytes<'a> {
    pub(crate) source: &'a dyn ReadAt,
    pub(crate) stream: u16,
    pub(crate) notes: &'a super::Notes,
}

impl TapeBytes<'_> {
    /// Reads the head of an index page, and the ranges of one slot if requested.
    pub(crate) fn page(
        &self,
        page: &PageRef,
        slot: Option<(&[Slot], usize)>,
    ) -> Result<Result<(RecordHeader, IndexPage), Problem>, ReadError> {
        let wrong = |text: String| {
            Problem::new(ProblemKind::Index, page.offset, format!("an index page is damaged: {text}"))
                .of_stream(self.stream)
        };
        // With its runs a page can be large, but its head rarely is.
        let mut bytes = vec![0; (page.record_bytes as usize).min(FIRST_READ)];
        let found = read_full(self.source, page.offset, &mut bytes).map_err(io_at(page.offset))?;
        bytes.truncate(found);
        let header = match RecordHeader::parse(bytes.get(..HEADER_BYTES).unwrap_or(&bytes), page.offset) {
            Ok(header) => header,
            Err(error) => return Ok(Err(wrong(error.to_string()))),
        };
        let expected =
            header.kind == RecordKind::IndexPage && header.stream == self.stream && header.rows == page.blocks;
        if !expected {
            return Ok(Err(wrong("it is not the expected page".into())));
        }
        let needed = HEADER_BYTES + header.head_bytes as usize;
        if bytes.len() < needed {
            bytes.resize(needed, 0);
            let found = read_full(self.source, page.offset, &mut bytes).map_err(io_at(page.offset))?;
            bytes.truncate(found);
        }
        let head = bytes.get(HEADER_BYTES..).unwrap_or_default();
        let parsed = checked_head(&header, head).and_then(|head| IndexPage::parse(&header, head, slot));
        Ok(parsed.map(|page| (header, page)).map_err(|error| wrong(error.to_string())))
    }

    /// Returns the blocks of a page. If it is damaged, they are found by scanning from `from`, the location of the previous page.
    fn page_entries(&self, page: &PageRef, from: u64, before_seq: u64) -> Result<Vec<BlockEntry>, ReadError> {
        let problem = match self.page(page, None)? {
            // Its blocks must lie between the previous page and itself, and agree with the list of pages.
            Ok((_, parsed))
                if parsed.entries.first().is_some_and(|e| e.offset >= from && e.first_seq == page.first_seq)
                    && parsed.entries.last().is_some_and(|e| e.end_seq() <= before_seq) =>
            {
                return Ok(parsed.entries);
            }
            Ok(_) => {
                let text = "an index page does not fit between the others";
                Problem::new(ProblemKind::Index, page.offset, text).of_stream(self.stream)
            }
            Err(problem) => problem,
        };
        self.notes.add(problem);
        let mut entries = Vec::new();
        let mut scan = Scan::new(self.source, from, page.offset);
        while entries.len() < page.blocks as usize {
            match scan.hop().map_err(io_at(from))? {
                Hop::Record(header) if header.kind.is_block() && header.stream == self.stream => {
                    let end = entries.last().map_or(page.first_seq, BlockEntry::end_seq);
                    if header.first_seq >= end && header.end_seq() <= before_seq {
                        entries.push(BlockEntry::of(&header));
                    }
                }
                Hop::Record(_) | Hop::Damage { .. } => {}
                Hop::Cut(_) | Hop::End { .. } => break,
            }
        }
        Ok(entries)
    }
}
