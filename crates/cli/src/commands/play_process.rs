//! An idle process with the name of a game, for programs that look for the game's process: this program again, doing nothing.
//!
//! It is started from a file of that name, because the system names a process after its executable. It exits when its stdin
//! is closed, so also when the parent is killed.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;

use crate::exit::Outcome;

/// Name of the hidden command.
const COMMAND: &str = "stand-in";

/// Do nothing until stdin is closed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs the idle process.
pub(crate) fn run(_args: &Args) -> anyhow::Result<Outcome> {
    io::stdin().lock().read_to_end(&mut Vec::new())?;
    Ok(Outcome::Done)
}

/// The idle process; ends when dropped.
pub(crate) struct StandIn {
    child: Child,
    folder: PathBuf,
}

impl StandIn {
    /// Checks that the name is a plain file name.
    pub(crate) fn check_name(text: &str) -> Result<String, String> {
        let plain = !text.is_empty() && !text.contains(['/', '\\', '\0']) && text != "." && text != "..";
        if plain { Ok(text.to_owned()) } else { Err("the name of a process is a plain file name like acs.exe".into()) }
    }

    /// Starts the process.
    pub(crate) fn start(name: &str) -> anyhow::Result<Self> {
        let started = || -> io::Result<Self> {
            let folder = own_folder()?;
            let file = folder.join(name);
            let child = same_program(&file).and_then(|()| {
                Command::new(&file)
                    .arg(COMMAND)
                    .stdin(Stdio::piped())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
            });
            let child = child.inspect_err(|_| drop(std::fs::remove_dir_all(&folder)))?;
            Ok(Self { child, folder })
        };
        started().with_context(|| format!("cannot start a process named {name}"))
    }
}

/// Creates a private temporary folder.
fn own_folder() -> io::Result<PathBuf> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 0..100 {
        let folder = std::env::temp_dir().join(format!("gametape-{}-{number}", std::process::id()));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Links or copies this program to another name.
fn same_program(file: &Path) -> io::Result<()> {
    let program = std::env::current_exe()?;
    #[cfg(unix)]
    return std::os::unix::fs::symlink(program, file);
    #[cfg(not(unix))]
    return std::fs::copy(program, file).map(drop);
}

impl Drop for StandIn {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
