//! Channels into memory of the caller, and their extremes over time.
//!
//! Takes a name and a range of time, gives rows. Memory: one block of the tape at a time, whatever the range.

use std::ops::Range;

use gametape_analysis::channels::find_channel;
use gametape_format::read::{Bucket, ChannelBlock, ReadError, Tape, TapeStream, Values as BlockValues};
use gametape_format::{ChannelType, Role};

use crate::border::Room;
use crate::status::{Failure, Status, damaged_if};

/// `GAMETAPE_ALL`.
const ALL: u32 = u32::MAX;
/// The largest number of intervals of an overview.
const MOST_INTERVALS: usize = 1 << 20;

/// `gametape_shape`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Shape {
    rows: u64,
    elements: u32,
    element_bytes: u32,
}

/// Where values go.
pub(crate) enum Values {
    /// As double.
    Doubles(Room<f64>),
    /// In their own type.
    Raw(Room<u8>),
}

/// A channel, or one element of it.
pub(crate) struct Selection<'a> {
    tape: &'a Tape,
    stream: &'a TapeStream,
    /// The name of the channel without an element.
    channel: &'a str,
    /// `None` for all elements.
    element: Option<u32>,
    kind: ChannelType,
    elements: u32,
}

impl<'a> Selection<'a> {
    /// Finds a channel by name.
    pub(crate) fn find(tape: &'a Tape, stream: Option<&str>, channel: &str, element: u32) -> Result<Self, Failure> {
        let streams: Vec<&TapeStream> = match stream {
            Some(name) => vec![tape.stream_named(name)?],
            None => tape.streams().filter(|stream| stream.spec().role == Role::Data).collect(),
        };
        let found = find_channel(&streams, channel)?;
        let (name, count) = (found.channel.name.as_str(), found.channel.count);
        let element = match (found.element, element) {
            (known, ALL) => known,
            (None, wanted) if wanted < count => Some(wanted),
            (None, wanted) => {
                let text = format!("channel {name:?} has {count} elements: there is no element {wanted}");
                return Err(Failure::new(Status::NotFound, text));
            }
            (Some(_), _) => {
                return Err(Failure::invalid(format!("{channel:?} names an element: pass GAMETAPE_ALL for element")));
            }
        };
        let elements = if element.is_some() { 1 } else { count };
        Ok(Self { tape, stream: found.stream, channel: name, element, kind: found.channel.kind, elements })
    }

    /// Values in a row.
    pub(crate) fn elements(&self) -> usize {
        self.elements as usize
    }

    /// Bytes of a row in the channel's own type.
    pub(crate) fn row_bytes(&self) -> usize {
        self.elements().saturating_mul(self.kind.width())
    }

    /// Returns the size of the rows in a range of time. Reads the times of two blocks.
    pub(crate) fn shape(&self, times: Range<u64>) -> Result<Shape, Failure> {
        let rows = match times.start < times.end && self.stream.totals().frames > 0 {
            true => {
                let (first, end) = (self.seq_at(times.start)?, self.seq_at(times.end)?);
                // Numbers that are missing between the two belong to no frame.
                end.saturating_sub(first).min(self.stream.totals().frames)
            }
            false => 0,
        };
        Ok(Shape { rows, elements: self.elements, element_bytes: self.kind.width() as u32 })
    }

    /// Returns the sequence number of the first frame at or after a time, or the one after the last frame.
    fn seq_at(&self, time_ns: u64) -> Result<u64, Failure> {
        let mut rows = self.tape.channels(self.stream, &[])?;
        let last_ns = self.stream.totals().last_ns.unwrap_or_default();
        // Past the end of the tape, no block contains the number of the last frame.
        rows.seek_time(time_ns.min(last_ns))?;
        let mut end = 0;
        loop {
            match rows.next_block() {
                Ok(Some(block)) => {
                    let before = block.times.partition_point(|time| *time < time_ns);
                    end = block.first_seq.saturating_add(before as u64);
                    if before < block.times.len() {
                        return Ok(end);
                    }
                }
                Ok(None) => return Ok(end),
                Err(ReadError::Damaged(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the extremes of equal intervals.
    pub(crate) fn overview(&self, times: Range<u64>, count: usize) -> Result<Vec<Bucket>, Failure> {
        if count == 0 || count > MOST_INTERVALS {
            return Err(Failure::invalid(format!("count is {count}; it can be 1 to {MOST_INTERVALS}")));
        }
        let element = match self.element {
            Some(element) => element,
            None if self.elements == 1 => 0,
            None => {
                let text = format!("channel {:?} has {} elements: choose one of them", self.channel, self.elements);
                return Err(Failure::invalid(text));
            }
        };
        let times = times.start..times.end.max(times.start);
        Ok(self.tape.overview(self.stream, self.channel, element, times, count)?)
    }

    fn name(&self) -> String {
        match self.element {
            Some(element) => format!("{}[{element}]", self.channel),
            None => self.channel.to_owned(),
        }
    }
}

/// Reads the rows in a range of time. `rows` receives their number.
pub(crate) fn read(
    of: &Selection<'_>,
    times: Range<u64>,
    mut values: Values,
    mut times_out: Room<u64>,
    capacity: usize,
    mut rows: Room<usize>,
) -> Result<Status, Failure> {
    let needed = of.shape(times.clone())?.rows;
    if needed > capacity as u64 {
        rows.put(0, usize::try_from(needed).unwrap_or(usize::MAX));
        return Err(Failure::short("rows", needed, capacity));
    }
    let (mut done, mut damage) = (0, None);
    let mut blocks = of.tape.channels(of.stream, &[&of.name()])?;
    blocks.seek_time(times.start)?;
    // What the shape promised is the end: a damaged part can hide where the numbers jump.
    while done < capacity && needed > 0 {
        match blocks.next_block() {
            Ok(Some(block)) => {
                let first = block.times.partition_point(|time| *time < times.start);
                let end = block.times.partition_point(|time| *time < times.end);
                done = put_rows(of, &block, first..end, &mut values, &mut times_out, done, capacity);
                if end < block.times.len() {
                    break;
                }
            }
            Ok(None) => break,
            Err(ReadError::Damaged(problem)) => damage = Some(problem.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    rows.put(0, done);
    Ok(damaged_if(damage))
}

/// Puts rows of a block after those that are done; returns how many are done then. A block whose frames do not have the size of the layout has no values.
fn put_rows(
    of: &Selection<'_>,
    block: &ChannelBlock,
    rows: Range<usize>,
    values: &mut Values,
    times: &mut Room<u64>,
    mut done: usize,
    capacity: usize,
) -> usize {
    let Some(column) = block.values.first().filter(|column| !column.is_empty()) else { return done };
    let elements = of.elements();
    for row in rows {
        let Some(time_ns) = block.times.get(row).filter(|_| done < capacity) else { break };
        times.put(done, *time_ns);
        let from = row * elements;
        match values {
            Values::Doubles(room) if room.is_wanted() => {
                for element in 0..elements {
                    room.put(done * elements + element, column.as_f64(from + element).unwrap_or(f64::NAN));
                }
            }
            Values::Raw(room) if room.is_wanted() => {
                put_raw(room, done * of.row_bytes(), column, from..from + elements);
            }
            _ => {}
        }
        done += 1;
    }
    done
}

/// Puts values in their own type and the byte order of this machine.
fn put_raw(room: &mut Room<u8>, offset: usize, column: &BlockValues, values: Range<usize>) {
    fn put<const N: usize>(room: &mut Room<u8>, offset: usize, values: impl Iterator<Item = [u8; N]>) {
        values.enumerate().for_each(|(number, bytes)| room.put_all(offset + number * N, &bytes));
    }
    match column {
        BlockValues::U8(all) => room.put_all(offset, all.get(values).unwrap_or_default()),
        BlockValues::I8(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| v.to_ne_bytes())),
        BlockValues::U16(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| v.to_ne_bytes())),
        BlockValues::I16(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| v.to_ne_bytes())),
        BlockValues::U32(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| v.to_ne_bytes())),
        BlockValues::I32(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| v.to_ne_bytes())),
        BlockValues::U64(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| v.to_ne_bytes())),
        BlockValues::I64(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| v.to_ne_bytes())),
        BlockValues::F32(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| v.to_ne_bytes())),
        BlockValues::F64(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| v.to_ne_bytes())),
        BlockValues::Bool(all) => put(room, offset, all.get(values).into_iter().flatten().map(|v| [u8::from(*v)])),
    }
}
