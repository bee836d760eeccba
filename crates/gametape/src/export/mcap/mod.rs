//! Exports MCAP, for Foxglove, Rerun, PlotJuggler and other viewers of robots.
//!
//! ```text
//! stream ──▶ messages: fields, schema ──▶ /telemetry/STREAM   protobuf, a message for each frame
//! samples ─▶ position ──────────────────▶ /location or /pose  protobuf, schemas of Foxglove
//! laps, events ──▶ notes ───────────────▶ /laps, /events      JSON
//! facts of the session ─────────────────▶ metadata record
//! ```
//! Written from the beginning to the end, a chunk in memory. Times are UTC; a tape without a clock begins in 1970.

mod descriptor;
mod file;
mod messages;
mod notes;
mod position;
#[cfg(test)]
mod tests;
mod wire;

use std::cell::RefCell;
use std::ops::Range;

use gametape_analysis::laps::TrackedSession;
use gametape_analysis::recording::streams_of_games;
use gametape_format::read::ReadError;
use mcap::records::Metadata;
use mcap::write::NoSeek;
use mcap::{Compression, McapError, WriteOptions};

use super::exporter::SinkFile;
use super::part::{decoding_of, lap_files, main_session, times_of};
use super::{Content, Export, ExportError, ExportSink, Exported, Exporter, LapFiles};
use file::File;
use messages::Messages;
use position::Position;

/// Exports MCAP.
#[derive(Debug, Clone, Copy)]
pub struct McapExporter;

impl Exporter for McapExporter {
    fn name(&self) -> &'static str {
        "mcap"
    }

    fn media_type(&self) -> &'static str {
        "application/octet-stream"
    }

    fn content(&self) -> Content {
        Content::Rows
    }

    fn export(&self, what: &Export<'_>, sink: &mut dyn ExportSink) -> Result<Exported, ExportError> {
        let times = times_of(what)?;
        let sink = RefCell::new(sink);
        let mut exported = Exported { frames: Some(0), ..Exported::default() };
        if what.laps == LapFiles::Together {
            write(what, &times, (None, main_session(what.tracked, &times)), &sink, &mut exported)?;
        } else {
            for (session, lap) in lap_files(what, &times) {
                let end_ns = lap.end_ns.map_or(times.end, |end_ns| end_ns.saturating_sub(1)).min(times.end);
                let part = (Some(lap.tape_lap), Some(session));
                write(what, &(lap.start_ns.max(times.start)..end_ns), part, &sink, &mut exported)?;
            }
        }
        let of_games = streams_of_games(what.tape).filter(|stream| stream.spec().channels.is_empty()).count();
        if !what.named {
            let (one, many) =
                ("stream was left out: it has no channels", "streams were left out: they have no channels");
            exported.leave_out(of_games as u64, one, many);
        }
        Ok(exported)
    }
}

/// Writes a file: the whole of these times, the last one included.
fn write(
    what: &Export<'_>,
    times: &Range<u64>,
    (lap, session): (Option<u32>, Option<&TrackedSession>),
    sink: &RefCell<&mut dyn ExportSink>,
    exported: &mut Exported,
) -> Result<(), ExportError> {
    let failed = |error: McapError| match error {
        McapError::Io(error) => ExportError::Write(error),
        // An error of the sink may be hidden in another one.
        error => match sink.borrow().goes_on() {
            Err(stopped) => ExportError::Write(stopped),
            Ok(()) => ExportError::Format(Box::new(error)),
        },
    };
    let out = NoSeek::new(SinkFile::begin(sink, lap)?);
    let options = WriteOptions::new()
        .compression(Some(Compression::Zstd))
        // On this thread: threads of their own would take memory for each.
        .compression_threads(0)
        .disable_seeking(true)
        .library(concat!("gametape ", env!("CARGO_PKG_VERSION")));
    let mut file = File::begin(options.create(out).map_err(failed)?, what).map_err(failed)?;
    let facts = Metadata { name: "session".to_owned(), metadata: notes::metadata(what, session) };
    file.writer.write_metadata(&facts).map_err(failed)?;

    let mut notes = notes::notes(what, times, lap).into_iter().peekable();
    let mut decoding = decoding_of(what.tape);
    let mut frames = what.tape.merged(streams_of_games(what.tape));
    match frames.seek_time(times.start) {
        Err(ReadError::Damaged(problem)) => exported.damage.push(problem),
        sought => sought?,
    }
    let mut count = 0_u64;
    loop {
        let frame = match frames.next() {
            Ok(Some(frame)) if frame.time_ns <= times.end => frame,
            Ok(_) => break,
            Err(ReadError::Damaged(problem)) => {
                exported.damage.push(problem);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        count += 1;
        if count.is_multiple_of(4096) {
            let mut sink = sink.borrow_mut();
            sink.at(frame.time_ns, times.end);
            sink.goes_on()?;
        }
        while let Some(note) = notes.next_if(|note| note.at_ns <= frame.time_ns) {
            file.note(&note).map_err(failed)?;
        }
        let Some(place) = file.streams.iter().position(|stream| stream.id == frame.stream) else { continue };
        file.frame(place, frame.time_ns, frame.data).map_err(failed)?;
        let sample = decoding.as_mut().and_then(|decoding| decoding.frame(place, frame.data));
        if let Some(position) = sample.and_then(Position::of) {
            file.position(frame.time_ns, position).map_err(failed)?;
        }
    }
    for note in notes {
        file.note(&note).map_err(failed)?;
    }
    file.writer.finish().map_err(failed)?;
    exported.frames = exported.frames.map(|frames| frames + file.frames);
    exported.channels = file.streams.iter().filter_map(|stream| stream.messages.as_ref()).map(Messages::channels).sum();
    Ok(())
}
