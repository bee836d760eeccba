//! Files of ksana (`.ksr`, earlier `.bin`) and of shm-debugger (`.bin`), from which it came.
//!
//! The files have no times, only a rate: frame i is placed at i / rate, and the tape says that this is nominal. Beside the game's
//! streams there are `ksana.header` (the first 72 bytes) and, where something is broken or unknown, `ksana.rest`.

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

/// What `importer` says in the tape's metadata: raise the number when the same file gives another tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " ksana 1");

/// Reads ksana and shm-debugger files.
pub(super) struct KsanaImporter;

/// Which frame it is, and where.
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

/// Puts unpacked frames of one game on the tape.
trait Payloads {
    /// Takes a frame. If it is not understood, nothing of it is on the tape.
    fn take(
        &mut self,
        raw: &[u8],
        head: &Head,
        moment: &Moment,
        out: &mut dyn Out,
        problems: &mut Problems,
        rest: &mut Rest,
    ) -> Result<Result<(), PayloadProblem>, ImportError>;

    /// Says what is known when all frames were seen.
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

/// Gives how many frames were understood. A stretch that is no frame takes a place in time like one.
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
