//! Runs this program again as child processes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Result, bail, ensure};

use super::system;

/// A child process. It ends with this process, because its standard input does.
pub(crate) struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Process {
    /// Starts this program with other arguments. Its standard error is inherited.
    pub(crate) fn start<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let Some(stdout) = child.stdout.take() else { bail!("no standard output") };
        Ok(Self { child, lines: BufReader::new(stdout) })
    }

    /// Waits for its next line.
    pub(crate) fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.lines.read_line(&mut line)? > 0, "the child process ended early; see its output above");
        Ok(line.trim_end().to_owned())
    }

    /// Waits for its next line, which must be `expected`.
    pub(crate) fn hear(&mut self, expected: &str) -> Result<()> {
        let line = self.line()?;
        ensure!(line == expected, "expected {expected:?}, got {line:?}");
        Ok(())
    }

    /// Sends SIGINT.
    pub(crate) fn interrupt(&self) -> Result<()> {
        system::interrupt(&self.child)
    }

    /// Closes its standard input.
    pub(crate) fn hang_up(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Closes its standard input and waits for it to exit.
    pub(crate) fn end(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let status = self.child.wait()?;
        ensure!(status.success(), "the child process exited with {status}");
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // After an error: the game ends when its standard input does, a recorder on the signal.
        drop(self.child.stdin.take());
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.interrupt();
            let _ = self.child.wait();
        }
    }
}
