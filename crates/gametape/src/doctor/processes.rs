//! Which programs run. On Linux from `/proc`; where they cannot be listed, nothing is claimed about them.

use std::io;
use std::path::Path;

/// The system cuts names of processes to this many bytes.
const NAME_BYTES: usize = 15;
/// A command line may be megabytes long; the program stands at its front.
const COMMAND_BYTES: u64 = 64 << 10;

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// Number of the user it runs as.
    pub user: Option<u32>,
    /// Its name as the system lists it, perhaps cut short.
    pub name: String,
    /// The program's file name in its command line, also where it is a Windows path or an argument of Wine.
    pub program: Option<String>,
}

impl Process {
    /// Whether it runs a program of this file name.
    pub fn runs(&self, program: &str) -> bool {
        let cut = program.get(..NAME_BYTES).unwrap_or(program);
        self.name.eq_ignore_ascii_case(cut)
            || self.program.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(program))
    }
}

/// All processes of this machine.
pub(super) fn of_this_machine() -> io::Result<Vec<Process>> {
    #[cfg(windows)]
    {
        let named = |(id, name): (u32, String)| Process { id, user: None, program: Some(name.clone()), name };
        Ok(crate::sys::running_programs()?.into_iter().map(named).collect())
    }
    #[cfg(not(windows))]
    list(Path::new("/proc"))
}

/// All processes that this user may see, from a folder like `/proc`.
#[cfg_attr(windows, allow(dead_code, reason = "Windows lists them itself; what reads the files is tested everywhere"))]
pub(super) fn list(folder: &Path) -> io::Result<Vec<Process>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let Ok(entry) = entry else { continue };
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // Processes end while we look.
        let Ok(status) = std::fs::read(entry.path().join("status")) else { continue };
        let command = front(&entry.path().join("cmdline")).unwrap_or_default();
        found.extend(process(id, &status, &command));
    }
    found.sort_by_key(|process| process.id);
    Ok(found)
}

/// A process by its folder in `/proc`, with the little that tells its program: for those who ask often. `None` if it has ended.
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

/// `None` for processes that have ended and only wait for somebody to notice.
fn process(id: u32, status: &[u8], command: &[u8]) -> Option<Process> {
    if line(status, "State:").is_some_and(|state| state.starts_with(['Z', 'X'])) {
        return None;
    }
    let name = line(status, "Name:").unwrap_or_default();
    Some(Process { id, user: effective_user(status), name, program: program(command) })
}

/// What stands behind the first of these words that begins a line.
fn line(status: &[u8], word: &str) -> Option<String> {
    let text = String::from_utf8_lossy(status);
    text.lines().find_map(|line| line.strip_prefix(word)).map(|rest| rest.trim().to_owned())
}

/// The user whose rights a process has: the second number of `Uid: real effective saved file-system`.
pub(super) fn effective_user(status: &[u8]) -> Option<u32> {
    line(status, "Uid:")?.split_whitespace().nth(1)?.parse().ok()
}

/// The file name of the program; the one that Wine was given, where it is Wine.
fn program(command: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(command);
    let mut names = text.split('\0').map(|part| part.rsplit(['/', '\\']).next().unwrap_or_default());
    let first = names.next().filter(|name| !name.is_empty())?;
    let starts_others = first.to_ascii_lowercase().starts_with("wine");
    let started = names.find(|name| starts_others && name.to_ascii_lowercase().ends_with(".exe"));
    Some(started.unwrap_or(first).to_owned())
}

/// Reads the bytes as both files of a process: for the fuzz targets and mutation only.
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
        // Steam's wrappers and editors have the path among their arguments, and are not the game.
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
