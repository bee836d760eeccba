//! The neutral table: one schema for all games, so that tapes of different games can be queried together.
//!
//! Takes the neutral sample after each frame of a tape's busiest stream, and what is known about its time. Values that a game does not report
//! are null. The schema never depends on the tape, only its metadata does.

use std::sync::Arc;

use arrow_array::builder::{Float32Builder, Int8Builder, StringBuilder};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gametape_analysis::Recording;
use gametape_analysis::recording::streams_of_games;
use gametape_format::StreamId;
use gametape_format::read::Tape;
use gametape_games::Sample;

use super::super::moments::{Moment, Moments};
use super::batches::{Source, Times};
use super::schema::{facts, time_fields, unit_of, units};
use crate::laps::{RequestedChannel, Tracked, neutral_channels};

/// Columns of texts, the first ones of the table.
const TEXTS: [&str; 7] = ["game", "track", "layout", "car", "driver", "session_id", "lap_id"];

/// A value of a sample.
enum Value {
    Smooth(RequestedChannel, Float32Builder),
    Whole(RequestedChannel, Int8Builder),
    /// Channels whose unit depends on the game have a column for each unit.
    Of(fn(&Sample) -> Option<f32>, Float32Builder),
}

impl Value {
    fn push(&mut self, sample: Option<&Sample>) {
        let known =
            |channel: &RequestedChannel| sample.map(|sample| channel.value(sample)).filter(|value| !value.is_nan());
        match self {
            Self::Smooth(channel, values) => values.append_option(known(channel).map(|value| value as f32)),
            Self::Whole(channel, values) => values.append_option(known(channel).map(|value| value as i8)),
            Self::Of(of, values) => values.append_option(sample.and_then(of).filter(|value| !value.is_nan())),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Smooth(_, values) | Self::Of(_, values) => Arc::new(values.finish()) as Arc<dyn Array>,
            Self::Whole(_, values) => Arc::new(values.finish()),
        }
    }
}

/// Returns the columns of the neutral channels.
fn values() -> Vec<(Field, Value)> {
    let field = |name: &str, kind: DataType, unit: &str| {
        Field::new(name.replace('.', "_"), kind, true).with_metadata(unit_of(unit))
    };
    let mut found = Vec::new();
    for channel in neutral_channels().filter_map(RequestedChannel::neutral) {
        let of = |of: fn(&Sample) -> Option<f32>| Value::Of(of, Float32Builder::new());
        match channel.name.as_str() {
            "steering" => {
                found.push((field("steering", DataType::Float32, ""), of(|sample| sample.steering)));
                found.push((field("steering_rad", DataType::Float32, "rad"), of(|sample| sample.steering_rad)));
            }
            name if channel.is_smooth => {
                let field = field(name, DataType::Float32, &channel.unit);
                found.push((field, Value::Smooth(channel, Float32Builder::new())));
            }
            name => {
                let field = field(name, DataType::Int8, &channel.unit);
                found.push((field, Value::Whole(channel, Int8Builder::new())));
            }
        }
    }
    found
}

/// The neutral table of a tape.
pub(super) struct NeutralTable {
    schema: SchemaRef,
    stream: StreamId,
    game: Option<String>,
    texts: [StringBuilder; 7],
    values: Vec<Value>,
}

impl NeutralTable {
    /// `None` if the tape has no frames of a game.
    pub(super) fn new(tape: &Tape, tracked: Option<&Tracked>) -> Option<Self> {
        let busiest = streams_of_games(tape).max_by_key(|stream| stream.totals().frames)?;
        let (channels, values): (Vec<Field>, Vec<Value>) = values().into_iter().unzip();
        let texts = TEXTS.map(|name| Field::new(name, DataType::Utf8, true));
        let [t_ns, utc, lap, distance_m] = time_fields();
        let fields: Vec<Field> =
            texts.into_iter().chain([lap, t_ns, utc, distance_m.with_name("dist_m")]).chain(channels).collect();
        let mut metadata = facts(tape, tracked);
        metadata.insert("gametape.units".to_owned(), units(&fields));
        Some(Self {
            schema: Arc::new(Schema::new_with_metadata(fields, metadata)),
            stream: busiest.id(),
            game: Some(Recording::game(tape)).filter(|game| !game.is_empty()),
            texts: Default::default(),
            values,
        })
    }
}

impl Source for NeutralTable {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn stream(&self) -> StreamId {
        self.stream
    }

    fn reads_all(&self) -> bool {
        true
    }

    fn push(&mut self, _: &[u8]) {}

    fn settle(&mut self, moment: &Moment<'_>, moments: &Moments<'_>) {
        let (session, lap) = (moment.session, moment.lap);
        let texts = [
            session.map(|session| &session.game).or(self.game.as_ref()),
            session.and_then(|session| session.track.as_ref()),
            session.and_then(|session| session.layout.as_ref()),
            session.and_then(|session| session.car.as_ref()),
            lap.and_then(|lap| lap.driver.as_ref()).or_else(|| session?.driver.as_ref()),
            session.map(|session| session.id.to_string()).as_ref(),
            lap.map(|lap| lap.id.to_string()).as_ref(),
        ]
        .map(|text| text.cloned());
        self.texts.iter_mut().zip(texts).for_each(|(column, text)| column.append_option(text));
        let sample = moments.sample();
        self.values.iter_mut().for_each(|value| value.push(sample));
    }

    fn bytes(&self) -> usize {
        0
    }

    fn take(&mut self, times: Times) -> Vec<ArrayRef> {
        let [t_ns, utc, lap, distance_m] = times.into_arrays();
        let texts = self.texts.iter_mut().map(|texts| Arc::new(texts.finish()) as ArrayRef);
        let mut arrays: Vec<ArrayRef> = texts.chain([lap, t_ns, utc, distance_m]).collect();
        arrays.extend(self.values.iter_mut().map(Value::finish));
        arrays
    }
}
