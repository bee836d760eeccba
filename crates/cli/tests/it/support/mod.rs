//! Runs the program and checks its output.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic, clippy::print_stderr)]
#[path = "../../../../gametape/tests/it/support/mod.rs"]
pub mod ibt;

use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A separate folder for the program's data.
pub struct Bench {
    pub folder: tempfile::TempDir,
}

/// The result of a run.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub raw: Vec<u8>,
    pub err: String,
}

impl Bench {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
        command
            .args(arguments)
            .env("GAMETAPE_DATA_DIR", self.folder.path())
            .env_remove("NO_COLOR")
            .env_remove("GAMETAPE_STORE");
        command.stdin(Stdio::null());
        command
    }

    /// Runs to the end. Output goes to files: on Windows a pipe may be inherited by system processes that were
    /// started meanwhile, and then its end never comes.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let [mut out, mut err] = [(); 2].map(|()| tempfile::tempfile().unwrap());
        let mut command = self.command(arguments);
        command.stdout(out.try_clone().unwrap()).stderr(err.try_clone().unwrap());
        let status = command.status().unwrap();
        let [stdout, stderr] = [&mut out, &mut err].map(|file| {
            let mut said = Vec::new();
            file.rewind().unwrap();
            file.read_to_end(&mut said).unwrap();
            said
        });
        Ran::of(&Output { status, stdout, stderr })
    }

    /// Runs, expects an exit code, returns stdout.
    pub fn expect(&self, code: i32, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.code, code, "gametape {arguments:?}\nstdout: {}\nstderr: {}", ran.out, ran.err);
        ran
    }

    /// A tape of one stream, 36 s of a simulated car at 100 Hz, as a recorder would have left it in the folder of `demo`.
    pub fn demo_tape(&self) -> String {
        self.driven_tape(3600)
    }

    /// The same with this many frames.
    pub fn driven_tape(&self, frames: usize) -> String {
        use gametape::format::write::{StdFiles, WriteOptions, Writer};
        use gametape::games::acc;
        use gametape_simulator::{Script, Settings, Simulation};
        use zerocopy::IntoBytes as _;
        std::fs::create_dir_all(self.path("demo")).unwrap();
        let (path, written) = (self.path(&format!("demo/driven-{frames}.gtape")), self.path("being-written"));
        let options = WriteOptions {
            start_utc_ns: Some(1_700_000_000_000_000_000),
            journal_bytes: 16 << 20,
            ..WriteOptions::new(gametape::identity::new_id())
        };
        let mut writer = Writer::create(std::sync::Arc::new(StdFiles), &written, &options).unwrap();
        let spec = gametape::layout::stream_of_layout(acc::GAME.id, "physics", "shm", &acc::PHYSICS_800);
        let stream = writer.add_stream(spec).unwrap();
        writer.event(0, "session_start", "practice").unwrap();
        let drive = Simulation::driving(Settings::default(), Script::new());
        for (time_ns, pages) in drive.sample(100).take(frames) {
            writer.append(stream, time_ns, pages.physics.as_bytes()).unwrap();
        }
        writer.finish().unwrap();
        // Programs started by other tests at this moment hold the writer's lock briefly, and the tape would appear to be
        // still recorded.
        std::fs::copy(&written, &path).unwrap();
        std::fs::remove_file(&written).unwrap();
        text(&path).to_owned()
    }

    /// A tape imported from a small .ibt next to it, and the source. It is not in the store.
    pub fn imported(&self, rows: usize) -> (String, String) {
        let source = ibt::put(&self.path("a.ibt"), &ibt::ibt(rows));
        let tape = self.expect(0, &["import", text(&source), "--no-store"]).out.trim().to_owned();
        (tape, text(&source).to_owned())
    }
}

impl Ran {
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            raw: output.stdout.clone(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }

    /// Expects one line that starts with `error:`, or one object with `error` if `--json` was given, that contains these words;
    /// no backtrace.
    pub fn is_one_error_with(&self, words: &[&str]) {
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        let object: Option<serde_json::Value> = serde_json::from_str(&self.err).ok();
        let is_error = object.map_or(self.err.starts_with("error: "), |object| object["error"].is_string());
        assert!(is_error, "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} is not in {}", self.err);
        }
    }
}

/// Prints that a test cannot run here.
pub fn skip(test: &str, why: &str) {
    eprintln!("SKIPPED {test}: {why}");
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = std::fs::OpenOptions::new().append(true).create(true).open(log).unwrap();
        log.write_all(format!("{test}\n").as_bytes()).unwrap();
    }
}

/// Names of the fields of an object, sorted.
pub fn keys(value: &serde_json::Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
