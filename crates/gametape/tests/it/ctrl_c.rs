//! Ctrl+C while somebody waits for a capture, twice, and afterwards. The test runs itself again as the child.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::print_stdout, missing_docs)]
use crate::scripted;

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use gametape::{Capture, Tape};
use scripted::{Sent, Tick, Ticks, ticks_description};
use zerocopy::IntoBytes as _;

const CHILD: &str = "GAMETAPE_CTRL_C_CHILD";

/// What the child does; not a test when the variable is not set.
#[test]
fn child() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (task, path) = task.split_once(' ').unwrap();
    match task {
        "hangs" => {
            let (send, frames) = channel();
            let source = Sent { description: ticks_description(), frames };
            let (_never, hang) = channel::<()>();
            let capture = Capture::new()
                .source(source)
                .to(path)
                .on_stream("ticks", move |_, _: &Tick| {
                    let _ = hang.recv_timeout(Duration::from_secs(30));
                })
                .start()
                .unwrap();
            (0..100).for_each(|number| send.send((0, Tick::new(number).as_bytes().to_vec())).unwrap());
            while capture.frames_seen() < 100 {
                std::thread::sleep(Duration::from_millis(1));
            }
            println!("\nready");
            println!("\n{:?}", capture.wait().map_err(|error| error.faults));
        }
        _ => {
            Capture::new().source(Ticks::new(10)).to(path).start().unwrap().wait().unwrap();
            println!("\nready");
            std::thread::sleep(Duration::from_secs(30));
        }
    }
}

fn wait_until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(300), "waited too long");
        std::thread::sleep(Duration::from_millis(1));
    }
}

struct Running {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Running {
    fn start(task: &str, path: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "ctrl_c::child", "--nocapture"]).env(CHILD, format!("{task} {}", path.display()));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut running = Self { out: BufReader::new(child.stdout.take().unwrap()), child };
        running.line("ready");
        running
    }

    /// Reads until a line begins like this.
    fn line(&mut self, wanted: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "it ended before {wanted:?}");
            if line.starts_with(wanted) {
                return line;
            }
        }
    }

    /// Waits until the child hears signals, which it does once it waits for its capture.
    fn listens(&self) {
        let status = format!("/proc/{}/status", self.child.id());
        wait_until(|| {
            let text = std::fs::read_to_string(&status).unwrap();
            let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
            u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0
        });
    }

    fn interrupt(&self) {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap().success());
    }
}

#[test]
fn after_the_wait_ctrl_c_ends_the_process_as_if_nobody_had_listened() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start("ends", &folder.path().join("a.gtape"));
    running.interrupt();
    assert_eq!(running.child.wait().unwrap().signal(), Some(2));
}

#[test]
fn a_second_ctrl_c_ends_the_process_at_once_and_the_tape_has_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let mut running = Running::start("hangs", &path);
    running.listens();
    running.interrupt();
    // The callback hangs, which holds the end up for two seconds; the tape is closed before.
    wait_until(|| Tape::open(&path).unwrap().is_complete());
    running.interrupt();
    assert_eq!(running.child.wait().unwrap().signal(), Some(2));
    assert_eq!(Tape::open(&path).unwrap().frames_of::<Tick>("ticks").unwrap().count(), 100);
}

#[test]
fn one_ctrl_c_ends_the_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let mut running = Running::start("hangs", &path);
    running.listens();
    running.interrupt();
    assert!(running.line("Err(").contains("Stuck"));
    assert!(running.child.wait().unwrap().success());
    assert!(Tape::open(&path).unwrap().is_complete());
}
