//! The keys of `play`, on a terminal of the test. The effect of a key is read from the shared memory.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gametape::sys::{Prefix, SectionReader};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, tcgetattr};
use support::ibt::row_at;
use support::{Bench, Ran};

/// Guards against a hang; no test depends on it.
const HANG: Duration = Duration::from_secs(60);
/// Rows per second, as `support::ibt` makes them.
const SECOND: usize = 64;

const SPACE: &[u8] = b" ";
const ENTER: &[u8] = b"\r";
const ESCAPE: &[u8] = b"\x1b";
const CTRL_C: &[u8] = b"\x03";
const UP: &[u8] = b"\x1b[A";
const DOWN: &[u8] = b"\x1b[B";
const RIGHT: &[u8] = b"\x1b[C";
const LEFT: &[u8] = b"\x1b[D";

/// A player, the terminal it was started on, and its memory.
struct Player {
    child: Child,
    terminal: File,
    before: Termios,
    screen: JoinHandle<String>,
    memory: SectionReader,
    last_tick: i32,
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < HANG, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn number(memory: &SectionReader, at: u64) -> i32 {
    let mut bytes = [0; 4];
    memory.copy(at, &mut bytes).unwrap();
    i32::from_le_bytes(bytes)
}

/// Two terminal settings that show whether keys arrive one by one.
fn modes(terminal: &Termios) -> LocalModes {
    terminal.local_modes & (LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
}

impl Player {
    fn start(bench: &Bench, test: &str, more: &[&str]) -> Self {
        let (tape, _) = bench.imported(200 * SECOND);
        let names = format!("gametape-keys-{}-{test}-", std::process::id());
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = std::ffi::OsString::from_vec(ptsname(&terminal, Vec::new()).unwrap().into_bytes());
        let inside = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let before = tcgetattr(&terminal).unwrap();
        let mut command = bench.command(&[&["play", &tape, "--json", "--names", &names], more].concat());
        command.stdin(inside.try_clone().unwrap()).stderr(inside).stdout(Stdio::piped());
        let child = command.spawn().unwrap();
        // Only the child holds the other end now: reading ends when it exits.
        drop(command);
        let terminal = File::from(terminal);
        let screen = std::thread::spawn({
            let mut terminal = terminal.try_clone().unwrap();
            move || {
                let (mut all, mut part) = (Vec::new(), [0; 4096]);
                while let Ok(count @ 1..) = terminal.read(&mut part) {
                    all.extend(&part[..count]);
                }
                String::from_utf8_lossy(&all).into_owned()
            }
        });
        let section = Prefix::new(&names).unwrap().section("IRSDKMemMapFileName");
        // The section appears before it has its length.
        let is_long_enough = |memory: &SectionReader| memory.len().is_ok_and(|bytes| bytes >= 144);
        let connected = || {
            let opened = SectionReader::open(&section).unwrap();
            opened.filter(|memory| is_long_enough(memory) && number(memory, 4) == 1)
        };
        wait_until("it plays", || connected().is_some());
        wait_until("it hears keys", || modes(&tcgetattr(&terminal).unwrap()).is_empty());
        Self { child, terminal, before, screen, memory: connected().unwrap(), last_tick: i32::MIN }
    }

    fn press(&mut self, key: &[u8]) {
        self.terminal.write_all(key).unwrap();
    }

    /// Returns the number of the latest row. The tick, by which clients identify it, never decreases.
    fn row(&mut self) -> usize {
        loop {
            let newest = (0..3).map(|i| 48 + 16 * i).max_by_key(|at| number(&self.memory, *at)).unwrap();
            let tick = number(&self.memory, newest);
            let mut time = [0; 8];
            self.memory.copy(number(&self.memory, newest + 4).try_into().unwrap(), &mut time).unwrap();
            let is_whole = number(&self.memory, newest) == tick && number(&self.memory, newest + 8) == tick;
            if is_whole && tick >= 0 {
                assert!(tick >= self.last_tick, "tick {tick} after {}", self.last_tick);
                self.last_tick = tick;
                return row_at(f64::from_le_bytes(time));
            }
            std::thread::yield_now();
        }
    }

    /// Presses a key and waits for a row.
    fn press_for(&mut self, key: &[u8], expected: usize) {
        self.press(key);
        let (start, mut row) = (Instant::now(), self.row());
        while row != expected {
            assert!(start.elapsed() < HANG, "{:?}: row {row}, not {expected}", String::from_utf8_lossy(key));
            std::thread::sleep(Duration::from_millis(2));
            row = self.row();
        }
    }

    /// Waits until nothing changes, returns the row.
    fn standing(&mut self) -> usize {
        let mut last = (self.row(), Instant::now());
        let start = Instant::now();
        while last.1.elapsed() < Duration::from_millis(500) {
            assert!(start.elapsed() < HANG, "it does not stand still");
            std::thread::sleep(Duration::from_millis(10));
            let row = self.row();
            if row != last.0 {
                last = (row, Instant::now());
            }
        }
        last.0
    }

    /// Waits for the end. The terminal is restored, clients see the game disappear.
    fn end(self) -> (Ran, String) {
        let ran = Ran::of(&self.child.wait_with_output().unwrap());
        assert_eq!(number(&self.memory, 4), 0, "the game is off");
        assert_eq!(modes(&tcgetattr(&self.terminal).unwrap()), modes(&self.before), "the terminal is as it was");
        assert_eq!(ran.json()["ended"], "stopped");
        (ran, self.screen.join().unwrap())
    }
}

#[test]
fn space_stands_still_n_steps_arrows_seek_and_q_ends() {
    let bench = Bench::new();
    let mut player = Player::start(&bench, "seek", &[]);
    player.press(SPACE);
    let row = player.standing();
    for step in 1..=5 {
        player.press_for(b"n", row + step);
    }
    let row = player.standing();
    assert!(row < 100 * SECOND, "the tape is too short for this machine: row {row}");
    player.press_for(RIGHT, row + 5 * SECOND);
    player.press_for(LEFT, row);
    player.press_for(UP, row + 60 * SECOND);
    player.press_for(DOWN, row);
    // Seeking before the start goes to the start.
    player.press_for(DOWN, 0);
    assert_eq!(player.standing(), 0, "it still stands");
    player.press(SPACE);
    wait_until("it goes on", || player.row() > SECOND / 2);
    player.press(b"q");
    let (ran, screen) = player.end();
    assert_eq!(ran.code, 0);
    assert!(screen.contains("space pauses, arrows seek, q or Ctrl+C quits"), "{screen:?}");
    assert!(screen.contains("frames shown"), "{screen:?}");
}

#[test]
fn in_step_mode_space_enter_and_n_are_a_frame_each_and_escape_ends() {
    let bench = Bench::new();
    let mut player = Player::start(&bench, "step", &["--step"]);
    let row = player.standing();
    for (step, key) in [SPACE, ENTER, b"n", SPACE].into_iter().enumerate() {
        player.press_for(key, row + step + 1);
    }
    assert_eq!(player.standing(), row + 4);
    player.press(ESCAPE);
    let (ran, screen) = player.end();
    assert_eq!(ran.code, 0);
    assert!(screen.contains("space shows the next frame"), "{screen:?}");
}

#[test]
fn ctrl_c_as_a_key_and_sigterm_give_the_terminal_back() {
    let bench = Bench::new();
    let mut player = Player::start(&bench, "ctrl-c", &[]);
    player.press(CTRL_C);
    assert_eq!(player.end().0.code, 130);
    let bench = Bench::new();
    let player = Player::start(&bench, "term", &[]);
    assert!(Command::new("kill").args(["-TERM", &player.child.id().to_string()]).status().unwrap().success());
    assert_eq!(player.end().0.code, 0);
}
