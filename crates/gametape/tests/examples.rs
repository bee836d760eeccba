//! Every example, run the way a user runs it: as a program, with a game beside it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs)]
mod game;

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use game::{Game, prefix};
use gametape::acc;
use gametape::sys::Prefix;

/// Where cargo puts examples: it builds them with the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(
        path.exists(),
        "{} is not there: run cargo test -p gametape, or cargo build -p gametape --examples",
        path.display()
    );
    path
}

fn start(name: &str, folder: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(example(name));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// A game that drives until it is dropped.
struct Driving {
    end: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Driving {
    fn start(prefix: &Prefix) -> Self {
        let (prefix, end) = (prefix.clone(), Arc::new(AtomicBool::new(false)));
        let wanted = Arc::clone(&end);
        let thread = std::thread::spawn(move || {
            let mut game = Game::start(&prefix);
            game.status(2);
            while !wanted.load(Ordering::Relaxed) {
                game.step();
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Self { end, thread: Some(thread) }
    }
}

impl Drop for Driving {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Reads lines until there have been enough, then presses Ctrl+C; gives all that the example printed.
fn interrupt_after(mut child: Child, lines: usize) -> String {
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..lines {
        assert!(out.read_line(&mut text).unwrap() > 0, "it ended early: {}", error_text(&mut child));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    out.read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success(), "{}", error_text(&mut child));
    text
}

fn error_text(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

fn tapes(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn quick_start_records_until_ctrl_c() {
    let (prefix, folder) = (prefix("quick"), tempfile::tempdir().unwrap());
    let driving = Driving::start(&prefix);
    let text = interrupt_after(start("quick_start", folder.path(), &[prefix.as_str()]), 50);
    drop(driving);
    assert!(text.lines().next().unwrap().ends_with(" km/h"), "{text}");
    let [path] = tapes(&folder.path().join("sessions")).try_into().unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("assetto-corsa-competizione_physics_20"), "{name}");
    let tape = gametape::format::read::Tape::open(&path).unwrap();
    assert!(tape.is_complete());
    let recorded = tape.stream_named("physics").unwrap().totals().frames;
    assert!(
        text.ends_with(&format!("{recorded} frames in {}\n", Path::new("sessions").join(name).display())),
        "{text}"
    );
    assert!(recorded >= 50 && size_of::<acc::Physics>() == 800);
}
