//! A report of a tape as one HTML page that a browser opens from disk: the page embedded at build time, with the data of the
//! tape inserted. Used by `export --to html` and by the server.
//!
//! The data is JSON in a script element that is never executed. No text of a tape can end that element: `<` and `>` are
//! escaped. The content security policy in the page's head permits only the page's own script, and no network requests.

use std::io::{self, Write};

use gametape::export::report::tape_report;
use gametape::export::{Columns, ExportError, RowSink};
use gametape::format::read::{Problem, Tape};
use gametape::laps::Tracked;
use gametape::names::utc_text;
use serde_json::{Value, json};

use crate::commands::laps_report::ReportSession;

/// The page without its data; `None` if the program was built without npm or from a package.
const PAGE: Option<&str> = include!(concat!(env!("OUT_DIR"), "/report_template.rs"));
/// The placeholder for the data.
const DATA: &str = "@@DATA@@";
/// The largest number of events shown.
const MOST_MARKS: usize = 500;

/// The error of a program that was built without the page.
pub(crate) const NO_PAGE: &str = "this gametape was built without its web pages, which a report needs (csv and jsonl work without them); install Node.js 20.19 or newer \
                                  (npm) and build gametape again from the repository";

/// The page, split at the placeholder.
#[derive(Clone, Copy)]
pub(crate) struct ReportPage {
    before: &'static str,
    after: &'static str,
}

/// The tape that a page describes.
pub(crate) struct About<'a> {
    /// File name.
    pub(crate) file: &'a str,
    pub(crate) tape: &'a Tape,
    pub(crate) tracked: Option<&'a Tracked>,
    pub(crate) columns: &'a Columns,
    /// Whether the user chose the columns.
    pub(crate) named: bool,
}

/// What was written.
pub(crate) struct Written {
    pub(crate) channels: usize,
    pub(crate) damage: Vec<Problem>,
}

impl ReportPage {
    /// Returns the embedded page; `None` if the program was built without npm.
    pub(crate) fn embedded() -> Option<Self> {
        let (before, after) = PAGE?.split_once(DATA)?;
        Some(Self { before, after })
    }

    /// Writes the page of a tape piece by piece. The head is written at once, the rest after the whole tape was read.
    pub(crate) fn write(self, of: &About<'_>, sink: &mut dyn RowSink) -> Result<Written, ExportError> {
        sink.part(None, self.before.as_bytes())?;
        let mut report = tape_report(of.tape, of.tracked, of.columns, of.named, &mut |done, total| {
            sink.at(done, total);
            sink.goes_on()
        })?;
        let written = Written { channels: report.channels.len(), damage: std::mem::take(&mut report.damage) };
        let mut document = about(of);
        if let Some(object) = document.as_object_mut() {
            object.insert("lines".to_owned(), report.into_json());
        }
        serde_json::to_writer(Inert(|bytes: &[u8]| sink.row(bytes)), &document).map_err(io::Error::from)?;
        sink.row(self.after.as_bytes())?;
        Ok(written)
    }
}

/// Everything but the channels.
fn about(of: &About<'_>) -> Value {
    let About { file, tape, tracked, .. } = of;
    let streams = || tape.streams().filter(|stream| !stream.spec().role.is_system());
    let metadata = tape.metadata();
    let told = |key: &str| metadata.get(key);
    let sessions = tracked.map(|tracked| tracked.sessions.as_slice()).unwrap_or_default();
    let tracks = tracked.map(|tracked| tracked.tracks.as_slice()).unwrap_or_default();
    let tenth = |metres: f32| (f64::from(metres) * 10.0).round() / 10.0;
    let tracks = tracks.iter().map(|facts| {
        json!({
            "track": facts.track, "layout": facts.layout, "length_m": facts.length_m, "sector_ends": facts.sector_ends,
            "outline_m": facts.outline_m.iter().map(|[x, _, z]| [tenth(*x), tenth(*z)]).collect::<Vec<_>>(),
        })
    });
    let marks = tape.events().into_iter().filter(|event| event.kind == "mark").take(MOST_MARKS);
    json!({
        "version": 1,
        "made_by": concat!("gametape ", env!("CARGO_PKG_VERSION")),
        "file": file,
        "created_utc": tape.start_utc_ns().and_then(utc_text),
        "game": streams().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty()),
        "duration_ns": streams().filter_map(|stream| stream.totals().last_ns.max(stream.status().seen_until_ns)).max(),
        "complete": tape.is_complete(),
        "track": told("track"), "car": told("car"), "driver": told("driver"), "note": told("note"),
        "sessions": sessions.iter().map(|session| as_printed(&ReportSession::of(session))).collect::<Vec<_>>(),
        "tracks": tracks.collect::<Vec<_>>(),
        "marks": marks.map(|mark| json!({ "at_ns": mark.at_ns, "text": mark.text })).collect::<Vec<_>>(),
    })
}

/// Serializes a session with the numbers that `laps --json` prints. A `Value` would print 4-byte floats with the digits of 8-byte ones.
fn as_printed(session: &ReportSession) -> Value {
    serde_json::to_string(session).and_then(|text| serde_json::from_str(&text)).unwrap_or_default()
}

/// Passes JSON on so that nothing in it can be parsed as HTML. In JSON these characters occur only inside strings, where an
/// escape means the same.
struct Inert<W>(W);

impl<W: FnMut(&[u8]) -> io::Result<()>> Write for Inert<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| matches!(byte, b'<' | b'>')) {
            let (plain, escape): (&[u8], &[u8]) = match part.split_last() {
                Some((b'<', plain)) => (plain, b"\\u003c"),
                Some((b'>', plain)) => (plain, b"\\u003e"),
                _ => (part, b""),
            };
            (self.0)(plain)?;
            (self.0)(escape)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_tape_can_be_taken_for_html() {
        let texts = ["</script><script>alert(1)</script>", "<!-- -->", "<", ">", "a\u{2028}<b", "Zoë & \"é\" \\"];
        for text in texts {
            let mut out = Vec::new();
            let into = |bytes: &[u8]| {
                out.extend_from_slice(bytes);
                Ok(())
            };
            serde_json::to_writer(Inert(into), &json!({ text: [text] })).unwrap();
            assert!(!out.contains(&b'<') && !out.contains(&b'>'), "{}", String::from_utf8_lossy(&out));
            assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), json!({ text: [text] }));
        }
    }
}
