//! `gametape cat`

use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::PathBuf;

use gametape::export::arrow::write_arrow_stream;
use gametape::export::v2::stream_tape;
use gametape::export::{choose, column_name};
use gametape::format::read::{Frame, Problem, ReadError, Tape, TapeStream};
use gametape::format::{Event, Role};
use gametape::tape::{ChannelNameError, FoundChannel, SectionPages, find_in_one_stream};

use super::export_source::laps_of;
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::rows::{Column, RowFormat, RowText, write_csv_text, write_json_text};
use crate::{human, open, time};

/// Print frames, channels or events of a tape
///
/// Prints a row for each frame: its time in nanoseconds since the start of the tape, then the channels. Numbers are exact.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape cat race.gtape --channels speedKmh,gear,tyreWear[0] > lap.csv
  gametape cat race.gtape --from 1:30 --to 1:40 --format jsonl
  gametape cat race.gtape --events
  gametape cat race.gtape --stream telemetry.session-text --format raw
  gametape cat race.gtape --stream LMU_Data --format raw     whole pages of a section that is stored as several streams
  gametape cat race.gtape --format arrow --stream physics | python3 -c 'import sys, polars; print(polars.read_ipc_stream(sys.stdin.buffer))'
  gametape cat race.gtape --format v2 | my-reader       length-delimited Telemetry V2 envelopes

Times: 90, 1:30.5, 10m, 250ms; rows from --from up to, but not including, --to are printed.")]
pub(crate) struct Args {
    /// The tape [default: the newest one]
    file: Option<PathBuf>,
    /// The stream; optional if there is only one, or only one with the named channels
    #[arg(long, value_name = "S")]
    stream: Option<String>,
    /// The channels, in this order [default: all]. Case matters only if two names differ in nothing else
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    channels: Vec<String>,
    /// Print events (marks, laps, problems) instead of frames
    #[arg(long, conflicts_with_all = ["stream", "channels"])]
    events: bool,
    /// Start at this time
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    from: Option<u64>,
    /// Stop before this time
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    to: Option<u64>,
    /// csv (the default); jsonl: one object per row; arrow: an Arrow IPC stream for data engines, with UTC, laps and distance; raw: the frame payloads, concatenated;
    /// v2: all streams and events as Telemetry V2
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Same as --format jsonl: a tape is too long for one document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Csv,
    Jsonl,
    Arrow,
    Raw,
    V2,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let format = match (args.json, args.format) {
        (true, None | Some(Format::Jsonl)) => Format::Jsonl,
        (true, Some(_)) => return Err(exit::usage("--json means --format jsonl; use only one of them")),
        (false, format) => format.unwrap_or(Format::Csv),
    };
    let rows = match format {
        Format::Csv => Some(RowFormat::Csv),
        Format::Jsonl => Some(RowFormat::Jsonl),
        Format::Arrow | Format::Raw | Format::V2 => None,
    };
    let times = args.from.unwrap_or(0)..args.to.unwrap_or(u64::MAX);
    if times.is_empty() {
        return Err(exit::usage("--to must be later than --from"));
    }
    let path = open::or_newest(args.file)?;
    let tape = open::tape(&path)?;
    let mut cat = Cat {
        out: BufWriter::with_capacity(1 << 18, crate::terminal::data()),
        tape: &tape,
        times,
        told: HashSet::new(),
    };
    cat.tell_problems();
    if format == Format::V2 {
        if args.stream.is_some() || !args.channels.is_empty() || args.events {
            return Err(exit::usage(
                "--format v2 prints all streams and events; omit --stream, --channels and --events",
            ));
        }
        let streamed = stream_tape(&tape, &cat.times.clone(), &mut cat.out)?;
        streamed.damage.iter().for_each(|problem| cat.problem(problem));
    } else if format == Format::Arrow && !args.events {
        crate::terminal::refuse_binary("an Arrow stream")?;
        let (stream, channels) = choose_stream(&tape, args.stream.as_deref(), &args.channels)?;
        cat.arrow(stream, &channels)?;
    } else if args.events {
        let format = rows.ok_or_else(|| exit::usage("events are text; use --format csv or jsonl"))?;
        cat.events(format)?;
    } else {
        if let (None, Some(section)) = (rows, &args.stream)
            && let Some(pages) = SectionPages::open(&tape, section)
        {
            cat.pages(pages)?;
            cat.out.flush()?;
            cat.tell_problems();
            return Ok(Outcome::damaged_if(!cat.told.is_empty()));
        }
        let (stream, channels) = choose_stream(&tape, args.stream.as_deref(), &args.channels)?;
        match rows {
            None if !args.channels.is_empty() => {
                return Err(exit::usage("--format raw prints whole frames; omit --channels"));
            }
            None => cat.frames(stream, &mut |out, frame| out.write_all(frame.data))?,
            Some(format) if !stream.spec().channels.is_empty() => cat.channels(stream, &channels, format)?,
            Some(RowFormat::Jsonl) if args.channels.is_empty() => cat.frames(stream, &mut write_hex)?,
            Some(_) => return Err(exit::usage(no_channels(stream))),
        }
    }
    cat.out.flush()?;
    // Reading finds further problems: in index pages and in frames of system streams.
    cat.tell_problems();
    Ok(Outcome::damaged_if(!cat.told.is_empty()))
}

fn no_channels(stream: &TapeStream) -> String {
    let name = &stream.spec().name;
    format!("stream {name:?} has no layout and therefore no channels; use --format raw, or jsonl for its bytes as hex")
}

/// Returns the named stream, the only data stream, or the only data stream with all the channels; and the channels, all if none is named.
fn choose_stream<'a>(
    tape: &'a Tape,
    name: Option<&str>,
    channels: &[String],
) -> anyhow::Result<(&'a TapeStream, Vec<FoundChannel<'a>>)> {
    let data: Vec<&TapeStream> = match name {
        Some(name) => vec![tape.stream_named(name)?],
        None => tape.streams().filter(|stream| stream.spec().role == Role::Data).collect(),
    };
    if !channels.is_empty() && !data.is_empty() {
        if let [only] = data.as_slice()
            && only.spec().channels.is_empty()
        {
            return Err(exit::usage(no_channels(only)));
        }
        return find_in_one_stream(&data, channels).map_err(|error| match error {
            ChannelNameError::DifferentStreams { .. } => exit::usage(format!(
                "{error}, and `cat` prints one stream at a time; name channels of one stream, or use `gametape export --channels {}`, which joins streams",
                channels.join(",")
            )),
            error => channel_error(&error),
        });
    }
    match data.as_slice() {
        [only] => {
            let all = only.spec().channels.iter();
            Ok((*only, all.map(|channel| FoundChannel { stream: only, channel, element: None }).collect()))
        }
        [] => Err(exit::nothing_found(
            "the tape has no frames of a game; use `gametape info` to see what it contains, or --events to print its events",
        )),
        _ => {
            let names: Vec<_> = tape.streams().map(|stream| stream.spec().name.as_str()).collect();
            Err(exit::usage(format!("the tape has several streams ({}); choose one with --stream", names.join(", "))))
        }
    }
}

/// Gives a channel-name error its exit code: nothing found, or a usage error if the name is ambiguous.
pub(super) fn channel_error(error: &ChannelNameError) -> anyhow::Error {
    match error {
        ChannelNameError::Ambiguous { .. } | ChannelNameError::DifferentStreams { .. } => {
            exit::usage(error.to_string())
        }
        _ => exit::nothing_found(error.to_string()),
    }
}

struct Cat<'a, W: Write> {
    out: W,
    tape: &'a Tape,
    times: Range<u64>,
    /// Warnings that were printed. Each one causes exit code 3 and is printed only once.
    told: HashSet<String>,
}

impl<W: Write> Cat<'_, W> {
    fn channels(&mut self, stream: &TapeStream, found: &[FoundChannel<'_>], format: RowFormat) -> anyhow::Result<()> {
        let names: Vec<String> = found.iter().map(FoundChannel::name).collect();
        let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut channels = self.tape.channels(stream, &borrowed)?;
        let data: Vec<&TapeStream> = self.tape.streams().filter(|stream| stream.spec().role == Role::Data).collect();
        let columns = found.iter().enumerate().map(|(number, found)| Column {
            name: column_name(found, &data),
            kind: found.channel.kind,
            count: channels.count(number),
        });
        let columns: Vec<Column> = columns.collect();
        let mut rows = RowText::new(format, columns);
        rows.write_header(&mut self.out)?;
        match channels.seek_time(self.times.start) {
            Err(ReadError::Damaged(problem)) => self.problem(&problem),
            found => found?,
        }
        let mut expected_seq = None;
        loop {
            match channels.next_block() {
                Ok(Some(block)) => {
                    let missing = expected_seq.map_or(0, |expected| block.first_seq.saturating_sub(expected));
                    expected_seq = Some(block.first_seq + block.times.len() as u64);
                    if missing > 0 {
                        self.damage(format!("{missing} frames are missing before frame {}", block.first_seq));
                    }
                    let start = block.times.partition_point(|time| *time < self.times.start);
                    let end = block.times.partition_point(|time| *time < self.times.end);
                    rows.write_rows(&block, start..end, &mut self.out)?;
                    if end < block.times.len() {
                        return Ok(());
                    }
                }
                Ok(None) => return Ok(()),
                Err(ReadError::Damaged(problem)) => {
                    self.problem(&problem);
                    // The problem already reports its lost frames.
                    expected_seq = None;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Writes an Arrow stream. Laps are tracked first.
    fn arrow(&mut self, stream: &TapeStream, found: &[FoundChannel<'_>]) -> anyhow::Result<()> {
        if found.is_empty() {
            return Err(exit::usage(no_channels(stream)));
        }
        let names: Vec<String> = found.iter().map(FoundChannel::qualified_name).collect();
        let columns = choose(self.tape, &names).map_err(|error| channel_error(&error))?;
        let tracked = laps_of(self.tape)?;
        let times = self.times.clone();
        let done = write_arrow_stream(self.tape, stream, &columns, tracked.as_ref(), times, &mut self.out)?;
        done.damage.iter().for_each(|problem| self.problem(problem));
        Ok(())
    }

    fn frames(
        &mut self,
        stream: &TapeStream,
        write: &mut dyn FnMut(&mut dyn Write, Frame<'_>) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let mut frames = self.tape.frames(stream);
        // Damage before the start time: earlier frames are skipped below.
        match frames.seek_time(self.times.start) {
            Err(ReadError::Damaged(problem)) => self.problem(&problem),
            found => found?,
        }
        loop {
            match frames.next() {
                Ok(Some(frame)) if frame.time_ns >= self.times.end => return Ok(()),
                Ok(Some(frame)) if frame.time_ns < self.times.start => {}
                Ok(Some(frame)) => write(&mut self.out, frame)?,
                Ok(None) => return Ok(()),
                Err(ReadError::Damaged(problem)) => self.problem(&problem),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Writes the pages of a section that was recorded as several streams.
    fn pages(&mut self, mut pages: SectionPages<'_>) -> anyhow::Result<()> {
        loop {
            match pages.next() {
                Ok(Some((time_ns, _))) if time_ns >= self.times.end => return Ok(()),
                Ok(Some((time_ns, _))) if time_ns < self.times.start => {}
                Ok(Some((_, page))) => self.out.write_all(page)?,
                Ok(None) => return Ok(()),
                Err(ReadError::Damaged(problem)) => self.problem(&problem),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn events(&mut self, format: RowFormat) -> anyhow::Result<()> {
        if format == RowFormat::Csv {
            self.out.write_all(b"time_ns,kind,text\n")?;
        }
        for event in self.tape.events().iter().filter(|event| self.times.contains(&event.at_ns)) {
            self.out.write_all(&event_line(event, format))?;
        }
        Ok(())
    }

    /// Reports all known damage of the tape, also outside the printed time range.
    fn tell_problems(&mut self) {
        for problem in self.tape.problems().iter().filter(|problem| open::is_damage(problem)) {
            self.problem(problem);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.damage(problem.to_string());
    }

    fn damage(&mut self, text: String) {
        if !self.told.contains(&text) {
            tell(&format!("warning: {}", human::safe(&text)));
            self.told.insert(text);
        }
    }
}

fn event_line(event: &Event, format: RowFormat) -> Vec<u8> {
    let mut line = Vec::new();
    match format {
        RowFormat::Csv => {
            line.extend_from_slice(event.at_ns.to_string().as_bytes());
            for text in [&event.kind, &event.text] {
                line.push(b',');
                write_csv_text(&mut line, text);
            }
        }
        RowFormat::Jsonl => {
            line.extend_from_slice(format!("{{\"time_ns\":{},\"kind\":", event.at_ns).as_bytes());
            write_json_text(&mut line, &event.kind);
            line.extend_from_slice(b",\"text\":");
            write_json_text(&mut line, &event.text);
            line.push(b'}');
        }
    }
    line.push(b'\n');
    line
}

fn write_hex(out: &mut dyn Write, frame: Frame<'_>) -> io::Result<()> {
    write!(out, "{{\"time_ns\":{},\"bytes\":\"", frame.time_ns)?;
    for byte in frame.data {
        write!(out, "{byte:02x}")?;
    }
    out.write_all(b"\"}\n")
}
