//! Importer for iRacing's `.ibt` files: rows become frames, everything else in the file becomes descriptions.

use gametape_format::{Role, StreamId, StreamSpec};
use gametape_games::iracing::{GAME, Ibt, RowTimes, session_text};

use super::error::ImportError;
use super::ibt_pieces::{Part, Pieces, RowReader, TELEMETRY};
use super::kind::Kind;
use super::out::{Out, add_stream_or_plain};
use super::problems::{Problems, tell_source};
use super::{Found, Importer, Source};
use crate::layout::stream_of_layout;

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " ibt 1");

/// Rows between two progress reports.
const PROGRESS_ROWS: u64 = 256;

/// Plausible start dates in seconds since 1970: from 2008, when the game was released, to 2100.
const BELIEVABLE_START_S: std::ops::Range<i64> = 1_199_145_600..4_102_444_800;

/// Reads `.ibt` files.
pub(super) struct IbtImporter;

impl Importer for IbtImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let pieces = Pieces::of(source)?;
        let ibt = &pieces.ibt;
        let mut problems = Problems::default();
        ibt.problems.iter().for_each(|problem| problems.add(problem));

        out.begin(start_utc_ns(ibt))?;
        let spec = stream_of_layout(GAME.id, TELEMETRY, "file", &ibt.layout);
        let telemetry = add_stream_or_plain(out, spec, &mut |problem| problems.add(problem))?;
        add_descriptions(out, telemetry, &pieces, source)?;

        let mut times = RowTimes::new(ibt);
        let mut rows = RowReader::new(source, ibt.rows);
        let mut count = 0u64;
        while let Some(row) = rows.next()? {
            let offset = ibt.rows.start + count * u64::from(ibt.rows.row_bytes);
            out.append(telemetry, times.step(row).ns, row, offset)?;
            count += 1;
            if count.is_multiple_of(PROGRESS_ROWS) {
                progress(offset);
            }
        }
        let time_source = match (times.rows_by_session_time(), times.rows_by_tick_rate()) {
            (_, 0) => "session_time",
            (0, _) => "tick_rate",
            _ => "mixed",
        };
        tell_source(out, source, Kind::Ibt, IMPORTER, time_source, &problems)?;
        if let Some(version) = build_version(&source.read(&ibt.session_text)?) {
            out.metadata("game_version", &version)?;
        }
        Ok(Found { frames: count, problems: problems.list() })
    }
}

fn add_descriptions(
    out: &mut dyn Out,
    telemetry: StreamId,
    pieces: &Pieces,
    source: &Source,
) -> Result<(), ImportError> {
    let mut stream: Option<(Part, StreamId)> = None;
    for (part, range) in &pieces.parts {
        let id = match stream.filter(|(last, _)| last == part) {
            Some((_, id)) => id,
            None => out.add_stream(StreamSpec {
                game: GAME.id.into(),
                transport: "file".into(),
                role: Role::Describe,
                describes: Some(telemetry),
                ..StreamSpec::rows(part.stream())
            })?,
        };
        stream = Some((*part, id));
        out.append(id, 0, &source.read(range)?, range.start)?;
    }
    Ok(())
}

fn start_utc_ns(ibt: &Ibt) -> Option<i64> {
    Some(ibt.disk.start_date_unix_s).filter(|seconds| BELIEVABLE_START_S.contains(seconds))?.checked_mul(1_000_000_000)
}

/// Returns `BuildVersion` from a session text.
pub(super) fn build_version(session: &[u8]) -> Option<String> {
    let text = session_text(session);
    let version = text.lines().find_map(|line| line.trim_start().strip_prefix("BuildVersion:"))?.trim();
    (!version.is_empty()).then(|| version.to_owned())
}
