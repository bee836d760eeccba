//! Makes file reads cold. Linux only; an error elsewhere.

use std::path::Path;

use anyhow::Result;

/// Syncs a file and drops it from the page cache.
#[cfg(target_os = "linux")]
pub(crate) fn drop_from_cache(path: &Path) -> Result<()> {
    let file = std::fs::File::open(path)?;
    file.sync_all()?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

/// Syncs a file and drops it from the page cache.
#[cfg(not(target_os = "linux"))]
pub(crate) fn drop_from_cache(path: &Path) -> Result<()> {
    anyhow::bail!("{}: dropping a file from the page cache is only supported on Linux", path.display())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_can_be_dropped() {
        let file = tempfile::NamedTempFile::new().unwrap();
        drop_from_cache(file.path()).unwrap();
    }
}
