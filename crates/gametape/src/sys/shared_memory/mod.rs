//! Named sections of shared memory: `/dev/shm/NAME` on Linux, `Local\NAME` on Windows.
//!
//! [`SectionReader`] copies bytes out of a section that a game (or a bridge) created. [`SectionWriter`] is the other side, for
//! programs that replace a game. Neither interprets the bytes.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod linux_file;
#[cfg(not(any(target_os = "linux", windows)))]
mod unsupported;
#[cfg(windows)]
mod volatile;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use linux::{SectionReader, SectionWriter, section_file};
#[cfg(not(any(target_os = "linux", windows)))]
pub use unsupported::{SectionReader, SectionWriter, section_file};
#[cfg(windows)]
pub use windows::{SectionReader, SectionWriter, section_file};

/// A prefix of all section names, so that demos and tests do not collide with a real game or each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefix(String);

/// Maximum length of a prefix, which becomes a part of file names.
const PREFIX_BYTES: usize = 64;

impl Prefix {
    /// Creates a prefix of letters, digits, `-`, `_` and `.`. Returns `None` for other characters, a leading `.`, or more than 64
    /// characters.
    pub fn new(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let fits = text.len() <= PREFIX_BYTES && text.chars().all(plain) && !text.starts_with('.');
        fits.then(|| Self(text.into()))
    }

    /// Returns the prefix; empty for the names that games use.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of a section with this prefix.
    pub fn section(&self, name: &str) -> String {
        format!("{}{name}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_part_of_a_file_name_and_nothing_else() {
        assert_eq!(Prefix::new("demo-7.").unwrap().section("acpmf_physics"), "demo-7.acpmf_physics");
        assert_eq!(Prefix::default().section("acpmf_physics"), "acpmf_physics");
        for bad in ["a/b", "..", ".hidden", "a b", "ä", &"x".repeat(65)] {
            assert_eq!(Prefix::new(bad), None, "{bad}");
        }
    }
}
