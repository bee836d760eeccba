//! Exit codes, and errors printed as one line.
//!
//! 0 done · 1 failed · 2 usage · 3 done, but this command lost frames or found damage · 4 nothing found · 130 interrupted after a
//! clean finish, or with an unfinished tape removed. A broken pipe is success: the reader closed our output on purpose.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use gametape::format::read::ReadError;
use serde::Serialize;

use crate::human;
use crate::stoppable::{Stopped, is_stopped};
use crate::terminal;

/// The outcome of a command that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Completed without problems.
    Done,
    /// Done, but frames were lost or damage was found.
    Damage,
    /// Interrupted after a clean finish.
    Interrupted,
}

impl Outcome {
    /// Returns [`Damage`](Self::Damage) if there was damage, else [`Done`](Self::Done).
    pub(crate) fn damaged_if(damage: bool) -> Self {
        if damage { Self::Damage } else { Self::Done }
    }
}

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const NOTHING_FOUND: u8 = 4;
const INTERRUPTED: u8 = 130;

/// An error with a specific exit code.
#[derive(Debug)]
struct Coded {
    code: u8,
    text: String,
}

impl fmt::Display for Coded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Coded {}

/// A usage error: an argument is missing or invalid.
pub(crate) fn usage(text: impl Into<String>) -> anyhow::Error {
    Coded { code: USAGE, text: text.into() }.into()
}

/// An error for a request that matches nothing.
pub(crate) fn nothing_found(text: impl Into<String>) -> anyhow::Error {
    Coded { code: NOTHING_FOUND, text: text.into() }.into()
}

/// Whether the user asked for JSON; errors are then printed as JSON too.
pub(crate) fn wants_json() -> bool {
    std::env::args_os().skip(1).take_while(|arg| arg != "--").any(|arg| arg == "--json")
}

/// An error as `--json` prints it, on one line of stderr. Field names are stable: other programs rely on them.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct ReportError {
    /// What happened.
    error: String,
    /// What to do about it; `null` if the message has no hint.
    hint: Option<String>,
    /// The exit code.
    code: u8,
}

impl ReportError {
    /// Splits a message into what happened and, after the last `; `, what to do next.
    fn of(text: &str, code: u8) -> Self {
        let (error, hint) = text.rsplit_once("; ").map_or((text, None), |(error, hint)| (error, Some(hint.to_owned())));
        Self { error: error.to_owned(), hint, code }
    }

    fn print(&self) {
        // If stderr is closed, there is nowhere to report to.
        let _ =
            writeln!(io::stderr().lock(), "{}", terminal::safe_json(&serde_json::to_string(self).unwrap_or_default()));
    }
}

/// Prints a usage error as JSON.
pub(crate) fn print_usage_error(error: &clap::Error) {
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    let hint = (!rest.is_empty()).then(|| rest.join(" "));
    let error = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    ReportError { error, hint, code: USAGE }.print();
}

/// Prints an error, as JSON if the user asked for it.
fn print(text: &str, code: u8, prefix: &str) {
    match wants_json() {
        true => ReportError::of(text, code).print(),
        // If stderr is closed, there is nowhere to report to.
        false => drop(writeln!(io::stderr().lock(), "{prefix}{}", human::safe(text))),
    }
}

/// Prints the error, if there is one, and returns the exit code.
pub(crate) fn code_of(result: anyhow::Result<Outcome>) -> ExitCode {
    let error = match result {
        Ok(Outcome::Done) => return ExitCode::SUCCESS,
        Ok(Outcome::Damage) => return ExitCode::from(3),
        Ok(Outcome::Interrupted) => return ExitCode::from(INTERRUPTED),
        Err(error) => error,
    };
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    if is_stopped(error.as_ref()) {
        print(&Stopped.to_string(), INTERRUPTED, "");
        return ExitCode::from(INTERRUPTED);
    }
    let code = code_of_error(&error);
    print(&one_line(&error), code, "error: ");
    ExitCode::from(code)
}

fn code_of_error(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        if let Some(coded) = cause.downcast_ref::<Coded>() {
            return coded.code;
        }
        if let Some(ReadError::NoSuchStream { .. } | ReadError::NoSuchChannel { .. }) = cause.downcast_ref() {
            return NOTHING_FOUND;
        }
    }
    FAILED
}

/// Whether the error is a broken pipe. Commands write to no other pipe than their output.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}

/// Joins the error and its causes. A cause whose text is already part of the line is left out.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let text = cause.to_string().replace('\n', " ");
        if !line.contains(&text) {
            if !line.is_empty() {
                line.push_str(": ");
            }
            line.push_str(&text);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn causes_are_told_once() {
        let io = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        let read: anyhow::Error = ReadError::Io { offset: 0, source: io() }.into();
        assert_eq!(one_line(&read.context("a.gtape")), "a.gtape: cannot read at byte 0: no such file");
        let plain: anyhow::Result<()> = Err(io()).context("cannot open x");
        assert_eq!(one_line(&plain.unwrap_err()), "cannot open x: no such file");
    }

    #[test]
    fn errors_as_json_say_what_happened_and_what_to_do() {
        let parts = |text: &str| {
            let report = ReportError::of(text, 4);
            (report.error, report.hint, report.code)
        };
        assert_eq!(parts("no tape; name one"), ("no tape".into(), Some("name one".into()), 4));
        assert_eq!(parts("bad sector"), ("bad sector".into(), None, 4));
    }

    #[test]
    fn errors_as_json_stay_json_whatever_a_path_contains() {
        let report = ReportError::of("\u{202e}gpj\u{9b}2J\u{7f}\u{1b}[31m 鈴鹿 \u{e0041}", 1);
        let text = terminal::safe_json(&serde_json::to_string(&report).unwrap());
        assert!(!text.contains(['\u{202e}', '\u{9b}', '\u{7f}', '\u{1b}', '\u{e0041}']), "{text}");
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["error"].as_str(), Some(report.error.as_str()));
    }

    #[test]
    fn codes_survive_context() {
        assert_eq!(code_of_error(&usage("a").context("b")), 2);
        assert_eq!(code_of_error(&nothing_found("a")), 4);
        assert_eq!(code_of_error(&anyhow::anyhow!("a")), 1);
        let pipe: anyhow::Error = io::Error::from(io::ErrorKind::BrokenPipe).into();
        assert!(is_broken_pipe(&pipe.context("b")));
    }
}
