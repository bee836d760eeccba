//! What `cut`, `merge` and `recover` have in common.

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

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    path: String,
    bytes: u64,
    frames: u64,
    problems: Vec<ReportProblem>,
}

/// Nothing is overwritten.
pub(super) fn refuse_existing(out: &Path) -> anyhow::Result<()> {
    if out.exists() {
        return Err(anyhow!("{} exists already; nothing was overwritten, choose another name", out.display()));
    }
    Ok(())
}

/// An error of the engine with what can be done about it.
pub(super) fn failed(error: RewriteError, doing: &str) -> anyhow::Error {
    if is_stopped(&error) {
        return error.into();
    }
    let step = match &error {
        RewriteError::Create(CreateError::Exists { .. }) => "choose another name with -o",
        RewriteError::Create(_) | RewriteError::Build(BuildError::Io { .. }) => {
            "choose another place with -o, or make room there"
        }
        RewriteError::Build(BuildError::Refused { .. }) | RewriteError::Read(_) => {
            "`gametape verify` says what is wrong with the tape"
        }
        // These say it themselves.
        RewriteError::Refused(_) => return anyhow::Error::from(error).context(doing.to_owned()),
    };
    anyhow!("{doing}: {error}; {step}")
}

/// Says what a rewrite made; the path, or the JSON document, goes to stdout.
pub(super) fn tell_report(
    out: &Path,
    report: &RewriteReport,
    names: &StreamNames,
    json: bool,
) -> anyhow::Result<Outcome> {
    for problem in &report.problems {
        tell(&format!("warning: left out: {problem}"));
    }
    // The engine counts frames of system streams too; `info`, `verify` and people do not.
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
        assert!(failed(full.into(), "cannot recover a").to_string().contains("make room"));
    }
}
