//! Disk space for tapes: checked before a recording starts, and monitored while it runs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use gametape::capture::Destination;
use gametape::paths::{check_writable, free_bytes};

use crate::human;
use crate::open::DATA_DIR;

/// Below this the user is warned: enough for some hours of most games, or minutes of the largest.
const LOW_BYTES: u64 = 500_000_000;
/// How often the free space is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// Fails if no tape can be created there. Creates the folder if it does not exist.
pub(crate) fn check_place(place: &Destination) -> anyhow::Result<()> {
    let folder = folder_of(place);
    check_writable(&folder).map_err(|error| {
        let hint = match place {
            Destination::File(_) => "name a file in another folder with -o".to_owned(),
            _ => format!("set {DATA_DIR} to a folder that you may write to"),
        };
        anyhow!("cannot write to the folder {}: {error}; {hint}", folder.display())
    })
}

fn folder_of(place: &Destination) -> PathBuf {
    match place {
        Destination::Folder(folder) | Destination::Named(folder, _) => folder.clone(),
        Destination::File(path) => {
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
        }
    }
}

/// Warns once when space is low, and again only after space was freed.
pub(crate) struct DiskSpace {
    folder: Option<PathBuf>,
    looked: Option<Instant>,
    warned: bool,
}

impl DiskSpace {
    /// Monitors the disk of this place.
    pub(crate) fn of(place: Option<&Destination>) -> Self {
        Self { folder: place.map(folder_of), looked: None, warned: false }
    }

    /// Returns a warning if a check is due and space is low.
    pub(crate) fn check(&mut self) -> Option<String> {
        if self.looked.is_some_and(|looked| looked.elapsed() < CHECK_INTERVAL) {
            return None;
        }
        self.looked = Some(Instant::now());
        let folder = self.folder.clone()?;
        self.judge(&folder, free_bytes(&folder)?)
    }

    fn judge(&mut self, folder: &Path, free: u64) -> Option<String> {
        let little = free < LOW_BYTES;
        let news = little && !self.warned;
        // Hysteresis: no repeated warnings while the free space hovers around the limit.
        self.warned = little || (self.warned && free < 2 * LOW_BYTES);
        let (free, folder) = (human::bytes(free), folder.display());
        news.then(|| {
            format!("warning: the disk is nearly full: {free} left for {folder}; free some space before it runs out")
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn little_room_is_warned_of_once_until_there_is_more() {
        let mut disk = DiskSpace::of(None);
        let folder = Path::new("tapes");
        assert_eq!(disk.judge(folder, LOW_BYTES), None);
        let warning = disk.judge(folder, 312_000_000).unwrap();
        assert!(warning.contains("312.0 MB") && warning.contains("tapes"), "{warning}");
        assert_eq!(disk.judge(folder, 1), None);
        assert_eq!(disk.judge(folder, LOW_BYTES + 1), None);
        assert_eq!(disk.judge(folder, LOW_BYTES - 1), None, "a little more space is not reported");
        assert_eq!(disk.judge(folder, 2 * LOW_BYTES), None);
        assert!(disk.judge(folder, 0).is_some());
        assert_eq!(disk.check(), None, "no recording runs");
    }
}
