//! The live memory: where everything is, which rows are new, and whether a copy of a row is whole.
//!
//! Takes copies of the 112 bytes at the front, gives a [`LiveMap`] whose places are known to lie inside the section. Copying
//! is the caller's: read the front, copy the rows of [`LiveMap::newer_than`], read the front again after each row and ask
//! [`LiveMap::is_whole`]. The front is small and read at every look, so all of it is checked every time.
//!
//! ```text
//! writer, tick t:  begin[i] = t   (newer versions of the game only)
//!                  row into buffer i
//!                  tick[i] = t
//!                  i = (i + 1) mod numBuf
//! ```
//! So the other buffers hold the ticks before, and a late reader can still fetch them. The buffer of tick `t` is written
//! again once tick `t + numBuf - 1` is out. `curBufTickCount` in the front is a copy of the newest tick that comes at no
//! promised moment: a hint that nothing here relies on.
use std::ops::Range;

use thiserror::Error;

use super::header::{IrsdkHeader, MAX_BUFFERS};
use super::row_times::believable_rate_hz;
use super::{HEADER_BYTES, MAX_VARS, VAR_HEADER_BYTES};

/// Row bytes and session text that are believed. Today rows have some 10 kB, and the text 512 KiB of room.
const MAX_ROW_BYTES: i64 = 1 << 20;
const MAX_TEXT_BYTES: i64 = 16 << 20;

/// Where things are in the live memory, and the newest ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveMap {
    /// Rows per second, as the game says; `None` if that cannot be.
    pub tick_rate_hz: Option<u32>,
    /// The variable headers, for [`read_var_headers`](super::read_var_headers).
    pub var_headers: Range<u64>,
    /// Room for the session text; it ends at the first NUL. Empty if there is none.
    pub session_text: Range<u64>,
    /// Changes with each new session text.
    pub session_text_update: i32,
    /// Bytes of one row.
    pub row_bytes: u32,
    buffers: LiveBuffers,
}

/// One row buffer, as it was when the front was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveBuffer {
    /// Which one.
    pub index: usize,
    /// Where its row starts.
    pub offset: u64,
    /// The tick of its row.
    pub tick: i32,
    /// The tick that was being written last; 0 in older versions of the game.
    pub tick_begin: i32,
}

/// Some of the row buffers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveBuffers {
    all: [LiveBuffer; MAX_BUFFERS],
    count: usize,
}

impl LiveBuffers {
    /// The buffers.
    #[must_use]
    pub fn as_slice(&self) -> &[LiveBuffer] {
        self.all.get(..self.count).unwrap_or_default()
    }

    fn push(&mut self, buffer: LiveBuffer) {
        if let Some(place) = self.all.get_mut(self.count) {
            *place = buffer;
            self.count += 1;
        }
    }
}

/// Why the front of the memory cannot be what the game writes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LiveMapError {
    /// The section is too short for anything.
    #[error("the memory has {found} bytes, the header alone takes {HEADER_BYTES}")]
    TooShort {
        /// Bytes there.
        found: u64,
    },
    /// A number cannot be.
    #[error("{name} at byte {offset} is {found}, possible are {least} to {most}")]
    Field {
        /// The number, as the game's documentation calls it.
        name: &'static str,
        /// Where it is.
        offset: usize,
        /// What it is.
        found: i32,
        /// The least it may be.
        least: i64,
        /// The most it may be.
        most: i64,
    },
    /// Something is not inside the memory.
    #[error("{what} take bytes {start} to {end} of a memory of {section_bytes} bytes")]
    Outside {
        /// What.
        what: &'static str,
        /// Where it starts.
        start: u64,
        /// The byte behind it.
        end: u64,
        /// Length of the memory.
        section_bytes: u64,
    },
    /// Two row buffers, or one and the variable headers, share bytes.
    #[error("row buffer {index} starts at byte {start} and shares bytes with {other}")]
    Overlap {
        /// Which buffer.
        index: usize,
        /// Where it starts.
        start: u64,
        /// What else is there.
        other: &'static str,
    },
}

impl LiveMap {
    /// Reads the front of a section of this length. `None` while the game says that it is not connected; a memory of zeros,
    /// which other programs make, says so too.
    ///
    /// # Errors
    /// Names the first number that cannot be.
    pub fn read(front: &[u8], section_bytes: u64) -> Result<Option<Self>, LiveMapError> {
        let found = section_bytes.min(front.len() as u64);
        let header = IrsdkHeader::read(front).filter(|_| found >= HEADER_BYTES as u64);
        let Some(header) = header else { return Err(LiveMapError::TooShort { found }) };
        if header.status & 1 == 0 {
            return Ok(None);
        }
        field("ver", 0, header.version, 1, 1000)?;
        let most = i64::from(i32::MAX);
        let front_bytes = HEADER_BYTES as i64;

        let vars = field("numVars", 24, header.var_count, 1, i64::from(MAX_VARS))?;
        let start = field("varHeaderOffset", 28, header.var_headers_offset, front_bytes, most)?;
        let bytes = u64::from(vars) * VAR_HEADER_BYTES as u64;
        let var_headers = inside("variable headers", start.into(), bytes, section_bytes)?;

        let bytes = field("sessionInfoLen", 16, header.session_info_bytes, 0, MAX_TEXT_BYTES)?;
        let session_text = if bytes == 0 {
            0..0
        } else {
            let start = field("sessionInfoOffset", 20, header.session_info_offset, front_bytes, most)?;
            inside("session text", start.into(), bytes.into(), section_bytes)?
        };

        let row_bytes = field("bufLen", 36, header.row_bytes, 1, MAX_ROW_BYTES)?;
        // With one buffer a reader could never tell whether it is being written.
        let count = field("numBuf", 32, header.buffer_count, 2, MAX_BUFFERS as i64)?;
        let mut buffers = LiveBuffers::default();
        for (index, buffer) in header.buffers.iter().enumerate().take(count as usize) {
            let offset = field("bufOffset", 52 + 16 * index, buffer.offset, front_bytes, most)?;
            let row = inside("row buffers", offset.into(), row_bytes.into(), section_bytes)?;
            let shares = |other: &Range<u64>| row.start < other.end && other.start < row.end;
            let rows = buffers.as_slice().iter().map(|other| other.offset..other.offset + u64::from(row_bytes));
            let overlap = |other| LiveMapError::Overlap { index, start: row.start, other };
            if shares(&var_headers) {
                return Err(overlap("the variable headers"));
            }
            if rows.into_iter().any(|other| shares(&other)) {
                return Err(overlap("another row buffer"));
            }
            let (tick, tick_begin) = (buffer.tick, buffer.tick_begin);
            buffers.push(LiveBuffer { index, offset: row.start, tick, tick_begin });
        }
        Ok(Some(Self {
            tick_rate_hz: believable_rate_hz(header.tick_rate_hz),
            var_headers,
            session_text,
            session_text_update: header.session_info_update,
            row_bytes,
            buffers,
        }))
    }

    /// All row buffers, in the order of the header.
    #[must_use]
    pub fn buffers(&self) -> &[LiveBuffer] {
        self.buffers.as_slice()
    }

    /// The newest tick; `None` before the first row is written.
    #[must_use]
    pub fn newest_tick(&self) -> Option<i32> {
        self.buffers().iter().map(|buffer| buffer.tick).filter(|tick| is_written(*tick)).max()
    }

    /// Whether the game started anew since this tick was seen: then the variable headers are to be read again, and no tick
    /// counts as seen.
    #[must_use]
    pub fn is_reconnect(&self, last_seen: i32) -> bool {
        self.newest_tick().is_some_and(|newest| newest < last_seen)
    }

    /// Whether rows are described and placed as in `other`, as far as the front says.
    #[must_use]
    pub fn is_placed_like(&self, other: &Self) -> bool {
        let places = |map: &Self| map.buffers.all.map(|buffer| buffer.offset);
        self.var_headers == other.var_headers
            && self.row_bytes == other.row_bytes
            && self.buffers.count == other.buffers.count
            && places(self) == places(other)
    }

    /// The buffers with rows of later ticks than `last_seen`, oldest first. One that may be being written is left out.
    #[must_use]
    pub fn newer_than(&self, last_seen: Option<i32>) -> LiveBuffers {
        let mut newer = LiveBuffers::default();
        for buffer in self.buffers() {
            let is_new = is_written(buffer.tick) && last_seen.is_none_or(|seen| buffer.tick > seen);
            if is_new && self.is_whole(buffer) {
                newer.push(*buffer);
            }
        }
        if let Some(used) = newer.all.get_mut(..newer.count) {
            used.sort_unstable_by_key(|buffer| buffer.tick);
        }
        newer
    }

    /// Whether a row that was copied from `buffer` is whole. `self` is the front as it was read after the copy.
    ///
    /// Where the game counts begins, nobody has begun to write the buffer again. Where it does not, the writer has not come
    /// so near that it may be writing it: the newest tick is at most the copied one plus the number of buffers minus 2.
    #[must_use]
    pub fn is_whole(&self, buffer: &LiveBuffer) -> bool {
        let Some(after) = self.buffers().iter().find(|after| after.index == buffer.index) else { return false };
        if after.tick != buffer.tick || after.offset != buffer.offset {
            return false;
        }
        if self.has_begin_counts() {
            return buffer.tick_begin == buffer.tick && after.tick_begin == buffer.tick;
        }
        let reach = i64::from(buffer.tick) + self.buffers.count as i64 - 2;
        self.newest_tick().is_some_and(|newest| i64::from(newest) <= reach)
    }

    fn has_begin_counts(&self) -> bool {
        self.buffers().iter().any(|buffer| buffer.tick_begin != 0)
    }
}

/// Buffers start with a tick of -1, or 0 where the memory was only cleared.
fn is_written(tick: i32) -> bool {
    tick > 0
}

fn field(name: &'static str, offset: usize, found: i32, least: i64, most: i64) -> Result<u32, LiveMapError> {
    let error = LiveMapError::Field { name, offset, found, least, most };
    let inside = (least..=most).contains(&i64::from(found));
    u32::try_from(found).ok().filter(|_| inside).ok_or(error)
}

fn inside(what: &'static str, start: u64, bytes: u64, section_bytes: u64) -> Result<Range<u64>, LiveMapError> {
    let end = start + bytes;
    if end > section_bytes {
        return Err(LiveMapError::Outside { what, start, end, section_bytes });
    }
    Ok(start..end)
}
