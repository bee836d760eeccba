//! Watches on real folders: with a clock that the test controls ([`Fake`]), and with the real clock and real events ([`Live`]).

mod complete;
mod folders;
mod items;
pub(in crate::watch) mod keeping;
mod library;
mod restart;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use super::engine::{Engine, Step};
use super::signals::Signal;
use super::*;

/// Guards against a hang; no test waits for it.
const DEADLINE: Duration = Duration::from_secs(60);
const SETTLE: Duration = Duration::from_secs(2);
/// When a replay is reported although something is missing.
const UNFINISHED: Duration = Duration::from_secs(300);
const LONG: Duration = Duration::from_secs(1_000_000);

/// A folder to watch, and others beside it.
struct Bench {
    root: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("replays")).unwrap();
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Creates a file in the watched folder.
    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path("replays").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create_new(&path).unwrap().write_all(bytes).unwrap();
        path
    }

    fn folder(&self) -> Folder {
        Folder::new(self.path("replays")).pattern("*.replay").unwrap().recursive()
    }

    /// Watches the folder with a state file. Rescans are so rare that only events, or explicit scans, find a file.
    fn watch(&self) -> Watch {
        Watch::new()
            .folder(self.folder())
            .remember_in(self.path("state"))
            .settle(SETTLE)
            .look_every(Duration::from_secs(3), LONG)
    }
}

fn append(path: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// A watch whose clock the test controls.
struct Fake {
    engine: Engine,
    now: Instant,
    notices: Vec<Notice>,
}

impl Fake {
    /// Starts, and scans the folders.
    fn new(watch: Watch) -> Self {
        let now = Instant::now();
        let engine = Engine::new(watch.setup().checked().unwrap(), now).unwrap();
        let mut fake = Self { engine, now, notices: Vec::new() };
        assert!(fake.pass(Duration::ZERO).is_empty());
        fake
    }

    /// Without events; scans only on request.
    fn deaf(watch: Watch) -> Self {
        Self::new(watch.polling(LONG))
    }

    /// Advances the clock. Returns the finds.
    fn pass(&mut self, time: Duration) -> Vec<Found> {
        let end = self.now + time;
        let mut finds = Vec::new();
        loop {
            match self.engine.step(self.now) {
                Step::Event(WatchEvent::Found(found)) => {
                    finds.push(*found);
                    self.engine.confirm();
                }
                Step::Event(WatchEvent::Notice(notice)) => self.notices.push(notice),
                Step::Idle(until) if until > end => break,
                Step::Idle(until) => self.now = until,
            }
        }
        self.now = end;
        finds
    }

    /// Scans all folders, then advances the clock. Returns the names of the finds.
    fn scan_and_pass(&mut self, time: Duration) -> Vec<String> {
        self.engine.handle(Signal::Overflow, self.now);
        self.pass(time).iter().map(|found| name(&found.path)).collect()
    }

    /// Ends the watch as if it was stopped.
    fn end(mut self) {
        self.engine.confirm();
        assert_eq!(self.engine.finish(), None);
    }
}

/// A watch on a thread, with real events and the real clock.
struct Live {
    finds: Receiver<(PathBuf, u64)>,
    notices: Receiver<Notice>,
    watching: Watching,
}

impl Live {
    fn new(watch: Watch) -> Self {
        let (found, finds) = mpsc::channel();
        let (notice, notices) = mpsc::channel();
        let watching = watch
            .on_found(move |it| found.send((it.path.clone(), it.bytes)).unwrap())
            .on_notice(move |it| notice.send(it.clone()).unwrap())
            .start()
            .unwrap();
        Self { finds, notices, watching }
    }

    fn found(&self) -> (String, u64) {
        let (path, bytes) = self.finds.recv_timeout(DEADLINE).unwrap();
        (name(&path), bytes)
    }

    /// Waits for a notice.
    fn until(&self, wanted: impl Fn(&Notice) -> bool) {
        while !wanted(&self.notices.recv_timeout(DEADLINE).unwrap()) {}
    }

    fn until_watching(self) -> Self {
        self.until(|notice| matches!(notice, Notice::Watching { looking_because: None, .. }));
        self
    }

    /// Stops the watch. Returns undelivered finds.
    fn end(self) -> Vec<String> {
        let watched = self.watching.stop();
        assert_eq!(watched.callback_panics, 0);
        self.finds.try_iter().map(|(path, _)| name(&path)).collect()
    }
}
