//! A file as if never read, and how much memory this process took at most. Linux only; elsewhere both say that they cannot.

use std::path::Path;

use anyhow::{Result, bail};

/// Syncs a file and drops it from the page cache.
#[cfg(target_os = "linux")]
pub(super) fn drop_from_cache(path: &Path) -> Result<()> {
    let file = std::fs::File::open(path)?;
    file.sync_all()?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

/// Syncs a file and drops it from the page cache.
#[cfg(not(target_os = "linux"))]
pub(super) fn drop_from_cache(path: &Path) -> Result<()> {
    bail!("{}: a file can be dropped from the page cache only on Linux", path.display())
}

/// The most memory this process has had resident, in KiB.
pub(super) fn peak_memory_kib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    for line in status.lines() {
        if let Some(rest) = line.strip_prefix("VmHWM:") {
            return Ok(rest.trim().trim_end_matches("kB").trim().parse()?);
        }
    }
    bail!("/proc/self/status has no VmHWM")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_a_peak() {
        assert!(peak_memory_kib().unwrap() > 100);
    }

    #[test]
    fn a_file_can_be_dropped() {
        let file = tempfile::NamedTempFile::new().unwrap();
        drop_from_cache(file.path()).unwrap();
    }
}
