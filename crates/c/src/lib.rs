//! The C interface of gametape: `libgametape` for C, C++, C#, Go and others, and the WebAssembly module of the viewer.
//!
//! `include/gametape.h` describes every function; this crate has nothing that is of use in Rust, which has `gametape` itself.
//!
//! ```text
//! C ──▶ border: pointers become slices, texts and numbers; panics end here ──▶ reading, channels, cursor, laps, writing ──▶ format, analysis
//! ```
//! - `border` is the only module with unsafe code: `exports` and `exports_writing` have the functions of the header, `pointers` checks what the caller passes,
//!   `sources` calls the caller back for bytes, `borrowed` ties a cursor to its tape.
//! - `handles` maps numbers to open tapes, cursors and writers. `status` has the codes and the error text of each thread.
//! - Everything else is safe Rust over `gametape-format` and `gametape-analysis`. With the feature `write`, natively, `writing` and `importing` use `gametape`.
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "the border to C")]
mod border;
mod channels;
mod describe;
mod handles;
#[cfg(all(feature = "write", not(target_arch = "wasm32")))]
mod importing;
mod laps;
mod progress;
mod report;
mod status;
#[cfg(all(feature = "write", not(target_arch = "wasm32")))]
mod writing;
