//! A file that is being written: its topics, and the messages on them.

use std::collections::BTreeMap;
use std::io::{Seek, Write};

use gametape_analysis::Recording;
use gametape_analysis::recording::streams_of_games;
use gametape_format::StreamId;
use mcap::records::MessageHeader;
use mcap::{McapResult, Writer};

use super::descriptor::{LOCATION, POSE, location, pose};
use super::messages::{Identifiers, Messages};
use super::notes::{self, Note};
use super::position::Position;
use super::wire::Wire;
use crate::export::Export;
use crate::export::moments::utc_at;

const PROTOBUF: &str = "protobuf";
const JSON: &str = "json";

/// A topic: its channel in the file, and what was written to it.
struct Topic {
    channel: u16,
    sequence: u32,
    /// The first period without a message.
    next_period: u64,
}

/// A stream of the tape.
pub(super) struct OfStream {
    pub(super) id: StreamId,
    topic: Option<Topic>,
    /// `None` if the stream has none of the channels.
    pub(super) messages: Option<Messages>,
}

pub(super) struct File<W: Write + Seek> {
    pub(super) writer: Writer<W>,
    /// In the order of [`streams_of_games`].
    pub(super) streams: Vec<OfStream>,
    /// Messages of streams.
    pub(super) frames: u64,
    clocks: Vec<(u64, i64)>,
    hz: Option<f64>,
    laps: Option<Topic>,
    events: Option<Topic>,
    /// Topics of positions: geographic ones, and those in metres.
    positions: [Option<Topic>; 2],
    newest: Option<Position>,
    scratch: Wire,
}

impl<W: Write + Seek> File<W> {
    /// Begins the topics of all streams.
    pub(super) fn begin(mut writer: Writer<W>, what: &Export<'_>) -> McapResult<Self> {
        let (mut names, mut topics) = (Identifiers::default(), Identifiers::default());
        let mut streams = Vec::new();
        for stream in streams_of_games(what.tape) {
            let messages = Messages::of(stream, what.columns, &mut names);
            let topic = match &messages {
                Some(messages) => {
                    let (name, schema) = messages.schema();
                    let schema = writer.add_schema(&name, PROTOBUF, &schema)?;
                    let topic = format!("/telemetry/{}", topics.unique(stream.name()));
                    Some(Topic::new(writer.add_channel(schema, &topic, PROTOBUF, &messages.units())?))
                }
                None => None,
            };
            streams.push(OfStream { id: stream.id(), topic, messages });
        }
        Ok(Self {
            writer,
            streams,
            frames: 0,
            clocks: Recording::clock_readings(what.tape),
            hz: what.hz,
            laps: None,
            events: None,
            positions: [None, None],
            newest: None,
            scratch: Wire::default(),
        })
    }

    /// Writes the message of a frame of the stream at this place.
    pub(super) fn frame(&mut self, place: usize, time_ns: u64, frame: &[u8]) -> McapResult<()> {
        let utc_ns = self.utc_ns(time_ns);
        let Some(OfStream { topic: Some(topic), messages: Some(messages), .. }) = self.streams.get_mut(place) else {
            return Ok(());
        };
        if topic.is_due(time_ns, self.hz) {
            messages.write(time_ns, frame, &mut self.scratch);
            topic.write(&mut self.writer, utc_ns, &self.scratch.0)?;
            self.frames += 1;
        }
        Ok(())
    }

    /// Writes a position, if it is another one.
    pub(super) fn position(&mut self, time_ns: u64, position: Position) -> McapResult<()> {
        let utc_ns = self.utc_ns(time_ns);
        let [earth, world] = &mut self.positions;
        let (known, name, path) = match position {
            Position::Earth(..) => (earth, LOCATION, "/location"),
            Position::World(_) => (world, POSE, "/pose"),
        };
        if known.is_none() {
            let schema = if name == LOCATION { location() } else { pose() };
            let schema = self.writer.add_schema(name, PROTOBUF, &schema)?;
            *known = Some(Topic::new(self.writer.add_channel(schema, path, PROTOBUF, &BTreeMap::new())?));
        }
        if let Some(topic) = known.as_mut().filter(|_| self.newest != Some(position))
            && topic.is_due(time_ns, self.hz)
        {
            self.newest = Some(position);
            position.write(utc_ns, &mut self.scratch);
            topic.write(&mut self.writer, utc_ns, &self.scratch.0)?;
        }
        Ok(())
    }

    /// Writes a lap or an event.
    pub(super) fn note(&mut self, note: &Note) -> McapResult<()> {
        let utc_ns = self.utc_ns(note.at_ns);
        let (known, name, path) = match note.topic {
            notes::Topic::Laps => (&mut self.laps, "gametape.Lap", "/laps"),
            notes::Topic::Events => (&mut self.events, "gametape.Event", "/events"),
        };
        if known.is_none() {
            let schema = self.writer.add_schema(name, "jsonschema", notes::SCHEMA)?;
            *known = Some(Topic::new(self.writer.add_channel(schema, path, JSON, &BTreeMap::new())?));
        }
        match known {
            Some(topic) => topic.write(&mut self.writer, utc_ns, &note.json),
            None => Ok(()),
        }
    }

    /// Returns the wall clock at a time of the tape; the time itself if the tape has no clock.
    fn utc_ns(&self, time_ns: u64) -> u64 {
        utc_at(&self.clocks, time_ns).map_or(time_ns, |utc_ns| u64::try_from(utc_ns).unwrap_or_default())
    }
}

impl Topic {
    fn new(channel: u16) -> Self {
        Self { channel, sequence: 0, next_period: 0 }
    }

    /// Returns whether a message is the first one of its period.
    fn is_due(&mut self, time_ns: u64, hz: Option<f64>) -> bool {
        let Some(hz) = hz else { return true };
        let period = (time_ns as f64 / 1e9 * hz) as u64;
        let is_due = period >= self.next_period;
        if is_due {
            self.next_period = period.saturating_add(1);
        }
        is_due
    }

    fn write<W: Write + Seek>(&mut self, writer: &mut Writer<W>, utc_ns: u64, data: &[u8]) -> McapResult<()> {
        self.sequence = self.sequence.wrapping_add(1);
        let (channel_id, sequence) = (self.channel, self.sequence);
        let header = MessageHeader { channel_id, sequence, log_time: utc_ns, publish_time: utc_ns };
        writer.write_to_known_channel(&header, data)
    }
}
