//! Exports a tape as a table, streamed while it is read, as a MoTeC log or as an HTML report. Laps come from the store, so that the tape need
//! not be tracked first.

use std::io::{self, Write as _};

use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use gametape::export::{Columns, Export, ExportError, ExportSink, Exporter, LapFiles, Split, choose};
use gametape::format::read::Tape;
use gametape::laps::{Tracked, TrackedSession};
use gametape::store::Store;

use super::access::Caller;
use super::channels::read_tapes;
use super::error::{ApiError, Problem};
use super::params::{Named, Params};
use super::piped::{self, Pipe};
use super::state::AppState;
use super::tape_file::{attachment, file_name};
use super::tapes::{check_owner, open, sessions_on, tape_id_of};
use super::tapes_params::{CheckedExport, ExportParams};
use super::zip::{MEDIA_TYPE as ZIP, Zip};

/// Exports a tape as a table, with a row for each time at which one of the streams has a frame (parquet: a row for each frame of
/// one stream), or as an HTML report that a browser opens from disk. A format that consists of several files comes as a zip archive.
#[utoipa::path(get, path = "/api/v1/tapes/{id}/export", operation_id = "tape_export", tag = "tapes",
    params(("id" = String, Path, description = "Tape id", pattern = "^[0-9a-f]{32}$"), ExportParams),
    responses((status = 200, description = "A table or a report", content((String = "text/csv"), (String = "application/jsonl"), (String = "application/vnd.apache.parquet"), (String = "text/html"), (String = "application/zip"), (String = "application/octet-stream"))),
        (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn export(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    _: HeaderMap,
    Named(id): Named,
    Params(params): Params<ExportParams>,
) -> Result<Response, ApiError> {
    check_owner(&state, caller)?;
    let id = tape_id_of(&id)?;
    let CheckedExport { format, names, lap, stream } = params.checked()?;
    let named = !names.is_empty();
    let turn = piped::turn(&state.exports)?;
    let (tape, columns, tracked, name, times) = read_tapes(&state, move |store| {
        let (known, tape) = open(store, id)?;
        let mut columns = match names.is_empty() && format.is_columnar() {
            true => format.usual_columns(&tape),
            false => choose(&tape, &names).map_err(|error| ApiError::bad_request(error.to_string()))?,
        };
        if format.is_columnar() {
            in_one_stream(&tape, &mut columns, stream.as_deref())?;
        }
        if columns.0.is_empty() {
            return Err(ApiError::not_there("no_channels", "this tape has no channels: its streams have no layout"));
        }
        let tracked = tracked_on(store, id)?;
        let mut times = 0..u64::MAX;
        if let Some(number) = lap {
            let no_lap = || ApiError::not_there("no_such_lap", format!("there is no lap {number} on this tape"));
            let lap = tracked.lap(number).ok_or_else(no_lap)?;
            times = lap.start_ns..lap.end_ns.unwrap_or(u64::MAX);
        }
        Ok((tape, columns, tracked, file_name(&known.path), times))
    })
    .await?;
    let archived = !format.beside().is_empty();
    let ending = if archived { "zip" } else { format.extension() };
    let stem = name.strip_suffix(".gtape").unwrap_or(&name);
    let stem = lap.map_or_else(|| stem.to_owned(), |lap| format!("{stem}_lap{lap:02}"));
    let saved = format!("{stem}.{ending}");
    let body = piped::body(turn, move |pipe| {
        let laps = lap.map_or(LapFiles::Together, LapFiles::Only);
        let times = if format.is_columnar() { times } else { 0..u64::MAX };
        let what = Export { tracked: Some(&tracked), named, times, laps, ..Export::all(&tape, &name, &columns) };
        match archived {
            true => write_archive(&what, format, &stem, pipe),
            false => write(&what, format, lap, pipe),
        }
    });
    let mut answer = body.into_response();
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(if archived { ZIP } else { format.media_type() }));
    headers.insert(header::CONTENT_DISPOSITION, attachment(&saved));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(answer)
}

/// Reduces the columns to those of the stream, or checks that they are in one: a response is one file.
fn in_one_stream(tape: &Tape, columns: &mut Columns, stream: Option<&str>) -> Result<(), ApiError> {
    if let Some(name) = stream {
        let stream = tape.stream_named(name).map_err(|error| ApiError::bad_request(error.to_string()))?;
        columns.0.retain(|column| column.stream == stream.id());
        if columns.0.is_empty() {
            return Err(ApiError::bad_request(format!("none of the channels is in stream {name:?}")));
        }
    }
    let streams: Vec<_> = columns.streams(tape).map(|stream| stream.name()).collect();
    match streams.len() > 1 {
        true => Err(ApiError::bad_request(format!(
            "parquet has a file for each stream, and the channels are in several ({}); choose one with stream",
            streams.join(", ")
        ))),
        false => Ok(()),
    }
}

/// Returns the stored laps of a tape in the form of a tracker's result.
fn tracked_on(store: &dyn Store, id: gametape::format::TapeId) -> Result<Tracked, ApiError> {
    let mut tracked = Tracked::default();
    for found in sessions_on(store, id)? {
        let session = found.session.session;
        if let Some(track) = &session.track {
            tracked.tracks.extend(store.track_facts(&session.game, track, session.layout.as_deref())?);
        }
        let mut laps: Vec<_> = found.laps.into_iter().map(|lap| lap.lap).collect();
        laps.sort_by_key(|lap| lap.start_ns);
        tracked.sessions.push(TrackedSession { session, stints: found.stints, laps, cars: Vec::new() });
    }
    Ok(tracked)
}

fn write(what: &Export<'_>, format: &dyn Exporter, lap: Option<u32>, pipe: &mut Pipe) -> io::Result<()> {
    let mut rows = Rows { pipe, lap, open: false, begun: false, over: false };
    let written = format.export(what, &mut rows).map(drop);
    match written {
        Ok(()) => Ok(()),
        // The lap was exported completely.
        Err(ExportError::Write(_)) if rows.over => Ok(()),
        Err(ExportError::Write(error)) => Err(error),
        Err(error) => {
            crate::cli::tell(&format!("serve: {error}"));
            Err(io::Error::other(error))
        }
    }
}

/// Writes a format of several files as a zip archive.
fn write_archive(what: &Export<'_>, format: &dyn Exporter, stem: &str, pipe: &mut Pipe) -> io::Result<()> {
    let mut archive = Archive { zip: Zip::new(pipe), stem, ending: format.extension() };
    match format.export(what, &mut archive) {
        Ok(_) => archive.zip.finish(),
        Err(ExportError::Write(error)) => Err(error),
        Err(error) => {
            crate::cli::tell(&format!("serve: {error}"));
            Err(io::Error::other(error))
        }
    }
}

/// Writes a file and those beside it into an archive.
struct Archive<'a> {
    zip: Zip<'a>,
    stem: &'a str,
    ending: &'a str,
}

impl ExportSink for Archive<'_> {
    fn part(&mut self, _: Option<u32>, head: &[u8]) -> io::Result<()> {
        self.zip.begin(&format!("{}.{}", self.stem, self.ending))?;
        self.zip.write(head)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.zip.write(bytes)
    }

    fn beside(&mut self, extension: &str, bytes: &[u8]) -> io::Result<bool> {
        self.zip.begin(&format!("{}.{extension}", self.stem))?;
        self.zip.write(bytes)?;
        Ok(true)
    }

    fn goes_on(&self) -> io::Result<()> {
        self.zip.is_wanted()
    }
}

/// Writes the rows of the whole tape, or of one lap.
struct Rows<'a> {
    pipe: &'a mut Pipe,
    lap: Option<u32>,
    open: bool,
    begun: bool,
    over: bool,
}

impl ExportSink for Rows<'_> {
    fn split(&self) -> Split {
        if self.lap.is_some() { Split::Laps } else { Split::Nothing }
    }

    fn part(&mut self, lap: Option<u32>, head: &[u8]) -> io::Result<()> {
        self.over = self.lap.is_some() && self.open;
        if self.over {
            return Err(io::Error::other("the lap is over"));
        }
        self.open = self.lap.is_none() || lap == self.lap;
        if self.open && !std::mem::replace(&mut self.begun, true) {
            self.pipe.write_all(head)?;
        }
        Ok(())
    }

    fn write(&mut self, row: &[u8]) -> io::Result<()> {
        if self.open { self.pipe.write_all(row) } else { Ok(()) }
    }

    fn goes_on(&self) -> io::Result<()> {
        self.pipe.is_wanted()
    }
}
