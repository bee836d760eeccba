//! What a tape is, as JSON, with the member names of `gametape info --json`. Reads no frames of a game.

use std::collections::BTreeMap;

use gametape_analysis::documents::utc_text;
use gametape_analysis::recording::streams_of_games;
use gametape_format::read::{Problem, Tape, TapeStream};
use gametape_format::{Counters, Role};
use serde::Serialize;

use crate::status::Failure;

/// The metadata of a tape that `recover` closed.
const RECOVERED: &str = "recovered_from_journal";

#[derive(Serialize)]
struct Description {
    format_version: u16,
    tape_id: Option<String>,
    created_utc: Option<String>,
    start_utc_ns: Option<i64>,
    duration_ns: Option<u64>,
    bytes: u64,
    complete: bool,
    being_written: bool,
    recovered_from_journal: bool,
    game: Option<String>,
    game_version: Option<String>,
    metadata: BTreeMap<String, String>,
    loss: Loss,
    stats: Stats,
    streams: Vec<Stream>,
    problems: Vec<Trouble>,
}

#[derive(Serialize)]
struct Stream {
    id: u16,
    name: String,
    game: Option<String>,
    transport: Option<String>,
    layout: Option<String>,
    role: &'static str,
    describes: Option<u16>,
    frame_bytes: Option<u32>,
    frames: u64,
    rate_hz: Option<f64>,
    bytes_raw: u64,
    bytes_stored: u64,
    first_ns: Option<u64>,
    last_ns: Option<u64>,
    seen_until_ns: Option<u64>,
    loss: Loss,
    channels: Vec<Channel>,
}

#[derive(Serialize)]
struct Channel {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    count: u32,
    unit: Option<String>,
    offset: u32,
}

/// Null if the recorder did not count.
#[derive(Serialize)]
struct Loss {
    dropped: Option<u64>,
    torn: Option<u64>,
    missed: Option<u64>,
    gaps: Option<u64>,
}

#[derive(Serialize)]
struct Stats {
    late: Option<u64>,
    unchanged: Option<u64>,
}

#[derive(Serialize)]
struct Trouble {
    kind: &'static str,
    text: String,
    offset: u64,
    journal: Option<u64>,
    stream: Option<u16>,
    frames_lost: Option<u64>,
}

#[derive(Serialize)]
struct Events {
    events: Vec<Event>,
}

#[derive(Serialize)]
struct Event {
    kind: String,
    at_ns: u64,
    text: String,
    length_ns: Option<u64>,
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Describes a tape.
pub(crate) fn describe(tape: &Tape) -> Result<String, Failure> {
    let metadata = tape.metadata();
    let of_each: Vec<Counters> = tape.streams().map(|stream| stream.status().counters).collect();
    let counters = Counters::of_streams(&of_each);
    // Zeros would claim that losses were counted. An imported tape has counters only if its source had them, and without its end and its journal
    // the number of missing frames is unknown.
    let has_counters = !metadata.contains_key("source_kind") || tape.stream_of_role(Role::Status).is_some();
    let counted = has_counters && (tape.is_complete() || tape.uses_journal());
    let known = |count: u64| counted.then_some(count);
    let loss = |counters: &Counters| Loss {
        dropped: known(counters.dropped),
        torn: known(counters.torn),
        missed: known(counters.missed),
        gaps: known(counters.gaps),
    };
    let end_ns = |stream: &TapeStream| stream.totals().last_ns.max(stream.status().seen_until_ns);
    let description = Description {
        format_version: tape.version(),
        tape_id: tape.id().map(|id| id.to_string()),
        created_utc: tape.start_utc_ns().and_then(utc_text),
        start_utc_ns: tape.start_utc_ns(),
        duration_ns: streams_of_games(tape).filter_map(end_ns).max(),
        bytes: tape.bytes(),
        complete: tape.is_complete(),
        being_written: tape.is_being_written(),
        recovered_from_journal: tape.uses_journal() || metadata.contains_key(RECOVERED),
        game: streams_of_games(tape).find_map(|stream| some(&stream.spec().game)),
        game_version: metadata.get("game_version").cloned(),
        loss: loss(&counters),
        stats: Stats { late: known(counters.late), unchanged: known(counters.unchanged) },
        streams: streams_of_games(tape).map(|of| stream(of, loss(&of.status().counters))).collect(),
        metadata,
        problems: tape.problems().iter().map(trouble).collect(),
    };
    Ok(serde_json::to_string(&description)?)
}

fn stream(stream: &TapeStream, loss: Loss) -> Stream {
    let (spec, totals) = (stream.spec(), stream.totals());
    let length_ns = Option::zip(totals.first_ns, totals.last_ns).map(|(first, last)| last.saturating_sub(first));
    let rate = |length_ns: u64| totals.frames.saturating_sub(1) as f64 * 1e9 / length_ns as f64;
    let channels = spec.channels.iter().map(|channel| Channel {
        name: channel.name.clone(),
        kind: channel.kind.name(),
        count: channel.count,
        unit: some(&channel.unit),
        offset: channel.offset,
    });
    Stream {
        id: stream.id().0,
        name: spec.name.clone(),
        game: some(&spec.game),
        transport: some(&spec.transport),
        layout: some(&spec.layout),
        role: if spec.role == Role::Describe { "describe" } else { "data" },
        describes: spec.describes.map(|id| id.0),
        frame_bytes: (spec.frame_bytes > 0).then_some(spec.frame_bytes),
        frames: totals.frames,
        rate_hz: length_ns.filter(|length_ns| *length_ns > 0).map(rate),
        bytes_raw: totals.raw_bytes,
        bytes_stored: totals.stored_bytes,
        first_ns: totals.first_ns,
        last_ns: totals.last_ns,
        seen_until_ns: stream.status().seen_until_ns,
        loss,
        channels: channels.collect(),
    }
}

fn trouble(problem: &Problem) -> Trouble {
    Trouble {
        kind: problem.kind.name(),
        text: problem.text.clone(),
        offset: problem.offset,
        journal: problem.journal,
        stream: problem.stream.map(|id| id.0),
        frames_lost: problem.frames_lost,
    }
}

/// Lists the events of a tape.
pub(crate) fn events(tape: &Tape) -> Result<String, Failure> {
    let event = |event: gametape_format::Event| Event {
        kind: event.kind,
        at_ns: event.at_ns,
        text: event.text,
        length_ns: event.length_ns,
    };
    Ok(serde_json::to_string(&Events { events: tape.events().into_iter().map(event).collect() })?)
}
