//! `gametape info`

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use gametape::matches::METADATA_KEY;

use super::info_file;
use super::info_match::write_match;
use super::info_report::{Counts, EchoReport, Report, ReportStream};
use crate::exit::Outcome;
use crate::{human, open};

pub(super) const TITLE: Style = Style::new().bold();
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default();
/// Longer lists of events are truncated; `gametape cat --events` prints all of them.
const EVENTS_SHOWN: usize = 20;

/// Show what a tape, or a file of another program, contains
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape info                              the newest tape
  gametape info race.gtape --channels        with all channels and their units
  gametape info race.gtape --json | jq '.streams[].name'
  gametape info match.replay                 players, score and goals of a replay, without importing it")]
pub(crate) struct Args {
    /// The tape, or a file that `gametape import` reads [default: the newest tape]
    file: Option<PathBuf>,
    /// List the channels of each stream
    #[arg(long)]
    channels: bool,
    /// Print one JSON document to stdout; unknown values are null
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let path = open::or_newest(args.file)?;
    if let Some(summary) = info_file::summary(&path)? {
        return info_file::show(&path, summary, args.json);
    }
    let tape = open::tape(&path)?;
    let report = Report::of(&tape, &path);
    // After the report: reading events and metadata finds damage too.
    let problems = tape.problems();
    if args.json {
        let mut out = crate::terminal::data();
        serde_json::to_writer_pretty(&mut out, &report).map_err(std::io::Error::from)?;
        writeln!(out)?;
        out.flush()?;
    } else {
        let mut text = Vec::new();
        write_human(&mut text, &report, args.channels)?;
        for problem in problems.iter().filter(|problem| open::is_damage(problem)) {
            writeln!(text, "{WARNING}damage: {}{WARNING:#}", human::safe(&problem.to_string()))?;
        }
        let mut out = crate::terminal::human();
        out.write_all(&text)?;
        out.flush()?;
    }
    Ok(Outcome::damaged_if(problems.iter().any(open::is_damage)))
}

fn write_human(out: &mut Vec<u8>, report: &Report, channels: bool) -> std::io::Result<()> {
    let unknown = || "not known".to_owned();
    writeln!(out, "{TITLE}{}{TITLE:#}", human::safe(&report.path))?;
    let size = human::bytes(report.bytes);
    writeln!(out, "  size      {size}, format version {}", report.format_version)?;
    writeln!(out, "  id        {}", report.tape_id.clone().unwrap_or_else(unknown))?;
    let version = report.game_version.as_ref().map(|version| format!(" {}", human::safe(version))).unwrap_or_default();
    writeln!(out, "  game      {}{version}", report.game.as_deref().map_or_else(unknown, human::safe))?;
    writeln!(out, "  started   {}", report.created_utc.clone().unwrap_or_else(unknown))?;
    writeln!(out, "  duration  {}", report.duration_ns.map_or_else(unknown, human::duration))?;
    writeln!(out, "  loss      {}", loss_text(&report.loss))?;
    if !report.complete {
        let journal = if report.recovered_from_journal { "; its last frames are read from the journal" } else { "" };
        writeln!(out, "{WARNING}  not closed: its recorder is still running or was killed{journal}.{WARNING:#}")?;
        writeln!(out, "{WARNING}  If it is not running: gametape recover {}{WARNING:#}", human::safe(&report.path))?;
    }
    writeln!(out)?;
    write_streams(out, &report.streams)?;
    if channels {
        for stream in report.streams.iter().filter(|stream| !stream.channels.is_empty()) {
            writeln!(out, "\n{TITLE}channels of {}{TITLE:#}", human::safe(&stream.name))?;
            for channel in &stream.channels {
                let count = if channel.count > 1 { format!("[{}]", channel.count) } else { String::new() };
                let unit = human::safe(channel.unit.as_deref().unwrap_or_default());
                writeln!(
                    out,
                    "  {:<32} {:<10} {unit}",
                    human::safe(&channel.name),
                    format!("{}{count}", channel.kind)
                )?;
            }
        }
    }
    if let Some(facts) = &report.facts {
        write_match(out, facts)?;
    }
    if let Some(echo) = &report.echo_vr {
        write_echo(out, echo)?;
    }
    let events = report.events.iter().map(|event| (event.at_ns, event.kind.as_str(), event.text.as_str()));
    let all = format!("gametape cat {} --events", human::safe(&report.path));
    write_events(out, events, &all)?;
    write_metadata(out, &report.metadata)?;
    Ok(())
}

/// Writes the first events, and how to see `all` of them.
pub(super) fn write_events<'a>(
    out: &mut Vec<u8>,
    events: impl ExactSizeIterator<Item = (u64, &'a str, &'a str)>,
    all: &str,
) -> std::io::Result<()> {
    let count = events.len();
    if count > 0 {
        writeln!(out, "\n{TITLE}events{TITLE:#}")?;
    }
    for (at_ns, kind, text) in events.take(EVENTS_SHOWN) {
        writeln!(out, "  {:>12}  {:<16} {}", human::duration(at_ns), human::safe(kind), human::safe(text))?;
    }
    match count.checked_sub(EVENTS_SHOWN).filter(|more| *more > 0) {
        Some(more) => writeln!(out, "  and {more} more: {all}"),
        None => Ok(()),
    }
}

/// Writes all metadata but the facts of a match, which are a table of their own.
pub(super) fn write_metadata(out: &mut Vec<u8>, metadata: &BTreeMap<String, String>) -> std::io::Result<()> {
    let entries: Vec<_> = metadata.iter().filter(|(key, _)| key.as_str() != METADATA_KEY).collect();
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{TITLE}metadata{TITLE:#}")?;
    // Keys may come from anywhere: a very long one must not push all values aside.
    let width = entries.iter().map(|(key, _)| key.chars().count()).max().unwrap_or_default().clamp(16, 32);
    for (key, value) in entries {
        writeln!(out, "  {:<width$} {}", human::safe(key), human::safe(value))?;
    }
    Ok(())
}

/// Writes matches, goals, and the statistics of each player: the engine's counters beside the sums of events.
fn write_echo(out: &mut Vec<u8>, echo: &EchoReport) -> std::io::Result<()> {
    for (title, moments) in [("sessions", &echo.sessions), ("goals", &echo.goals)] {
        if !moments.is_empty() {
            writeln!(out, "\n{TITLE}{title}{TITLE:#}")?;
        }
        for moment in moments.iter().take(EVENTS_SHOWN) {
            writeln!(out, "  {:>12}  {}", human::duration(moment.at_ns), human::safe(&moment.text))?;
        }
        if let Some(more) = moments.len().checked_sub(EVENTS_SHOWN).filter(|more| *more > 0) {
            writeln!(out, "  and {more} more")?;
        }
    }
    if echo.players.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{TITLE}players{TITLE:#} (engine's counter / events on the tape, if they differ)")?;
    for player in &echo.players {
        let counts = player.engine.iter().filter_map(|(key, engine)| {
            let events = player.events.get(key).copied().flatten();
            let name = key.replace('_', " ");
            match (engine, events) {
                (None, None) | (Some(0), None | Some(0)) | (None, Some(0)) => None,
                (Some(engine), Some(events)) if i64::try_from(events).ok() != Some(*engine) => {
                    Some(format!("{name} {engine} / {events}"))
                }
                (Some(engine), _) => Some(format!("{name} {engine}")),
                (None, Some(events)) => Some(format!("{name} not known / {events}")),
            }
        });
        let counts: Vec<_> = counts.collect();
        let counts = if counts.is_empty() { "nothing counted".into() } else { counts.join(", ") };
        let team = player.team.unwrap_or("left");
        writeln!(out, "  {:<24} {team:<10} {counts}", human::safe(&format!("{} (slot {})", player.name, player.slot)))?;
    }
    Ok(())
}

fn loss_text(loss: &Counts) -> String {
    let (Some(dropped), Some(torn), Some(missed), Some(gaps)) = (loss.dropped, loss.torn, loss.missed, loss.gaps)
    else {
        return "not known".into();
    };
    let counts = [(dropped, "dropped"), (missed, "missed"), (gaps, "gaps")];
    let lost: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{} {name}", human::count(*count)))
        .collect();
    let lost = if lost.is_empty() { "none".into() } else { lost.join(", ") };
    // Not lost: the recorder retried the copy.
    let again = human::counted_as(torn, "torn copy was retried", "torn copies were retried");
    if torn == 0 { lost } else { format!("{lost}; {again}") }
}

fn write_streams(out: &mut Vec<u8>, streams: &[ReportStream]) -> std::io::Result<()> {
    const HEADINGS: [&str; 9] = ["stream", "layout", "frames", "rate", "raw", "stored", "ratio", "time", "channels"];
    let mut table: Vec<[String; 9]> = vec![HEADINGS.map(String::from)];
    table.extend(streams.iter().map(stream_cells));
    let width = |column: usize| table.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..HEADINGS.len()).map(|column| width(column).unwrap_or_default()).collect();
    for (number, row) in table.iter().enumerate() {
        let style = if number == 0 { TITLE } else { Style::new() };
        write!(out, "{style}")?;
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match column {
                0 | 1 => write!(out, "  {cell:<width$}")?,
                _ => write!(out, "  {cell:>width$}")?,
            }
        }
        writeln!(out, "{style:#}")?;
    }
    Ok(())
}

fn stream_cells(stream: &ReportStream) -> [String; 9] {
    let span_ns = stream.first_ns.zip(stream.last_ns).map(|(first, last)| last - first);
    let rate = span_ns.filter(|span| *span > 0 && stream.frames > 1).map(|span| {
        let hz = (stream.frames - 1) as f64 / (span as f64 / 1e9);
        format!("{hz:.1} Hz")
    });
    let ratio = (stream.bytes_stored > 0).then(|| stream.bytes_raw as f64 / stream.bytes_stored as f64);
    let times = stream.first_ns.zip(stream.last_ns);
    [
        human::safe(&stream.name),
        stream.layout.as_deref().map_or_else(|| "-".into(), human::safe),
        human::count(stream.frames),
        rate.unwrap_or_else(|| "-".into()),
        human::bytes(stream.bytes_raw),
        human::bytes(stream.bytes_stored),
        ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.1}")),
        times.map_or_else(|| "-".into(), |(from, to)| format!("{} - {}", human::duration(from), human::duration(to))),
        if stream.channels.is_empty() { "-".into() } else { stream.channels.len().to_string() },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_copies_are_no_loss_and_unknown_is_not_none() {
        let loss = |dropped, torn, missed| Counts { dropped, torn, missed, gaps: Some(0) };
        assert_eq!(loss_text(&loss(Some(0), Some(0), Some(0))), "none");
        assert_eq!(loss_text(&loss(Some(0), Some(115), Some(0))), "none; 115 torn copies were retried");
        assert_eq!(loss_text(&loss(Some(2), Some(1), Some(3))), "2 dropped, 3 missed; 1 torn copy was retried");
        assert_eq!(loss_text(&loss(None, Some(1), Some(3))), "not known");
    }
}
