//! The tape operations that `scale` measures: writing a tape, seeking, reading one channel.
//!
//! [`pages`] generates the input, [`run`] drives the processes and prints.

mod cold;
pub(crate) mod pages;
pub(crate) mod run;

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail};
use gametape_format::read::{Tape, Values};

use crate::data::StreamShape;
pub(crate) use cold::drop_from_cache;
use pages::LongPages;

/// The frame found by a seek.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) time_ns: u64,
    pub(crate) row: Vec<u8>,
}

/// Writes all pages to a new tape of one stream and closes it. The pages are generated one at a time, because 24 hours
/// do not fit in memory.
pub(crate) fn write_tape(path: &Path, stream: &StreamShape, pages: &mut LongPages) -> Result<()> {
    let mut builder = crate::peers::gametape::builder(path)?;
    let id = builder.add_stream(crate::peers::gametape::stream_spec(stream), 0)?;
    while let Some((time_ns, page)) = pages.next_page() {
        builder.append(id, time_ns, page)?;
    }
    builder.finish()?;
    Ok(())
}

/// Opens a tape and returns the last frame at or before a time.
pub(crate) fn open_and_seek(path: &Path, time_ns: u64) -> Result<Found> {
    let tape = Tape::open(path)?;
    let stream = tape.streams().next().context("the tape has no stream")?;
    let (time_ns, row) = tape.frame_at(stream, time_ns)?.context("no frame at or before that time")?;
    Ok(Found { time_ns, row })
}

/// Opens a tape and returns one channel of all frames in a time range.
pub(crate) fn read_one_channel(path: &Path, channel: &str, times_ns: Range<u64>) -> Result<Vec<f32>> {
    let tape = Tape::open(path)?;
    let stream = tape.streams().next().context("the tape has no stream")?;
    let mut channels = tape.channels(stream, &[channel])?;
    channels.seek_time(times_ns.start)?;
    let mut values = Vec::new();
    while let Some(block) = channels.next_block()? {
        let Some(Values::F32(found)) = block.values.first() else { bail!("{channel} is not an f32 channel") };
        let inside = |time: &u64| times_ns.contains(time);
        values.extend(block.times.iter().zip(found).filter(|(time, _)| inside(time)).map(|(_, value)| *value));
        if block.times.last().is_none_or(|last| *last >= times_ns.end) {
            break;
        }
    }
    Ok(values)
}
