//! A `gametape` server in a separate process. Killed on drop.

use std::io::{BufRead as _, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::system::{self, Signal};

/// Start and stop timeout.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub(super) struct Server {
    guard: Child,
    process: u32,
    address: SocketAddr,
    /// Its output, which must be drained: a full pipe would block the program.
    lines: Receiver<String>,
}

impl Server {
    /// Starts `gametape serve` on a store.
    pub(super) fn serve(program: &Path, data: &Path, store: &str) -> Result<Self> {
        Self::start(program, data, None, &["serve", "--bind", "127.0.0.1:0", "--store", store])
    }

    /// Starts `gametape demo`.
    pub(super) fn demo(program: &Path, data: &Path, speed: u32) -> Result<Self> {
        // A short, unique prefix.
        let names = format!("bench-{}-", std::process::id());
        Self::start(program, data, Some(&names), &["demo", "--speed", &speed.to_string(), "--names", &names])
    }

    fn start(program: &Path, data: &Path, names: Option<&str>, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("laps-guard");
        if let Some(names) = names {
            command.args(["--names", names]);
        }
        command.arg("--").arg(program).args(arguments);
        command.env("GAMETAPE_DATA_DIR", data).env_remove("GAMETAPE_STORE").env("GAMETAPE_WINE", "off");
        let mut guard = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (say, lines) = channel();
        let (stdout, stderr) = (guard.stdout.take(), guard.stderr.take());
        let pipes: [Option<Box<dyn Read + Send>>; 2] =
            [stdout.map(|pipe| Box::new(pipe) as _), stderr.map(|pipe| Box::new(pipe) as _)];
        for pipe in pipes.into_iter().flatten() {
            let say = say.clone();
            std::thread::spawn(move || {
                BufReader::new(pipe).lines().map_while(Result::ok).for_each(|line| drop(say.send(line)));
            });
        }
        let mut server = Self { guard, process: 0, address: SocketAddr::from(([127, 0, 0, 1], 0)), lines };
        server.wait_for_address().with_context(|| format!("starting gametape {}", arguments.join(" ")))?;
        Ok(server)
    }

    /// Reads the process id, printed by the guard, and the address, printed by `serve` and `demo`.
    fn wait_for_address(&mut self) -> Result<()> {
        let (mut said, since) = (String::new(), Instant::now());
        while self.process == 0 || self.address.port() == 0 {
            let Ok(line) = self.lines.recv_timeout(PATIENCE.saturating_sub(since.elapsed())) else {
                bail!("the server did not start; its output:\n{said}");
            };
            if self.process == 0 {
                self.process = line.trim().parse().unwrap_or_default();
            }
            let address = line.split_once("http://").and_then(|(_, address)| address.trim().parse().ok());
            self.address = address.unwrap_or(self.address);
            said.push_str(&line);
            said.push('\n');
        }
        Ok(())
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns its CPU time so far, in seconds.
    pub(super) fn processor_s(&self) -> Result<f64> {
        system::processor_s(self.process)
    }

    /// Kills it as a power cut would, and waits until it is gone.
    pub(super) fn kill(self) -> Result<()> {
        system::send(self.process, Signal::Kill)?;
        self.wait()
    }

    /// Stops it as Ctrl+C does.
    pub(super) fn end(self) -> Result<()> {
        system::send(self.process, Signal::Interrupt)?;
        self.wait()
    }

    fn wait(mut self) -> Result<()> {
        let since = Instant::now();
        while self.guard.try_wait()?.is_none() {
            if since.elapsed() > PATIENCE {
                bail!("the server did not exit");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The guard kills it when its standard input ends.
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}
