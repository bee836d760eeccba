//! Reads games in Wine or Proton without a bridge.
//!
//! In Wine, a section that a Windows program creates is an unlinked file: a deleted `tmpmap-…`, or a `memfd`. `/proc/PID/maps`
//! shows the processes that have it mapped. It can be opened read-only through `/proc/PID/fd` of the game or, if the game has
//! closed it, of its wineserver, by the same user and without any privilege. The name of the section is not visible: it is
//! recognized by its size and contents ([`Rules::stream_of`](crate::games::Rules::stream_of)).
//!
//! ```text
//! processes ──▶ memory ───▶ assign ─────▶ search ──▶ capture::Sections ──▶ the sources
//! running       memory      which is      all of it, at intervals,
//! processes     mappings    which page    for all sources of a recorder
//! ```
//! `proc_text` parses the lines of `/proc`. Nothing is ever written, neither to the sections nor to the processes.
mod assign;
mod memory;
mod proc_text;
mod processes;
mod search;

pub(crate) use assign::is_zero;
pub(crate) use memory::look_into;
pub(crate) use search::WineSearch;

/// Runs the parsers of `/proc`. For fuzz targets and mutation tests only.
#[doc(hidden)]
pub use proc_text::fuzz_proc_texts;

/// Creates a file in a folder like `/proc`.
#[cfg(test)]
fn put(path: &std::path::Path, text: &str) {
    std::io::Write::write_all(&mut std::fs::File::create_new(path).unwrap(), text.as_bytes()).unwrap();
}
