//! The gametape tape file: streams of timestamped frames, lossless to the byte and to the nanosecond, compact,
//! crash-safe and readable in part.
//!
//! The byte layout is specified in `docs/format.md`. The layers, from the bottom up: `cursor`, `pack` and `column`
//! convert between bytes and numbers; `record`, `stream`, `block`, `index`, `footer`, `journal` and `system` encode and
//! decode the parts of a file as pure functions; [`read`] and [`write`](mod@write) assemble them on top of `ReadAt` and
//! `Files`, the only code that touches files.
//!
//! ```
//! use std::sync::Arc;
//! use gametape_format::read::Tape;
//! use gametape_format::write::{StdFiles, WriteOptions, Writer};
//! use gametape_format::{Channel, ChannelType, StreamSpec, TapeId};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("first.gtape");
//! let mut writer = Writer::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([7; 16])))?;
//! let channels = vec![Channel::new("speed", ChannelType::F32, 0, 1, "km/h")];
//! let stream = writer.add_stream(StreamSpec::columns("car", 4, channels))?;
//! for i in 0..100u64 {
//!     writer.append(stream, i * 10_000_000, &(i as f32).to_le_bytes())?;
//! }
//! let finished = writer.finish()?;
//! assert!(!finished.loss().is_loss());
//!
//! let tape = Tape::open(&path)?;
//! let car = tape.stream_named("car")?;
//! let mut frames = tape.frames(car);
//! frames.seek_time(500_000_000)?;
//! assert_eq!(frames.next()?.map(|frame| frame.data.to_vec()), Some(50f32.to_le_bytes().to_vec()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "write"),
    allow(dead_code, reason = "the encoding half of each encode/decode pair is used only for writing")
)]

mod block;
#[doc(hidden)]
pub mod column;
mod cursor;
mod descriptor;
mod footer;
mod fuzz;
mod index;
mod journal;
mod json;
pub mod limits;
#[doc(hidden)]
pub mod pack;
mod ranges;
pub mod read;
mod record;
mod source;
mod stream;
mod system;
#[cfg(feature = "write")]
pub mod write;

pub use cursor::Malformed;
pub use footer::Totals;
#[doc(hidden)]
pub use fuzz::{
    fuzz_descriptor, fuzz_footer, fuzz_index, fuzz_journal, fuzz_journal_resealed, fuzz_tape, fuzz_tape_resealed,
};
#[doc(hidden)]
pub use json::fuzz_json_block;
pub use record::{TapeId, VERSION};
pub use source::{ReadAt, Seekable, open_regular};
pub use stream::{Channel, ChannelType, Ranges, Role, StreamId, StreamSpec};
pub use system::{Counters, Event, Status};
