//! iRacing's live memory, written as the game does: rotating buffers, tick counts, session text.
use std::sync::atomic::{Ordering, fence};

use gametape::games::iracing::{SECTION, SECTION_BYTES};
use gametape::sys::{Prefix, SectionWriter};

/// Type, offset, count, name, unit.
pub const VARIABLES: [(i32, i32, i32, &str, &str); 6] = [
    (2, 0, 1, "SessionTick", ""),
    (2, 4, 1, "SessionUniqueID", ""),
    (2, 8, 1, "SessionNum", ""),
    (1, 12, 1, "IsOnTrack", ""),
    (4, 13, 1, "Speed", "m/s"),
    (4, 17, 2000, "CarIdxLapDistPct", "%"),
];
const HEADERS_AT: usize = 112;
const TEXT_AT: usize = 4096;
const TEXT_ROOM: usize = 8192;
const ROWS_AT: usize = 16384;
pub const ROW_BYTES: usize = 17 + 2000 * 4;
/// A row is written in pieces, as a program writes its variables.
const PIECE: usize = 4096;

pub struct Memory {
    section: Option<SectionWriter>,
    buffers: usize,
    begin_counts: bool,
    current: usize,
    pub tick: i32,
    updates: i32,
    pub session: i32,
}

impl Memory {
    pub fn start(prefix: &Prefix, buffers: usize, begin_counts: bool) -> Self {
        let section = SectionWriter::create(&prefix.section(SECTION), SECTION_BYTES.into()).unwrap();
        let memory =
            Self { section: Some(section), buffers, begin_counts, current: 0, tick: 100, updates: 0, session: 0 };
        let numbers = [2, 0, 60, 0, TEXT_ROOM, TEXT_AT, VARIABLES.len(), HEADERS_AT, buffers, ROW_BYTES];
        for (index, number) in numbers.iter().enumerate() {
            memory.put(index * 4, &(*number as i32).to_le_bytes());
        }
        for buffer in 0..buffers {
            memory.put(48 + 16 * buffer, &(-1_i32).to_le_bytes());
            memory.put(52 + 16 * buffer, &((ROWS_AT + buffer * 16384) as i32).to_le_bytes());
        }
        for (index, (kind, offset, count, name, unit)) in VARIABLES.iter().enumerate() {
            let mut header = [0; 144];
            for (at, number) in [(0, kind), (4, offset), (8, count)] {
                header[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
            header[16..16 + name.len()].copy_from_slice(name.as_bytes());
            header[112..112 + unit.len()].copy_from_slice(unit.as_bytes());
            memory.put(HEADERS_AT + 144 * index, &header);
        }
        memory
    }

    fn put(&self, at: usize, bytes: &[u8]) {
        self.section.as_ref().unwrap().write(at as u64, bytes).unwrap();
    }

    pub fn connected(&self, connected: bool) {
        self.put(4, &i32::from(connected).to_le_bytes());
    }

    pub fn text(&mut self, text: &str) {
        let mut room = vec![0; TEXT_ROOM];
        room[..text.len()].copy_from_slice(text.as_bytes());
        self.put(TEXT_AT, &room);
        self.updates += 1;
        self.put(12, &self.updates.to_le_bytes());
    }

    /// A row whose values all tell its tick.
    pub fn row(&self) -> Vec<u8> {
        let mut row = Vec::with_capacity(ROW_BYTES);
        row.extend(self.tick.to_le_bytes());
        row.extend(7_i32.to_le_bytes());
        row.extend(self.session.to_le_bytes());
        row.push(1);
        row.resize(ROW_BYTES, self.tick as u8);
        row
    }

    /// The next tick.
    pub fn step(&mut self) {
        self.tick += 1;
        let front = 48 + 16 * self.current;
        if self.begin_counts {
            self.put(front + 8, &self.tick.to_le_bytes());
        }
        fence(Ordering::SeqCst);
        for (number, piece) in self.row().chunks(PIECE).enumerate() {
            self.put(ROWS_AT + self.current * 16384 + number * PIECE, piece);
        }
        self.put(front, &self.tick.to_le_bytes());
        self.current = (self.current + 1) % self.buffers;
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.section.take().unwrap().remove().unwrap();
    }
}

/// Whether all values of a row are of one tick.
pub fn is_whole(row: &[u8]) -> bool {
    let tick = row.first().copied().unwrap_or_default();
    row.len() == ROW_BYTES && row.iter().skip(13).all(|byte| *byte == tick)
}
