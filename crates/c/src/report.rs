//! The document of a report, and its channels in more detail.

use std::ops::Range;

use gametape_analysis::channels::{Columns, choose};
use gametape_analysis::documents::tape_document;
use gametape_analysis::report::{TapeReport, tape_lines, tape_report};
use gametape_format::read::Tape;

use crate::border::Reporter;
use crate::handles::OpenTape;
use crate::laps::{damage, tracked};
use crate::progress::stop;
use crate::status::{Failure, Status, damaged_if};

/// What made the document.
const MADE_BY: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"));
/// The part of the work that finding the laps is, if they are not known yet.
const TRACKING: f64 = 0.4;

/// Returns the document that the page of a report reads.
pub(crate) fn document(
    open: &OpenTape,
    file: &str,
    channels: Option<&str>,
    reporter: &Reporter,
) -> Result<(String, Status), Failure> {
    let tape = &open.tape;
    let (columns, named) = chosen(tape, channels)?;
    let tracked = match tracked(open, reporter, TRACKING) {
        Ok(tracked) => Some(tracked),
        Err(failure) if failure.status == Status::UnknownGame => None,
        Err(failure) => return Err(failure),
    };
    let mut progress = |done: u64, total: u64| {
        let part = done as f64 / total.max(1) as f64;
        if reporter.goes_on(TRACKING + (1.0 - TRACKING) * part.clamp(0.0, 1.0)) { Ok(()) } else { Err(stop()) }
    };
    let report = tape_report(tape, tracked.as_deref(), &columns, named, &mut progress)?;
    let status = status_of(tape, &report, tracked.as_ref().map_or(0, |tracked| tracked.damaged));
    let mut document = tape_document(tape, file, tracked.as_deref(), MADE_BY);
    if let Some(object) = document.as_object_mut() {
        object.insert("lines".to_owned(), report.into_json());
    }
    Ok((serde_json::to_string(&document)?, status))
}

/// Returns the channels of a part of the time.
pub(crate) fn lines(
    tape: &Tape,
    channels: Option<&str>,
    times: Range<u64>,
    reporter: &Reporter,
) -> Result<(String, Status), Failure> {
    let (columns, named) = chosen(tape, channels)?;
    let mut progress = |done: u64, total: u64| {
        let part = done as f64 / total.max(1) as f64;
        if reporter.goes_on(part.clamp(0.0, 1.0)) { Ok(()) } else { Err(stop()) }
    };
    let lines = tape_lines(tape, &columns, named, times, &mut progress)?;
    let status = status_of(tape, &lines, 0);
    Ok((serde_json::to_string(&lines.into_json())?, status))
}

/// Returns the channels of a JSON list, or all, and whether there was a list.
fn chosen(tape: &Tape, channels: Option<&str>) -> Result<(Columns, bool), Failure> {
    let names: Vec<String> = match channels {
        Some(text) => serde_json::from_str(text)
            .map_err(|error| Failure::invalid(format!("channels is not a JSON list of names: {error}")))?,
        None => Vec::new(),
    };
    Ok((choose(tape, &names)?, !names.is_empty()))
}

fn status_of(tape: &Tape, report: &TapeReport, parts: u64) -> Status {
    damaged_if(damage(tape, parts.max(report.damage.len() as u64)))
}
