//! Reads channels of a stream within a range of times.
//!
//! Takes names and times, gives columns of one length: blocks that cannot be decoded are left out of all of them, and counted. Decodes only the
//! blocks that overlap the range, and of these only the columns that are asked for.

use std::ops::Range;

use gametape_format::ChannelType;
use gametape_format::read::{ChannelBlock, Channels, ReadError, Tape, TapeStream, Values};
use pyo3::prelude::*;

use crate::errors::{no_memory, read_error};
use crate::values::{empty, extend, reserve};

/// Blocks that are decoded before Ctrl-C is looked for.
const BLOCKS_BETWEEN_SIGNALS: usize = 256;
/// Frames in a block, and the smallest size of a block in a file: what a tape claims to have is believed up to there.
const MOST_ROWS: u64 = 1024;
const SMALLEST_BLOCK: u64 = 64;

/// A channel that is read.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    /// Name, as `Tape::channels` takes it.
    pub(crate) name: String,
    /// Type of its values.
    pub(crate) kind: ChannelType,
    /// Unit; empty if it has none.
    pub(crate) unit: String,
    /// Values per row.
    pub(crate) count: usize,
    /// The array and the index, if it is one element.
    element: Option<(String, String)>,
}

impl Choice {
    /// The array and the index, if it is one element of an array.
    pub(crate) fn element(&self) -> Option<&(String, String)> {
        self.element.as_ref()
    }
}

/// Looks up channels by name: `speedKmh`, `wheelSlip`, `wheelSlip[2]`.
pub(crate) fn choose(tape: &Tape, stream: &TapeStream, names: &[String]) -> Result<Vec<Choice>, ReadError> {
    let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
    let channels = tape.channels(stream, &borrowed)?;
    let choice = |(index, name): (usize, &String)| {
        let spec = stream.spec();
        let split = || name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
        // A channel may have brackets in its name.
        let element = split().filter(|_| spec.channel(name).is_none());
        let channel = spec.channel(element.map_or(name.as_str(), |(base, _)| base));
        let (kind, unit) = channel.map_or((ChannelType::U8, ""), |channel| (channel.kind, channel.unit.as_str()));
        let element = element.map(|(base, index)| (base.to_owned(), index.to_owned()));
        Choice { name: name.clone(), kind, unit: unit.to_owned(), count: channels.count(index), element }
    };
    Ok(names.iter().enumerate().map(choice).collect())
}

/// What to read of the chosen channels.
#[derive(Debug, Clone)]
pub(crate) struct How {
    /// The times, the end excluded.
    pub(crate) times: Range<u64>,
    /// Whether the times of the rows are wanted.
    pub(crate) with_times: bool,
    /// Whether damage is an error. Otherwise it is left out and counted.
    pub(crate) strict: bool,
}

impl How {
    /// Whether nothing is left out.
    fn whole(&self) -> bool {
        self.times == (0..u64::MAX)
    }
}

/// Reads blocks of chosen channels, cut to a range of times.
pub(crate) struct Blocks<'a> {
    channels: Channels<'a>,
    counts: Vec<usize>,
    how: How,
    sought: bool,
    /// Damaged parts that were left out.
    pub(crate) damaged: u64,
}

/// A block with the rows of it that are wanted.
pub(crate) struct Part {
    pub(crate) block: ChannelBlock,
    pub(crate) rows: Range<usize>,
}

impl<'a> Blocks<'a> {
    /// Starts reading. Times are decoded if they are wanted, or needed to find the rows.
    pub(crate) fn new(
        tape: &'a Tape,
        stream: &'a TapeStream,
        choices: &[Choice],
        how: &How,
    ) -> Result<Self, ReadError> {
        let names: Vec<&str> = choices.iter().map(|choice| choice.name.as_str()).collect();
        let channels = tape.channels(stream, &names)?;
        let channels = if how.whole() && !how.with_times { channels.without_times() } else { channels };
        let counts = choices.iter().map(|choice| choice.count).collect();
        Ok(Self { channels, counts, how: how.clone(), sought: how.whole(), damaged: 0 })
    }

    /// Returns the next block with rows in the range, or `None` at its end.
    pub(crate) fn next(&mut self) -> Result<Option<Part>, ReadError> {
        loop {
            let read = match std::mem::replace(&mut self.sought, true) {
                true => self.channels.next_block(),
                false => match self.channels.seek_time(self.how.times.start) {
                    Ok(()) => self.channels.next_block(),
                    Err(error) => Err(error),
                },
            };
            let block = match read {
                Ok(Some(block)) => block,
                Ok(None) => return Ok(None),
                Err(ReadError::Damaged(_)) if !self.how.strict => {
                    self.damaged += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let rows = match self.how.whole() {
                true => 0..self.rows_of(&block),
                false => {
                    if block.times.first().is_some_and(|first| *first >= self.how.times.end) {
                        return Ok(None);
                    }
                    let row = |time: u64| block.times.partition_point(|of_row| *of_row < time);
                    row(self.how.times.start)..row(self.how.times.end)
                }
            };
            if self.fits(&block, rows.end) && !rows.is_empty() {
                return Ok(Some(Part { block, rows }));
            }
        }
    }

    fn rows_of(&self, block: &ChannelBlock) -> usize {
        let first = block.values.first().zip(self.counts.first());
        first.map_or(block.times.len(), |(values, count)| values.len() / (*count).max(1))
    }

    /// Whether the block has values: frames of another size than the layout have none.
    fn fits(&self, block: &ChannelBlock, rows: usize) -> bool {
        block.values.iter().zip(&self.counts).all(|(values, count)| values.len() >= rows * count)
    }
}

/// Columns of one length.
pub(crate) struct Read {
    pub(crate) times: Vec<u64>,
    pub(crate) columns: Vec<Values>,
    pub(crate) damaged: u64,
}

/// Reads all rows of a range. `name` is that of the tape, for errors.
pub(crate) fn read_all(
    py: Python<'_>,
    tape: &Tape,
    stream: &TapeStream,
    choices: &[Choice],
    how: &How,
    name: &str,
) -> PyResult<Read> {
    let failed = |error| read_error(error, name);
    let possible = (tape.bytes() / SMALLEST_BLOCK).saturating_add(MOST_ROWS).saturating_mul(MOST_ROWS);
    let expected = usize::try_from(stream.totals().frames.min(possible)).unwrap_or_default();
    let expected = if how.whole() { expected } else { 0 };
    let mut read = Read { times: Vec::new(), columns: Vec::new(), damaged: 0 };
    let mut blocks = Blocks::new(tape, stream, choices, how).map_err(failed)?;
    for choice in choices {
        let mut column = empty(choice.kind);
        reserve(&mut column, expected.saturating_mul(choice.count)).map_err(|error| no_memory(&error))?;
        read.columns.push(column);
    }
    if how.with_times {
        read.times.try_reserve_exact(expected).map_err(|error| no_memory(&error))?;
    }
    loop {
        let more = py.detach(|| -> PyResult<bool> {
            for _ in 0..BLOCKS_BETWEEN_SIGNALS {
                let Some(Part { block, rows }) = blocks.next().map_err(failed)? else { return Ok(false) };
                for ((column, values), choice) in read.columns.iter_mut().zip(&block.values).zip(choices) {
                    let range = rows.start * choice.count..rows.end * choice.count;
                    extend(column, values, range).map_err(|error| no_memory(&error))?;
                }
                if how.with_times {
                    read.times.extend_from_slice(block.times.get(rows).unwrap_or_default());
                }
            }
            Ok(true)
        })?;
        if !more {
            read.damaged = blocks.damaged;
            return Ok(read);
        }
        py.check_signals()?;
    }
}
