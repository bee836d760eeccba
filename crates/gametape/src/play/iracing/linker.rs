//! Finds the tick of each row of a tape.
//!
//! Rows do not contain their tick; the header that was copied after them does. The header follows its rows on the tape, so rows
//! (and texts) wait here until it arrives. A recorder copies at most as many rows at a time as there are buffers. Times alone do
//! not tell which header belongs to a row: a row that was copied late can have the same time as the previous row, and so does the
//! header of that row. Ticks increase, which resolves the ambiguity.

use crate::games::iracing::IrsdkHeader;

use super::super::chunk::{Entry, Item, Link};
use super::super::parts::PartKind;

/// An upper bound: a recorder never writes more frames before their header. Limits the memory for a tape without headers.
const MOST_WAITING: usize = 16;

/// Frames that wait for their header.
#[derive(Debug, Default)]
pub(in super::super) struct Linker {
    waiting: Vec<Entry>,
    /// The tick of the last row that was released.
    last_tick: i32,
}

impl Linker {
    /// Returns `true` if no frames are waiting.
    pub(in super::super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a frame. Appends the frames that can be linked with it to `out`.
    pub(in super::super) fn take(&mut self, entry: Entry, bytes: &[u8], out: &mut Vec<Item>) {
        if entry.kind != PartKind::Header {
            self.waiting.push(entry);
            if self.waiting.len() > MOST_WAITING {
                self.release(out);
            }
            return;
        }
        let time_ns = entry.time_ns;
        // The header first: it defines where rows are written.
        out.push(Item::Frame(entry));
        if self.waiting.iter().any(|frame| frame.time_ns > time_ns) {
            // Copied before the waiting frames: the next header describes them.
            return;
        }
        let known = match IrsdkHeader::read(bytes) {
            Some(header) => self.link(&header, time_ns),
            None => self.waiting.len(),
        };
        out.extend(self.waiting.drain(..known.min(self.waiting.len())).map(Item::Frame));
    }

    /// Releases the waiting frames without linking them.
    pub(in super::super) fn release(&mut self, out: &mut Vec<Item>) {
        out.extend(self.waiting.drain(..).map(Item::Frame));
    }

    /// Links rows to ticks: the newest row has the newest tick, the previous row the previous tick. Returns how many frames the
    /// header describes.
    fn link(&mut self, header: &IrsdkHeader, time_ns: u64) -> usize {
        let count = usize::try_from(header.buffer_count).unwrap_or(0);
        let buffers = header.buffers.iter().take(count).enumerate();
        let mut ticks: Vec<(i32, usize)> = buffers.map(|(index, buffer)| (buffer.tick, index)).collect();
        ticks.sort_unstable_by(|a, b| b.cmp(a));
        let newest = ticks.first().map_or(0, |(tick, _)| *tick);
        let mut known = self.waiting.len();
        while newest > self.last_tick && !self.ticks_rise(known, &ticks) {
            // The last of several rows with this time was copied later.
            let rows = self.waiting.iter().take(known).filter(|frame| frame.kind == PartKind::Row);
            if rows.filter(|row| row.time_ns == time_ns).count() < 2 {
                break;
            }
            known -= 1;
        }
        let linked = self.waiting.get_mut(..known).unwrap_or_default();
        let rows = linked.iter_mut().rev().filter(|frame| frame.kind == PartKind::Row);
        for (row, (tick, buffer)) in rows.zip(ticks).filter(|(_, (tick, _))| *tick > 0) {
            row.link = Link { tick: Some(tick), buffer: Some(buffer), ..row.link };
            self.last_tick = newest;
        }
        for text in linked.iter_mut().filter(|frame| frame.kind == PartKind::Text) {
            text.link.text_update = Some(header.session_info_update);
        }
        known
    }

    /// Returns whether the first row of `known` frames gets a later tick than the previous row.
    fn ticks_rise(&self, known: usize, ticks: &[(i32, usize)]) -> bool {
        let rows = self.waiting.iter().take(known).filter(|frame| frame.kind == PartKind::Row).count();
        let first = rows.checked_sub(1).and_then(|place| ticks.get(place));
        first.is_none_or(|(tick, _)| *tick > self.last_tick)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::chunk::Chunk;
    use super::*;

    fn header(ticks: [i32; 3], update: i32) -> Vec<u8> {
        let mut bytes = vec![0; 112];
        let mut put = |at: usize, number: i32| bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        put(12, update);
        put(32, 3);
        ticks.iter().enumerate().for_each(|(index, tick)| put(48 + 16 * index, *tick));
        bytes
    }

    #[test]
    fn rows_get_the_ticks_of_the_header_behind_them() {
        let (mut chunk, mut linker, mut out) = (Chunk::default(), Linker::default(), Vec::new());
        let mut take = |kind, time_ns, bytes: &[u8]| {
            let entry = chunk.keep(0, kind, time_ns, false, bytes);
            linker.take(entry, bytes, &mut out);
        };
        take(PartKind::Text, 5, b"text");
        take(PartKind::Row, 10, b"row");
        take(PartKind::Row, 20, b"row");
        take(PartKind::Header, 20, &header([102, 100, 101], 7));
        // A header from before a row does not describe it.
        take(PartKind::Row, 40, b"row");
        take(PartKind::Header, 30, &header([102, 103, 101], 7));
        take(PartKind::Header, 40, &header([102, 103, 104], 7));
        // Copied late, with the time of the previous row.
        take(PartKind::Row, 50, b"row");
        take(PartKind::Row, 50, b"late");
        take(PartKind::Header, 50, &header([105, 103, 104], 7));
        take(PartKind::Row, 60, b"row");
        take(PartKind::Header, 60, &header([105, 106, 107], 7));
        let linked: Vec<_> = out
            .iter()
            .filter_map(|item| match item {
                Item::Frame(entry) => Some((entry.kind, entry.link.tick, entry.link.buffer, entry.link.text_update)),
                _ => None,
            })
            .collect();
        assert_eq!(
            linked,
            [
                (PartKind::Header, None, None, None),
                (PartKind::Text, None, None, Some(7)),
                (PartKind::Row, Some(101), Some(2), None),
                (PartKind::Row, Some(102), Some(0), None),
                (PartKind::Header, None, None, None),
                (PartKind::Header, None, None, None),
                (PartKind::Row, Some(104), Some(2), None),
                (PartKind::Header, None, None, None),
                (PartKind::Row, Some(105), Some(0), None),
                (PartKind::Header, None, None, None),
                (PartKind::Row, Some(106), Some(1), None),
                (PartKind::Row, Some(107), Some(2), None),
            ]
        );
    }

    #[test]
    fn a_tape_that_lost_its_headers_is_not_held_back() {
        let (mut chunk, mut linker, mut out) = (Chunk::default(), Linker::default(), Vec::new());
        for time_ns in 0..100 {
            let entry = chunk.keep(0, PartKind::Row, time_ns, false, b"row");
            linker.take(entry, b"row", &mut out);
            assert!(linker.waiting.len() <= MOST_WAITING);
        }
        linker.release(&mut out);
        assert_eq!(out.len(), 100);
    }
}
