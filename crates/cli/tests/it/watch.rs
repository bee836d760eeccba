//! `watch` and `games` as a process: lines, signals, exit codes, restarts.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use support::ibt::{ibt, lapped_ibt, put};
use support::{Bench, keys, text};

/// Guards against a hang; no test depends on it.
const DEADLINE: Duration = Duration::from_secs(60);

/// A simulated machine: home folder, Steam, documents, tapes.
struct Machine {
    bench: Bench,
}

/// A running `gametape watch`.
struct Watching {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Machine {
    fn new() -> Self {
        let bench = Bench::new();
        std::fs::create_dir(bench.path("home")).unwrap();
        Self { bench }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.bench.path(name)
    }

    fn folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.bench.command(arguments);
        command.env("HOME", self.path("home")).current_dir(self.bench.folder.path());
        for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_DOCUMENTS_DIR", "SNAP_USER_DATA"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, code: i32, arguments: &[&str]) -> support::Ran {
        let ran = support::Ran::of(&self.command(arguments).output().unwrap());
        assert_eq!(ran.code, code, "{arguments:?}\nstdout: {}\nstderr: {}", ran.out, ran.err);
        ran
    }

    /// Starts `gametape watch` with a short quiet period.
    fn watch(&self, arguments: &[&str]) -> Watching {
        let all = [&["watch", "--settle", "400ms"], arguments].concat();
        let mut child = self.command(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = lines(child.stdout.take().unwrap());
        let err = lines(child.stderr.take().unwrap());
        Watching { child, out, err }
    }
}

fn lines(source: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || BufReader::new(source).lines().try_for_each(|line| sender.send(line.unwrap())));
    receiver
}

impl Watching {
    /// Waits until a line on stderr contains these words.
    fn tells(&self, words: &str) -> String {
        loop {
            let line = self.err.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("nothing about {words:?}"));
            if line.contains(words) {
                return line;
            }
        }
    }

    fn ready(self) -> Self {
        self.tells("watching ");
        self
    }

    fn line(&self) -> String {
        self.out.recv_timeout(DEADLINE).unwrap()
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Sends a signal, expects an exit code and no more lines.
    fn end(mut self, signal: &str, code: i32) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(code), "{:?}", self.err.try_iter().collect::<Vec<_>>());
        assert_eq!(self.out.iter().collect::<Vec<_>>(), Vec::<String>::new());
    }
}

/// Sets the modification time of a file to long ago, as of a replay that was finished then.
fn age(path: &Path) {
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn finds_are_json_lines_and_ctrl_c_ends_with_130() {
    let machine = Machine::new();
    let replays = machine.folder("replays");
    let archive = machine.path("archive");
    let watching = machine.watch(&[text(&replays), "--json", "--archive", text(&archive)]).ready();
    put(&replays.join("match.rec"), b"unknown");
    let find = watching.json();
    assert_eq!(
        keys(&find),
        [
            "archive_error",
            "archived",
            "blake3",
            "bytes",
            "complete",
            "files",
            "folder",
            "frames",
            "game",
            "import",
            "import_error",
            "kind",
            "missing",
            "modified_utc",
            "path",
            "problems",
            "rewritten",
            "store",
            "tape",
            "tape_id"
        ]
    );
    assert_eq!((&find["path"], &find["bytes"]), (&text(&replays.join("match.rec")).into(), &7.into()));
    assert_eq!(find["archived"], text(&archive.join("match.rec")));
    for unknown in
        ["store", "tape", "tape_id", "frames", "game", "kind", "archive_error", "import_error", "complete", "missing"]
    {
        assert!(find[unknown].is_null(), "{unknown}: {find}");
    }
    assert_eq!(find["import"], "not_readable");
    // Written slowly: one line, when it is complete.
    let whole = lapped_ibt(3000);
    let mut file = std::fs::File::create_new(replays.join("race.ibt")).unwrap();
    for chunk in whole.chunks(whole.len() / 20) {
        file.write_all(chunk).unwrap();
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(file);
    let find = watching.json();
    assert_eq!((&find["bytes"], &find["kind"], &find["frames"]), (&whole.len().into(), &"ibt".into(), &3000.into()));
    assert_eq!((&find["import"], &find["problems"]), (&"made".into(), &serde_json::json!([])));
    assert_eq!((&find["complete"], &find["files"]), (&true.into(), &serde_json::json!([find["path"]])));
    let tape = machine.path("tapes/race.gtape");
    assert_eq!(find["tape"], text(&tape));
    assert_eq!((&find["store"]["sessions"], &find["store"]["error"]), (&1.into(), &serde_json::Value::Null), "{find}");
    watching.end("-INT", 130);
    let laps = machine.run(0, &["laps", "--json"]).json();
    assert_eq!(laps["sessions"].as_array().unwrap().len(), 1, "what was found is in the store");
    machine.run(0, &["verify", text(&tape), "--against", text(&replays.join("race.ibt"))]);
    let info = machine.run(0, &["info", text(&tape), "--json"]).json();
    assert_eq!(info["tape_id"], find["tape_id"]);
    assert_eq!(names(&archive), ["match.rec", "race.ibt"]);
}

#[test]
fn a_restart_reports_nothing_twice_and_existing_reports_what_came_in_between() {
    let machine = Machine::new();
    let replays = machine.folder("replays");
    put(&replays.join("before.rec"), b"before");
    let watching = machine.watch(&["replays"]).ready();
    put(&replays.join("a.rec"), b"first");
    let line = watching.line();
    assert!(line.starts_with(text(&replays.join("a.rec"))) && line.contains("5 B"), "{line}");
    assert!(line.contains(", blake3 "), "{line}");
    watching.end("-TERM", 0);
    put(&replays.join("between.rec"), b"in between");
    let watching = machine.watch(&["replays"]).ready();
    put(&replays.join("b.rec"), b"second");
    assert!(watching.line().contains("b.rec"));
    watching.end("-INT", 130);
    let watching = machine.watch(&["replays", "--existing"]);
    let mut found = [watching.line(), watching.line()];
    found.sort_unstable();
    assert!(found[0].contains("before.rec") && found[1].contains("between.rec"), "{found:?}");
    watching.end("-INT", 130);
    let watching = machine.watch(&["replays", "--existing"]).ready();
    put(&replays.join("c.rec"), b"third");
    assert!(watching.line().contains("c.rec"));
    watching.end("-INT", 130);
}

#[test]
fn a_killed_watch_has_remembered_all_but_the_last_find_and_leaves_nothing_half() {
    let machine = Machine::new();
    let replays = machine.folder("replays");
    let archive = machine.path("archive");
    let arguments = ["replays", "--existing", "--json", "--archive", text(&archive)];
    let mut watching = machine.watch(&arguments).ready();
    for name in ["a.ibt", "b.ibt"] {
        put(&replays.join(name), &ibt(2000 + name.len() + usize::from(name.as_bytes()[0])));
        assert_eq!(watching.json()["path"], text(&replays.join(name)));
    }
    watching.child.kill().unwrap();
    watching.child.wait().unwrap();
    assert_eq!(
        (names(&archive), names(&machine.path("tapes"))),
        (vec!["a.ibt".into(), "b.ibt".into()], vec!["a.gtape".into(), "b.gtape".into()])
    );
    let watching = machine.watch(&arguments).ready();
    put(&replays.join("c.rec"), b"after");
    let mut next = watching.json();
    if next["path"] == text(&replays.join("b.ibt")) {
        // It was killed before it knew that its reader had received this one: reported twice rather than never, but stored once.
        assert_eq!(
            (&next["import"], &next["archived"]),
            (&"already_there".into(), &text(&archive.join("b.ibt")).into())
        );
        next = watching.json();
    }
    assert_eq!(next["path"], text(&replays.join("c.rec")));
    watching.end("-INT", 130);
    assert_eq!(names(&machine.path("tapes")), ["a.gtape", "b.gtape"]);
}

#[test]
fn a_damaged_source_ends_with_3_and_keeps_what_is_whole() {
    let machine = Machine::new();
    let replays = machine.folder("replays");
    let whole = ibt(100);
    age(&put(&replays.join("cut.ibt"), &whole[..whole.len() - 10]));
    let watching = machine.watch(&["replays", "--existing", "--json"]);
    let find = watching.json();
    assert_eq!((&find["frames"], find["problems"].as_array().unwrap().len()), (&99.into(), 2));
    assert_eq!((&find["complete"], &find["missing"]), (&false.into(), &"rows are missing".into()));
    watching.end("-INT", 3);
}

#[test]
fn a_folder_that_is_not_there_yet_is_waited_for() {
    let machine = Machine::new();
    let watching = machine.watch(&["later", "--pattern", "*.mine"]);
    let waiting = watching.tells("does not exist yet");
    assert!(waiting.contains("later") && waiting.contains("*.mine"), "{waiting}");
    put(&machine.folder("later").join("a.mine"), b"mine");
    assert!(watching.line().contains("a.mine"));
    watching.end("-INT", 130);
}

#[test]
fn replays_of_echo_vr_are_reported_from_any_folder() {
    let machine = Machine::new();
    let replays = machine.folder("replays");
    let watching = machine.watch(&[text(&replays), "--json"]).ready();
    put(&replays.join("match.echoreplay"), b"not a real one");
    // A file that no game writes is not reported.
    put(&replays.join("match.txt"), b"not a replay");
    assert_eq!(watching.json()["path"], text(&replays.join("match.echoreplay")));
    put(&replays.join("later.rec"), b"unknown");
    assert_eq!(watching.json()["path"], text(&replays.join("later.rec")));
    watching.end("-INT", 130);
}

#[test]
fn without_a_folder_the_places_of_games_are_watched() {
    let machine = Machine::new();
    let ran = machine.run(4, &["watch"]);
    ran.is_one_error_with(&["gametape games", "gametape watch DIR"]);
    machine.run(4, &["watch", "--game", "rl"]).is_one_error_with(&["Rocket League", "gametape watch DIR"]);
    machine.run(4, &["watch", "--game", "r6"]).is_one_error_with(&["gametape watch DIR"]);
    // Steam with a second library on another disk, and a game under Proton in it.
    let steam = machine.folder("home/.local/share/Steam/steamapps");
    let library = machine.folder("disk/SteamLibrary");
    let list = format!("\"libraryfolders\"\n{{\n\"0\"\n{{\n\"path\" \"{}\"\n}}\n}}\n", library.display());
    put(&steam.join("libraryfolders.vdf"), list.as_bytes());
    let user = "disk/SteamLibrary/steamapps/compatdata/252950/pfx/drive_c/users/steamuser";
    let demos = machine.folder(&format!("{user}/Documents/My Games/Rocket League/TAGame/Demos"));
    let matches = machine
        .folder("disk/SteamLibrary/steamapps/common/Tom Clancy's Rainbow Six Siege/MatchReplay/Match-2026-01-02_03-04");
    let watching = machine.watch(&["--json"]);
    assert!(watching.tells("watching ").contains("rainbow-six-siege: *.rec"));
    assert!(watching.tells("watching ").contains("rocket-league: *.replay"));
    // Another folder of the same game, which appears later.
    let epic = machine.folder(&format!("{user}/Documents/My Games/Rocket League/TAGame/DemosEpic"));
    put(&demos.join("A1B2.replay"), b"not a real one");
    let find = watching.json();
    assert_eq!((&find["game"], &find["bytes"]), (&"rocket-league".into(), &14.into()));
    put(&epic.join("C3D4.replay"), b"not a real one either");
    assert_eq!(watching.json()["path"], text(&epic.join("C3D4.replay")));
    // A match that ended long ago: nothing will be added to it.
    age(&put(&matches.join("Match-2026-01-02_03-04-R01.rec"), b"round one"));
    let find = watching.json();
    assert_eq!((&find["game"], &find["folder"]), (&"rainbow-six-siege".into(), &true.into()));
    assert_eq!((&find["path"], find["files"].as_array().unwrap().len()), (&text(&matches).into(), 1));
    watching.end("-INT", 130);
    let games = machine.run(0, &["games", "--json"]).json();
    let exists = |id: &str| {
        let game = games["games"].as_array().unwrap().iter().find(|game| game["id"] == id).unwrap().clone();
        game["replays"]["folders"].as_array().unwrap().iter().any(|folder| folder["exists"] == true)
    };
    assert!(exists("rocket-league") && exists("rainbow-six-siege") && !exists("iracing"), "{games}");
    assert!(machine.run(0, &["games"]).out.contains(text(&demos)));
}

#[test]
fn what_cannot_be_watched_is_refused_with_2() {
    let machine = Machine::new();
    let file = put(&machine.path("file"), b"x");
    let watched = machine.folder("replays");
    machine.run(2, &["watch", text(&file)]).is_one_error_with(&["not a folder"]);
    machine.run(2, &["watch", text(&watched), "--archive", text(&watched)]).is_one_error_with(&["archive"]);
    machine.run(2, &["watch", text(&watched), "--pattern", "a/b"]).is_one_error_with(&["pattern"]);
    assert!(machine.run(2, &["watch", "--game", "pong"]).err.contains("rocket-league"));
    assert!(machine.run(2, &["watch", "--game", "assetto-corsa-evo"]).err.contains("--pattern"));
    assert!(machine.run(2, &["watch", "--pattern", "*.rec"]).err.contains("DIR"));
}

#[test]
fn a_reader_that_has_had_enough_is_no_error_and_costs_no_find() {
    let machine = Machine::new();
    let replays = machine.folder("replays");
    let arguments = ["watch", "replays", "--json", "--settle", "100ms"];
    let mut child = machine.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let err = lines(child.stderr.take().unwrap());
    while !err.recv_timeout(DEADLINE).unwrap().contains("watching ") {}
    put(&replays.join("a.rec"), b"nobody hears of it");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let watching = machine.watch(&["replays", "--json"]);
    assert_eq!(watching.json()["bytes"], 18);
    watching.end("-INT", 130);
}

#[test]
fn games_in_the_prefix_of_another_launcher_are_found() {
    let machine = Machine::new();
    let documents = "Games/battlenet/drive_c/users/me/Documents";
    let replays = machine.folder(&format!("{documents}/Warcraft III/BattleNet/1234/Replays/Autosaved"));
    let prefix = machine.path("Games/battlenet");
    let watching = machine.watch(&["--json", "--wine-prefix", text(&prefix), "--poll", "200ms"]);
    assert!(watching.tells("watching ").contains("warcraft-3: *.w3g"));
    put(&replays.join("Replay_2026_01_02_0304.w3g"), b"not a real one");
    assert_eq!(watching.json()["game"], "warcraft-3");
    watching.end("-INT", 130);
    machine.run(2, &["watch", "replays", "--wine-prefix", text(&prefix)]);
}
