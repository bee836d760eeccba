//! Finds the tick of each row of a tape.
//!
//! Rows do not contain their tick; the header that was copied after them does. The header follows its rows on the tape, so rows
//! (and texts) wait here until it arrives. A recorder copies at most as many rows at a time as there are buffers. Times alone do
//! not tell which header belongs to a row: a row that was copied late can have the same time as the previous row, and so does the
//! header of that row. Ticks increase, which resolves the ambiguity.

use gametape_games::iracing::IrsdkHeader;

use super::playback::Kind;
use crate::transport::{Entry, Link, Lookahead};

/// An upper bound: a recorder never writes more frames before their header. Limits the memory for a tape without headers.
const MOST_WAITING: usize = 16;

/// Frames that wait for their header.
#[derive(Debug)]
pub(super) struct TickLookahead {
    /// What each part is.
    kinds: Vec<Kind>,
    waiting: Vec<Entry>,
    /// The tick of the last row that was released.
    last_tick: i32,
}

impl Lookahead for TickLookahead {
    fn reads(&self, part: usize) -> bool {
        self.kinds.get(part) == Some(&Kind::Header)
    }

    fn take(&mut self, entry: Entry, bytes: &[u8], out: &mut Vec<Entry>) {
        if !self.is(&entry, Kind::Header) {
            self.waiting.push(entry);
            if self.waiting.len() > MOST_WAITING {
                self.release(out);
            }
            return;
        }
        let time_ns = entry.time_ns;
        // The header first: it defines where rows are written.
        out.push(entry);
        if self.waiting.iter().any(|frame| frame.time_ns > time_ns) {
            // Copied before the waiting frames: the next header describes them.
            return;
        }
        let known = match IrsdkHeader::read(bytes) {
            Some(header) => self.link(&header, time_ns),
            None => self.waiting.len(),
        };
        out.extend(self.waiting.drain(..known.min(self.waiting.len())));
    }

    fn release(&mut self, out: &mut Vec<Entry>) {
        out.append(&mut self.waiting);
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn restart(&mut self) {
        self.waiting.clear();
        self.last_tick = 0;
    }
}

impl TickLookahead {
    /// Creates a lookahead for parts of these kinds.
    pub(super) fn new(kinds: Vec<Kind>) -> Self {
        Self { kinds, waiting: Vec::new(), last_tick: 0 }
    }

    fn is(&self, entry: &Entry, kind: Kind) -> bool {
        self.kinds.get(entry.part) == Some(&kind)
    }

    /// Returns how many of the first `known` waiting frames are rows for which `counts` is true.
    fn rows(&self, known: usize, counts: impl Fn(&Entry) -> bool) -> usize {
        self.waiting.iter().take(known).filter(|frame| self.is(frame, Kind::Row) && counts(frame)).count()
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
            if self.rows(known, |row| row.time_ns == time_ns) < 2 {
                break;
            }
            known -= 1;
        }
        let kinds = &self.kinds;
        let is = |frame: &Entry, kind: Kind| kinds.get(frame.part) == Some(&kind);
        let linked = self.waiting.get_mut(..known).unwrap_or_default();
        let rows = linked.iter_mut().rev().filter(|frame| is(frame, Kind::Row));
        for (row, (tick, buffer)) in rows.zip(ticks).filter(|(_, (tick, _))| *tick > 0) {
            row.link = Link { tick: Some(tick), buffer: Some(buffer), ..row.link };
            self.last_tick = newest;
        }
        for text in linked.iter_mut().filter(|frame| is(frame, Kind::Text)) {
            text.link.text_update = Some(header.session_info_update);
        }
        known
    }

    /// Returns whether the first row of `known` frames gets a later tick than the previous row.
    fn ticks_rise(&self, known: usize, ticks: &[(i32, usize)]) -> bool {
        let first = self.rows(known, |_| true).checked_sub(1).and_then(|place| ticks.get(place));
        first.is_none_or(|(tick, _)| *tick > self.last_tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 3] = [Kind::Text, Kind::Row, Kind::Header];

    fn entry(kind: Kind, time_ns: u64) -> Entry {
        let part = KINDS.iter().position(|known| *known == kind).unwrap();
        Entry { part, time_ns, at_once: false, link: Link::default(), range: 0..0 }
    }

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
        let (mut lookahead, mut out) = (TickLookahead::new(KINDS.to_vec()), Vec::new());
        let mut take = |kind, time_ns, bytes: &[u8]| lookahead.take(entry(kind, time_ns), bytes, &mut out);
        take(Kind::Text, 5, b"text");
        take(Kind::Row, 10, b"row");
        take(Kind::Row, 20, b"row");
        take(Kind::Header, 20, &header([102, 100, 101], 7));
        // A header from before a row does not describe it.
        take(Kind::Row, 40, b"row");
        take(Kind::Header, 30, &header([102, 103, 101], 7));
        take(Kind::Header, 40, &header([102, 103, 104], 7));
        // Copied late, with the time of the previous row.
        take(Kind::Row, 50, b"row");
        take(Kind::Row, 50, b"late");
        take(Kind::Header, 50, &header([105, 103, 104], 7));
        take(Kind::Row, 60, b"row");
        take(Kind::Header, 60, &header([105, 106, 107], 7));
        let linked: Vec<_> = out
            .iter()
            .map(|entry| (KINDS[entry.part], entry.link.tick, entry.link.buffer, entry.link.text_update))
            .collect();
        assert_eq!(
            linked,
            [
                (Kind::Header, None, None, None),
                (Kind::Text, None, None, Some(7)),
                (Kind::Row, Some(101), Some(2), None),
                (Kind::Row, Some(102), Some(0), None),
                (Kind::Header, None, None, None),
                (Kind::Header, None, None, None),
                (Kind::Row, Some(104), Some(2), None),
                (Kind::Header, None, None, None),
                (Kind::Row, Some(105), Some(0), None),
                (Kind::Header, None, None, None),
                (Kind::Row, Some(106), Some(1), None),
                (Kind::Row, Some(107), Some(2), None),
            ]
        );
    }

    #[test]
    fn a_tape_that_lost_its_headers_is_not_held_back() {
        let (mut lookahead, mut out) = (TickLookahead::new(KINDS.to_vec()), Vec::new());
        for time_ns in 0..100 {
            lookahead.take(entry(Kind::Row, time_ns), b"row", &mut out);
            assert!(lookahead.waiting.len() <= MOST_WAITING);
        }
        lookahead.release(&mut out);
        assert_eq!(out.len(), 100);
    }
}
