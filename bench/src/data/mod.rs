//! Data sets: the input of every peer, and what it must return.
//!
//! A [`DataSet`] is loaded from `GAMETAPE_REAL_DATA`, from a user's file, or generated from a seed. It consists of a
//! [`Shape`] (what a reader knows before it opens a file) and [`Frames`] (what the file must return). `measure` runs
//! the peers on it.

pub(crate) mod acc_pages;
pub(crate) mod bytes;
pub(crate) mod dirt;
pub(crate) mod file;
pub(crate) mod generated;
pub(crate) mod ibt;
pub(crate) mod motec;
pub(crate) mod noise;
mod real;

pub(crate) use real::{REAL_DATA, load as load_real};

use std::hash::{DefaultHasher, Hash, Hasher};

/// A named range of a frame: `count` consecutive values of `width` bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) offset: usize,
    /// Bytes per value: 1, 2, 4 or 8.
    pub(crate) width: usize,
    pub(crate) float: bool,
    pub(crate) count: usize,
}

impl Field {
    pub(crate) fn new(name: impl Into<String>, offset: usize, width: usize, float: bool, count: usize) -> Self {
        Self { name: name.into(), offset, width, float, count }
    }
}

/// One column: one value of a field in every frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) offset: usize,
    pub(crate) width: usize,
    pub(crate) float: bool,
}

/// A stream without its frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamShape {
    pub(crate) name: String,
    pub(crate) row_bytes: usize,
    /// Named fields, sorted by offset, not overlapping. They need not cover the whole frame.
    pub(crate) fields: Vec<Field>,
}

impl StreamShape {
    /// Returns one column for each value of each field; uncovered bytes become one-byte columns. Every byte of a frame
    /// is in exactly one column.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        let mut at = 0;
        let byte = |offset| Column { offset, width: 1, float: false };
        for field in &self.fields {
            columns.extend((at..field.offset).map(byte));
            at = field.offset + field.width * field.count;
            let values = (0..field.count).map(|i| field.offset + i * field.width);
            columns.extend(values.map(|offset| Column { offset, width: field.width, float: field.float }));
        }
        columns.extend((at..self.row_bytes).map(byte));
        columns
    }
}

impl StreamShape {
    /// Returns the names of [`StreamShape::columns`], in the same order: `field`, `field[3]`, or `byte_17` for
    /// uncovered bytes.
    #[cfg(any(feature = "peers", test))]
    pub(crate) fn column_names(&self) -> Vec<String> {
        let name_of = |column: &Column| {
            let next = self.fields.partition_point(|field| field.offset <= column.offset);
            let field = next.checked_sub(1).and_then(|i| self.fields.get(i));
            match field.map(|field| (field, (column.offset - field.offset) / field.width)) {
                Some((field, _)) if column.offset == field.offset && field.count == 1 => field.name.clone(),
                Some((field, i)) if i < field.count => format!("{}[{i}]", field.name),
                _ => format!("byte_{}", column.offset),
            }
        };
        self.columns().iter().map(name_of).collect()
    }
}

/// The `f32` channel for the one-channel test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Channel {
    pub(crate) stream: usize,
    pub(crate) offset: usize,
}

/// What a reader knows before it opens the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) streams: Vec<StreamShape>,
    pub(crate) channel: Channel,
}

/// The frames of one stream, concatenated, and the time of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StreamFrames {
    pub(crate) rows: Vec<u8>,
    /// Monotonic nanoseconds since the start, one for each frame; empty if a peer stores no times.
    pub(crate) times_ns: Vec<u64>,
}

/// The frames of all streams, in the order of [`Shape::streams`].
pub(crate) type Frames = Vec<StreamFrames>;

/// Frames to be stored.
#[derive(Debug, Clone)]
pub(crate) struct DataSet {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) frames: Frames,
    /// Every frame as (stream, index within the stream), in time order.
    pub(crate) order: Vec<(usize, usize)>,
}

impl DataSet {
    /// Creates a data set from any number of streams.
    pub(crate) fn new(name: &str, shape: Shape, frames: Frames) -> Self {
        let mut order: Vec<(u64, usize, usize)> = Vec::new();
        for (stream, frames) in frames.iter().enumerate() {
            order.extend(frames.times_ns.iter().enumerate().map(|(row, &time_ns)| (time_ns, stream, row)));
        }
        order.sort_unstable();
        let order = order.into_iter().map(|(_, stream, row)| (stream, row)).collect();
        Self { name: name.to_owned(), shape, frames, order }
    }

    /// Returns the time and bytes of one frame.
    pub(crate) fn frame(&self, (stream, row): (usize, usize)) -> Option<(u64, &[u8])> {
        let row_bytes = self.shape.streams.get(stream)?.row_bytes;
        let frames = self.frames.get(stream)?;
        Some((*frames.times_ns.get(row)?, frames.rows.get(row * row_bytes..(row + 1) * row_bytes)?))
    }

    /// Creates a data set of one stream with a fixed rate.
    pub(crate) fn of_one_stream(
        name: &str,
        stream: StreamShape,
        channel_offset: usize,
        rows: Vec<u8>,
        hz: u64,
    ) -> Self {
        let count = rows.len() / stream.row_bytes.max(1);
        let times_ns = (0..count as u64).map(|i| i * 1_000_000_000 / hz.max(1)).collect();
        let shape = Shape { streams: vec![stream], channel: Channel { stream: 0, offset: channel_offset } };
        Self::new(name, shape, vec![StreamFrames { rows, times_ns }])
    }

    /// Returns the total size of all frames, without times.
    pub(crate) fn raw_bytes(&self) -> u64 {
        self.frames.iter().map(|stream| stream.rows.len() as u64).sum()
    }

    /// Returns the values of the channel, extracted from the frames.
    pub(crate) fn channel_values(&self) -> Vec<f32> {
        let channel = self.shape.channel;
        let mut values = Vec::new();
        if let (Some(frames), Some(shape)) = (self.frames.get(channel.stream), self.shape.streams.get(channel.stream)) {
            values.extend(frames.rows.chunks_exact(shape.row_bytes).map(|row| bytes::f32_at(row, channel.offset)));
        }
        values
    }
}

/// Hashes frames and times, with times rounded down to the resolution of a peer (`None`: no times).
pub(crate) fn hash_frames(frames: &Frames, time_unit_ns: Option<u64>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for stream in frames {
        stream.rows.hash(&mut hasher);
        if let Some(unit) = time_unit_ns {
            stream.times_ns.len().hash(&mut hasher);
            stream.times_ns.iter().for_each(|time_ns| (time_ns / unit).hash(&mut hasher));
        }
    }
    hasher.finish()
}

/// Hashes the bits of channel values.
pub(crate) fn hash_values(values: &[f32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    values.iter().for_each(|value| value.to_bits().hash(&mut hasher));
    hasher.finish()
}

/// Returns the offset of the 4-byte float that changes most often: the channel to read if no name is given.
pub(crate) fn liveliest_float(stream: &StreamShape, rows: &[u8]) -> Option<usize> {
    let floats = stream.columns().into_iter().filter(|column| column.float && column.width == 4);
    let changes = |offset: usize| {
        let bits = rows.chunks_exact(stream.row_bytes).map(|row| bytes::u32_at(row, offset));
        bits.clone().zip(bits.skip(1)).filter(|(a, b)| a != b).count()
    };
    floats.map(|column| (changes(column.offset), std::cmp::Reverse(column.offset))).max().map(|(_, offset)| offset.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream() -> StreamShape {
        let fields = vec![Field::new("a", 1, 2, false, 2), Field::new("b", 6, 4, true, 1)];
        StreamShape { name: "s".into(), row_bytes: 11, fields }
    }

    #[test]
    fn columns_cover_every_byte_once() {
        let mut covered = [0; 11];
        for column in stream().columns() {
            covered[column.offset..column.offset + column.width].iter_mut().for_each(|n| *n += 1);
        }
        assert_eq!(covered, [1; 11]);
    }

    #[test]
    fn every_column_has_its_name() {
        let names = ["byte_0", "a[0]", "a[1]", "byte_5", "b", "byte_10"];
        assert_eq!(stream().column_names(), names);
    }

    #[test]
    fn a_changed_byte_or_time_changes_the_hash() {
        let set = DataSet::of_one_stream("x", stream(), 6, (0..44).collect(), 100);
        let whole = hash_frames(&set.frames, Some(1));
        let mut other = set.frames.clone();
        other[0].rows[43] ^= 1;
        assert_ne!(hash_frames(&other, Some(1)), whole);
        let mut other = set.frames.clone();
        other[0].times_ns[1] += 1;
        assert_ne!(hash_frames(&other, Some(1)), whole);
        assert_eq!(hash_frames(&other, Some(100)), hash_frames(&set.frames, Some(100)));
        assert_eq!(hash_frames(&other, None), hash_frames(&set.frames, None));
    }
}
