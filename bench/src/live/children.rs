//! This program again, as another process: arguments in, lines out.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Result, bail, ensure};

use super::system;

/// A process that we started. Ends with this: its standard input does.
pub(super) struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Process {
    /// Starts this program with other arguments. Its errors are seen where ours are.
    pub(super) fn start<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let Some(stdout) = child.stdout.take() else { bail!("no standard output") };
        Ok(Self { child, lines: BufReader::new(stdout) })
    }

    /// Waits for its next line.
    pub(super) fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.lines.read_line(&mut line)? > 0, "it ended before its time; what it said is above");
        Ok(line.trim_end().to_owned())
    }

    /// Waits for its next line, which has to be this one.
    pub(super) fn hear(&mut self, expected: &str) -> Result<()> {
        let line = self.line()?;
        ensure!(line == expected, "expected {expected:?}, got {line:?}");
        Ok(())
    }

    /// Sends SIGINT.
    pub(super) fn interrupt(&self) -> Result<()> {
        system::interrupt(&self.child)
    }

    /// Ends its standard input and waits for its end.
    pub(super) fn end(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let status = self.child.wait()?;
        ensure!(status.success(), "it ended with {status}");
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // After an error: the game ends with its standard input, a recorder with the signal.
        drop(self.child.stdin.take());
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.interrupt();
            let _ = self.child.wait();
        }
    }
}
