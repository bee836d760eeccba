//! A generated recording with many streams, determined by a seed.
//!
//! It has the stream shapes that a tape must hold side by side: ACC's three pages (100 Hz, 60 Hz, once), fifteen
//! datagram streams (five kinds, three senders) with arrays of 22 cars (20 to 60 Hz), and a stream with a frame every
//! 20 seconds. Times have the jitter of a real capture.

use anyhow::Result;

use super::acc_pages;
use super::motec::{Log, LogChannel};
use super::noise::{Noise, Walk};
use super::{Channel, DataSet, Field, Frames, Shape, StreamFrames, StreamShape};

const CARS: usize = 22;
const DATAGRAM_HEAD_BYTES: usize = 29;

/// Datagram kinds: name, rate, fields of each car as (name, bytes, float, low, high).
type CarField = (&'static str, usize, bool, f64, f64);
const DATAGRAMS: [(&str, u64, &[CarField]); 5] = [
    ("motion", 60, &[("x", 4, true, -900.0, 900.0), ("z", 4, true, -900.0, 900.0), ("speed", 4, true, 0.0, 95.0)]),
    ("lap", 60, &[("time_ms", 4, false, 0.0, 1e5), ("distance", 4, true, 0.0, 5e3), ("position", 1, false, 1.0, 22.0)]),
    ("car", 60, &[("kmh", 2, false, 0.0, 340.0), ("throttle", 4, true, 0.0, 1.0), ("gear", 1, false, 0.0, 8.0)]),
    ("status", 20, &[("fuel", 4, true, 0.0, 110.0), ("mode", 1, false, 0.0, 3.0)]),
    ("damage", 20, &[("wear", 4, true, 0.0, 40.0), ("wing", 1, false, 0.0, 5.0)]),
];
/// Number of senders of each kind.
const SENDERS: usize = 3;

/// Returns a log with the channels that ACC writes, with generated values.
pub(crate) fn made_up_log(seconds: usize, seed: u64) -> Log {
    const WHEELS: [&str; 4] = ["LF", "RF", "LR", "RR"];
    let mut channels: Vec<(String, u32, f64, f64)> = [
        ("SPEED", 20, 15.0, 75.0),
        ("ROTY", 50, -0.8, 0.8),
        ("STEERANGLE", 100, -120.0, 120.0),
        ("G_LAT", 50, -2.0, 2.0),
        ("G_LON", 50, -1.8, 1.2),
        ("THROTTLE", 50, 0.0, 100.0),
        ("BRAKE", 50, 0.0, 60.0),
        ("CLUTCH", 20, 0.0, 0.5),
        ("GEAR", 20, 1.0, 6.0),
        ("RPMS", 50, 4000.0, 9000.0),
        ("TC", 20, 0.0, 1.0),
        ("ABS", 20, 0.0, 1.0),
    ]
    .map(|(name, rate_hz, low, high)| (name.to_owned(), rate_hz, low, high))
    .to_vec();
    for wheel in WHEELS {
        channels.push((format!("WHEEL_SPEED_{wheel}"), 100, 15.0, 76.0));
        channels.push((format!("TYRE_PRESS_{wheel}"), 10, 26.5, 27.8));
        channels.push((format!("TYRE_TAIR_{wheel}"), 10, 75.0, 90.0));
        channels.push((format!("SUS_TRAVEL_{wheel}"), 200, 10.0, 60.0));
        channels.push((format!("BRAKE_TEMP_{wheel}"), 20, 200.0, 600.0));
    }
    let mut noise = Noise::new(seed);
    let mut log = Log::new();
    for (name, rate_hz, low, high) in channels {
        let mut walk = Walk::new(low, high, &mut noise);
        let values = (0..seconds * rate_hz as usize).map(|_| f64::from(walk.step(&mut noise) as f32)).collect();
        log.insert(name, LogChannel { rate_hz, values });
    }
    log
}

/// Returns increasing times at a rate, each up to 0.4 ms late.
fn times(count: usize, hz: u64, noise: &mut Noise) -> Vec<u64> {
    (0..count as u64).map(|i| i * 1_000_000_000 / hz + noise.next_u64() % 400_000).collect()
}

/// A car's value and its random walk: offset, bytes, float.
type Moving = (usize, usize, bool, Walk);

fn put(row: &mut [u8], offset: usize, bytes: &[u8]) {
    if let Some(place) = row.get_mut(offset..offset + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn put_moving(row: &mut [u8], moving: &mut [Moving], noise: &mut Noise) {
    for (offset, width, float, walk) in moving {
        let value = walk.step(noise);
        match (*width, *float) {
            (4, true) => put(row, *offset, &(value as f32).to_le_bytes()),
            (4, false) => put(row, *offset, &(value as i32).to_le_bytes()),
            (2, _) => put(row, *offset, &(value as u16).to_le_bytes()),
            _ => put(row, *offset, &[value as u8]),
        }
    }
}

/// Generates packed datagrams: a 29-byte header with a frame counter, then a struct for each car.
fn datagrams(
    name: String,
    hz: u64,
    car: &[CarField],
    seconds: usize,
    noise: &mut Noise,
) -> (StreamShape, StreamFrames) {
    let mut fields = vec![
        Field::new("format", 0, 2, false, 1),
        Field::new("kind", 6, 1, false, 1),
        Field::new("session_time", 15, 4, true, 1),
        Field::new("frame", 19, 4, false, 1),
    ];
    let mut moving: Vec<Moving> = Vec::new();
    let mut at = DATAGRAM_HEAD_BYTES;
    for number in 0..CARS {
        for &(field, width, float, low, high) in car {
            fields.push(Field::new(format!("car{number}.{field}"), at, width, float, 1));
            moving.push((at, width, float, Walk::new(low, high, noise)));
            at += width;
        }
    }
    let count = seconds * hz as usize;
    let mut rows = Vec::with_capacity(count * at);
    let mut row = vec![0; at];
    put(&mut row, 0, &2025u16.to_le_bytes());
    for frame in 0..count {
        put(&mut row, 15, &(frame as f32 / hz as f32).to_le_bytes());
        put(&mut row, 19, &(frame as u32).to_le_bytes());
        put_moving(&mut row, &mut moving, noise);
        rows.extend_from_slice(&row);
    }
    let times_ns = times(count, hz, noise);
    (StreamShape { name, row_bytes: at, fields }, StreamFrames { rows, times_ns })
}

/// Generates pages of floats of which only the first few change, with a counter in front.
fn page(name: &str, bytes: usize, rate_hz: u64, count: usize, noise: &mut Noise) -> (StreamShape, StreamFrames) {
    let fields = vec![Field::new("counter", 0, 4, false, 1), Field::new("values", 4, 4, true, bytes / 4 - 1)];
    let mut moving: Vec<Moving> = (1..20).map(|i| (4 * i, 4, true, Walk::new(-500.0, 500.0, noise))).collect();
    let mut row = vec![0; bytes];
    let mut rows = Vec::with_capacity(bytes * count);
    for frame in 0..count {
        put(&mut row, 0, &(frame as u32).to_le_bytes());
        put_moving(&mut row, &mut moving, noise);
        rows.extend_from_slice(&row);
    }
    let times_ns = times(count, rate_hz, noise);
    (StreamShape { name: name.into(), row_bytes: bytes, fields }, StreamFrames { rows, times_ns })
}

/// Generates the recording.
pub(crate) fn many_streams(seconds: usize, seed: u64) -> Result<DataSet> {
    let mut noise = Noise::new(seed);
    let mut streams: Vec<(StreamShape, StreamFrames)> = Vec::new();
    let physics = acc_pages::build(&made_up_log(seconds, noise.next_u64()))?;
    let times_ns = times(physics.len() / acc_pages::PAGE_BYTES, acc_pages::HZ, &mut noise);
    streams.push((acc_pages::stream(), StreamFrames { rows: physics, times_ns }));
    streams.push(page("graphics", 1588, 60, 60 * seconds, &mut noise));
    streams.push(page("static", 820, 1, 1, &mut noise));
    for sender in 0..SENDERS {
        for (name, hz, car) in DATAGRAMS {
            streams.push(datagrams(format!("{name}-{sender}"), hz, car, seconds, &mut noise));
        }
    }
    let (shape, mut lazy) = page("lazy", 256, 1, seconds.div_ceil(20), &mut noise);
    lazy.times_ns.iter_mut().for_each(|time_ns| *time_ns *= 20);
    streams.push((shape, lazy));

    let (streams, frames): (Vec<StreamShape>, Frames) = streams.into_iter().unzip();
    let channel = Channel { stream: 0, offset: acc_pages::SPEED_OFFSET };
    Ok(DataSet::new("generated", Shape { streams, channel }, frames))
}

#[cfg(test)]
mod tests {
    use super::super::hash_frames;
    use super::*;

    #[test]
    fn a_seed_gives_the_same_frames_and_another_seed_others() {
        let hash = |seed| hash_frames(&many_streams(2, seed).unwrap().frames, Some(1));
        assert_eq!(hash(1), hash(1));
        assert_ne!(hash(1), hash(2));
    }

    #[test]
    fn every_stream_has_whole_frames_rising_times_and_fields_inside() {
        let set = many_streams(21, 1).unwrap();
        assert_eq!(set.shape.streams.len(), 4 + SENDERS * DATAGRAMS.len());
        for (shape, frames) in set.shape.streams.iter().zip(&set.frames) {
            assert_eq!(frames.rows.len(), frames.times_ns.len() * shape.row_bytes, "{}", shape.name);
            assert!(!frames.rows.is_empty() && frames.times_ns.is_sorted(), "{}", shape.name);
            super::super::file::checked(shape.fields.clone(), shape.row_bytes).unwrap();
        }
        assert_eq!(set.order.len(), set.frames.iter().map(|stream| stream.times_ns.len()).sum::<usize>());
    }

    #[test]
    fn no_frame_equals_the_one_before() {
        let set = many_streams(3, 1).unwrap();
        for (shape, frames) in set.shape.streams.iter().zip(&set.frames) {
            let mut rows = frames.rows.chunks_exact(shape.row_bytes);
            let mut last = rows.next();
            for row in rows {
                assert_ne!(Some(row), last, "{}", shape.name);
                last = Some(row);
            }
        }
    }
}
