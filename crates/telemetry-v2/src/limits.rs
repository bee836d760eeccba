//! How large things in a stream may be. Every length that a file claims is compared with these before memory is taken.

use crate::dictionary::Dictionary;

/// Bounds for readers. The defaults fit every capture that a game can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one record.
    pub record_bytes: usize,
    /// Players, bones, events or names in one record. A repeated message of two bytes takes a hundred times as many in memory.
    pub elements: usize,
    /// Bytes a zstd frame may ask its reader to keep.
    pub window_bytes: usize,
    /// How many times as large as its file a stream may become: more is a bomb.
    pub expansion: u64,
    /// What may be unpacked before `expansion` counts.
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

/// How a source is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// How large things may be.
    pub limits: Limits,
    /// The zstd dictionary that the source was packed with. A source without one is read all the same.
    pub dictionary: Option<Dictionary>,
}

impl From<&Limits> for ReadOptions {
    fn from(limits: &Limits) -> Self {
        Self { limits: *limits, dictionary: None }
    }
}
