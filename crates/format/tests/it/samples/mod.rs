//! Tapes with columns and streams of every kind, for tests that read them in several ways.
#![allow(clippy::unwrap_used, missing_docs, dead_code, unreachable_pub, reason = "not every test uses all of it")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gametape_format::write::{AppendError, StdFiles, WriteOptions, Writer};
use gametape_format::{Channel, ChannelType as Type, Counters, Role, StreamId, StreamSpec, TapeId};

pub struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From −1 to 1.
    fn float(&mut self) -> f64 {
        self.bits() as i64 as f64 / i64::MAX as f64
    }
}

/// Frames made of columns. A column without a type becomes a gap between channels.
#[derive(Default)]
pub struct Columns {
    pub frame_bytes: u32,
    pub channels: Vec<Channel>,
    pub frames: Vec<Vec<u8>>,
}

impl Columns {
    fn add(&mut self, name: &str, kind: Option<Type>, width: u32, value: impl Fn(usize) -> u64) {
        if let Some(kind) = kind {
            let name = format!("{name} {kind:?} at {}", self.frame_bytes);
            self.channels.push(Channel::new(name, kind, self.frame_bytes, 1, "m"));
        }
        self.frame_bytes += width;
        for (t, frame) in self.frames.iter_mut().enumerate() {
            frame.extend_from_slice(&value(t).to_le_bytes()[..width as usize]);
        }
    }

    fn floats(&mut self, name: &str, mut value: impl FnMut(usize) -> f64) {
        let values: Vec<_> = (0..self.frames.len()).map(&mut value).collect();
        self.add(name, Some(Type::F32), 4, |t| u64::from((values[t] as f32).to_bits()));
        self.add(name, Some(Type::F64), 8, |t| values[t].to_bits());
    }

    fn integers(&mut self, name: &str, value: impl Fn(usize) -> u64) {
        let unsigned = [(Type::U8, 1), (Type::U16, 2), (Type::U32, 4), (Type::U64, 8)];
        let signed = [(Type::I8, 1), (Type::I16, 2), (Type::I32, 4), (Type::I64, 8)];
        for (kind, width) in unsigned.into_iter().chain(signed) {
            self.add(name, Some(kind), width, &value);
        }
    }
}

/// Columns for every coding in the specification.
pub fn wide(rows: usize, seed: u64) -> Columns {
    let mut random = Random(seed);
    let mut columns = Columns { frames: vec![Vec::new(); rows], ..Columns::default() };
    let mut walk = || -> Vec<f64> {
        let steps = (0..rows).map(|_| random.float() as f32);
        steps.scan(1000.0f32, |at, step| Some((*at + step, *at += step).0)).map(f64::from).collect()
    };
    let walks = [walk(), walk(), walk()];
    let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-310, 1e-42, -0.0, 0.0, 1e300, -1e37, 1.5];
    columns.add("odd", Some(Type::U8), 1, |t| t as u64 / 3);
    columns.floats("smooth", |t| (t as f64 / 40.0).sin() * 70.0);
    // References: unchanged, on a grid, and with a value that is not tame at row 13 or 0.
    for (name, walk, strange_row) in
        [("walk", 0, 1000), ("grid", 0, 1000), ("strange later", 1, 13), ("strange first", 2, 0)]
    {
        let step = if name == "grid" { 64.0 } else { 1e9 };
        let walk: Vec<_> = walks[walk].iter().map(|v| (v * step).round() / step).collect();
        let slope = |t: usize| if t == 0 { 0.0 } else { walk[t] - walk[t - 1] };
        let seen = |t: usize| if t % 500 == strange_row { strange[t / 500 % 3] } else { walk[t] };
        columns.floats(name, seen);
        columns.floats("copy", seen);
        columns.floats("km/h", |t| walk[t] * 3.6);
        columns.floats("negative", |t| -walk[t]);
        columns.floats("offset", |t| walk[t] * 1.8 + 32.0);
        columns.floats("noise", |t| walk[t] * 0.25 + random.float() * 1e-4);
        columns.floats("speed", slope);
        columns.floats("speed km/h", |t| slope(t) * 216.37);
        columns.floats("speed offset", |t| slope(t) * 60.0 - 7.5);
        columns.floats("on a grid", |t| (walk[t] * 3.6 * 256.0).round() / 256.0);
        columns.floats("speed on a grid", |t| (slope(t) * 60.0 * 256.0).round() / 256.0 + 3.0);
        columns.add("", None, 1, |t| t as u64 % 7);
    }
    columns.floats("coarse grid", |t| (walks[0][t] / 8.0).round() * 1024.0);
    columns.floats("strange", |_| strange[random.bits() as usize % strange.len()]);
    columns.floats("runs", |t| walks[0][t / 37 * 37]);
    columns.floats("constant", |_| 42.25);
    columns.floats("zero", |_| 0.0);
    columns.floats("minus zero", |_| -0.0);
    columns.floats("steps", |t| (t / 50) as f64 * 0.1);
    let noise: Vec<_> = (0..rows).map(|_| random.bits()).collect();
    columns.add("noise", Some(Type::F32), 4, |t| noise[t]);
    columns.add("noise", Some(Type::F64), 8, |t| noise[t]);
    // A gap of about 1 + 4 + 4 + 3 bytes, some of which change.
    columns.add("", None, 8, |t| noise[t] & 0x00FF_0000_FFFF_00FF);
    columns.add("", None, 5, |t| noise[t] >> 40);
    columns.integers("noise", |t| noise[t]);
    columns.integers("zero", |_| 0);
    columns.integers("constant", |_| 0x8123_4567_89AB_CDEF);
    columns.integers("count", |t| (t as u64 * 3).wrapping_sub(100));
    columns.integers("fast", |t| (t as u64).wrapping_mul(0x0123_4567_89AB_CDEF));
    columns.integers("square", |t| (t * t) as u64);
    columns.integers("cube", |t| (t * t * t + 5) as u64);
    columns.integers("runs", |t| noise[t / 61]);
    columns.add("long runs", Some(Type::F64), 8, |t| noise[t / 200]);
    columns.integers("toggle", |t| if noise[t].is_multiple_of(9) { 1 } else { 0x4000_0000_0000_0021 });
    columns.integers("jitter", |t| t as u64 * 10_000_019 + noise[t] % 900);
    columns
        .integers("steps", |t| t as u64 * 7 + noise[..t].iter().filter(|v| v.is_multiple_of(11)).count() as u64 * 1000);
    for kind in [Type::Bool, Type::Char, Type::Bits8] {
        columns.add("", Some(kind), 1, |t| noise[t] & 1);
    }
    columns.add("bits", Some(Type::Bits64), 8, |t| 1 << (noise[t] % 64));
    columns.channels.push(Channel::new("plate", Type::Char16, columns.frame_bytes, 4, ""));
    columns.add("", None, 8, |t| noise[t] & 0x0003_0003_0003_0003);
    columns
}

pub fn append(writer: &mut Writer, stream: StreamId, time_ns: u64, data: &[u8]) {
    while let Err(error) = writer.append(stream, time_ns, data) {
        assert!(matches!(error, AppendError::NoRoom { .. }), "{error}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn create(path: &Path, journal_bytes: u64) -> Writer {
    let options = WriteOptions { journal_bytes, ..WriteOptions::new(TapeId([7; 16])) };
    Writer::create(Arc::new(StdFiles), path, &options).unwrap()
}

/// An open tape with several streams of several kinds.
pub fn mixed(path: &Path, frames: u64, journal_bytes: u64) -> Writer {
    let mut writer = create(path, journal_bytes);
    let mut random = Random(3);
    let channels = vec![
        Channel::new("speed", Type::F32, 0, 1, "km/h"),
        Channel::new("distance", Type::F64, 6, 1, "m"),
        Channel::new("wheels", Type::I16, 14, 4, "rad/s"),
    ];
    let car = writer.add_stream(StreamSpec::columns("car", 24, channels)).unwrap();
    let text = writer.add_stream(StreamSpec::rows("text")).unwrap();
    let describes = StreamSpec { role: Role::Describe, describes: Some(car), ..StreamSpec::rows("car.text") };
    let describes = writer.add_stream(describes).unwrap();
    let slow = writer.add_stream(StreamSpec::columns("slow", 4, vec![])).unwrap();
    writer.metadata(0, "track", "Brands Hatch").unwrap();
    writer.clock(5, 1_700_000_000_000_000_000).unwrap();
    for t in 0..frames {
        let time = t * 3_000_000 + random.bits() % 100_000;
        let speed = if t % 3000 < 2900 { (t as f32 / 100.0).sin() * 300.0 } else { f32::NAN };
        let wheels = (t * 5).wrapping_sub(9).wrapping_mul(0x0001_0000_0003_0001);
        let mut frame = [&speed.to_le_bytes()[..], &[t as u8, 9], &(t as f64 * 0.75).to_le_bytes()].concat();
        frame.extend(wheels.to_le_bytes().into_iter().chain([random.bits() as u8, t as u8 / 2]));
        // Occasionally a frame of another size.
        append(&mut writer, car, time, if t % 1500 == 700 { &frame[..t as usize % 20] } else { &frame });
        if t % 9 == 0 {
            let frame = match t / 9 % 4 {
                0 => Vec::new(),
                1 => "the same text again and again ".repeat(200).into_bytes(),
                2 => (0..random.bits() % 300).map(|_| random.bits() as u8).collect(),
                _ => format!("lap {t}").into_bytes(),
            };
            append(&mut writer, text, time, &frame);
        }
        if t % 400 == 0 {
            append(&mut writer, describes, time, &vec![b'd'; t as usize]);
            append(&mut writer, slow, time, &(t as u32).to_le_bytes());
            writer.event(time, "mark", &format!("event {t}")).unwrap();
            writer.count(car, &Counters { torn: 1, ..Counters::default() });
        }
    }
    writer
}
