//! The 112-byte header of the live shared memory and of every `.ibt` file.
//!
//! The numbers are returned unchecked. Valid ranges differ between memory and file, so the caller checks them before
//! use.
//!
//! ```text
//!  0 ver          4 status            8 tickRate        12 sessionInfoUpdate
//! 16 sessionInfoLen  20 sessionInfoOffset  24 numVars   28 varHeaderOffset
//! 32 numBuf      36 bufLen           40 curBufTickCount 44 curBuf (u8), 3 pad
//! 48 varBuf[4], 16 bytes each: +0 tickCount, +4 bufOffset, +8 tickCountBegin, +12 pad
//! ```
//! All fields but `curBuf` are `i32`. `curBufTickCount`, `curBuf` and `tickCountBegin` were padding in older versions
//! of the game and are 0 there.
use crate::bytes::i32_at;
use crate::layout::Kind::{I32, U8};
use crate::layout::{Channel, Layout};

/// Length of the header.
pub const HEADER_BYTES: usize = 112;

/// Number of row buffers that the header has space for.
pub const MAX_BUFFERS: usize = 4;

/// The header as a frame. Tapes store it alongside the rows for its tick counts.
pub static HEADER_112: Layout = Layout::from_table("irsdk-header-112", 112, CHANNELS);

const CHANNELS: &[Channel] = &[
    Channel::fixed("ver", 0, I32, 1, ""),
    Channel::fixed("status", 4, I32, 1, ""),
    Channel::fixed("tickRate", 8, I32, 1, ""),
    Channel::fixed("sessionInfoUpdate", 12, I32, 1, ""),
    Channel::fixed("sessionInfoLen", 16, I32, 1, ""),
    Channel::fixed("sessionInfoOffset", 20, I32, 1, ""),
    Channel::fixed("numVars", 24, I32, 1, ""),
    Channel::fixed("varHeaderOffset", 28, I32, 1, ""),
    Channel::fixed("numBuf", 32, I32, 1, ""),
    Channel::fixed("bufLen", 36, I32, 1, ""),
    Channel::fixed("curBufTickCount", 40, I32, 1, ""),
    Channel::fixed("curBuf", 44, U8, 1, ""),
    Channel::fixed("varBuf[0].tickCount", 48, I32, 1, ""),
    Channel::fixed("varBuf[0].bufOffset", 52, I32, 1, ""),
    Channel::fixed("varBuf[0].tickCountBegin", 56, I32, 1, ""),
    Channel::fixed("varBuf[1].tickCount", 64, I32, 1, ""),
    Channel::fixed("varBuf[1].bufOffset", 68, I32, 1, ""),
    Channel::fixed("varBuf[1].tickCountBegin", 72, I32, 1, ""),
    Channel::fixed("varBuf[2].tickCount", 80, I32, 1, ""),
    Channel::fixed("varBuf[2].bufOffset", 84, I32, 1, ""),
    Channel::fixed("varBuf[2].tickCountBegin", 88, I32, 1, ""),
    Channel::fixed("varBuf[3].tickCount", 96, I32, 1, ""),
    Channel::fixed("varBuf[3].bufOffset", 100, I32, 1, ""),
    Channel::fixed("varBuf[3].tickCountBegin", 104, I32, 1, ""),
];

/// The header, unchecked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IrsdkHeader {
    /// `ver`: 2 today, 1 in old versions.
    pub version: i32,
    /// `status`: bit 0 is set while the game is connected.
    pub status: i32,
    /// `tickRate`: rows per second, 60 or 360.
    pub tick_rate_hz: i32,
    /// `sessionInfoUpdate`: increases with each new session info string.
    pub session_info_update: i32,
    /// `sessionInfoLen`: bytes reserved for the session info string.
    pub session_info_bytes: i32,
    /// `sessionInfoOffset`.
    pub session_info_offset: i32,
    /// `numVars`.
    pub var_count: i32,
    /// `varHeaderOffset`.
    pub var_headers_offset: i32,
    /// `numBuf`: number of `buffers` in use; 1 in an `.ibt`.
    pub buffer_count: i32,
    /// `bufLen`: bytes of one row.
    pub row_bytes: i32,
    /// `curBufTickCount`: copy of the newest tick count; 0 in older versions.
    pub newest_tick: i32,
    /// `curBuf`: index of the buffer written last; 0 in older versions.
    pub newest_buffer: u8,
    /// `varBuf`.
    pub buffers: [VarBuffer; MAX_BUFFERS],
}

/// Position and tick of one row buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VarBuffer {
    /// `tickCount`: set after the row is written.
    pub tick: i32,
    /// `bufOffset`: offset of the row from the start of the memory or file.
    pub offset: i32,
    /// `tickCountBegin`: set before the row is written; 0 in older versions.
    pub tick_begin: i32,
}

impl IrsdkHeader {
    /// Reads the header from the start of memory or file; `None` if there are fewer than [`HEADER_BYTES`].
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..HEADER_BYTES)?;
        let mut buffers = [VarBuffer::default(); MAX_BUFFERS];
        for (index, buffer) in buffers.iter_mut().enumerate() {
            let at = 48 + 16 * index;
            *buffer = VarBuffer {
                tick: i32_at(bytes, at)?,
                offset: i32_at(bytes, at + 4)?,
                tick_begin: i32_at(bytes, at + 8)?,
            };
        }
        Some(Self {
            version: i32_at(bytes, 0)?,
            status: i32_at(bytes, 4)?,
            tick_rate_hz: i32_at(bytes, 8)?,
            session_info_update: i32_at(bytes, 12)?,
            session_info_bytes: i32_at(bytes, 16)?,
            session_info_offset: i32_at(bytes, 20)?,
            var_count: i32_at(bytes, 24)?,
            var_headers_offset: i32_at(bytes, 28)?,
            buffer_count: i32_at(bytes, 32)?,
            row_bytes: i32_at(bytes, 36)?,
            newest_tick: i32_at(bytes, 40)?,
            newest_buffer: *bytes.get(44)?,
            buffers,
        })
    }
}
