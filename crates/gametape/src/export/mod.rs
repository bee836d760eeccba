//! Exports tapes to other formats.
//!
//! A format is an [`Exporter`] in [`EXPORTERS`]: [`rows`] for tables of text, `arrow` for those of data engines, [`motec`](MotecExporter) for MoTeC i2,
//! `mcap` for Foxglove and alike, [`echoreplay`](EchoReplayExporter) and [`v2`] for Echo VR.
//! `docs/adding-a-format.md` explains how to add one. The page of a report is filled by [`gametape_analysis::report`].

#[cfg(feature = "echo")]
mod answers;
#[cfg(feature = "arrow")]
pub mod arrow;
mod cells;
#[cfg(feature = "echo")]
mod echoreplay;
mod exporter;
#[cfg(feature = "mcap")]
mod mcap;
mod moments;
mod motec;
mod part;
pub mod rows;
mod table;
#[cfg(feature = "echo")]
pub mod v2;

pub use cells::{write_csv, write_json};
#[cfg(feature = "echo")]
pub use echoreplay::{EchoReplayExportError, EchoReplayExported, EchoReplayExporter, export_echoreplay};
pub use exporter::{Content, Export, ExportError, ExportSink, Exported, Exporter, FileOf, LapFiles, LeftOut, Split};
pub use gametape_analysis::channels::{
    ChosenColumn, Columns, choose, choose_every, choose_short, choose_usual, column_name, plotted_channels,
};
#[cfg(feature = "mcap")]
pub use mcap::McapExporter;
pub use motec::MotecExporter;
pub use rows::{RowOptions, export_rows, export_some_rows};
pub use table::RowFormat;

/// All formats of this library, in the order in which they are listed for users.
pub const EXPORTERS: &[&dyn Exporter] = &[
    &rows::CSV,
    &rows::JSONL,
    #[cfg(feature = "arrow")]
    &arrow::PARQUET,
    &MotecExporter,
    #[cfg(feature = "mcap")]
    &McapExporter,
    #[cfg(feature = "echo")]
    &v2::V2TapeExporter,
    #[cfg(feature = "echo")]
    &v2::NevrcapExporter,
    #[cfg(feature = "echo")]
    &EchoReplayExporter,
];

#[cfg(test)]
mod tests;
