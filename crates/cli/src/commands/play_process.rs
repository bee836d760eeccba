//! A process under the name of a game, for programs that look for it: this program again, doing nothing.
//!
//! It is started through a file of that name, because the system names a process after the file it was started from. It ends when its standard
//! input does: also when we are killed.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;

use crate::exit::Outcome;

/// Name of the command that does nothing.
const COMMAND: &str = "stand-in";

/// Does nothing until standard input ends
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// What the process does.
pub(crate) fn run(_args: &Args) -> anyhow::Result<Outcome> {
    io::stdin().lock().read_to_end(&mut Vec::new())?;
    Ok(Outcome::Done)
}

/// The process, until it is dropped.
pub(crate) struct StandIn {
    child: Child,
    folder: PathBuf,
}

impl StandIn {
    /// The name of a file, and nothing else.
    pub(crate) fn check_name(text: &str) -> Result<String, String> {
        let plain = !text.is_empty() && !text.contains(['/', '\\', '\0']) && text != "." && text != "..";
        if plain { Ok(text.to_owned()) } else { Err("a name of a program has no folders in it: acs.exe".into()) }
    }

    /// Starts it.
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
        started().with_context(|| format!("cannot run a process named {name}"))
    }
}

/// A folder that nobody else has.
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

/// This program under another name.
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
