//! Upper bounds of everything a file may say about sizes and counts (docs/format.md, section 12).
//!
//! Readers check against these before they take memory; writers never go beyond them.

/// Rows in a block.
pub const BLOCK_ROWS: usize = 1024;
/// Raw bytes of a block, and of one frame.
pub const BLOCK_RAW_BYTES: usize = 16 << 20;
/// Payload of a record.
pub const PAYLOAD_BYTES: usize = 32 << 20;
/// Head of a column block or an index page, unpacked.
pub const HEAD_BYTES: usize = 16 << 20;
/// A stream descriptor, unpacked.
pub const DESCRIPTOR_BYTES: usize = 4 << 20;
/// All stream descriptors of a tape, unpacked, together.
pub const DESCRIPTORS_BYTES: usize = 16 << 20;
/// The footer, unpacked.
pub const FOOTER_BYTES: usize = 16 << 20;
/// Streams in a tape.
pub const STREAMS: usize = 1024;
/// Channels of one stream.
pub const CHANNELS: usize = 65_536;
/// Channels of all streams together.
pub const CHANNELS_IN_TAPE: usize = 131_072;
/// Columns of one stream.
pub const COLUMNS: usize = 131_072;
/// Columns of all streams together.
pub const COLUMNS_IN_TAPE: usize = 262_144;
/// Bytes of a text in a stream descriptor.
pub const TEXT_BYTES: usize = 1024;
/// Blocks in an index page.
pub const PAGE_BLOCKS: usize = 1024;
/// Blocks outside index pages that a reader remembers.
pub const LOOSE_BLOCKS: usize = 262_144;
/// Runs of consecutive rows in journals that a reader remembers.
pub const JOURNAL_RUNS: usize = 65_536;
/// A journal file.
pub const JOURNAL_BYTES: u64 = 1 << 30;
