//! `gametape info` for files of other programs: what an import would find in them. Nothing is written.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use gametape::format::read::{ReadError, Tape};
use gametape::import::{FileSummary, ImportError, ImportOptions, summary_of};
use gametape::matches::MatchFacts;
use gametape::names::utc_text;
use serde::Serialize;

use super::info::{TITLE, WARNING, write_events, write_metadata};
use super::info_match::write_match;
use crate::exit::Outcome;
use crate::human;

/// The document that `--json` prints for a file that is not a tape. Field names are stable.
#[derive(Debug, Serialize)]
struct Report {
    path: String,
    kind: &'static str,
    bytes: u64,
    created_utc: Option<String>,
    duration_ns: Option<u64>,
    #[serde(rename = "match")]
    facts: Option<MatchFacts>,
    streams: Vec<Stream>,
    events: Vec<Event>,
    event_count: u64,
    metadata: BTreeMap<String, String>,
    problems: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Stream {
    name: String,
    frames: u64,
    bytes_raw: u64,
    last_ns: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Event {
    kind: String,
    at_ns: u64,
    text: String,
}

/// Reads a file that is not a tape but that can be imported; `None` for a tape, and for anything else: the caller reports that.
pub(super) fn summary(path: &Path) -> anyhow::Result<Option<FileSummary>> {
    if !path.is_file() || !matches!(Tape::open(path), Err(ReadError::NotATape { .. })) {
        return Ok(None);
    }
    match summary_of(path, &ImportOptions::default()) {
        Ok(summary) => Ok(Some(summary)),
        Err(ImportError::UnknownKind { .. } | ImportError::IsTape) => Ok(None),
        Err(error) => Err(anyhow::Error::from(error).context(format!("cannot read {}", path.display()))),
    }
}

/// Prints what a file contains.
pub(super) fn show(path: &Path, summary: FileSummary, json: bool) -> anyhow::Result<Outcome> {
    let damaged = !summary.problems.is_empty();
    if json {
        let mut out = crate::terminal::data();
        serde_json::to_writer_pretty(&mut out, &Report::of(path, summary)).map_err(std::io::Error::from)?;
        writeln!(out)?;
        out.flush()?;
        return Ok(Outcome::damaged_if(damaged));
    }
    let mut text = Vec::new();
    write_human(&mut text, path, &summary)?;
    let mut out = crate::terminal::human();
    out.write_all(&text)?;
    out.flush()?;
    Ok(Outcome::damaged_if(damaged))
}

impl Report {
    fn of(path: &Path, summary: FileSummary) -> Self {
        let FileSummary { kind, bytes, facts, start_utc_ns, streams, events, event_count, metadata, problems } =
            summary;
        Self {
            path: path.display().to_string(),
            kind: kind.id(),
            bytes,
            created_utc: start_utc_ns.and_then(utc_text),
            duration_ns: streams.iter().filter_map(|stream| stream.last_ns).max(),
            facts,
            streams: streams
                .into_iter()
                .map(|stream| Stream {
                    name: stream.spec.name,
                    frames: stream.frames,
                    bytes_raw: stream.bytes,
                    last_ns: stream.last_ns,
                })
                .collect(),
            events: events
                .into_iter()
                .map(|event| Event { kind: event.kind, at_ns: event.at_ns, text: event.text })
                .collect(),
            event_count,
            metadata,
            problems,
        }
    }
}

fn write_human(out: &mut Vec<u8>, path: &Path, summary: &FileSummary) -> std::io::Result<()> {
    let shown = human::safe(&path.display().to_string());
    writeln!(out, "{TITLE}{shown}{TITLE:#}")?;
    writeln!(out, "  kind      {}", summary.kind)?;
    writeln!(out, "  size      {}", human::bytes(summary.bytes))?;
    writeln!(out, "\n{TITLE}streams of its tape{TITLE:#}")?;
    for stream in &summary.streams {
        let frames = human::counted_as(stream.frames, "frame", "frames");
        writeln!(out, "  {:<24} {frames}, {}", human::safe(&stream.spec.name), human::bytes(stream.bytes))?;
    }
    if let Some(facts) = &summary.facts {
        write_match(out, facts)?;
    }
    let events = summary.events.iter().map(|event| (event.at_ns, event.kind.as_str(), event.text.as_str()));
    write_events(out, events, &format!("gametape info {shown} --json"))?;
    write_metadata(out, &summary.metadata)?;
    for problem in &summary.problems {
        writeln!(out, "{WARNING}problem: {}{WARNING:#}", human::safe(problem))?;
    }
    writeln!(out, "\nThis is not a tape. To make one: gametape import {shown}")
}
