//! Exports tapes and running captures as Telemetry V2: an uncompressed stream of length-delimited envelopes.
//!
//! ```text
//! streams ─▶ StreamMaker::new ─▶ header
//! frames ──▶ frame ────────────▶ RawFrame, byte for byte; EchoArenaFrame for Echo VR
//! events ──▶ mark ─────────────▶ Mark
//!            finish ───────────▶ footer with index
//! ```
//! [`export_v2_tape`] and [`export_nevrcap`] write Echo VR files. [`StreamMaker`] does no I/O and has no clock: live streams and
//! `gametape cat --format v2` ([`stream_tape`]) both use it.

mod capture;
mod echo;
mod exporters;
mod kept;
mod maker;
mod raw;
mod tape;

pub use capture::{
    CaptureExportError, CaptureExported, CaptureOptions, Done, export_nevrcap, export_v2_tape, export_v2_tape_with,
};
pub use echo::EchoMaker;
pub use exporters::{NevrcapExporter, V2TapeExporter};
pub use maker::StreamMaker;
pub use raw::{CaptureHead, RawMaker, V2MakeError};
pub use tape::{V2StreamError, V2Streamed, stream_tape};
