//! Upper bounds for all sizes and counts in a file (docs/format.md, section 12).
//!
//! Readers check these before they allocate memory; writers never exceed them.

/// Rows per block.
pub const BLOCK_ROWS: usize = 1024;
/// Raw bytes of a block, and of a single frame.
pub const BLOCK_RAW_BYTES: usize = 16 << 20;
/// Payload of a record.
pub const PAYLOAD_BYTES: usize = 32 << 20;
/// Head of a column block or an index page, unpacked.
pub const HEAD_BYTES: usize = 16 << 20;
/// A stream descriptor, unpacked.
pub const DESCRIPTOR_BYTES: usize = 4 << 20;
/// All stream descriptors of a tape together, unpacked.
pub const DESCRIPTORS_BYTES: usize = 16 << 20;
/// The footer, unpacked.
pub const FOOTER_BYTES: usize = 16 << 20;
/// Streams per tape.
pub const STREAMS: usize = 1024;
/// Channels per stream.
pub const CHANNELS: usize = 65_536;
/// Channels of all streams together.
pub const CHANNELS_IN_TAPE: usize = 131_072;
/// Columns per stream.
pub const COLUMNS: usize = 131_072;
/// Columns of all streams together.
pub const COLUMNS_IN_TAPE: usize = 262_144;
/// Length of a text in a stream descriptor, in bytes.
pub const TEXT_BYTES: usize = 1024;
/// Blocks per index page.
pub const PAGE_BLOCKS: usize = 1024;
/// Blocks outside of index pages that a reader keeps track of.
pub const LOOSE_BLOCKS: usize = 262_144;
/// Runs of consecutive journal rows that a reader keeps track of.
pub const JOURNAL_RUNS: usize = 65_536;
/// Size of a journal file.
pub const JOURNAL_BYTES: u64 = 1 << 30;
