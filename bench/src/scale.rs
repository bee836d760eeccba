//! The calls into the tape that `scale` measures, and nothing else: pages in and a tape out, a tape in and frames out.
//!
//! [`pages`] makes the input, [`run`] drives the processes and prints.

mod cold;
pub(crate) mod pages;
pub(crate) mod run;

use std::ops::Range;
use std::path::Path;

use anyhow::{Result, bail};

use crate::data::StreamShape;
use pages::LongPages;

/// A frame that a seek found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) time_ns: u64,
    pub(crate) row: Vec<u8>,
}

/// Writes all pages into a new tape of one stream and closes it. The pages come one at a time: 24 hours do not fit in memory.
pub(crate) fn write_tape(_path: &Path, _stream: &StreamShape, _pages: &mut LongPages) -> Result<()> {
    bail!("not available yet")
}

/// Opens a tape and gives the last frame at or before a time.
pub(crate) fn open_and_seek(_path: &Path, _time_ns: u64) -> Result<Found> {
    bail!("not available yet")
}

/// Opens a tape and gives one channel of all frames with times in a range.
pub(crate) fn read_one_channel(_path: &Path, _channel: &str, _times_ns: Range<u64>) -> Result<Vec<f32>> {
    bail!("not available yet")
}
