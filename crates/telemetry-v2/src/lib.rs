//! Telemetry V2: the layered capture envelope of Echo VR tools, its `.tape` files, and the older `.nevrcap` streams.
//!
//! A stream is a sequence of length-delimited `Envelope`s: a header, frames, a footer. [`write::Writer`] writes one,
//! [`read::Reader`] reads any source sequentially, [`read::Tape`] seeks in a file, [`decode::Decoder`] takes bytes as
//! they arrive and does no I/O. A [`Record`] keeps its bytes, so that unknown fields are written back unchanged.
//! `docs/telemetry-v2.md` in the repository describes the format, the generations and the reasons.
//!
//! ```
//! # #[cfg(feature = "zstd")] {
//! use telemetry_v2::proto::telemetry::v2::{CaptureHeader, EchoArenaFrame, Frame, frame};
//! use telemetry_v2::read::Reader;
//! use telemetry_v2::write::{WriteOptions, Writer};
//!
//! let header = CaptureHeader { capture_id: "demo".to_owned(), ..Default::default() };
//! let mut writer = Writer::new(Vec::new(), header, WriteOptions::default())?;
//! let arena = EchoArenaFrame { game_clock: 120.5, ..Default::default() };
//! writer.frame(Frame { payload: Some(frame::Payload::EchoArena(arena)), ..Default::default() })?;
//! let (file, _) = writer.finish()?;
//! let capture = Reader::new(file.as_slice())?.read_all()?;
//! assert_eq!((capture.frames.len(), capture.problems.len()), (1, 0));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod capture_header;
pub mod decode;
pub mod detect;
mod dictionary;
mod event_index;
pub mod event_type;
mod fit;
mod fuzz;
pub mod generation;
mod limits;
pub mod meaning;
pub mod nevrcap;
pub mod proto;
pub mod read;
mod record;
mod scoreboard;
pub mod seek_table;
pub mod skeleton;
mod spatial;
mod state;
mod timestamp;
mod unpack;
pub mod wire;
pub mod write;

pub use capture_header::CaptureHeader;
pub use dictionary::{Dictionary, DictionaryError};
pub use event_index::{EventIndexEntry, EventName};
pub use fit::{Fitted, Misfit, MisfitCause, Misfits};
#[cfg(feature = "zstd")]
#[doc(hidden)]
pub use fuzz::fuzz_tape_resealed;
#[doc(hidden)]
pub use fuzz::{fuzz_envelope, fuzz_nevrcap, fuzz_tape};
pub use limits::{Limits, ReadOptions};
pub use record::{FrameOutline, Record, RecordError, RecordKind};
pub use scoreboard::{Clock, ScoreboardUpdated};
pub use spatial::{Quat, Vec3};
pub use state::StateTracker;
pub use timestamp::Timestamp;
