//! Reads games in Wine or Proton without a bridge.
//!
//! In Wine, a section that a Windows program creates is an unlinked file: a deleted `tmpmap-…`, or a `memfd`. `/proc/PID/maps`
//! shows the processes that have it mapped. It can be opened read-only through `/proc/PID/fd` of the game or, if the game has
//! closed it, of its wineserver, by the same user and without any privilege. The name of the section is not visible: it is
//! recognized by its size and contents ([`Rules::stream_of`](crate::games::Rules::stream_of)).
//!
//! ```text
//! processes ──▶ memory ───▶ assign ─────▶ search ──▶ Sections ──▶ the sources
//! running       memory      which is      all of it, at intervals,
//! processes     mappings    which page    for all sources of a recorder
//! ```
//! `proc_text` parses the lines of `/proc`. Nothing is ever written, neither to the sections nor to the processes.
#[cfg(target_os = "linux")]
mod assign;
pub(crate) mod facts;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod proc_text;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod search;

#[cfg(target_os = "linux")]
pub(crate) use assign::is_zero;
#[cfg(target_os = "linux")]
pub(crate) use memory::look_into;
#[cfg(target_os = "linux")]
pub(crate) use search::WineSearch;

/// Which Wine processes to search on Linux if no section has the name. Sections in Wine have no name outside of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum InWine {
    /// Processes of known games. None if there is a prefix: section names inside Wine are not visible, and a prefix keeps real
    /// games out.
    #[default]
    Games,
    /// None.
    Off,
    /// Processes of this program (its file name) or with this process id, whatever game they are. Applies with a prefix too.
    Process(String),
}

/// Runs the parsers of `/proc`. For fuzz targets and mutation tests only.
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub use proc_text::fuzz_proc_texts;

/// Creates a file in a folder like `/proc`.
#[cfg(test)]
#[cfg(target_os = "linux")]
fn put(path: &std::path::Path, text: &str) {
    std::io::Write::write_all(&mut std::fs::File::create_new(path).unwrap(), text.as_bytes()).unwrap();
}
