//! What a game on the network sent, and the laps of it.
use std::sync::Arc;

use gametape_format::StreamSpec;
use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_games::{Game, Kind, Layout, NO_CHANNELS, Stream, find_game};

use super::live::Frame;
use super::*;
use crate::format::read::Tape;
use crate::laps::columns::columns;
use crate::laps::{Grid, Tracking, track_tape};
use crate::layout::stream_of_layout;

/// Datagrams with their times.
pub(super) struct Sent {
    pub(super) game: &'static Game,
    pub(super) frames: Vec<Frame>,
}

impl Sent {
    pub(super) fn new(game: &str) -> Self {
        Self { game: find_game(game).unwrap(), frames: Vec::new() }
    }

    pub(super) fn streams(&self) -> Vec<StreamSpec> {
        let layout = |stream: &Stream| stream.layouts().first().copied().unwrap_or(&NO_CHANNELS);
        let spec = |stream: &Stream| stream_of_layout(self.game.id, stream.name, "udp", layout(stream));
        self.game.streams.iter().map(spec).collect()
    }

    /// Returns an empty packet of a stream, in its newest layout.
    pub(super) fn packet(&self, stream: &str) -> Packet {
        Packet::new(self.game.stream(stream).unwrap().layouts()[0])
    }

    pub(super) fn send(&mut self, stream: &str, ms: u64, packet: Packet) {
        let index = self.game.streams.iter().position(|known| known.name == stream).unwrap();
        // No two datagrams have the same time.
        let at_ns = (ms * 1_000_000).max(self.frames.last().map_or(0, |(_, last_ns, _)| last_ns + 1));
        self.frames.push((index, at_ns, packet.bytes));
    }

    /// Writes a tape of what was sent.
    pub(super) fn tape(&self) -> (tempfile::TempDir, Tape) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sent.gtape");
        let mut tape =
            TapeBuilder::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([7; 16])), false).unwrap();
        let ids: Vec<_> = self.streams().into_iter().map(|stream| tape.add_stream(stream, 0).unwrap()).collect();
        for (stream, time_ns, bytes) in &self.frames {
            tape.append(ids[*stream], *time_ns, bytes).unwrap();
        }
        tape.finish().unwrap();
        (folder, Tape::open(&path).unwrap())
    }

    /// Returns when the car was at a position in a final lap, in milliseconds since the line, on a track of 5000 m.
    pub(super) fn time_at_m(&self, lap: u32, metres: usize) -> f64 {
        let (_folder, tape) = self.tape();
        let tracked = track_tape(&tape).unwrap();
        let is_lap = |known: &&Lap| known.number == Some(lap) && known.state == LapState::Final;
        let lap = tracked.laps().find(is_lap).unwrap();
        let grid = Grid::Metres { step_m: 5.0, length_m: 5_000.0 };
        let found = columns(&tape, lap, &[], grid).unwrap();
        let times: Vec<f64> = found.time_ms.iter().map(|time| time.unwrap()).collect();
        assert!(times.windows(2).all(|two| two[1] >= two[0]), "time does not go back");
        assert!((times.last().unwrap() - f64::from(lap.time_ms.unwrap())).abs() < 2.0, "{:?}", times.last());
        times[metres / 5]
    }

    /// Tracks what was sent, to the last datagram.
    pub(super) fn track(&self, hz: u32) -> Run {
        let mut tracking = Tracking::new(self.game.id, TapeId([7; 16]), &self.streams()).unwrap();
        let mut events = Vec::new();
        for (stream, time_ns, bytes) in &self.frames {
            tracking.frame(*stream, *time_ns, bytes, &mut events);
        }
        let end_ns = self.frames.last().map_or(0, |(_, last_ns, _)| *last_ns);
        tracking.tracker().finish(SessionEnd::ToolStop, end_ns, &mut events);
        let mut tracked = Tracked::default();
        events.iter().cloned().for_each(|event| tracked.take(event));
        check(&tracked, &events);
        Run { hz, tracked, events, tracker: Tracker::new(self.game.id, TapeId([7; 16])) }
    }
}

/// A packet, filled by the names of its fields. Fields that the format does not have are skipped.
pub(super) struct Packet {
    layout: &'static Layout,
    bytes: Vec<u8>,
}

impl Packet {
    pub(super) fn new(layout: &'static Layout) -> Self {
        Self { layout, bytes: vec![0; layout.frame_bytes() as usize] }
    }

    pub(super) fn set(&mut self, name: &str, value: f64) {
        let Some(channel) = self.layout.channel(name) else { return };
        match channel.kind {
            Kind::U8 => self.bytes(&[value as u8], name),
            Kind::I8 => self.bytes(&(value as i8).to_le_bytes(), name),
            Kind::I16 => self.bytes(&(value as i16).to_le_bytes(), name),
            Kind::I32 => self.bytes(&(value as i32).to_le_bytes(), name),
            Kind::U16 => self.bytes(&(value as u16).to_le_bytes(), name),
            Kind::U32 => self.bytes(&(value as u32).to_le_bytes(), name),
            Kind::F32 => self.bytes(&(value as f32).to_le_bytes(), name),
            kind => panic!("{name} is {kind:?}"),
        }
    }

    /// Sets a duration, which has two parts since 2023.
    pub(super) fn duration(&mut self, format: u16, name: &str, ms: u32) {
        let (rest_ms, minutes) = if format < 2023 { (ms, 0) } else { (ms % 60_000, ms / 60_000) };
        for end in ["InMS", "MSPart"] {
            self.set(&format!("{name}{end}"), rest_ms.into());
        }
        for end in ["Minutes", "MinutesPart"] {
            self.set(&format!("{name}{end}"), minutes.into());
        }
    }

    pub(super) fn bytes(&mut self, value: &[u8], name: &str) {
        if let Some(channel) = self.layout.channel(name) {
            self.bytes[channel.offset as usize..][..value.len()].copy_from_slice(value);
        }
    }
}
