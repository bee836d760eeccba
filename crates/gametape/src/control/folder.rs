//! The folder that lists running recorders: one file per recorder, named by its process id.

use std::io;
use std::path::{Path, PathBuf};

use super::RunningRecorder;

/// The file extension: a socket, or a text file with the name of a pipe.
const ENDING: &str = if cfg!(windows) { "pipe" } else { "sock" };

/// Returns the path of this process's file.
pub(super) fn address(folder: &Path) -> PathBuf {
    folder.join(format!("recorder-{}.{ENDING}", std::process::id()))
}

/// Removes the files of recorders that no longer run.
pub(super) fn remove_dead(folder: &Path) -> io::Result<()> {
    for recorder in listed(folder)? {
        if !crate::sys::process_runs(recorder.process) || recorder.process == std::process::id() {
            let _ = std::fs::remove_file(recorder.address);
        }
    }
    Ok(())
}

fn listed(folder: &Path) -> io::Result<Vec<RunningRecorder>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let stem = path.file_stem().filter(|_| path.extension().is_some_and(|ending| ending == ENDING));
        let number = stem.and_then(|stem| stem.to_str()).and_then(|stem| stem.strip_prefix("recorder-"));
        if let Some(process) = number.and_then(|number| number.parse().ok()) {
            let made = path.metadata().and_then(|metadata| metadata.modified()).ok();
            found.push((made, RunningRecorder { process, address: path }));
        }
    }
    found.sort_by_key(|(made, _)| std::cmp::Reverse(*made));
    Ok(found.into_iter().map(|(_, recorder)| recorder).collect())
}

/// Returns the running recorders, newest first.
pub fn recorders(folder: &Path) -> io::Result<Vec<RunningRecorder>> {
    let mut listed = listed(folder)?;
    listed.retain(|recorder| crate::sys::process_runs(recorder.process));
    Ok(listed)
}
