//! The unlinked files that a process has mapped, opened for reading.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::InWine;
use super::assign::fits_some_game;
use super::proc_text::{Nameless, is_nameless, mapped};
use super::processes::list;
use crate::sys::SectionReader;

/// Limit for reading `maps`. A game has a few thousand lines.
const MOST_MAPS_BYTES: u64 = 64 << 20;
/// Maximum number of sections with a matching size to examine. A game has a handful.
const MOST_SECTIONS: usize = 256;

/// A section that a process has mapped.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) bytes: u64,
    pub(crate) reader: SectionReader,
}

/// The memory mappings of a process.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Sections with a matching size that can be opened.
    pub(crate) sections: Vec<Held>,
    /// Number of sections of any size that are not open in the process or a wineserver, as far as this user can inspect them.
    pub(crate) out_of_reach: usize,
    /// Wineservers that cannot be inspected, and why.
    pub(crate) shut: Vec<(u32, String)>,
}

/// Why a process cannot be inspected.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub(crate) struct LookError {
    /// The file that could not be read.
    path: PathBuf,
    /// The error of the operating system.
    source: io::Error,
}

/// Examines the memory mappings of a process. `fits` returns whether a size is of interest.
pub(super) fn of_process(
    folder: &Path,
    process: u32,
    servers: &[u32],
    fits: &dyn Fn(u64) -> bool,
) -> Result<Memory, LookError> {
    let own = folder.join(process.to_string());
    let mut wanted = mapped_by(&own.join("maps"))?;
    let mut memory = Memory::default();
    if wanted.is_empty() {
        return Ok(memory);
    }
    let mut take = |holder: &Path| {
        each_nameless(&holder.join("fd"), &mut |path, file, bytes| {
            if wanted.remove(&file) && fits(bytes) && memory.sections.len() < MOST_SECTIONS {
                // It may be closed in the meantime.
                memory.sections.extend(SectionReader::open_held(path, &own).map(|reader| Held { bytes, reader }));
            }
        })
    };
    take(&own)?;
    let mut shut = Vec::new();
    for server in servers {
        if let Err(error) = take(&folder.join(server.to_string())) {
            shut.push((*server, error.to_string()));
        }
    }
    (memory.out_of_reach, memory.shut) = (wanted.len(), shut);
    Ok(memory)
}

fn mapped_by(maps: &Path) -> Result<BTreeSet<Nameless>, LookError> {
    let failed = |source| LookError { path: maps.into(), source };
    let file = File::open(maps).map_err(failed)?;
    let mut found = BTreeSet::new();
    for line in BufReader::with_capacity(64 << 10, file.take(MOST_MAPS_BYTES)).split(b'\n') {
        found.extend(mapped(&line.map_err(failed)?));
    }
    Ok(found)
}

/// Calls `each` for each unlinked file that is open, with its path in `/proc`, its identity and its size.
fn each_nameless(folder: &Path, each: &mut dyn FnMut(&Path, Nameless, u64)) -> Result<(), LookError> {
    let failed = |source| LookError { path: folder.into(), source };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let Ok(link) = std::fs::read_link(&path) else { continue };
        let link = link.as_os_str().as_bytes();
        if !is_nameless(link) {
            continue;
        }
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        if metadata.is_file() {
            each(&path, Nameless { inode: metadata.ino(), path: link.to_vec() }, metadata.len());
        }
    }
    Ok(())
}

/// Inspects a process once. Returns its memory mappings and the running wineservers.
pub(crate) fn look_into(process: u32) -> Result<(Memory, Vec<u32>), LookError> {
    let folder = Path::new("/proc");
    let servers = list(folder, &InWine::Off).map(|listed| listed.servers).unwrap_or_default();
    Ok((of_process(folder, process, &servers, &fits_some_game)?, servers))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a folder like `/proc` with a game that has two files mapped. It has one of them open, a server has the other.
    fn folder_like_proc() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut lines = String::new();
        for (holder, name, bytes) in [("70", "tmpmap-a", 4096), ("8", "tmpmap-b", 8192), ("8", "tmpmap-c", 5000)] {
            let file = folder.path().join(format!("{name} (deleted)"));
            File::create_new(&file).unwrap().set_len(bytes).unwrap();
            let fds = folder.path().join(holder).join("fd");
            std::fs::create_dir_all(&fds).unwrap();
            std::os::unix::fs::symlink(&file, fds.join(bytes.to_string())).unwrap();
            let inode = file.metadata().unwrap().ino();
            if name != "tmpmap-c" {
                lines += &format!("10000-20000 rw-s 00000000 00:1a {inode}   {}\n", file.display());
            }
        }
        lines += "10000-20000 rw-s 00000000 00:1a 1   /tmp/out-of-reach (deleted)\n";
        super::super::put(&folder.path().join("70/maps"), &lines);
        super::super::put(&folder.path().join("70/stat"), "70 (x) S");
        folder
    }

    #[test]
    fn sections_are_opened_through_the_game_and_through_its_server() {
        let folder = folder_like_proc();
        let memory = of_process(folder.path(), 70, &[8], &|_| true).unwrap();
        let found: Vec<u64> = memory.sections.iter().map(|held| held.bytes).collect();
        assert_eq!((found, memory.out_of_reach, memory.shut.len()), (vec![4096, 8192], 1, 0));
        assert!(memory.sections.iter().all(|held| held.reader.is_current()));
        let memory = of_process(folder.path(), 70, &[], &|bytes| bytes == 8192).unwrap();
        assert_eq!((memory.sections.len(), memory.out_of_reach), (0, 2), "without the server only its own");
    }

    #[test]
    fn what_may_not_be_looked_into_is_said() {
        let folder = folder_like_proc();
        let memory = of_process(folder.path(), 70, &[9], &|_| true).unwrap();
        assert_eq!((memory.sections.len(), memory.shut.len(), memory.shut[0].0), (1, 1, 9));
        let error = of_process(folder.path(), 8, &[], &|_| true).unwrap_err();
        assert!(error.to_string().contains("8/maps"), "{error}");
    }
}
