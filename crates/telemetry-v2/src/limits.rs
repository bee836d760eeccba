//! Size limits for streams. Every length declared in a file is checked against these before memory is allocated.

use crate::dictionary::Dictionary;

/// Limits for readers. The defaults fit every capture that a game can produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of one record.
    pub record_bytes: usize,
    /// Players, bones, events or names in one record. A repeated message of two bytes takes a hundred times as much memory.
    pub elements: usize,
    /// Window size that a zstd frame may require.
    pub window_bytes: usize,
    /// Maximum expansion ratio of a file: more is a decompression bomb.
    pub expansion: u64,
    /// Bytes that may be decompressed before `expansion` applies.
    pub free_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            record_bytes: 16 << 20,
            elements: 16_384,
            window_bytes: 128 << 20,
            expansion: 1000,
            free_bytes: 64 << 20,
        }
    }
}

/// Options for reading a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Size limits.
    pub limits: Limits,
    /// The zstd dictionary of the source. A source without one can be read all the same.
    pub dictionary: Option<Dictionary>,
}

impl From<&Limits> for ReadOptions {
    fn from(limits: &Limits) -> Self {
        Self { limits: *limits, dictionary: None }
    }
}
