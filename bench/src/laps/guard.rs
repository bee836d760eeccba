//! Keeps a program from outliving the benchmark, however it ends: kills it when standard input ends, and removes the
//! shared memory that a killed program leaves behind.

use std::io::{Read as _, Write as _};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;

/// Polling interval.
const LOOK: Duration = Duration::from_millis(50);
const SHARED_MEMORY: &str = "/dev/shm";

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    /// Prefix of its shared memory names
    #[arg(long)]
    names: Option<String>,
    /// The program and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<String>,
}

/// Runs the program; prints its process id as the first line.
pub(crate) fn run(args: &GuardArgs) -> Result<()> {
    let (program, arguments) = args.command.split_first().context("no program given")?;
    let mut child = Command::new(program).args(arguments).stdin(std::process::Stdio::null()).spawn()?;
    let told = writeln!(std::io::stdout(), "{}", child.id()).and_then(|()| std::io::stdout().flush());
    let over = Arc::new(AtomicBool::new(told.is_err()));
    let parent = Arc::clone(&over);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        parent.store(true, Ordering::Relaxed);
    });
    while child.try_wait()?.is_none() {
        if over.load(Ordering::Relaxed) {
            let _ = child.kill();
            child.wait()?;
            break;
        }
        std::thread::sleep(LOOK);
    }
    if let Some(names) = args.names.as_deref().filter(|names| !names.is_empty()) {
        for left in std::fs::read_dir(SHARED_MEMORY).into_iter().flatten().flatten() {
            if left.file_name().to_string_lossy().starts_with(names) {
                let _ = std::fs::remove_file(left.path());
            }
        }
    }
    Ok(())
}
