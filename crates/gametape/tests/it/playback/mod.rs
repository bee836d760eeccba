//! Tapes to play, a clock that only the player advances, and readers of the shared memory.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gametape::Tape;
use gametape::capture::Clock;
use gametape::format::read;
use gametape::format::write::{StdFiles, WriteOptions, Writer};
use gametape::format::{StreamId, TapeId};
use gametape::games::{Stream, Utf16, acc};
use gametape::layout::stream_of_layout;
use gametape::sys::{Prefix, SectionReader};
use zerocopy::{FromZeros as _, IntoBytes as _};

pub const MS: u64 = 1_000_000;
/// Interval of physics frames.
pub const PERIOD_NS: u64 = 10 * MS;

/// A clock that advances only by sleeping.
#[derive(Default)]
pub struct SleepClock(AtomicU64);

impl Clock for SleepClock {
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
    fn utc_ns(&self) -> i64 {
        0
    }
    fn sleep_until_ns(&self, moment_ns: u64) {
        self.0.fetch_max(moment_ns, Ordering::Relaxed);
    }
}

/// Creates a tape of Competizione: physics at 100 Hz, graphics with every third frame, static once.
pub fn pages_tape(folder: &Path, frames: u32) -> (PathBuf, Tape) {
    let path = folder.join(format!("pages-{frames}.gtape"));
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([9; 16]))).unwrap();
    let mut add = |stream: &Stream| {
        writer.add_stream(stream_of_layout(acc::GAME.id, stream.name, "shm", stream.layouts()[0])).unwrap()
    };
    let [physics, graphics, statics] = [&acc::PHYSICS, &acc::GRAPHICS, &acc::STATIC].map(&mut add);
    let mut page = acc::Static::new_zeroed();
    page.ac_version = Utf16::new("1.9.0");
    page.car_model = Utf16::new("test_car");
    page.track = Utf16::new("test track");
    page.dry_tyres_name = Utf16::new("dry_compound");
    // Times differ slightly, because a recorder copies the pages one after the other.
    fill(page.as_mut_bytes(), 816, 1);
    writer.append(statics, 30_000, page.as_bytes()).unwrap();
    for number in 0..frames {
        let time_ns = u64::from(number) * PERIOD_NS;
        let mut page = acc::Physics::new_zeroed();
        page.packet_id = 1000 + number as i32 * 3;
        (page.speed_kmh, page.fuel) = (number as f32, -(number as f32));
        fill(page.as_mut_bytes(), 600, number);
        writer.append(physics, time_ns, page.as_bytes()).unwrap();
        if number % 3 == 0 {
            let mut page = acc::Graphics::new_zeroed();
            page.packet_id = 500 + number as i32;
            (page.status, page.active_cars) = (2, 1);
            fill(page.as_mut_bytes(), 1500, number);
            writer.append(graphics, time_ns + 20_000, page.as_bytes()).unwrap();
        }
    }
    writer.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    (path, tape)
}

/// Fills the rest of a page with bytes that depend on its number, so that a truncated page is noticed.
fn fill(page: &mut [u8], from: usize, number: u32) {
    page.iter_mut().enumerate().skip(from).for_each(|(at, byte)| *byte = (number as usize * 7 + at) as u8 | 1);
}

/// Returns all frames of a stream.
pub fn frames(tape: &read::Tape, stream: &str) -> Vec<(u64, Vec<u8>)> {
    let mut frames = tape.frames(tape.stream_named(stream).unwrap());
    let mut found = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        found.push((frame.time_ns, frame.data.to_vec()));
    }
    found
}

pub fn id_of(tape: &read::Tape, stream: &str) -> StreamId {
    tape.stream_named(stream).unwrap().id()
}

/// A client's view of a section.
pub struct Eye(SectionReader);

impl Eye {
    pub fn open(prefix: &Prefix, section: &str) -> Option<Self> {
        SectionReader::open(&prefix.section(section)).unwrap().map(Self)
    }

    pub fn bytes(&self, at: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.0.copy(at, &mut bytes).unwrap();
        bytes
    }

    pub fn number(&self, at: u64) -> i32 {
        i32::from_le_bytes(*self.bytes(at, 4).first_chunk().unwrap())
    }

    pub fn len(&self) -> u64 {
        self.0.len().unwrap()
    }
}

pub fn number(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}
