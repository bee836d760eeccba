//! `.tape` and `.nevrcap` files as export formats.

use std::cell::RefCell;

use super::capture::{CaptureExportError, CaptureExported, CaptureOptions, export_nevrcap, export_v2_tape_with};
use crate::export::exporter::{
    Content, Export, ExportError, ExportSink, Exported, Exporter, LeftOut, SinkFile, progress,
};

/// Exports Telemetry V2 captures (`.tape`).
#[derive(Debug, Clone, Copy)]
pub struct V2TapeExporter;

/// Exports captures of version 1 (`.nevrcap`).
#[derive(Debug, Clone, Copy)]
pub struct NevrcapExporter;

impl Exporter for V2TapeExporter {
    fn name(&self) -> &'static str {
        "v2-tape"
    }

    fn extension(&self) -> &'static str {
        "tape"
    }

    fn media_type(&self) -> &'static str {
        "application/octet-stream"
    }

    fn content(&self) -> Content {
        Content::Recording
    }

    fn export(&self, what: &Export<'_>, sink: &mut dyn ExportSink) -> Result<Exported, ExportError> {
        let options = CaptureOptions { seed: what.first_generation };
        let sink = RefCell::new(sink);
        let mut out = SinkFile::begin(&sink, None)?;
        let mut done = progress(what.tape, &sink);
        Ok(export_v2_tape_with(what.tape, options, what.dictionary, &mut out, &mut done)?.into())
    }
}

impl Exporter for NevrcapExporter {
    fn name(&self) -> &'static str {
        "nevrcap"
    }

    fn media_type(&self) -> &'static str {
        "application/octet-stream"
    }

    fn content(&self) -> Content {
        Content::Recording
    }

    fn export(&self, what: &Export<'_>, sink: &mut dyn ExportSink) -> Result<Exported, ExportError> {
        let sink = RefCell::new(sink);
        let mut out = SinkFile::begin(&sink, None)?;
        Ok(export_nevrcap(what.tape, &mut out, &mut progress(what.tape, &sink))?.into())
    }
}

impl From<CaptureExported> for Exported {
    fn from(exported: CaptureExported) -> Self {
        let counted = [
            (
                exported.left_out_by_schema,
                "value or event that the schema cannot represent was left out",
                "values and events that the schema cannot represent were left out",
            ),
            (
                exported.left_out,
                "response, mark or line that the format cannot represent was left out",
                "responses, marks and lines that the format cannot represent were left out",
            ),
        ];
        let counted = counted.into_iter().filter(|(count, ..)| *count > 0);
        let mut left_out: Vec<_> = counted.map(|(count, one, many)| LeftOut::Counted { count, one, many }).collect();
        if exported.without_dictionary {
            left_out.push(LeftOut::Dictionary);
        }
        Self { frames: Some(exported.frames), left_out, damage: exported.damage, ..Self::default() }
    }
}

impl From<CaptureExportError> for ExportError {
    fn from(error: CaptureExportError) -> Self {
        match error {
            CaptureExportError::NotEchoVr | CaptureExportError::NoFrames { .. } => Self::Nothing(error.to_string()),
            CaptureExportError::Read(error) => Self::Read(error),
            CaptureExportError::Write(error) => Self::Write(error),
            error => Self::Format(Box::new(error)),
        }
    }
}
