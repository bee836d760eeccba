//! Every example, run the way a user runs it: as a program, with a game beside it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs)]
use crate::game;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use game::{Game, prefix, wait_until};
use gametape::sys::{Prefix, SectionWriter};
use gametape::{Tape, acc};

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
    let tape = Tape::open(&path).unwrap();
    assert!(tape.is_complete());
    let recorded = tape.frames::<acc::Physics>().unwrap().count();
    assert!(
        text.ends_with(&format!("{recorded} frames in {}\n", Path::new("sessions").join(name).display())),
        "{text}"
    );
    assert!(recorded >= 50);
}

#[test]
fn several_sources_has_a_tape_for_each() {
    let (prefix, folder) = (prefix("several"), tempfile::tempdir().unwrap());
    let driving = Driving::start(&prefix);
    let mut child = start("several_sources", folder.path(), &[prefix.as_str()]);
    let [physics, graphics] = ["physics", "graphics"].map(|name| folder.path().join(format!("my_race/{name}.gtape")));
    wait_until("it records", || {
        assert!(child.try_wait().unwrap().is_none(), "{}", error_text(&mut child));
        let frames = |path: &Path| Tape::open(path).map_or(0, |tape| tape.streams().map(|s| s.totals().frames).sum());
        frames(&physics) > 50 && graphics.exists()
    });
    let text = interrupt_after(child, 0);
    drop(driving);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(Tape::open(&physics).unwrap().frames::<acc::Physics>().unwrap().count() > 40);
    assert!(Tape::open(&graphics).unwrap().frames::<acc::Graphics>().unwrap().count() > 0);
}

#[test]
fn realtime_only_writes_nothing_and_ends_with_the_game() {
    let (prefix, folder) = (prefix("realtime"), tempfile::tempdir().unwrap());
    let driving = Driving::start(&prefix);
    let mut child = start("realtime_only", folder.path(), &[prefix.as_str()]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..20 {
        assert!(out.read_line(&mut text).unwrap() > 0, "it ended early: {}", error_text(&mut child));
    }
    drop(driving);
    out.read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(text.lines().all(|line| line.contains(" s ")), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn read_and_analyse_reads_a_tape() {
    let tape = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../games/src/assetto_corsa_competizione/testcases/lap-and-pits/frames.gtape"
    );
    let folder = tempfile::tempdir().unwrap();
    let output = start("read_and_analyse", folder.path(), &[tape]).wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("top speed 1") && text.contains("brake was hottest"), "{text}");
}

#[test]
fn your_own_game_is_recorded_from_its_shared_memory() {
    let (prefix, folder) = (prefix("own"), tempfile::tempdir().unwrap());
    let section = SectionWriter::create(&prefix.section("my_game"), 12).unwrap();
    let end = Arc::new(AtomicBool::new(false));
    let wanted = Arc::clone(&end);
    let game = std::thread::spawn(move || {
        let mut tick = 0u32;
        while !wanted.load(Ordering::Relaxed) {
            tick += 1;
            let car = [tick.to_le_bytes(), 3i32.to_le_bytes(), (tick as f32).to_le_bytes()].concat();
            section.write(0, &car).unwrap();
            std::thread::sleep(Duration::from_millis(10));
        }
        section.remove().unwrap();
    });
    let text = interrupt_after(start("your_own_game", folder.path(), &[prefix.as_str()]), 20);
    end.store(true, Ordering::Relaxed);
    game.join().unwrap();
    assert!(text.lines().next().unwrap().contains(" gear 3 "), "{text}");
    let [path] = tapes(&folder.path().join("sessions")).try_into().unwrap();
    assert!(path.file_name().unwrap().to_str().unwrap().starts_with("my-game_car_"));
    let tape = Tape::open(&path).unwrap();
    assert!(tape.is_complete() && tape.stream_named("car").unwrap().spec().channel("speed").is_some());
}

#[test]
fn replay_folder_prints_each_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("replays")).unwrap();
    let mut file = std::fs::File::create_new(folder.path().join("replays/a.w3g")).unwrap();
    file.write_all(b"not a real one").unwrap();
    let text = interrupt_after(start("replay_folder", folder.path(), &["replays"]), 1);
    assert!(text.ends_with("a.w3g: 14 bytes\n"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no tape");
}

#[test]
fn udp_game_records_datagrams() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start("udp_game", folder.path(), &["127.0.0.1:0"]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for number in 0..10u8 {
        socket.send_to(&[number; 33], &address).unwrap();
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "{}", error_text(&mut child));
        assert!(line.ends_with(" 33 bytes\n"), "{line}");
    }
    child.stdout = Some(out.into_inner());
    assert!(interrupt_after(child, 0).ends_with("1 tapes\n"));
}

#[test]
fn udp_packets_calls_back_with_structs() {
    let folder = tempfile::tempdir().unwrap();
    let free = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut child = start("udp_packets", folder.path(), &[&free]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, format!("listening on {free}\n"), "{}", error_text(&mut child));
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for number in 1..10_u32 {
        socket.send_to(b"something else", &free).unwrap();
        let speed = number as f32 / 2.0;
        socket.send_to(&[*b"CAR1", number.to_le_bytes(), speed.to_le_bytes()].concat(), &free).unwrap();
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "{}", error_text(&mut child));
        assert!(line.ends_with(&format!(" tick {number} {speed} m/s\n")), "{line}");
    }
    child.stdout = Some(out.into_inner());
    assert!(interrupt_after(child, 0).ends_with("1 tapes\n"));
    let [path] = tapes(&folder.path().join("sessions")).try_into().unwrap();
    let tape = Tape::open(&path).unwrap();
    assert!(tape.stream_named("car").unwrap().spec().channel("speed").is_some());
    // What came before the first packet starts no tape.
    let frames = |name: &str| tape.stream_named(name).unwrap().totals().frames;
    assert_eq!((frames("car"), frames("other")), (9, 8));
}

#[test]
fn f1_speed_records_a_supported_game_on_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let free = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut child = start("f1_speed", folder.path(), &[&free]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let sent = crate::datagrams::traffic(gametape::games::find_game("f1-25").unwrap(), 0).datagrams;
    let stop = Arc::<AtomicBool>::default();
    let over = Arc::clone(&stop);
    // It is not known when the program listens.
    let sending = std::thread::spawn(move || {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        for datagram in sent.iter().cycle().take_while(|_| !over.load(Ordering::Relaxed)) {
            socket.send_to(datagram, &free).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let mut lines = Vec::new();
    while lines.len() < 20 {
        let mut line = String::new();
        assert!(out.read_line(&mut line).unwrap() > 0, "{}", error_text(&mut child));
        lines.push(line);
    }
    assert!(lines.iter().all(|line| line.ends_with(" km/h\n")), "{lines:?}");
    child.stdout = Some(out.into_inner());
    let rest = interrupt_after(child, 0);
    stop.store(true, Ordering::Relaxed);
    sending.join().unwrap();
    assert!(rest.ends_with(" tapes\n"), "{rest}");
    let path = tapes(&folder.path().join("sessions")).remove(0);
    let tape = Tape::open(&path).unwrap();
    assert_eq!(tape.stream_named("car-telemetry").unwrap().spec().game, "f1-25");
}
