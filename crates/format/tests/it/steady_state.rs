//! The capturing thread allocates no memory per frame.
#![allow(clippy::unwrap_used, clippy::panic, clippy::type_complexity, missing_docs)]

use crate::allocation;

use std::sync::Arc;

use allocation::allocations;
use gametape_format::write::{StdFiles, WriteOptions, Writer};
use gametape_format::{Channel, ChannelType, Counters, StreamSpec, TapeId};

#[test]
fn appending_frames_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = WriteOptions { journal_bytes: 1 << 20, ..WriteOptions::new(TapeId([2; 16])) };
    let mut writer = Writer::create(Arc::new(StdFiles), &folder.path().join("a.gtape"), &options).unwrap();
    let channels = vec![Channel::new("tick", ChannelType::U64, 0, 1, "")];
    let car = writer.add_stream(StreamSpec::columns("car", 100, channels)).unwrap();
    let text = writer.add_stream(StreamSpec { skip_unchanged: true, ..StreamSpec::rows("text") }).unwrap();
    let mut frame = vec![0; 100];
    let mut append = |i: u64| {
        frame[..8].copy_from_slice(&i.to_le_bytes());
        let time = i * 10_000_000;
        // Full generations are handed over, too; waiting for the encoder is up to the test.
        while writer.append(car, time, &frame).is_err() {
            std::thread::yield_now();
        }
        let _ = writer.append(text, time, &frame[..(i / 50 % 90) as usize]);
        // Counters change all the time, so that status frames are written too.
        writer.count(car, &Counters { late: 1, ..Counters::default() });
    };
    (0..6000).for_each(&mut append);
    let count = allocations(|| (6000..20_000).for_each(&mut append));
    assert_eq!(count, 0);
    let control = allocations(|| drop(std::hint::black_box(vec![0u8; 8])));
    assert_eq!(control, 1, "the counting allocator works");
    writer.finish().unwrap();
}
