//! Exports tapes to other formats.
//!
//! A format is an [`Exporter`] in [`EXPORTERS`]: [`rows`] for tables, [`echoreplay`](EchoReplayExporter) and [`v2`] for Echo VR.
//! `docs/adding-a-format.md` explains how to add one. [`report`] reduces a tape to the size of a web page.

#[cfg(feature = "echo")]
mod answers;
mod cells;
mod columns;
#[cfg(feature = "echo")]
mod echoreplay;
mod exporter;
pub mod report;
pub mod rows;
mod table;
mod usual;
#[cfg(feature = "echo")]
pub mod v2;

pub use cells::{write_csv, write_json};
pub use columns::{ChosenColumn, Columns, choose, column_name};
#[cfg(feature = "echo")]
pub use echoreplay::{EchoReplayExportError, EchoReplayExported, EchoReplayExporter, export_echoreplay};
pub use exporter::{Content, Export, ExportError, ExportSink, Exported, Exporter, LeftOut};
pub use rows::{RowOptions, export_rows, export_some_rows};
pub use table::RowFormat;
pub use usual::{choose_usual, plotted_channels};

/// All formats of this library, in the order in which they are listed for users.
pub const EXPORTERS: &[&dyn Exporter] = &[
    &rows::CSV,
    &rows::JSONL,
    #[cfg(feature = "echo")]
    &v2::V2TapeExporter,
    #[cfg(feature = "echo")]
    &v2::NevrcapExporter,
    #[cfg(feature = "echo")]
    &EchoReplayExporter,
];

#[cfg(test)]
mod tests;
