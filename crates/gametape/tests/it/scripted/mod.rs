//! Sources and tapes whose every frame a test knows.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use gametape::capture::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};
use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape::format::{StreamSpec, TapeId};
use gametape::games::{Channel, Kind, Layout, Presence};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A frame that says which one it is, twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Tick {
    pub number: u64,
    pub inverse: u64,
}

impl Tick {
    pub fn new(number: u64) -> Self {
        Self { number, inverse: !number }
    }
}

/// One more than a [`Tick`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct LongTick {
    pub tick: Tick,
    pub more: u64,
}

pub fn ticks_description() -> Description {
    let channel = Channel { name: "number".into(), offset: 0, kind: Kind::U64, count: 1, unit: "".into() };
    let layout = Layout::new("tick-16", 16, vec![channel]).unwrap();
    let mut description = Description::of_game("scripted");
    description.layout("ticks", "test", &layout);
    description
}

/// Gives this many ticks, some at each read, one every millisecond.
pub struct Ticks {
    pub next: u64,
    pub end: u64,
    pub at_once: u64,
}

impl Ticks {
    pub fn new(count: u64) -> Self {
        Self { next: 0, end: count, at_once: 50 }
    }
}

impl Source for Ticks {
    fn pace(&self) -> Pace {
        Pace::Source
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        batch.describe(ticks_description());
        if self.next == self.end {
            return Ok(State::Ended);
        }
        for _ in 0..self.at_once.min(self.end - self.next) {
            batch.frame(0, clock.now_ns(), Tick::new(self.next).as_bytes());
            self.next += 1;
        }
        Ok(State::Here(Presence::Live))
    }
}

/// Gives whatever a test sends: stream and bytes.
pub struct Sent {
    pub description: Description,
    pub frames: Receiver<(usize, Vec<u8>)>,
}

impl Source for Sent {
    fn pace(&self) -> Pace {
        Pace::Source
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        if batch.described() == 0 {
            batch.describe(self.description.clone());
        }
        match self.frames.recv_timeout(Duration::from_millis(20)) {
            Ok((stream, bytes)) => batch.frame(stream, clock.now_ns(), &bytes),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return Ok(State::Ended),
        }
        Ok(State::Here(Presence::Live))
    }
}

/// Is never there.
pub struct Nothing;

impl Source for Nothing {
    fn pace(&self) -> Pace {
        Pace::Every(Duration::from_millis(1))
    }

    fn read(&mut self, _clock: &dyn Clock, _batch: &mut Batch) -> Result<State, SourceError> {
        Ok(State::Away(Away::NotThere))
    }
}

/// Writes a tape: streams, and frames as stream, time and bytes.
pub fn write_tape(path: &Path, streams: &[StreamSpec], frames: &[(usize, u64, Vec<u8>)]) {
    let options = WriteOptions::new(TapeId([9; 16]));
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), path, &options, false).unwrap();
    let ids: Vec<_> = streams.iter().map(|spec| tape.add_stream(spec.clone(), 0).unwrap()).collect();
    for (stream, time_ns, bytes) in frames {
        tape.append(ids[*stream], *time_ns, bytes).unwrap();
    }
    tape.finish().unwrap();
}

/// A tape of ticks, 10 ms apart, that begins a second late.
pub fn tick_tape(path: &Path, count: u64) {
    let streams = ticks_description().streams;
    let frame = |number: u64| (0, 1_000_000_000 + number * 10_000_000, Tick::new(number).as_bytes().to_vec());
    write_tape(path, &streams, &(0..count).map(frame).collect::<Vec<_>>());
}
