//! Importer for files of ksana (`.ksr`, earlier `.bin`) and of its predecessor shm-debugger (`.bin`).
//!
//! The files have no times, only a rate: frame i is placed at i / rate, and the tape's metadata marks its times as nominal. In
//! addition to the game's streams, the tape has `ksana.header` (the first 72 bytes) and, for damaged or unknown bytes, `ksana.rest`.

mod frames;
mod head;
mod iracing;
mod pages;
mod payload;

use std::fmt;

use gametape_format::{Role, StreamSpec};

pub use head::KsanaError;

use super::kind::Kind;
use super::out::Out;
use super::problems::{Problems, tell_source};
use super::rest::Rest;
use super::{Found, ImportError, Importer, Source};
use frames::Frames;
use head::{HEAD_BYTES, Head, Recorded};
use payload::PayloadProblem;

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " ksana 1");

/// Reads ksana and shm-debugger files.
pub(super) struct KsanaImporter;

/// Number, time and offset of a frame.
#[derive(Debug, Clone, Copy)]
struct Moment {
    number: u64,
    time_ns: u64,
    offset: u64,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {} at byte {}", self.number, self.offset)
    }
}

/// Writes decompressed frames of one game to the tape.
trait Payloads {
    /// Writes a frame. If it cannot be parsed, nothing is written.
    fn take(
        &mut self,
        raw: &[u8],
        head: &Head,
        moment: &Moment,
        out: &mut dyn Out,
        problems: &mut Problems,
        rest: &mut Rest,
    ) -> Result<Result<(), PayloadProblem>, ImportError>;

    /// Writes what is known after all frames.
    fn end(&mut self, out: &mut dyn Out) -> Result<(), ImportError>;
}

impl Importer for KsanaImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let head_bytes = source.read(&(0..HEAD_BYTES.min(source.bytes)))?;
        let head = Head::parse(&head_bytes)?;
        let mut problems = Problems::default();
        head.fps_problem().into_iter().for_each(|problem| problems.add(problem));
        let mut payloads: Box<dyn Payloads> = match head.recorded {
            Recorded::IRacing => Box::new(iracing::IRacing::default()),
            Recorded::Pages | Recorded::AccPages => Box::new(pages::Pages::survey(source, &head, progress)?),
        };
        out.begin(None)?;
        let mut rest = Rest::new("ksana.rest");
        let frames = read_frames(source, &head, payloads.as_mut(), out, &mut problems, &mut rest, progress)?;
        let spec = StreamSpec { transport: "file".into(), role: Role::Describe, ..StreamSpec::rows("ksana.header") };
        let header = out.add_stream(spec)?;
        out.append(header, 0, &head_bytes, 0)?;
        tell_source(out, source, Kind::Ksr, IMPORTER, "nominal", &problems)?;
        out.metadata("container", head.container_name())?;
        out.metadata("fps", &head.fps.to_string())?;
        payloads.end(out)?;
        Ok(Found { frames, problems: problems.list() })
    }
}

/// Returns how many frames were understood. A range that is not a frame takes up one frame's time.
fn read_frames(
    source: &Source,
    head: &Head,
    payloads: &mut dyn Payloads,
    out: &mut dyn Out,
    problems: &mut Problems,
    rest: &mut Rest,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, ImportError> {
    let mut frames = Frames::new(source, head);
    let (mut number, mut understood) = (0, 0);
    while let Some(stretch) = frames.next()? {
        let moment = Moment { number, time_ns: head.nominal_ns(number), offset: stretch.range.start };
        number += 1;
        if let Some(problem) = &stretch.problem {
            problems.add(format!("{moment}: {problem}"));
        }
        if !stretch.whole {
            rest.keep_stretch(out, moment.time_ns, source, stretch.range.clone())?;
            continue;
        }
        for unknown in stretch.unknown {
            rest.keep_stretch(out, moment.time_ns, source, unknown)?;
        }
        match payloads.take(frames.raw(), head, &moment, out, problems, rest)? {
            Ok(()) => understood += 1,
            Err(problem) => {
                problems.add(format!("{moment}: {problem}"));
                rest.keep(out, moment.time_ns, frames.raw(), moment.offset)?;
            }
        }
        progress(stretch.range.end);
    }
    Ok(understood)
}
