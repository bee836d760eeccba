//! The live memory map: locates its parts, finds new rows and validates row copies.
//!
//! [`LiveMap::read`] takes a copy of the 112-byte header and guarantees that all offsets lie inside the section.
//! Copying is up to the caller: read the header, copy the rows of [`LiveMap::newer_than`], read the header again after
//! each row and check [`LiveMap::is_whole`]. The header is small and read on every poll, so it is fully validated every
//! time.
//!
//! ```text
//! writer, tick t:  begin[i] = t   (newer versions of the game only)
//!                  row into buffer i
//!                  tick[i] = t
//!                  i = (i + 1) mod numBuf
//! ```
//! The other buffers thus hold the preceding ticks, and a late reader can still fetch them. The buffer of tick `t` is
//! overwritten after tick `t + numBuf - 1` has been published. `curBufTickCount` in the header is a copy of the newest
//! tick, updated at no guaranteed moment: a hint that nothing here relies on.
use std::ops::Range;

use thiserror::Error;

use super::header::{IrsdkHeader, MAX_BUFFERS};
use super::row_times::plausible_rate_hz;
use super::{HEADER_BYTES, MAX_VARS, VAR_HEADER_BYTES};

/// Maximum plausible lengths of a row and of the session info string. Currently rows have about 10 kB, and 512 KiB are
/// reserved for the string.
const MAX_ROW_BYTES: i64 = 1 << 20;
const MAX_TEXT_BYTES: i64 = 16 << 20;

/// Locations of the parts of the live memory, and the newest ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveMap {
    /// Rows per second, as the game reports it; `None` if implausible.
    pub tick_rate_hz: Option<u32>,
    /// Byte range of the variable headers, for [`read_var_headers`](super::read_var_headers).
    pub var_headers: Range<u64>,
    /// Byte range reserved for the session info string, which ends at the first NUL. Empty if there is none.
    pub session_text: Range<u64>,
    /// Changes with each new session info string.
    pub session_text_update: i32,
    /// Bytes of one row.
    pub row_bytes: u32,
    buffers: LiveBuffers,
}

/// A row buffer, as of the time the header was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveBuffer {
    /// Index of the buffer.
    pub index: usize,
    /// Offset of its row.
    pub offset: u64,
    /// Tick of its row.
    pub tick: i32,
    /// Tick of the write that was begun last; 0 in older versions of the game.
    pub tick_begin: i32,
}

/// A subset of the row buffers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveBuffers {
    all: [LiveBuffer; MAX_BUFFERS],
    count: usize,
}

impl LiveBuffers {
    /// Returns the buffers.
    #[must_use]
    pub fn as_slice(&self) -> &[LiveBuffer] {
        self.all.get(..self.count).unwrap_or_default()
    }

    fn push(&mut self, buffer: LiveBuffer) {
        if let Some(slot) = self.all.get_mut(self.count) {
            *slot = buffer;
            self.count += 1;
        }
    }
}

/// Why the header of the live memory is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LiveMapError {
    /// The section is too short for a header.
    #[error("the shared memory has {found} bytes, but the header alone takes {HEADER_BYTES}")]
    TooShort {
        /// Length of the section.
        found: u64,
    },
    /// A header field is out of range.
    #[error("{name} at byte {offset} is {found}, expected {least} to {most}")]
    Field {
        /// The field, as the game's documentation calls it.
        name: &'static str,
        /// Offset of the field.
        offset: usize,
        /// The number found.
        found: i32,
        /// Minimum.
        least: i64,
        /// Maximum.
        most: i64,
    },
    /// A part extends past the end of the section.
    #[error("{what}: bytes {start} to {end} exceed the shared memory of {section_bytes} bytes")]
    Outside {
        /// The part.
        what: &'static str,
        /// Offset of the part.
        start: u64,
        /// Offset of the first byte after it.
        end: u64,
        /// Length of the section.
        section_bytes: u64,
    },
    /// Two row buffers overlap, or one overlaps the variable headers.
    #[error("row buffer {index} at byte {start} overlaps {other}")]
    Overlap {
        /// Index of the buffer.
        index: usize,
        /// Offset of the buffer.
        start: u64,
        /// The part that it overlaps.
        other: &'static str,
    },
}

impl LiveMap {
    /// Reads the header of a section of this length. Returns `None` while the game reports that it is not connected; a
    /// zeroed section, as other programs create it, counts as not connected too.
    ///
    /// # Errors
    /// Returns an error for the first invalid number.
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
        // With a single buffer, a reader could never tell whether it is being written.
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
            tick_rate_hz: plausible_rate_hz(header.tick_rate_hz),
            var_headers,
            session_text,
            session_text_update: header.session_info_update,
            row_bytes,
            buffers,
        }))
    }

    /// Returns all row buffers, in header order.
    #[must_use]
    pub fn buffers(&self) -> &[LiveBuffer] {
        self.buffers.as_slice()
    }

    /// Returns the newest tick; `None` before the first row is written.
    #[must_use]
    pub fn newest_tick(&self) -> Option<i32> {
        self.buffers().iter().map(|buffer| buffer.tick).filter(|tick| is_written(*tick)).max()
    }

    /// Returns whether the game has restarted since this tick: the caller must then read the variable headers again and
    /// forget the ticks it has observed.
    #[must_use]
    pub fn is_reconnect(&self, last_seen: i32) -> bool {
        self.newest_tick().is_some_and(|newest| newest < last_seen)
    }

    /// Returns whether rows have the same description and location as in `other`, as far as the header shows.
    #[must_use]
    pub fn is_placed_like(&self, other: &Self) -> bool {
        let offsets = |map: &Self| map.buffers.all.map(|buffer| buffer.offset);
        self.var_headers == other.var_headers
            && self.row_bytes == other.row_bytes
            && self.buffers.count == other.buffers.count
            && offsets(self) == offsets(other)
    }

    /// Returns the buffers with rows of later ticks than `last_seen`, oldest first. A buffer that may be being written
    /// is left out.
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

    /// Returns whether a row that was copied from `buffer` is consistent. `self` must be the header as read after the
    /// copy.
    ///
    /// If the game counts begins, no write to the buffer may have begun since. If it does not, the writer must not have
    /// come so close that it may be writing the buffer: the newest tick is at most the copied one plus the number of
    /// buffers minus 2.
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

/// Returns whether the buffer was written. Buffers start with tick -1, or with 0 if the memory was only cleared.
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
