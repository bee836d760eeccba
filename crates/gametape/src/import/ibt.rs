//! iRacing's `.ibt` files: rows become frames, everything else in the file describes them.

use gametape_format::write::{TapeBuilder, WriteOptions};
use gametape_format::{Role, StreamId, StreamSpec};
use gametape_games::iracing::{GAME, Ibt, RowTimes, session_text};

use super::error::ImportError;
use super::ibt_pieces::{Part, Pieces, PiecesError, RowReader, TELEMETRY, read_range};
use super::kind::Kind;
use super::{ImportProgress, Imported, Importer, Source, Target};
use crate::layout::stream_of_layout;

/// What `importer` says in the tape's metadata: raise the number when the same file gives another tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " ibt 1");

/// Progress is told this often.
const PROGRESS_ROWS: u64 = 256;

/// Start dates that are believed, in seconds since 1970: from 2008, when the game came out, to 2100.
const BELIEVABLE_START_S: std::ops::Range<i64> = 1_199_145_600..4_102_444_800;

/// Reads `.ibt` files.
pub(super) struct IbtImporter;

impl Importer for IbtImporter {
    fn import(
        &self,
        source: &Source,
        target: &Target<'_>,
        progress: &mut dyn FnMut(ImportProgress),
    ) -> Result<Imported, ImportError> {
        let read = |error| ImportError::Read { path: source.path.clone(), source: error };
        let pieces = Pieces::of(&source.file, source.bytes).map_err(|error| match error {
            PiecesError::Io(error) => read(error),
            PiecesError::Ibt(error) => error.into(),
        })?;
        let ibt = &pieces.ibt;
        let mut problems: Vec<String> = ibt.problems.iter().map(ToString::to_string).collect();

        let start_utc_ns = start_utc_ns(ibt);
        let mut tape = target.create(&WriteOptions { start_utc_ns, ..WriteOptions::new(source.tape_id) })?;
        let telemetry = tape.add_stream(telemetry_spec(ibt, &mut problems), 0)?;
        add_descriptions(&mut tape, telemetry, &pieces, source)?;

        let mut times = RowTimes::new(ibt);
        let mut rows = RowReader::new(&source.file, ibt.rows);
        let mut count = 0u64;
        while let Some(row) = rows.next().map_err(read)? {
            tape.append(telemetry, times.step(row).ns, row)?;
            count += 1;
            if count.is_multiple_of(PROGRESS_ROWS) {
                let done_bytes = source.bytes + ibt.rows.start + count * u64::from(ibt.rows.row_bytes);
                progress(ImportProgress { done_bytes, total_bytes: source.bytes * 2 });
            }
        }
        add_metadata(&mut tape, source, &times, &problems)?;
        if let Some(version) = game_version(source, ibt) {
            tape.metadata(0, "game_version", &version)?;
        }
        for problem in &problems {
            tape.event(0, "import_problem", problem)?;
        }
        let tape_bytes = tape.finish()?;
        progress(ImportProgress { done_bytes: source.bytes * 2, total_bytes: source.bytes * 2 });
        let (tape_id, source_bytes) = (source.tape_id, source.bytes);
        Ok(Imported { kind: Kind::Ibt, tape_id, source_bytes, tape_bytes, frames: count, problems })
    }
}

/// The rows as columns; a table that no tape can hold (a damaged file's) becomes plain frames.
fn telemetry_spec(ibt: &Ibt, problems: &mut Vec<String>) -> StreamSpec {
    let spec = stream_of_layout(GAME.id, TELEMETRY, "file", &ibt.layout);
    match spec.check() {
        Ok(()) => spec,
        Err(error) => {
            problems.push(format!("the variables do not fit into a channel table ({error}): rows have no channels"));
            StreamSpec { frame_bytes: 0, channels: Vec::new(), ..spec }
        }
    }
}

fn add_descriptions(
    tape: &mut TapeBuilder,
    telemetry: StreamId,
    pieces: &Pieces,
    source: &Source,
) -> Result<(), ImportError> {
    let mut stream: Option<(Part, StreamId)> = None;
    for (part, range) in &pieces.parts {
        let id = match stream.filter(|(last, _)| last == part) {
            Some((_, id)) => id,
            None => tape.add_stream(
                StreamSpec {
                    game: GAME.id.into(),
                    transport: "file".into(),
                    role: Role::Describe,
                    describes: Some(telemetry),
                    ..StreamSpec::rows(part.stream())
                },
                0,
            )?,
        };
        stream = Some((*part, id));
        let bytes = read_range(&source.file, range)
            .map_err(|error| ImportError::Read { path: source.path.clone(), source: error })?;
        tape.append(id, 0, &bytes)?;
    }
    Ok(())
}

fn add_metadata(
    tape: &mut TapeBuilder,
    source: &Source,
    times: &RowTimes,
    problems: &[String],
) -> Result<(), ImportError> {
    let time_source = match (times.rows_by_session_time(), times.rows_by_tick_rate()) {
        (_, 0) => "session_time",
        (0, _) => "tick_rate",
        _ => "mixed",
    };
    let entries = [
        ("source_file", source.name()),
        ("source_bytes", source.bytes.to_string()),
        ("source_kind", Kind::Ibt.id().into()),
        ("time_source", time_source.into()),
        ("importer", IMPORTER.into()),
        ("import_problems", problems.len().to_string()),
    ];
    for (key, value) in entries {
        tape.metadata(0, key, &value)?;
    }
    Ok(())
}

fn start_utc_ns(ibt: &Ibt) -> Option<i64> {
    Some(ibt.disk.start_date_unix_s).filter(|seconds| BELIEVABLE_START_S.contains(seconds))?.checked_mul(1_000_000_000)
}

/// `BuildVersion` of the session text.
fn game_version(source: &Source, ibt: &Ibt) -> Option<String> {
    let text = session_text(&read_range(&source.file, &ibt.session_text).ok()?);
    let version = text.lines().find_map(|line| line.trim_start().strip_prefix("BuildVersion:"))?.trim();
    (!version.is_empty()).then(|| version.to_owned())
}
