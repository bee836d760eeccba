//! Data sets: what every peer is given, and what it has to give back.
//!
//! In: files of `GAMETAPE_REAL_DATA`, a file of the user's, or a seed. Out: a [`DataSet`]: a [`Shape`] (what a reader knows
//! before it opens a file) and [`Frames`] (what the file must give back). Next: `measure`.

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

/// A named range of a frame: `count` values of `width` bytes each, back to back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) offset: usize,
    /// Bytes of one value: 1, 2, 4 or 8.
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

/// What is known of a stream without its frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamShape {
    pub(crate) name: String,
    pub(crate) row_bytes: usize,
    /// Named fields, sorted by offset, not overlapping. They need not cover the whole frame.
    pub(crate) fields: Vec<Field>,
}

impl StreamShape {
    /// One column for each value of each field; bytes no field covers become columns of one byte. Every byte of a frame is
    /// in exactly one column.
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
    /// The names of [`StreamShape::columns`], in the same order: `field`, `field[3]`, or `byte_17` where no field is.
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

/// The `f32` that is read alone.
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

/// The frames of one stream, back to back, and the time of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StreamFrames {
    pub(crate) rows: Vec<u8>,
    /// Monotonic nanoseconds since the start, one for each frame; empty when a peer keeps no times.
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
    /// Every frame as (stream, number within the stream), in the order of their times.
    pub(crate) order: Vec<(usize, usize)>,
}

impl DataSet {
    /// Frames of any number of streams.
    pub(crate) fn new(name: &str, shape: Shape, frames: Frames) -> Self {
        let mut order: Vec<(u64, usize, usize)> = Vec::new();
        for (stream, frames) in frames.iter().enumerate() {
            order.extend(frames.times_ns.iter().enumerate().map(|(row, &time_ns)| (time_ns, stream, row)));
        }
        order.sort_unstable();
        let order = order.into_iter().map(|(_, stream, row)| (stream, row)).collect();
        Self { name: name.to_owned(), shape, frames, order }
    }

    /// One frame: its time and its bytes.
    pub(crate) fn frame(&self, (stream, row): (usize, usize)) -> Option<(u64, &[u8])> {
        let row_bytes = self.shape.streams.get(stream)?.row_bytes;
        let frames = self.frames.get(stream)?;
        Some((*frames.times_ns.get(row)?, frames.rows.get(row * row_bytes..(row + 1) * row_bytes)?))
    }

    /// A set of one stream whose frames come at a fixed rate.
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

    /// Bytes of all frames, without times.
    pub(crate) fn raw_bytes(&self) -> u64 {
        self.frames.iter().map(|stream| stream.rows.len() as u64).sum()
    }

    /// The values of the channel, picked from the frames themselves.
    pub(crate) fn channel_values(&self) -> Vec<f32> {
        let channel = self.shape.channel;
        let mut values = Vec::new();
        if let (Some(frames), Some(shape)) = (self.frames.get(channel.stream), self.shape.streams.get(channel.stream)) {
            values.extend(frames.rows.chunks_exact(shape.row_bytes).map(|row| bytes::f32_at(row, channel.offset)));
        }
        values
    }
}

/// Hash of frames and times, with times rounded down to what a peer keeps (`None`: no times).
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

/// Hash of the bits of channel values.
pub(crate) fn hash_values(values: &[f32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    values.iter().for_each(|value| value.to_bits().hash(&mut hasher));
    hasher.finish()
}

/// Offset of the 4-byte float that changes most often: the channel to read where no name says which one.
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
