//! A tape as one page that a browser opens from disk: the page that was embedded when this program was built, with the data of the tape in it.
//!
//! The data is JSON in a script element that is never run. No text of a tape can end that element: `<` and `>` are written as escapes. What the page may do
//! stands in its head (a content security policy): run the one script in it, and ask nobody for anything.

use std::io::{self, Write};

use gametape::export::RowSink as _;
use gametape::export::report::tape_report;
use gametape::names::utc_text;
use serde_json::{Value, json};

use super::export::{Done, Source};
use super::export_files::ExportFiles;
use super::laps_report::ReportSession;

/// The page without its data; none where the program was built without npm or from a package.
const PAGE: Option<&str> = include!(concat!(env!("OUT_DIR"), "/report_template.rs"));
/// Where the data goes.
const DATA: &str = "@@DATA@@";
/// Events that are shown at most.
const MOST_MARKS: usize = 500;

/// The page, in two parts.
#[derive(Clone, Copy)]
pub(super) struct Template {
    before: &'static str,
    after: &'static str,
}

impl Template {
    /// The page of this program.
    pub(super) fn embedded() -> anyhow::Result<Self> {
        let parts = PAGE.and_then(|page| page.split_once(DATA));
        let (before, after) = parts.ok_or_else(|| {
            anyhow::anyhow!(
                "this gametape was built without its web pages, and `--to html` needs them: install Node.js 20.19 or newer (npm) and build it \
                 again from the repository; `--to csv` works without"
            )
        })?;
        Ok(Self { before, after })
    }
}

/// Writes the page of a tape.
pub(super) fn write(
    template: Template,
    of: &Source<'_>,
    named: bool,
    mut files: ExportFiles<'_>,
) -> anyhow::Result<Done> {
    let report = tape_report(of.tape, of.tracked, of.columns, named, &mut |done, total| {
        files.at(done, total);
        files.goes_on()
    })?;
    let damage = report.damage.iter().map(ToString::to_string).collect();
    let channels = report.channels.len();
    let mut document = about(of);
    if let Some(object) = document.as_object_mut() {
        object.insert("lines".to_owned(), report.into_json());
    }
    files.part(None, template.before.as_bytes())?;
    serde_json::to_writer(Inert(|bytes: &[u8]| files.row(bytes)), &document).map_err(io::Error::from)?;
    files.row(template.after.as_bytes())?;
    Ok(Done { paths: files.finish()?, rows: None, channels, damage })
}

/// All but the channels.
fn about(of: &Source<'_>) -> Value {
    let Source { path, tape, tracked, .. } = of;
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
        "file": path.file_name().unwrap_or_default().to_string_lossy(),
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

/// A session with its numbers as `laps --json` prints them: a value would have the digits of 8 bytes for numbers of 4.
fn as_printed(session: &ReportSession) -> Value {
    serde_json::to_string(session).and_then(|text| serde_json::from_str(&text)).unwrap_or_default()
}

/// Passes JSON on so that nothing in it can be taken for HTML. In JSON these signs stand in texts only, where an escape means the same.
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
