//! Recordings on a disk that loses power at any moment: all data older than the sync interval survives, and nothing wrong is read.
//!
//! Writer and encoder are driven by hand in a random order derived from a seed, so that a failing seed is reproducible.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod disk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use disk::{Disk, Faults, Random};

use super::core::WriterCore;
use super::encoder::Encoder;
use super::outcome::{Accepted, AppendError, WriteOptions};
use crate::read::{ProblemKind, ReadError, Tape};
use crate::stream::{Channel, ChannelType, Role, StreamId, StreamSpec};
use crate::{ReadAt, TapeId};

const RUNS: u64 = 10_000;
const SYNC_INTERVAL: Duration = Duration::from_millis(100);
/// The encoder is called at least this often.
const STEP_INTERVAL: Duration = Duration::from_millis(20);

/// What is disabled in a run that must fail (negative control).
#[derive(Debug, Clone, Copy, Default)]
struct Control {
    faults: Faults,
    journals_not_read: bool,
}

/// How a recording ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Cut,
    FullDisk,
    /// Full for some calls, then with room again.
    FullForAWhile,
}

/// A frame that was passed to the writer.
struct Given {
    time_ns: u64,
    data: Vec<u8>,
    /// When it was accepted, if it was.
    accepted: Option<Duration>,
}

struct Recording {
    random: Random,
    disk: Disk,
    core: WriterCore,
    encoder: Encoder,
    now: Duration,
    last_step: Duration,
    time_ns: u64,
    given: BTreeMap<u16, Vec<Given>>,
    /// Everything accepted before this time is durable according to the encoder.
    synced: Duration,
}

fn tape_path() -> &'static Path {
    Path::new("/disk/x.gtape")
}

fn specs() -> Vec<StreamSpec> {
    let car =
        vec![Channel::new("tick", ChannelType::U32, 0, 1, ""), Channel::new("speed", ChannelType::F32, 4, 1, "km/h")];
    vec![
        StreamSpec::columns("car", 10, car),
        StreamSpec::rows("text"),
        StreamSpec::columns("slow", 4, vec![Channel::new("gear", ChannelType::I32, 0, 1, "")]),
        StreamSpec { role: Role::Events, ..StreamSpec::rows(".events") },
    ]
}

fn content(stream: u16, seq: u64, random: &mut Random) -> Vec<u8> {
    let mut data = (seq as u32).to_le_bytes().to_vec();
    match stream {
        0 => data.extend([stream as u8, seq as u8, 3, 0x40, 7, seq as u8 / 8]),
        1 => data.extend(vec![b'a' + (seq % 26) as u8; random.below(90) as usize]),
        2 => {}
        _ => data = crate::system::Event::to_bytes("mark", &format!("mark {seq}"), None),
    }
    data
}

impl Recording {
    fn begin(seed: u64, faults: Faults) -> Self {
        let mut random = Random(seed);
        let disk = Disk::new(faults);
        let options = WriteOptions {
            sync_interval: SYNC_INTERVAL,
            journal_bytes: 4096 + 4096 * random.below(3),
            ..WriteOptions::new(TapeId([9; 16]))
        };
        let (core, encoder) = WriterCore::create(Arc::new(disk.clone()), tape_path(), &options).unwrap();
        Self {
            random,
            disk,
            core,
            encoder,
            now: Duration::ZERO,
            last_step: Duration::ZERO,
            time_ns: 0,
            given: BTreeMap::new(),
            synced: Duration::ZERO,
        }
    }

    /// Appends frames and runs the encoder until all is done or the power is off. Returns whether the tape was closed.
    fn record(&mut self, end: End) -> bool {
        let appends = 50 + self.random.below(350);
        let calls = self.disk.calls();
        let cut_while_recording = end == End::Cut && !self.random.one_in(3);
        if cut_while_recording {
            self.disk.cut_at(calls + 1 + self.random.below(appends * 3));
        }
        if end == End::FullDisk {
            self.disk.full_at(calls + 1 + self.random.below(appends * 3));
        }
        if end == End::FullForAWhile {
            let full = calls + 1 + self.random.below(appends);
            self.disk.full_at(full);
            self.disk.room_at(full + 1 + self.random.below(40));
        }
        for spec in specs() {
            if self.core.add_stream(spec).is_err() {
                return false;
            }
        }
        for _ in 0..appends {
            self.now += Duration::from_micros(self.random.below(4000));
            self.time_ns += self.random.below(1_000_000_000);
            let step_due = self.now >= self.last_step + STEP_INTERVAL - Duration::from_millis(4);
            if (step_due || self.random.one_in(8)) && !self.step() {
                return false;
            }
            if !self.append() {
                return false;
            }
        }
        self.core.write_status();
        if end == End::Cut && !cut_while_recording {
            // Some of these come after the close, too.
            self.disk.cut_at(self.disk.calls() + 1 + self.random.below(30));
        }
        self.step() && self.encoder.finish(&self.core.all_status()).is_ok()
    }

    fn step(&mut self) -> bool {
        self.last_step = self.now;
        let syncs = self.now - self.encoder.last_sync() >= SYNC_INTERVAL;
        let fine = self.encoder.step(&mut || self.now).is_ok();
        if fine && syncs {
            self.synced = self.now;
        }
        fine
    }

    fn append(&mut self) -> bool {
        let stream = match self.random.below(60) {
            0 => 2,
            1 => 3,
            2..20 => 1,
            _ => 0,
        };
        let frames = self.given.entry(stream).or_default();
        let refused = frames.last().is_some_and(|last| last.accepted.is_none());
        if refused {
            frames.pop();
        }
        let data = content(stream, frames.len() as u64, &mut self.random);
        let result = self.core.append(StreamId(stream), self.time_ns, &data);
        let accepted = match &result {
            Ok(Accepted::Stored(seq)) => {
                assert_eq!(*seq, frames.len() as u64);
                Some(self.now)
            }
            Ok(Accepted::Unchanged) => return true,
            Err(_) => None,
        };
        frames.push(Given { time_ns: self.time_ns, data, accepted });
        matches!(result, Ok(_) | Err(AppendError::NoRoom { .. }))
    }

    /// Opens what is left and compares it with what was written.
    fn check(&self, left: BTreeMap<PathBuf, Vec<u8>>, closed: bool, control: Control) -> Result<(), String> {
        let mut left = left;
        let tape = left.remove(tape_path()).ok_or("the tape is gone")?;
        let sources = |left: BTreeMap<PathBuf, Vec<u8>>| -> Vec<Box<dyn ReadAt>> {
            left.into_values().map(|bytes| Box::new(bytes) as Box<dyn ReadAt>).collect()
        };
        let journals = if control.journals_not_read { Vec::new() } else { sources(left) };
        let tape =
            Tape::from_sources(Box::new(tape), journals).map_err(|error| format!("cannot be opened: {error}"))?;
        if closed && !tape.is_complete() {
            return Err("closed, but not complete".into());
        }
        let deadline = self.now.saturating_sub(SYNC_INTERVAL + STEP_INTERVAL).max(self.synced);
        for (stream, given) in &self.given {
            let needed = |frame: &Given| frame.accepted.is_some_and(|at| closed || at < deadline);
            let found = read_stream(&tape, *stream, given)?;
            for (seq, frame) in given.iter().enumerate().filter(|(_, frame)| needed(frame)) {
                if !found.contains(&(seq as u64)) {
                    return Err(format!(
                        "frame {seq} of stream {stream}, accepted at {:?}, is missing at {:?}: {:?}",
                        frame.accepted,
                        self.now,
                        tape.problems()
                    ));
                }
            }
        }
        check_verify(&tape, closed)
    }
}

/// Compares all frames of a stream with those given; returns their numbers.
fn read_stream(tape: &Tape, id: u16, given: &[Given]) -> Result<Vec<u64>, String> {
    let Some(stream) = tape.stream(StreamId(id)) else { return Ok(Vec::new()) };
    let mut frames = tape.frames(stream);
    let mut found: Vec<u64> = Vec::new();
    loop {
        match frames.next() {
            Ok(Some(frame)) => {
                let right = given.get(frame.seq as usize);
                if !right.is_some_and(|right| right.time_ns == frame.time_ns && right.data == frame.data) {
                    return Err(format!("frame {} of stream {id} has wrong contents", frame.seq));
                }
                if found.last().is_some_and(|last| *last >= frame.seq) {
                    return Err(format!("frame {} of stream {id} is out of order", frame.seq));
                }
                found.push(frame.seq);
            }
            Ok(None) => return Ok(found),
            Err(ReadError::Damaged(_)) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn check_verify(tape: &Tape, closed: bool) -> Result<(), String> {
    let verified = tape.verify(&mut |_| {}).map_err(|error| error.to_string())?;
    if closed && !verified.is_ok() {
        return Err(format!("closed, but not intact: {:?}", verified.problems));
    }
    // A power cut must not leave an invalid system frame behind.
    let strange = verified.problems.iter().find(|problem| problem.kind == ProblemKind::SystemFrame);
    strange.map_or(Ok(()), |problem| Err(problem.to_string()))
}

fn run(seed: u64, control: Control) -> Result<(), String> {
    let mut recording = Recording::begin(seed, control.faults);
    let closed = recording.record(End::Cut);
    let left = recording.disk.after_cut(&mut recording.random);
    recording.check(left, closed, control)
}

/// Returns the number of failing runs, and the first failure.
fn failures(runs: std::ops::Range<u64>, control: Control) -> (usize, Option<String>) {
    let mut first = None;
    let mut count = 0;
    for seed in runs {
        if let Err(text) = run(seed, control) {
            count += 1;
            first.get_or_insert(format!("seed {seed}: {text}"));
        }
    }
    (count, first)
}

fn assert_none(runs: std::ops::Range<u64>) {
    let (count, first) = failures(runs, Control::default());
    assert_eq!(count, 0, "{}", first.unwrap_or_default());
}

#[test]
fn a_full_disk_and_a_power_cut_after_it_lose_nothing_that_was_accepted() {
    for seed in 0..1000 {
        let mut recording = Recording::begin(seed, Faults::default());
        let closed = recording.record(End::FullDisk);
        recording.encoder.give_up();
        // When the disk is full, a recorder's last act makes everything durable, however long ago the last sync was.
        recording.synced = recording.now + Duration::from_millis(1);
        let left = recording.disk.after_cut(&mut recording.random);
        if let Err(text) = recording.check(left, closed, Control::default()) {
            panic!("seed {seed}: {text}");
        }
    }
}

#[test]
fn a_disk_that_is_full_for_a_while_costs_no_frame_that_was_accepted_and_the_tape_is_closed() {
    let mut closed_after_it = 0;
    for seed in 0..1000 {
        let mut recording = Recording::begin(seed, Faults::default());
        let closed = recording.record(End::FullForAWhile);
        closed_after_it += u32::from(closed);
        recording.encoder.give_up();
        recording.synced = recording.now + Duration::from_millis(1);
        let left = recording.disk.after_cut(&mut recording.random);
        if let Err(text) = recording.check(left, closed, Control::default()) {
            panic!("seed {seed}: {text}");
        }
    }
    // The others end while the disk is full.
    assert!(closed_after_it > 700, "{closed_after_it} of 1000");
}

// Two halves, so that two cores share the work.
#[test]
fn a_power_cut_loses_nothing_older_than_the_sync_interval() {
    assert_none(0..RUNS / 2);
}

#[test]
fn a_power_cut_never_leaves_a_tape_that_cannot_be_opened() {
    assert_none(RUNS / 2..RUNS);
}

#[test]
fn control_a_journal_that_is_not_synced_is_found_out() {
    let faults = Faults { journal_sync_does_nothing: true, ..Faults::default() };
    assert!(failures(0..300, Control { faults, ..Control::default() }).0 > 10);
}

#[test]
fn control_a_generation_that_goes_before_the_tape_is_synced_is_found_out() {
    let faults = Faults { tape_sync_does_nothing: true, ..Faults::default() };
    assert!(failures(0..300, Control { faults, ..Control::default() }).0 > 10);
}

#[test]
fn control_a_directory_that_is_not_synced_is_found_out() {
    let faults = Faults { directory_sync_does_nothing: true, ..Faults::default() };
    assert!(failures(0..300, Control { faults, ..Control::default() }).0 > 10);
}

#[test]
fn control_a_journal_that_is_not_read_is_found_out() {
    assert!(failures(0..300, Control { journals_not_read: true, ..Control::default() }).0 > 10);
}

#[test]
fn a_recording_without_a_cut_is_read_whole_at_every_step() {
    let mut recording = Recording::begin(7, Faults::default());
    for spec in specs() {
        recording.core.add_stream(spec).unwrap();
    }
    for i in 0..600 {
        recording.now += Duration::from_millis(1);
        recording.time_ns += 1_000_000_000;
        assert!(recording.append());
        if i % 3 == 0 {
            assert!(recording.step());
        }
        if i % 7 == 0 {
            // A killed process leaves everything that was written, synced or not: nothing may be missing.
            recording.synced = recording.now + Duration::from_millis(1);
            recording.check(recording.disk.as_seen(), false, Control::default()).unwrap();
        }
    }
}
