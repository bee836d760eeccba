//! Resident memory of this process. Linux only; an error elsewhere.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Resident memory, in KiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Peak.
    pub(crate) peak_kib: u64,
    /// Current; the sum of the three below.
    pub(crate) now_kib: u64,
    /// Heap and stacks.
    pub(crate) own_kib: u64,
    /// Mapped files: the program, its libraries, journals.
    pub(crate) files_kib: u64,
    /// Mapped files of an in-memory file system.
    pub(crate) shared_kib: u64,
}

impl Memory {
    /// Reads the current values from the system.
    pub(crate) fn now() -> Result<Self> {
        Self::parse(&std::fs::read_to_string("/proc/self/status")?)
    }

    fn parse(status: &str) -> Result<Self> {
        let kib = |key: &str| -> Result<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
            let line = line.with_context(|| format!("/proc/self/status has no {key}"))?;
            Ok(line.trim().trim_end_matches("kB").trim().parse()?)
        };
        Ok(Self {
            peak_kib: kib("VmHWM")?,
            now_kib: kib("VmRSS")?,
            own_kib: kib("RssAnon")?,
            files_kib: kib("RssFile")?,
            shared_kib: kib("RssShmem")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_system_are_understood() {
        let status = "VmHWM:\t 9 kB\nVmRSS:\t    8 kB\nRssAnon:\t 5 kB\nRssFile:\t 2 kB\nRssShmem:\t 1 kB\n";
        let memory = Memory { peak_kib: 9, now_kib: 8, own_kib: 5, files_kib: 2, shared_kib: 1 };
        assert_eq!(Memory::parse(status).unwrap(), memory);
        assert!(Memory::parse("VmHWM:\t9 kB\n").is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_a_peak() {
        assert!(Memory::now().unwrap().peak_kib > 100);
    }
}
