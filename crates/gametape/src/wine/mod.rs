//! Games in Wine or Proton, read without a bridge.
//!
//! A section that a Windows program makes is, in Wine, a file whose name was taken away at once: a deleted `tmpmap-…`, or a `memfd`. Who
//! has it mapped shows in `/proc/PID/maps`, and it can be opened, for reading only, through `/proc/PID/fd` of the game or, where the game has
//! closed it, of its wineserver, by the same user and without any privilege. What the section is called does not show: which one it is,
//! its length and its content tell ([`Rules::stream_of`](crate::games::Rules::stream_of)).
//!
//! ```text
//! processes ──▶ memory ──▶ assign ──▶ search ──▶ capture::Sections ──▶ the sources
//! who runs      what it    which is   all of it, now and then,
//!               has mapped  which      for all sources of a recorder
//! ```
//! `proc_text` reads the lines of `/proc`. Nothing is ever written: not to the sections, not to the processes.
mod assign;
mod memory;
mod proc_text;
mod processes;
mod search;

pub(crate) use assign::is_zero;
pub(crate) use memory::look_into;
pub(crate) use search::WineSearch;

/// Runs what reads lines of `/proc`: for the fuzz targets and mutation only.
#[doc(hidden)]
pub use proc_text::fuzz_proc_texts;

/// A new file of a folder like `/proc`.
#[cfg(test)]
fn put(path: &std::path::Path, text: &str) {
    std::io::Write::write_all(&mut std::fs::File::create_new(path).unwrap(), text.as_bytes()).unwrap();
}
