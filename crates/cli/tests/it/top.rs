//! `top` in a real terminal (tmux), with a demo in another process, with a store, and with servers that come and go.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, clippy::disallowed_methods, missing_docs)]
use crate::support;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::Bench;

/// Guards against a hang; no test depends on it.
const HANG: Duration = Duration::from_secs(120);

/// Whether there is a terminal to test in; skips with a message if not.
fn no_tmux(test: &str) -> bool {
    if Command::new("tmux").arg("-V").output().is_ok_and(|ran| ran.status.success()) {
        return false;
    }
    support::skip(test, "there is no tmux");
    true
}

/// A terminal running a shell.
struct Terminal {
    name: String,
}

impl Terminal {
    fn new(bench: &Bench, test: &str, columns: u16, rows: u16, environment: &[(&str, &str)]) -> Self {
        let terminal = Self { name: format!("gametape-top-{}-{test}", std::process::id()) };
        let mut command = terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &columns.to_string(),
            "-y",
            &rows.to_string(),
            "sh",
        ]);
        command.env("GAMETAPE_DATA_DIR", bench.folder.path()).env("LC_ALL", "C.UTF-8").env("PS1", "$ ");
        for name in ["NO_COLOR", "GAMETAPE_STORE", "GAMETAPE_TOKEN", "TMUX", "ENV"] {
            command.env_remove(name);
        }
        for (name, value) in environment {
            command.env(name, value);
        }
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        terminal.type_line("echo BEFORE");
        terminal.wait("the shell", |screen| has_line(screen, "BEFORE"));
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-u", "-L", &self.name]).args(arguments).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        let ran = self.tmux(arguments).output().unwrap();
        assert!(ran.status.success(), "tmux {arguments:?}: {ran:?}");
        String::from_utf8(ran.stdout).unwrap()
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    /// Including control sequences.
    fn raw_screen(&self) -> String {
        self.run(&["capture-pane", "-p", "-e"])
    }

    fn press(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    fn type_line(&self, line: &str) {
        self.run(&["send-keys", "-l", line]);
        self.press(&["Enter"]);
    }

    fn top(&self, arguments: &str) {
        self.type_line(&format!("{} top {arguments}; echo ENDED $?", env!("CARGO_BIN_EXE_gametape")));
    }

    fn resize(&self, columns: u16, rows: u16) {
        self.run(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    fn wait(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(start.elapsed() < HANG, "waited too long for {what}:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses keys again and again until they have their effect. On a busy machine the sequence of an arrow key can arrive in two parts, and is
    /// another key then.
    fn press_until(&self, keys: &[&str], what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            self.press(keys);
            let pressed = Instant::now();
            while pressed.elapsed() < Duration::from_secs(5) {
                let screen = self.screen();
                if is_so(&screen) {
                    return screen;
                }
                assert!(start.elapsed() < HANG, "waited too long for {what}:\n{screen}");
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    fn wait_for(&self, words: &[&str]) -> String {
        self.wait(&words.join(", "), |screen| words.iter().all(|word| screen.contains(word)))
    }

    /// The shell is back, with its previous screen and the exit code, and it echoes input.
    fn is_given_back(&self, code: i32) {
        let screen = self.wait_for(&[&format!("ENDED {code}")]);
        assert!(has_line(&screen, "BEFORE"), "what was there before is there again:\n{screen}");
        assert!(!screen.contains("1 Live"), "{screen}");
        self.type_line("echo AFTER");
        let screen = self.wait("the shell", |screen| has_line(screen, "AFTER"));
        assert!(screen.contains("echo AFTER"), "it echoes:\n{screen}");
    }

    /// Which screen is shown, whether the cursor is visible, and whether the mouse is captured.
    fn modes(&self) -> String {
        self.run(&["display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag}"])
    }

    /// The process of `top` in this terminal.
    fn process_of_top(&self) -> String {
        let shell = self.run(&["display-message", "-p", "#{pane_pid}"]);
        let children =
            Command::new("ps").args(["--no-headers", "-o", "pid,comm", "--ppid", shell.trim()]).output().unwrap();
        let children = String::from_utf8(children.stdout).unwrap();
        let line = children.lines().find(|line| line.contains("gametape")).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    }

    /// Keeps the screens in files, for review after a change.
    fn keep(&self, name: &str) {
        if let Some(folder) = std::env::var_os("GAMETAPE_TOP_SCREENS") {
            std::fs::write(PathBuf::from(folder).join(format!("{name}.txt")), self.screen()).unwrap();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]).output();
    }
}

/// A program that runs at the same time.
struct Beside(Child);

impl Beside {
    fn start(bench: &Bench, arguments: &[&str]) -> Self {
        Self(bench.command(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn signal(&mut self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap().success());
        self.0.wait().unwrap();
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether the shell printed this. Input typed before it was ready follows its prompt.
fn has_line(screen: &str, word: &str) -> bool {
    screen.lines().any(|line| line.ends_with(word) && !line.contains("echo"))
}

/// Whether it contains colours; 39 and 49 are the defaults.
fn has_colour(raw: &str) -> bool {
    let codes =
        raw.split("\x1b[").skip(1).filter_map(|rest| rest.split_once('m')).flat_map(|(codes, _)| codes.split(';'));
    codes.filter_map(|code| code.parse::<u32>().ok()).any(|code| matches!(code, 30..=38 | 40..=48 | 90..=107))
}

/// Every line fits, and every line of the screen was drawn.
fn fits(screen: &str, columns: usize, rows: usize) {
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines.len() <= rows, "{screen}");
    assert!(lines.iter().all(|line| line.chars().count() <= columns), "{screen}");
    assert!(lines.first().is_some_and(|line| line.contains("1 Live") && line.contains("5 Tape")), "{screen}");
}

#[test]
fn beside_a_demo_the_car_is_seen_its_laps_compared_and_its_end_told() {
    if no_tmux("beside_a_demo_the_car_is_seen_its_laps_compared_and_its_end_told") {
        return;
    }
    let bench = Bench::new();
    // Laps can be compared only after the first session on a track, which provides its length.
    bench.expect(0, &["demo", "--laps", "1", "--exit", "--speed", "100"]);
    let mut demo = Beside::start(&bench, &["demo", "--speed", "15"]);
    let terminal = Terminal::new(&bench, "demo", 80, 24, &[]);
    terminal.top("");
    // Found automatically, on any port.
    let first = terminal.wait_for(&["km/h", "rpm", "throttle", "fuel", "psi"]);
    fits(&first, 80, 24);
    terminal.wait("figures that move", |screen| screen.contains("km/h") && *screen != first);
    let live = terminal
        .wait("laps", |screen| screen.contains("S1 ") && screen.contains("gametape ring") && screen.contains("0:3"));
    assert!(live.contains("DRIVING") || live.contains("PIT LANE"), "{live}");
    terminal.keep("demo-live-80x24");
    assert!(has_colour(&terminal.raw_screen()), "the control: there are colours where nobody has forbidden them");

    terminal.press(&["2"]);
    fits(&terminal.wait_for(&["gametape ring", "running", "1 of 2 sessions"]), 80, 24);
    terminal.keep("demo-sessions-80x24");
    terminal.press(&["/"]);
    terminal.press(&["n", "o", "n", "e"]);
    terminal.wait_for(&["/none", "no session matches the filter"]);
    terminal.press(&["Escape"]);
    terminal.wait_for(&["1 of 2 sessions"]);
    terminal.press(&["Enter"]);
    let laps = terminal.wait("four laps", |screen| screen.lines().filter(|line| line.contains("0:3")).count() >= 4);
    fits(&laps, 80, 24);
    assert!(laps.contains("* ") && laps.contains("best"), "{laps}");
    terminal.keep("demo-laps-80x24");

    // Chooses the two laps after the first one: they are complete.
    let is_chosen = |screen: &str, mark: char| {
        screen.lines().any(|line| line.trim_start_matches(['>', ' ']).starts_with(mark) && line.contains("0:3"))
    };
    terminal.press_until(&["3", "x", "Home", "Down", "Space", "Down", "Space"], "two chosen laps", |screen| {
        is_chosen(screen, 'A') && is_chosen(screen, 'B')
    });
    let words = ["km/h A", "km/h B", "thr A", "brk B", "A  0:", "B  0:"];
    let compared =
        terminal.press_until(&["c"], "the comparison", |screen| words.iter().all(|word| screen.contains(word)));
    assert!(compared.contains("lost") || compared.contains("won") || compared.contains("alike"), "{compared}");
    terminal.keep("demo-compare-80x24");

    // Resized while it runs.
    terminal.resize(40, 12);
    fits(&terminal.wait_for(&["1 Live", "2 Sess", "A  0:"]), 40, 12);
    terminal.keep("demo-compare-40x12");
    terminal.press(&["1"]);
    fits(&terminal.wait_for(&["km/h", "thr ", "FL ", "RR "]), 40, 12);
    terminal.keep("demo-live-40x12");
    for (screen, word) in [("2", "gametape"), ("3", "0:3"), ("5", "gametape")] {
        terminal.press(&[screen]);
        fits(&terminal.wait_for(&[word]), 40, 12);
        terminal.keep(&format!("demo-{screen}-40x12"));
    }
    terminal.resize(120, 40);
    // A key that arrives at the moment of a resize waits for the next key.
    terminal.wait("the new size", |screen| screen.lines().next().is_some_and(|line| line.chars().count() > 100));
    terminal.press(&["1"]);
    fits(&terminal.wait_for(&["km/h", "to best", "0:3"]), 120, 40);
    terminal.keep("demo-live-120x40");
    terminal.resize(1, 1);
    terminal.resize(80, 24);
    terminal.wait_for(&["km/h", "throttle"]);

    demo.signal("-INT");
    terminal.wait_for(&["connection to the server lost", "NO RECORDER IS RUNNING"]);
    terminal.keep("demo-gone-80x24");
    terminal.press(&["2"]);
    terminal.wait_for(&["gametape ring"]);
    let _again = Beside::start(&bench, &["demo", "--speed", "10"]);
    terminal.press(&["1"]);
    terminal.wait_for(&["km/h", "throttle"]);
    terminal.press(&["q"]);
    terminal.is_given_back(0);
}

/// Whether something plays into memory of these names.
fn plays(names: &str) -> bool {
    PathBuf::from(format!("/dev/shm/{names}acpmf_physics")).exists()
}

/// The position of the player, in whole seconds: `0:12 of 1:10  x1`.
fn played_s(screen: &str) -> Option<i64> {
    let line = screen.lines().find(|line| line.contains(" of ") && line.contains("  x"))?;
    let at = line.split(" of ").next()?.split_whitespace().last()?;
    at.split(':').try_fold(0, |sum, part| Some(sum * 60 + part.parse::<i64>().ok()?))
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < HANG, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_tape_is_played_from_here_and_stops_with_the_program_whatever_ends_it() {
    if no_tmux("a_tape_is_played_from_here_and_stops_with_the_program_whatever_ends_it") {
        return;
    }
    let bench = Bench::new();
    bench.expect(0, &["demo", "--laps", "2", "--exit", "--speed", "100"]);
    for (test, end, code) in
        [("quit", "q", 0), ("ctrl-c", "C-c", 130), ("term", "-TERM", 0), ("hang-up", "-HUP", 0), ("gone", "", 0)]
    {
        let names = format!("gametape-top-{}-{test}-", std::process::id());
        let terminal = Terminal::new(&bench, test, 80, 24, &[("LC_ALL", "C"), ("NO_COLOR", "1")]);
        terminal.top(&format!("--store demo --names {names}"));
        terminal.wait_for(&["NO RECORDER IS RUNNING"]);
        terminal.press(&["5"]);
        terminal.wait_for(&["gametape ring", "1 of 1 tape"]);
        terminal.press(&["Enter"]);
        terminal.wait_for(&["PLAYING", "x1"]);
        wait_until("it plays", || plays(&names));
        terminal.press(&["Space"]);
        terminal.wait_for(&["PAUSED"]);
        // At any position: it depends on how fast this machine is.
        let stood_s = played_s(&terminal.screen());
        terminal.press(&["Right", "Right", "+", "l"]);
        let shown = terminal.wait("two steps, another speed and the loop", |screen| {
            let on_s = played_s(screen).zip(stood_s).map(|(now, before)| now - before);
            on_s.is_some_and(|on_s| (9..15).contains(&on_s))
                && ["PAUSED", "x2", "loop"].iter().all(|word| screen.contains(word))
        });
        assert!(shown.is_ascii(), "{shown}");
        let raw = terminal.raw_screen();
        assert!(!has_colour(&raw), "no colours: {raw:?}");
        terminal.press(&["Space"]);
        terminal.wait_for(&["PLAYING"]);
        terminal.keep(&format!("play-{test}"));
        let process = terminal.process_of_top();
        if end.is_empty() {
            // The window is closed, or the connection to it is lost.
            drop(terminal);
            wait_until("the process ends", || {
                // A zombie counts as ended.
                std::fs::read_to_string(format!("/proc/{process}/stat")).map_or(true, |stat| stat.contains(") Z "))
            });
            assert!(!plays(&names), "the game is gone with the terminal");
            continue;
        }
        if end.starts_with('-') {
            assert!(Command::new("kill").args([end, &process]).status().unwrap().success());
        } else {
            terminal.press(&[end]);
        }
        terminal.is_given_back(code);
        assert!(!plays(&names), "the game is gone, after {test}");
    }
}

#[test]
fn after_a_panic_the_terminal_is_as_it_was_and_the_game_that_was_played_is_gone() {
    if no_tmux("after_a_panic_the_terminal_is_as_it_was_and_the_game_that_was_played_is_gone") {
        return;
    }
    let bench = Bench::new();
    bench.expect(0, &["demo", "--laps", "1", "--exit", "--speed", "100"]);
    for (fault, code) in [("screen", 101), ("thread", 1)] {
        let names = format!("gametape-top-{}-{fault}-", std::process::id());
        // The previous content of the screen stays, unless a long report scrolls it away.
        let asked = [("GAMETAPE_TEST_FAULT", fault), ("RUST_BACKTRACE", "0")];
        let terminal = Terminal::new(&bench, fault, 80, 24, &asked);
        let modes = terminal.modes();
        // Mouse capture must be disabled, too.
        terminal.top(&format!("--store demo --mouse --names {names}"));
        terminal.wait_for(&["NO RECORDER IS RUNNING"]);
        assert_ne!(terminal.modes(), modes, "the control: while it runs, the terminal is another");
        terminal.press(&["5"]);
        terminal.wait_for(&["1 of 1 tape"]);
        terminal.press(&["Enter"]);
        wait_until("it plays", || plays(&names));
        terminal.press(&["F12"]);
        terminal.is_given_back(code);
        let screen = terminal.screen();
        assert!(screen.contains("injected fault"), "the reason can be read:\n{screen}");
        assert_eq!(terminal.modes(), modes, "cursor, mouse and screen are as before");
        assert!(!plays(&names), "the game is gone, after {fault}");
    }
}

/// A port that is free at the moment.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn serve(bench: &Bench, bind: &str) -> Beside {
    let mut serving = Beside::start(bench, &["serve", "--bind", bind]);
    let mut line = String::new();
    BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("http://"), "{line}");
    serving
}

#[test]
fn a_server_that_comes_goes_and_comes_back_is_found_again() {
    if no_tmux("a_server_that_comes_goes_and_comes_back_is_found_again") {
        return;
    }
    let bench = Bench::new();
    let address = format!("127.0.0.1:{}", free_port());
    let terminal = Terminal::new(&bench, "server", 80, 24, &[]);
    terminal.top(&format!("--server http://{address}"));
    terminal.wait_for(&["CONNECTION LOST", "refused", "reconnecting"]);
    terminal.keep("server-lost");
    let mut serving = serve(&bench, &address);
    let shown = terminal.wait_for(&["NO GAME"]);
    assert!(shown.contains(&address) && !shown.contains("LOST"), "{shown}");
    serving.signal("-KILL");
    terminal.wait_for(&["CONNECTION LOST"]);
    terminal.press(&["2"]);
    let _serving = serve(&bench, &address);
    // The list is requested over another connection than the one that was lost: it may arrive first.
    terminal
        .wait("the sessions, and the line", |screen| screen.contains("no sessions yet") && !screen.contains("LOST"));
    terminal.press(&["C-l"]);
    terminal.press(&["?"]);
    terminal.wait_for(&["Everywhere", "filter: type words"]);
    terminal.press(&["q"]);
    terminal.is_given_back(0);
}

#[test]
fn a_server_that_wants_a_token_gets_it_from_the_environment_or_a_file() {
    if no_tmux("a_server_that_wants_a_token_gets_it_from_the_environment_or_a_file") {
        return;
    }
    let bench = Bench::new();
    let secret = bench.expect(0, &["token", "add", "eyes"]).out.trim().to_owned();
    let port = free_port();
    let _serving = serve(&bench, &format!("0.0.0.0:{port}"));
    let server = format!("--server http://127.0.0.1:{port}");
    let terminal = Terminal::new(&bench, "token", 80, 24, &[]);
    terminal.top(&server);
    terminal.wait_for(&["CONNECTION LOST", "requires a valid token", "GAMETAPE_TOKEN"]);
    terminal.press(&["q"]);
    terminal.is_given_back(0);
    let file = bench.path("token.txt");
    std::fs::write(&file, format!("{secret}\n")).unwrap();
    terminal.type_line("clear; echo BEFORE");
    terminal.top(&format!("{server} --token-file {}", support::text(&file)));
    terminal.wait_for(&["NO GAME"]);
    terminal.press(&["q"]);
    terminal.is_given_back(0);
    let other = Terminal::new(&bench, "token-env", 40, 12, &[("GAMETAPE_TOKEN", &secret)]);
    other.top(&server);
    other.wait_for(&["NO GAME"]);
    other.press(&["5"]);
    other.wait_for(&["no tapes yet"]);
    std::fs::write(&file, "not a token\n").unwrap();
    bench
        .expect(2, &["top", "--server", "http://127.0.0.1:1", "--token-file", support::text(&file)])
        .is_one_error_with(&["no valid token", "gametape token add"]);
}
