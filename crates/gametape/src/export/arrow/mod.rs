//! Tables for data engines: Parquet files and Arrow streams.
//!
//! ```text
//! stream, channels ──schema──▶ StreamTable ─┐
//! neutral samples ──────────▶ NeutralTable ─┴─ batches: a pass over the frames ──▶ RecordBatch ──┬─ parquet ──▶ ExportSink
//!                                                        sample of it ──coding──▶ encodings ─────┤
//!                                                                                                └─ ipc ──▶ stdout
//! ```
//! Takes a tape, its laps and channels. Memory is bounded by one row group, never by the tape. It chooses no file names.

mod batches;
mod coding;
mod ipc;
mod neutral;
mod parquet;
mod schema;
mod values;

pub use ipc::write_arrow_stream;
pub use parquet::{PARQUET, ParquetExporter};

#[cfg(test)]
mod tests;
