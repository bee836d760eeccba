//! `gametape` without a command: a scripted race through real shared memory is returned by the API, the store and the tape as it was
//! driven.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::game::this_machine::ThisMachine;
use crate::support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use gametape_simulator::live::{GameClock, LiveGame};
use gametape_simulator::{Script, Simulation};
use serde_json::Value;
use support::Bench;

/// The main job in its own process.
struct Job {
    child: Child,
    address: String,
    said: BufReader<ChildStderr>,
}

impl Job {
    fn start(bench: &Bench, prefix: &str) -> Self {
        Self::of(bench.command(&[]), prefix)
    }

    fn of(mut command: Command, prefix: &str) -> Self {
        command.env("GAMETAPE_NAMES", prefix).env("GAMETAPE_WINE", "off");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address = line.trim().rsplit_once("http://").unwrap().1.to_owned();
        Self { child, address, said }
    }

    fn get(&self, path: &str) -> Value {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        socket.write_all(request.as_bytes()).unwrap();
        let mut said = String::new();
        socket.read_to_string(&mut said).unwrap();
        serde_json::from_str(said.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Follows the live stream until the socket is closed.
    fn listen(&self) -> std::thread::JoinHandle<String> {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let request = format!("GET /api/v1/live?car=20 HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        socket.write_all(request.as_bytes()).unwrap();
        std::thread::spawn(move || {
            let mut said = Vec::new();
            let _ = socket.read_to_end(&mut said);
            String::from_utf8_lossy(&said).into_owned()
        })
    }

    /// Waits until this is published.
    fn wait_for(&self, event: &'static str) -> std::thread::JoinHandle<()> {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let request = format!("GET /api/v1/live HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        socket.write_all(request.as_bytes()).unwrap();
        std::thread::spawn(move || {
            // A quiet stream still sends keep-alives.
            let until = Instant::now() + Duration::from_secs(120);
            let mut lines = BufReader::new(socket).lines().take_while(|_| Instant::now() < until);
            assert!(lines.any(|line| line.unwrap() == format!("event: {event}")), "{event} did not come");
        })
    }

    /// Stops it as Ctrl+C does; returns the exit code, stdout and stderr.
    fn end(mut self) -> (Option<i32>, String, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let (mut said, mut out) = (String::new(), String::new());
        self.said.read_to_string(&mut said).unwrap();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        (self.child.wait().unwrap().code(), out, said)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn drive(prefix: &str, script: Script) {
    let mut game = LiveGame::start(ThisMachine, prefix, Simulation::bare(script)).unwrap();
    let clock = GameClock::in_real_time(1.0);
    game.run(&clock, || false, |_| true).unwrap();
    game.stop(&clock).unwrap();
}

/// Time, sectors and validity of the finished laps.
fn finished(sessions: &Value) -> Vec<(u64, Vec<u64>, Option<bool>)> {
    let laps = sessions["sessions"].as_array().unwrap().iter().flat_map(|session| session["laps"].as_array().unwrap());
    let done = laps.filter(|lap| lap["state"] == "final");
    done.map(|lap| {
        let sectors = lap["sectors_ms"].as_array().unwrap().iter().map(|ms| ms.as_u64().unwrap()).collect();
        (lap["time_ms"].as_u64().unwrap(), sectors, lap["valid"].as_bool())
    })
    .collect()
}

/// Without values from a page other than that of the lap: which of the two was copied first at the line may differ by a frame.
fn without_weather(mut report: Value) -> Value {
    let sessions = report["sessions"].as_array_mut().unwrap();
    for session in sessions {
        for lap in session["laps"].as_array_mut().unwrap() {
            for value in ["conditions", "fuel_used_l"] {
                lap.as_object_mut().unwrap().remove(value);
            }
        }
        for stint in session["stints"].as_array_mut().unwrap() {
            stint.as_object_mut().unwrap().retain(|name, _| !name.starts_with("fuel"));
        }
    }
    report
}

#[test]
fn a_scripted_race_comes_out_of_the_api_the_store_and_the_tape_as_it_was_driven() {
    let bench = Bench::new();
    let prefix = format!("main-job-{}-", std::process::id());
    let job = Job::start(&bench, &prefix);
    let heard = job.listen();
    let script = Script::new()
        .lap(&[3_500, 4_700, 3_200])
        .lap(&[3_400, 4_100, 3_300])
        .lap(&[3_600, 4_400, 3_100])
        .at(15_000)
        .cut()
        .at(37_000)
        .end();
    drive(&prefix, script);
    let expected = vec![
        (11_400, vec![3_500, 4_700, 3_200], Some(true)),
        (10_800, vec![3_400, 4_100, 3_300], Some(false)),
        (11_100, vec![3_600, 4_400, 3_100], Some(true)),
    ];
    let since = Instant::now();
    let answer = loop {
        let answer = job.get("/api/v1/sessions?laps=true");
        let ended = answer["sessions"].as_array().unwrap().first().is_some_and(|one| !one["ended_utc"].is_null());
        if ended || since.elapsed() > Duration::from_secs(90) {
            break answer;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(finished(&answer), expected);
    let session = &answer["sessions"][0];
    assert_eq!((session["best_ms"].as_u64(), session["sector_count"].as_u64()), (Some(11_100), Some(3)));
    assert_eq!(session["best_lap"], session["laps"][2]["id"], "the faster one was cut");
    let (code, out, said) = job.end();
    assert_eq!(code, Some(130), "{said}");
    for words in ["0:11.400", "0:10.800!", "0:11.100"] {
        assert!(said.contains(words), "{words:?} is not in {said}");
    }
    // A busy machine may miss samples.
    assert!(said.contains("nothing was lost") || said.contains("every captured frame is stored"), "{said}");
    let heard = heard.join().unwrap();
    assert_eq!(heard.matches("event: lap_final").count(), 3, "{heard}");
    assert!(heard.find("event: lap_opened") < heard.find("event: lap_final"), "{heard}");

    // Live clients saw the car drive, with the ids of the store, and the delta to the best lap so far.
    let cars: Vec<Value> = heard
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str::<Value>(data).unwrap())
        .filter(|message| message["kind"] == "car")
        .map(|message| message["data"].clone())
        .collect();
    assert_eq!((&cars[0]["state"], &cars.last().unwrap()["state"]), (&"waiting".into(), &"waiting".into()));
    let in_lap = |number: usize| {
        let id = &session["laps"][number]["id"];
        let seen: Vec<&Value> =
            cars.iter().filter(|car| car["lap"]["id"] == *id && car["state"] == "driving").collect();
        // How often depends on the machine; the benchmark `live-ui` measures it.
        assert!(seen.len() > 5, "lap {number} was seen {} times", seen.len());
        seen.iter().filter_map(|car| car["delta_session_ms"].as_i64()).collect::<Vec<_>>()
    };
    assert!(in_lap(0).is_empty(), "there is nothing to compare with");
    let second = in_lap(1);
    assert!((second.last().unwrap() + 600).abs() <= 60, "{second:?}");
    let third = in_lap(2);
    assert!((third.last().unwrap() + 300).abs() <= 60, "against the first: the second does not count: {third:?}");

    // The store and the tape agree.
    let stored = bench.expect(0, &["laps", "--json"]).json();
    assert_eq!(finished(&stored), expected);
    let tape = out.trim();
    let of_tape = bench.expect(0, &["laps", tape, "--json"]).json();
    assert_eq!(without_weather(of_tape), without_weather(stored.clone()));
    let id = |number: usize| stored["sessions"][0]["laps"][number]["id"].as_str().unwrap().to_owned();
    let compared = bench.expect(0, &["compare", &id(0), &id(2), "--json"]).json();
    assert_eq!(compared["b"]["time_ms"], 11_100);
    assert!(bench.expect(0, &["laps", "rebuild"]).out.starts_with("0 tapes tracked"), "all is in the store already");
}

#[test]
fn h1_a_lap_that_was_told_of_is_there_though_the_job_is_killed_at_once() {
    let bench = Bench::new();
    let prefix = format!("main-job-killed-{}-", std::process::id());
    let mut job = Job::start(&bench, &prefix);
    let told = job.wait_for("lap_final");
    let driving = std::thread::spawn({
        let prefix = prefix.clone();
        move || drive(&prefix, Script::new().lap(&[3_500, 4_700, 3_200]).at(16_000).end())
    });
    told.join().unwrap();
    job.child.kill().unwrap();
    driving.join().unwrap();
    let expected = vec![(11_400, vec![3_500, 4_700, 3_200], Some(true))];
    assert_eq!(finished(&bench.expect(0, &["laps", "--json"]).json()), expected);
    // The interrupted tape gives the same lap, not a second one.
    bench.expect(0, &["laps", "rebuild", "--all"]);
    let again = bench.expect(0, &["laps", "--json"]).json();
    assert_eq!(finished(&again), expected);
    assert_eq!(again["sessions"][0]["end_reason"], "crash_recovered");
}

#[test]
fn tapes_that_were_only_recorded_get_their_laps_when_they_are_rebuilt() {
    let bench = Bench::new();
    bench.expect(4, &["laps"]).is_one_error_with(&["no laps yet", "gametape demo"]);
    let tape = bench.expect(0, &["demo", "--laps", "2", "--speed", "50", "--exit"]).out;
    let shown = bench.expect(0, &["laps"]);
    assert!(shown.err.contains("gametape demo") && shown.out.contains("best 0:3"), "{}{}", shown.err, shown.out);

    // As `record` leaves it: a tape that was not tracked.
    std::fs::create_dir_all(bench.path("tapes")).unwrap();
    let own = bench.path("tapes/own.gtape");
    std::fs::copy(tape.trim(), &own).unwrap();
    bench.expect(4, &["laps"]).is_one_error_with(&["gametape laps rebuild"]);
    let first = bench.expect(0, &["laps", "rebuild", "--json"]).json();
    assert_eq!((&first["tapes"]["tracked"], &first["tapes"]["new"]), (&1.into(), &1.into()));
    let laps = bench.expect(0, &["laps", "--json"]).json();
    assert_eq!(laps, bench.expect(0, &["laps", support::text(&own), "--json"]).json());
    let again = bench.expect(0, &["laps", "rebuild", "--all", "--json"]).json();
    assert_eq!((&again["entries"]["new"], &again["entries"]["changed"]), (&0.into(), &0.into()), "{again}");
    assert_eq!(bench.expect(0, &["laps", "--json"]).json(), laps);

    std::fs::rename(&own, bench.path("tapes/moved.gtape")).unwrap();
    assert_eq!(bench.expect(0, &["laps", "rebuild", "--json"]).json()["tapes"]["moved"], 1);
    std::fs::remove_file(bench.path("tapes/moved.gtape")).unwrap();
    let gone = bench.expect(0, &["laps", "rebuild"]).out;
    assert!(gone.contains("1 missing; their laps are kept"), "{gone}");
    assert_eq!(bench.expect(0, &["laps", "--json"]).json(), laps);
    bench.expect(2, &["laps", "rebuild", "no-such-folder"]).is_one_error_with(&["is not a folder"]);
}

#[test]
fn without_a_store_it_still_records() {
    let bench = Bench::new();
    let mut command = bench.command(&["demo", "--exit", "--speed", "50"]);
    // A folder is at the path of the file.
    std::fs::create_dir_all(bench.path("demo/laps.sqlite")).unwrap();
    let ran = support::Ran::of(&command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err.contains("warning: recording without laps") && ran.err.contains("gametape laps rebuild"),
        "{}",
        ran.err
    );
    bench.expect(0, &["verify", ran.out.trim()]);
}

#[test]
fn a_second_one_says_that_the_first_runs_and_where() {
    let bench = Bench::new();
    let prefix = format!("main-job-second-{}-", std::process::id());
    // The requested address is in use; port 0 is any free one.
    let mut command = bench.command(&["--names", &prefix, "--bind", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut lines = String::new();
    while !lines.contains(&format!("shared-memory names start with {prefix}")) {
        assert!(said.read_line(&mut lines).unwrap() > 0, "{lines}");
    }
    let address = lines.lines().next().unwrap().rsplit_once("http://").unwrap().1.to_owned();
    let job = Job { child, address: address.clone(), said };
    assert!(job.get("/api/v1/sessions")["sessions"].is_array());
    bench.expect(1, &["--names", &prefix]).is_one_error_with(&["already running", &address, "Ctrl+C"]);
    // A recorder with other names does not conflict.
    let other = format!("{prefix}other-");
    let second = Job::start(&bench, &other);
    assert_ne!(second.address, address);
    assert_eq!((second.end().0, job.end().0), (Some(130), Some(130)));
}

#[test]
fn an_address_that_others_can_reach_needs_a_token_and_one_that_is_taken_is_an_error() {
    let bench = Bench::new();
    for command in [&[][..], &["demo", "--exit"]] {
        let refused = bench.expect(2, &[command, &["--bind", "0.0.0.0"]].concat());
        refused.is_one_error_with(&["0.0.0.0", "gametape token add"]);
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap().to_string();
        bench.expect(1, &[command, &["--bind", &address]].concat()).is_one_error_with(&[&address, "--bind"]);
    }
    bench.expect(2, &["--bind", "nowhere"]);
}

#[test]
fn data_are_for_the_user_alone_whoever_makes_them_and_a_folder_that_exists_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let ibt = Bench::new();
    let (_, ibt_file) = ibt.imported(10);
    for first in [
        &["demo", "--exit", "--speed", "100"][..],
        &["token", "add", "first"],
        &["laps", "rebuild"],
        &["import", &ibt_file],
    ] {
        let bench = Bench::new();
        let data = bench.path("deep/data");
        let mut command = bench.command(first);
        command.env("GAMETAPE_DATA_DIR", &data);
        assert!(command.output().unwrap().status.success(), "{first:?}");
        let mut folders = vec![data.clone()];
        let mut files = 0;
        while let Some(folder) = folders.pop() {
            assert_eq!(mode(&folder), 0o700, "{first:?}: {}", folder.display());
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files += 1;
                    assert_eq!(mode(&path), 0o600, "{first:?}: {}", path.display());
                }
            }
        }
        assert!(files > 0, "{first:?}");
    }
    let bench = Bench::new();
    std::fs::create_dir(bench.path("demo")).unwrap();
    std::fs::set_permissions(bench.path("demo"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let tape = bench.expect(0, &["demo", "--exit", "--speed", "100"]).out;
    assert_eq!((mode(&bench.path("demo")), mode(std::path::Path::new(tape.trim()))), (0o755, 0o600));
}

#[test]
fn idle_connections_do_not_take_the_files_that_recording_needs() {
    let bench = Bench::new();
    let prefix = format!("main-job-files-{}-", std::process::id());
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 256 && exec \"$0\"", env!("CARGO_BIN_EXE_gametape")]);
    command.env("GAMETAPE_DATA_DIR", bench.folder.path()).env_remove("GAMETAPE_STORE").stdin(Stdio::null());
    let job = Job::of(command, &prefix);
    // Some are closed at once; the others receive nothing.
    let idle: Vec<_> = (0..300).map(|_| TcpStream::connect(&job.address)).collect();
    drive(&prefix, Script::new().lap(&[1_000, 1_000, 1_000]));
    drop(idle);
    let (code, _, said) = job.end();
    assert_eq!(code, Some(130), "{said}");
    assert!(!said.contains("open files"), "{said}");
    let info = bench.expect(0, &["info", "--json"]).json();
    let frames: u64 = info["streams"].as_array().unwrap().iter().map(|stream| stream["frames"].as_u64().unwrap()).sum();
    assert!(frames > 100, "{info}");
}
