//! Response bodies for a tape. Field names are stable.

use std::ops::Range;

use gametape::format::read::{Bucket, Tape, TapeStream};
use gametape::format::write::RECOVERED;
use gametape::format::{Counters, Role};
use gametape::store::{CataloguedTape, SessionDetail};
use serde::Serialize;
use utoipa::ToSchema;

use super::answers::SessionAnswer;
use super::channels_answers::Number;
use super::list_answers::TapeAnswer;
use super::tape_channels::Channel;

/// The largest number of events returned: a page cannot show more.
const MOST_EVENTS: usize = 5_000;
const MOST_PROBLEMS: usize = 100;
/// The largest number of channels returned per stream: games with an array for each car have thousands.
const MOST_CHANNELS: usize = 4_096;

/// A tape with its contents.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TapeInside {
    tape: TapeAnswer,
    format_version: u16,
    /// The note given to the recorder.
    note: Option<String>,
    game_version: Option<String>,
    /// The tape was not closed: some frames are read from its journal, or were when it was recovered.
    recovered: bool,
    /// Whether the file can be downloaded: not while it is being written.
    downloadable: bool,
    /// Data streams of the game.
    streams: Vec<StreamAnswer>,
    /// Channels to show by default.
    usual: Vec<String>,
    loss: LossAnswer,
    /// Marks, gaps and other events of the recording; at most 5000.
    events: Vec<EventAnswer>,
    /// The number of further events.
    events_left_out: usize,
    /// Known problems of the tape; `gametape verify` checks it completely.
    problems: Vec<TapeProblem>,
    /// Sessions on the tape, with their laps.
    sessions: Vec<SessionAnswer>,
    /// Whether it holds a match, which `/api/v1/matches/{tape}` describes.
    has_match: bool,
}

/// A stream of frames.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StreamAnswer {
    name: String,
    game: Option<String>,
    layout: Option<String>,
    /// `null` if frames have different lengths.
    frame_bytes: Option<u32>,
    frames: u64,
    /// Average number of frames a second.
    rate_hz: Option<f64>,
    first_ns: Option<u64>,
    last_ns: Option<u64>,
    bytes_raw: u64,
    bytes_stored: u64,
    channels: Vec<TapeChannelAnswer>,
}

/// A channel of a stream.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TapeChannelAnswer {
    name: String,
    unit: Option<String>,
    r#type: &'static str,
    /// Number of elements; an element is requested as `STREAM/CHANNEL.0`.
    count: u32,
}

/// Losses of the recording; `null` if they were not counted.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LossAnswer {
    dropped: Option<u64>,
    torn: Option<u64>,
    missed: Option<u64>,
    gaps: Option<u64>,
}

/// An event.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct EventAnswer {
    /// mark, gap, …
    kind: String,
    at_ns: u64,
    text: String,
}

/// A problem of the tape.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TapeProblem {
    kind: &'static str,
    text: String,
    frames_lost: Option<u64>,
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl TapeInside {
    /// Reads everything but the frames.
    pub(super) fn of(known: CataloguedTape, tape: &Tape, sessions: Vec<SessionDetail>, has_match: bool) -> Self {
        let metadata = tape.metadata();
        let of_each: Vec<Counters> = tape.streams().map(|stream| stream.status().counters).collect();
        let counters = Counters::of_streams(&of_each);
        // As in `gametape info`: zeros would claim that losses were counted.
        let has_counters = !metadata.contains_key("source_kind") || tape.stream_of_role(Role::Status).is_some();
        let counted = has_counters && (tape.is_complete() || tape.uses_journal());
        let count = |count: u64| counted.then_some(count);
        let mut events: Vec<_> = tape.events().into_iter().map(EventAnswer::from).collect();
        let events_left_out = events.len().saturating_sub(MOST_EVENTS);
        events.truncate(MOST_EVENTS);
        let problem = |problem: gametape::format::read::Problem| TapeProblem {
            kind: problem.kind.name(),
            text: problem.to_string(),
            frames_lost: problem.frames_lost,
        };
        Self {
            format_version: tape.version(),
            note: metadata.get("note").and_then(|note| some(note)),
            game_version: metadata.get("game_version").and_then(|version| some(version)),
            recovered: tape.uses_journal() || metadata.contains_key(RECOVERED),
            downloadable: tape.is_complete(),
            streams: tape.streams().filter(|stream| !stream.spec().role.is_system()).map(StreamAnswer::of).collect(),
            usual: Channel::usual(tape).iter().map(Channel::name).collect(),
            loss: LossAnswer {
                dropped: count(counters.dropped),
                torn: count(counters.torn),
                missed: count(counters.missed),
                gaps: count(counters.gaps),
            },
            events,
            events_left_out,
            problems: tape.problems().into_iter().take(MOST_PROBLEMS).map(problem).collect(),
            sessions: sessions.into_iter().map(SessionAnswer::from).collect(),
            has_match,
            tape: TapeAnswer::from(as_it_is(known, tape)),
        }
    }
}

/// Updates the catalogue entry of a tape that is still being written, which may be outdated.
fn as_it_is(known: CataloguedTape, tape: &Tape) -> CataloguedTape {
    let streams = || tape.streams().filter(|stream| !stream.spec().role.is_system());
    let end_ns = |stream: &TapeStream| stream.totals().last_ns.max(stream.status().seen_until_ns);
    CataloguedTape {
        bytes: tape.bytes(),
        complete: tape.is_complete(),
        duration_ns: streams().filter_map(end_ns).max(),
        frames: streams().map(|stream| stream.totals().frames).sum(),
        missing_us: None,
        ..known
    }
}

impl From<gametape::format::Event> for EventAnswer {
    fn from(event: gametape::format::Event) -> Self {
        Self { kind: event.kind, at_ns: event.at_ns, text: event.text }
    }
}

impl StreamAnswer {
    fn of(stream: &TapeStream) -> Self {
        let (spec, totals) = (stream.spec(), stream.totals());
        let span_ns = totals.last_ns.zip(totals.first_ns).map(|(last, first)| last.saturating_sub(first));
        let rate = |span_ns: u64| totals.frames.saturating_sub(1) as f64 * 1e9 / span_ns as f64;
        let channels = spec.channels.iter().take(MOST_CHANNELS).map(|channel| TapeChannelAnswer {
            name: channel.name.clone(),
            unit: some(&channel.unit),
            r#type: channel.kind.name(),
            count: channel.count,
        });
        Self {
            name: spec.name.clone(),
            game: some(&spec.game),
            layout: some(&spec.layout),
            frame_bytes: (spec.frame_bytes > 0).then_some(spec.frame_bytes),
            frames: totals.frames,
            rate_hz: span_ns.filter(|span_ns| *span_ns > 0).map(rate),
            first_ns: totals.first_ns,
            last_ns: totals.last_ns,
            bytes_raw: totals.raw_bytes,
            bytes_stored: totals.stored_bytes,
            channels: channels.collect(),
        }
    }
}

/// Channels over time.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OverviewAnswer {
    /// The requested range, limited to that of the tape.
    from_ns: u64,
    to_ns: u64,
    channels: Vec<OverviewChannel>,
}

/// One channel over time.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OverviewChannel {
    name: String,
    unit: Option<String>,
    /// Start of the first bucket.
    from_ns: u64,
    /// Duration of a bucket.
    step_ns: u64,
    /// The minimum of each bucket; `null` if it has no values.
    #[schema(value_type = Vec<Option<f64>>)]
    min: Vec<Number>,
    /// The maximum of each bucket; `null` if it has no values.
    #[schema(value_type = Vec<Option<f64>>)]
    max: Vec<Number>,
}

impl OverviewAnswer {
    pub(super) fn of(tape: &Tape, times: &Range<u64>, channels: Vec<OverviewChannel>) -> Self {
        let end_ns = tape.streams().filter_map(|stream| stream.totals().last_ns).max().unwrap_or(0).saturating_add(1);
        let to_ns = times.end.min(end_ns);
        Self { from_ns: times.start.min(to_ns), to_ns, channels }
    }
}

impl OverviewChannel {
    pub(super) fn of(channel: &Channel<'_>, buckets: &[Bucket], times: &Range<u64>) -> Self {
        let from_ns = buckets.first().map_or(times.start, |bucket| bucket.from_ns);
        let step_ns = match buckets {
            [first, second, ..] => second.from_ns.saturating_sub(first.from_ns),
            _ => 1,
        };
        Self {
            name: channel.name(),
            unit: some(&channel.channel.unit),
            from_ns,
            step_ns,
            min: buckets.iter().map(|bucket| Number::new(bucket.min)).collect(),
            max: buckets.iter().map(|bucket| Number::new(bucket.max)).collect(),
        }
    }
}
