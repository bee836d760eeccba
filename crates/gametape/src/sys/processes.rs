//! Lists running programs. On Linux from `/proc`. If they cannot be listed, nothing is assumed about them.

use std::io;
use std::path::Path;

/// The kernel truncates process names to this many bytes.
const NAME_BYTES: usize = 15;
/// Limit for reading command lines, which may be megabytes long. The program is at the start.
const COMMAND_BYTES: u64 = 64 << 10;

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub id: u32,
    /// User id.
    pub user: Option<u32>,
    /// Its name as listed by the system, possibly truncated.
    pub name: String,
    /// File name of the program from the command line, even if it is a Windows path or an argument of Wine.
    pub program: Option<String>,
}

impl Process {
    /// Returns whether it runs a program with this file name.
    pub fn runs(&self, program: &str) -> bool {
        let cut = program.get(..NAME_BYTES).unwrap_or(program);
        self.name.eq_ignore_ascii_case(cut)
            || self.program.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(program))
    }
}

/// Lists all processes of this machine.
pub(crate) fn list_processes() -> io::Result<Vec<Process>> {
    #[cfg(windows)]
    {
        let named = |(id, name): (u32, String)| Process { id, user: None, program: Some(name.clone()), name };
        Ok(super::running_programs()?.into_iter().map(named).collect())
    }
    #[cfg(not(windows))]
    list(Path::new("/proc"))
}

/// Returns all processes visible to this user; empty if they cannot be listed.
pub(crate) fn running_processes() -> Vec<Process> {
    list_processes().unwrap_or_default()
}

/// Lists all processes visible to this user, from a folder like `/proc`.
#[cfg_attr(windows, allow(dead_code, reason = "Windows has its own API; the parser is tested on all systems"))]
fn list(folder: &Path) -> io::Result<Vec<Process>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let Ok(entry) = entry else { continue };
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // Processes may end during the listing.
        let Ok(status) = std::fs::read(entry.path().join("status")) else { continue };
        let command = front(&entry.path().join("cmdline")).unwrap_or_default();
        found.extend(process(id, &status, &command));
    }
    found.sort_by_key(|process| process.id);
    Ok(found)
}

/// Reads a process by its folder in `/proc`, with only what identifies its program: cheap enough for frequent calls. Returns `None`
/// if it has ended.
#[cfg(target_os = "linux")]
pub(crate) fn named_process(folder: &Path, id: u32) -> Option<Process> {
    let name = front(&folder.join("comm")).ok()?;
    let command = front(&folder.join("cmdline")).ok()?;
    Some(Process {
        id,
        user: None,
        name: String::from_utf8_lossy(name.trim_ascii_end()).into_owned(),
        program: program(&command),
    })
}

fn front(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(std::fs::File::open(path)?, COMMAND_BYTES), &mut bytes)?;
    Ok(bytes)
}

/// Parses a process. Returns `None` for zombies.
fn process(id: u32, status: &[u8], command: &[u8]) -> Option<Process> {
    if line(status, "State:").is_some_and(|state| state.starts_with(['Z', 'X'])) {
        return None;
    }
    let name = line(status, "Name:").unwrap_or_default();
    Some(Process { id, user: effective_user(status), name, program: program(command) })
}

/// Returns the rest of the first line that starts with this word.
fn line(status: &[u8], word: &str) -> Option<String> {
    let text = String::from_utf8_lossy(status);
    text.lines().find_map(|line| line.strip_prefix(word)).map(|rest| rest.trim().to_owned())
}

/// Returns the effective user id: the second number of `Uid: real effective saved file-system`.
pub(crate) fn effective_user(status: &[u8]) -> Option<u32> {
    line(status, "Uid:")?.split_whitespace().nth(1)?.parse().ok()
}

/// Returns the file name of the program; for Wine, that of the Windows program it was started with.
fn program(command: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(command);
    let mut names = text.split('\0').map(|part| part.rsplit(['/', '\\']).next().unwrap_or_default());
    let first = names.next().filter(|name| !name.is_empty())?;
    let starts_others = first.to_ascii_lowercase().starts_with("wine");
    let started = names.find(|name| starts_others && name.to_ascii_lowercase().ends_with(".exe"));
    Some(started.unwrap_or(first).to_owned())
}

/// Parses the bytes as both files of a process. For fuzz targets and mutation tests only.
#[doc(hidden)]
pub fn fuzz_processes(data: &[u8]) {
    let (status, command) = data.split_at(data.iter().position(|byte| *byte == 0).unwrap_or(data.len()));
    if let Some(process) = process(1, status, command.get(1..).unwrap_or_default()) {
        process.runs("AC2-Win64-Shipping.exe");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(name: &str, command: &[&str]) -> Process {
        let status = format!("Name:\t{name}\nState:\tS (sleeping)\nUid:\t1000\t1001\t1000\t1000\n");
        process(7, status.as_bytes(), command.join("\0").as_bytes()).unwrap()
    }

    #[test]
    fn a_windows_program_is_known_by_its_cut_name_its_path_or_as_an_argument_of_wine() {
        const ACC: &str = "AC2-Win64-Shipping.exe";
        assert!(made("AC2-Win64-Shipp", &[]).runs(ACC));
        assert!(made("Main", &[r"Z:\home\me\Steam\AC2-Win64-Shipping.exe", "-x"]).runs(ACC));
        assert!(
            made("wine64-preloade", &["/usr/bin/wine64-preloader", "/usr/bin/wine64", "ac2-win64-shipping.exe"])
                .runs(ACC)
        );
        assert!(made("acs.exe", &["acs.exe"]).runs("acs.exe"));
        // Steam's wrappers and editors have the path among their arguments, but are not the game.
        assert!(!made("reaper", &["reaper", "--", "proton", "run", "/games/acs.exe"]).runs("acs.exe"));
        assert!(!made("acs.exe2", &["vim", "acs.exe"]).runs("acs.exe"));
        assert!(!made("AC2-Win64-Ship", &[]).runs(ACC));
    }

    #[test]
    fn rights_count_and_the_dead_do_not() {
        assert_eq!(made("a", &[]).user, Some(1001));
        assert_eq!(process(1, b"Name:\tacs.exe\nState:\tZ (zombie)\n", b""), None);
        assert_eq!(process(1, b"", b"").map(|process| process.user), Some(None));
    }

    #[test]
    fn a_folder_like_proc_is_listed() {
        let folder = tempfile::tempdir().unwrap();
        for (id, name) in [("12", "acs.exe"), ("7", "simd"), ("self", "no number")] {
            let own = folder.path().join(id);
            std::fs::create_dir(&own).unwrap();
            for (file, text) in [("status", format!("Name:\t{name}\n")), ("cmdline", format!("/bin/{name}\0"))] {
                let mut file = std::fs::File::create_new(own.join(file)).unwrap();
                io::Write::write_all(&mut file, text.as_bytes()).unwrap();
            }
        }
        std::fs::create_dir(folder.path().join("99")).unwrap();
        let found: Vec<_> =
            list(folder.path()).unwrap().into_iter().map(|process| (process.id, process.name)).collect();
        assert_eq!(found, [(7, "simd".into()), (12, "acs.exe".into())]);
    }
}
