//! Code shared by `cut`, `split`, `merge` and `recover`.

use std::io::Write;
use std::path::Path;

use anyhow::anyhow;
use gametape::format::write::{BuildError, CreateError, RewriteError, RewriteReport};
use serde::Serialize;

use super::problem_report::{ReportProblem, StreamNames};
use crate::cli::tell;
use crate::exit::Outcome;
use crate::stoppable::is_stopped;
use crate::{human, open};

/// The document that `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    path: String,
    bytes: u64,
    frames: u64,
    problems: Vec<ReportProblem>,
}

/// Refuses to overwrite an existing file.
pub(super) fn refuse_existing(out: &Path) -> anyhow::Result<()> {
    if out.exists() {
        return Err(anyhow!("{} already exists and was not overwritten; choose another name", out.display()));
    }
    Ok(())
}

/// Adds what to do next to an error of the engine.
pub(super) fn failed(error: RewriteError, doing: &str) -> anyhow::Error {
    if is_stopped(&error) {
        return error.into();
    }
    let step = match &error {
        RewriteError::Create(CreateError::Exists { .. }) => "choose another name with -o",
        RewriteError::Create(_) | RewriteError::Build(BuildError::Io { .. }) => {
            "choose another folder with -o, or free some space"
        }
        RewriteError::Build(BuildError::Refused { .. }) | RewriteError::Read(_) => {
            "run `gametape verify` to see what is wrong with the tape"
        }
        // These already include it.
        RewriteError::Refused(_) => return anyhow::Error::from(error).context(doing.to_owned()),
    };
    anyhow!("{doing}: {error}; {step}")
}

/// Reports the result of a rewrite. The path, or the JSON document, goes to stdout.
pub(super) fn tell_report(
    out: &Path,
    report: &RewriteReport,
    names: &StreamNames,
    json: bool,
) -> anyhow::Result<Outcome> {
    for problem in &report.problems {
        tell(&format!("warning: left out: {problem}"));
    }
    // The engine also counts frames of system streams; `info` and `verify` do not.
    let made = open::tape(out)?;
    let streams = made.streams().filter(|stream| !stream.spec().role.is_system());
    let frames = streams.map(|stream| stream.totals().frames).sum();
    tell(&format!("{}, {}", human::counted(frames, "frame"), human::bytes(report.bytes)));
    let path = out.display().to_string();
    let mut stdout = crate::terminal::data();
    if json {
        let problems = report.problems.iter().map(|problem| ReportProblem::of(problem, names)).collect();
        let document = Report { path, bytes: report.bytes, frames, problems };
        serde_json::to_writer_pretty(&mut stdout, &document).map_err(std::io::Error::from)?;
        writeln!(stdout)?;
    } else {
        writeln!(stdout, "{path}")?;
    }
    stdout.flush()?;
    Ok(Outcome::damaged_if(report.problems.iter().any(open::is_damage)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tape_that_makes_no_sense_is_not_a_matter_of_room() {
        let refused = BuildError::Refused { stream: "car".into(), reason: "time 5 ns lies before 7 ns".into() };
        let text = failed(refused.into(), "cannot recover a").to_string();
        assert!(text.contains("gametape verify") && !text.contains("room"), "{text}");
        let full = BuildError::Io { path: "a".into(), source: std::io::ErrorKind::StorageFull.into() };
        assert!(failed(full.into(), "cannot recover a").to_string().contains("free some space"));
    }
}
