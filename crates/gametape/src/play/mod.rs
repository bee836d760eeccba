//! Plays a tape back, so that other programs behave as if the game were running.
//!
//! A [`Player`] is the plan (which tape, which speed, which names), [`Playing`] runs it, and [`Controls`] control it. A separate
//! thread reads the tape ahead. The playing thread writes each frame at its deadline: into shared memory in the same way as the
//! game, or as the response of an HTTP endpoint.
//!
//! ```text
//! Tape ──▶ prefetch (thread): chunks ──▶ Playing: waits for the deadline ──▶ stage of the transport ──▶ clients
//!                                        ▲                                       SIMAPI.DAT
//!                                    Controls: pause, seek, step, stop
//! ```
//! At normal speed, without loops or seeks, no byte is changed. Across loops and seeks, counters that clients expect to increase
//! keep increasing.
//!
//! ```
//! use std::time::Duration;
//! use gametape::games::acc;
//! use gametape::play::Player;
//! use gametape::Prefix;
//! # use gametape::sys::SectionReader;
//! # use gametape::format::{StreamSpec, TapeId, write::{StdFiles, WriteOptions, Writer}};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # if !cfg!(any(target_os = "linux", windows)) { return Ok(()) }
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("race.gtape");
//! # let mut writer = Writer::create(std::sync::Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([7; 16])))?;
//! # let layout = acc::PHYSICS.layouts().first().ok_or("no layout")?;
//! # let physics = writer.add_stream(gametape::layout::stream_of_layout(acc::GAME.id, "physics", "shm", layout))?;
//! # for i in 0..10u32 {
//! #     let mut page = vec![0; 800];
//! #     page[..4].copy_from_slice(&i.to_le_bytes());
//! #     writer.append(physics, u64::from(i) * 10_000_000, &page)?;
//! # }
//! # writer.finish()?;
//! # let prefix = Prefix::new(&format!("doc-{}-", std::process::id())).ok_or("no prefix")?;
//! let tape = gametape::Tape::open(&path)?;
//! let mut playing = Player::new(&tape).names(prefix.clone()).start()?;
//! // Frame by frame, as in a test; `run` plays in real time.
//! while playing.step()?.is_some() {
//!     let page = SectionReader::open(&prefix.section("acpmf_physics"))?.ok_or("no page")?;
//!     let mut packet = [0; 4];
//!     page.copy(0, &mut packet)?;
//!     println!("{:?}: packet {}", playing.position(), i32::from_le_bytes(packet));
//! }
//! assert_eq!(playing.stop()?.frames, 10);
//! # Ok(()) }
//! ```
mod chunk;
mod controls;
mod error;
mod pace;
mod player;
mod playing;
mod prefetch;
mod simapi;

pub use controls::Controls;
pub use error::PlayError;
pub use player::{Player, can_play};
pub use playing::{Ended, Moment, Played, Playing};

#[cfg(feature = "echo")]
#[doc(hidden)]
pub use crate::transport::http::fuzz_http_request;
pub use crate::transport::shared_memory::STATUS_PORT;
pub use crate::transport::shared_memory::running_game::RunningGame;
#[doc(hidden)]
pub use crate::transport::shared_memory::{fuzz_status_request, fuzz_tape_header};
pub use crate::transport::{Asked, DatagramServer, StageError};

/// The slowest supported speed.
pub const SLOWEST: f64 = 0.1;
/// The fastest supported speed.
pub const FASTEST: f64 = 100.0;
