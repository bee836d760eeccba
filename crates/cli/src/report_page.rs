//! A report of a tape as one HTML page that a browser opens from disk: the page embedded at build time, with the data of the
//! tape inserted. Used by `export --to html` and by the server.
//!
//! The data is JSON in a script element that is never executed. No text of a tape can end that element: `<` and `>` are
//! escaped. The content security policy in the page's head permits only the page's own script, and no network requests.

use std::io::{self, Write};

use gametape::analysis::documents::tape_document;
use gametape::analysis::report::tape_report;
use gametape::export::{Content, EXPORTERS, Export, ExportError, ExportSink, Exported, Exporter};

/// The page without its data; `None` if the program was built without npm or from a package.
const PAGE: Option<&str> = include!(concat!(env!("OUT_DIR"), "/report_template.rs"));
/// The placeholder for the data.
const DATA: &str = "@@DATA@@";
/// The program, as the page names it.
const MADE_BY: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"));

/// The error of a program that was built without the page.
const NO_PAGE: &str = "this gametape was built without its web pages, which a report needs (csv and jsonl work without them); install Node.js 20.19 or newer \
                       (npm) and build gametape again from the repository";

/// All formats of `export`: those of the library, and the report, whose page is part of this program. Formats of other programs are last.
pub(crate) fn exporters() -> impl Iterator<Item = &'static dyn Exporter> {
    let all = EXPORTERS.iter().copied().chain([&HtmlReport as &dyn Exporter]);
    let (recordings, ours): (Vec<_>, Vec<_>) = all.partition(|format| format.content() == Content::Recording);
    ours.into_iter().chain(recordings)
}

/// Exports reports.
struct HtmlReport;

impl HtmlReport {
    /// Returns the page before and after the data; `None` if the program was built without npm.
    fn page() -> Option<(&'static str, &'static str)> {
        PAGE?.split_once(DATA)
    }
}

impl Exporter for HtmlReport {
    fn name(&self) -> &'static str {
        "html"
    }

    fn media_type(&self) -> &'static str {
        "text/html; charset=utf-8"
    }

    fn content(&self) -> Content {
        Content::Report
    }

    fn unavailable(&self) -> Option<&'static str> {
        Self::page().is_none().then_some(NO_PAGE)
    }

    /// Writes the head at once, and the rest after the whole tape was read.
    fn export(&self, what: &Export<'_>, sink: &mut dyn ExportSink) -> Result<Exported, ExportError> {
        let (before, after) = Self::page().ok_or_else(|| ExportError::Format(NO_PAGE.into()))?;
        sink.part(None, before.as_bytes())?;
        let mut report = tape_report(what.tape, what.tracked, what.columns, what.named, &mut |done, total| {
            sink.at(done, total);
            sink.goes_on()
        })?;
        let damage = std::mem::take(&mut report.damage);
        let exported = Exported { channels: report.channels.len(), damage, ..Exported::default() };
        let mut document = tape_document(what.tape, what.file, what.tracked, MADE_BY);
        if let Some(object) = document.as_object_mut() {
            object.insert("lines".to_owned(), report.into_json());
        }
        serde_json::to_writer(Inert(|bytes: &[u8]| sink.write(bytes)), &document).map_err(io::Error::from)?;
        sink.write(after.as_bytes())?;
        Ok(exported)
    }
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
    use serde_json::{Value, json};

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
