//! A test bench for the driver: time advances in steps, the source is scripted, and the tapes are real.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use gametape_format::read::Tape;
use gametape_format::write::{Files, JournalFile, StdFiles, TapeFile};
use gametape_format::{Counters, Role};
use gametape_games::{About, Presence};
use tempfile::TempDir;

use super::super::super::judge::Judge;
use super::super::super::observer::{ObservedFrame, Observer, TapeBegins};
use super::super::super::options::{Destination, EndReason, RecordOptions, RecorderEvent, TapeSummary};
use super::super::super::progress::Progress;
use super::super::super::tapes::Tapes;
use super::super::Driver;
use crate::transport::Clock;
use crate::transport::{Away, Pace, Source, SourceError, State};
use crate::transport::{Batch, Description};

pub(super) const LIVE: State = State::Here(Presence::Live);
pub(super) const PAUSED: State = State::Here(Presence::Paused);
pub(super) const MENU: State = State::Away(Away::Off);

/// A clock that only tests advance.
#[derive(Default)]
struct StepClock(AtomicU64);

impl Clock for StepClock {
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn utc_ns(&self) -> i64 {
        1_700_000_000_000_000_000 + self.now_ns() as i64
    }

    fn sleep_until_ns(&self, _moment_ns: u64) {}
}

/// A scripted source. Each read returns the newest number as a frame of stream 0, and the frames that a test adds.
pub(super) struct Scripted {
    pub(super) description: Description,
    pub(super) state: State,
    pub(super) number: u32,
    /// Additional bytes of a frame after its number.
    pub(super) more_bytes: usize,
    /// Frames for the next read, after the number: stream, age in nanoseconds, bytes.
    pub(super) also: Vec<(usize, u64, Vec<u8>)>,
    pub(super) session: Option<u64>,
    pub(super) about: About,
    pub(super) about_changes: Option<u64>,
}

impl Source for Scripted {
    fn pace(&self) -> Pace {
        Pace::Every(Duration::from_millis(10))
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        batch.describe(self.description.clone());
        if matches!(self.state, State::Here(_)) {
            let mut frame = self.number.to_le_bytes().to_vec();
            frame.resize(4 + self.more_bytes, 0);
            batch.frame(0, clock.now_ns(), &frame);
            for (stream, ago_ns, bytes) in self.also.drain(..) {
                batch.frame(stream, clock.now_ns() - ago_ns, &bytes);
            }
        }
        Ok(self.state.clone())
    }

    fn session_key(&self) -> Option<u64> {
        self.session
    }

    fn about(&self) -> About {
        self.about.clone()
    }

    fn about_changes(&self) -> Option<u64> {
        self.about_changes
    }
}

/// A file system on which creating files blocks while the gate is closed, or fails.
#[derive(Default)]
struct GatedFiles {
    closed: Mutex<bool>,
    opened: Condvar,
    broken: AtomicBool,
    /// When set, writing to the tapes that hold it fails. Later tapes get a new flag.
    writes_fail: Mutex<Arc<AtomicBool>>,
    /// When set, writing to a journal panics.
    panics: Arc<AtomicBool>,
}

impl GatedFiles {
    fn set_closed(&self, closed: bool) {
        *self.closed.lock().unwrap() = closed;
        self.opened.notify_all();
    }
}

impl Files for GatedFiles {
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        drop(self.opened.wait_while(self.closed.lock().unwrap(), |closed| *closed).unwrap());
        match self.broken.load(Ordering::Relaxed) {
            true => Err(io::Error::other("no room")),
            false => {
                let fails = Arc::clone(&self.writes_fail.lock().unwrap());
                Ok(Box::new(GatedTape { inner: StdFiles.create_tape(path)?, fails }))
            }
        }
    }

    fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
        Ok(Box::new(GatedJournal { inner: StdFiles.create_journal(path, bytes)?, panics: Arc::clone(&self.panics) }))
    }
}

struct GatedTape {
    inner: Box<dyn TapeFile>,
    fails: Arc<AtomicBool>,
}

impl TapeFile for GatedTape {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        if self.fails.load(Ordering::Relaxed) {
            return Err(io::Error::other("the disk is broken"));
        }
        self.inner.append(data)
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.inner.truncate(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.inner.sync()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        self.inner.is_at(path)
    }
}

struct GatedJournal {
    inner: Box<dyn JournalFile>,
    panics: Arc<AtomicBool>,
}

impl JournalFile for GatedJournal {
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
        assert!(!self.panics.load(Ordering::Relaxed), "a test wants this panic");
        self.inner.write(at, data)
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.inner.read(at, buffer)
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        self.inner.is_at(path)
    }
}

/// What an observer received: the number of frames, and for each gap the number of frames before it and its length.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) frames: usize,
    pub(super) gaps: Vec<(usize, u64)>,
}

struct Listens(Arc<Mutex<Heard>>);

impl Observer for Listens {
    fn begin(&mut self, _: &TapeBegins<'_>) {}

    fn frame(&mut self, _: &ObservedFrame<'_>) {
        self.0.lock().unwrap().frames += 1;
    }

    fn gap(&mut self, _: u64, length_ns: u64) {
        let mut heard = self.0.lock().unwrap();
        let frames = heard.frames;
        heard.gaps.push((frames, length_ns));
    }
}

pub(super) struct Bench {
    pub(super) heard: Arc<Mutex<Heard>>,
    pub(super) source: Scripted,
    pub(super) progress: Arc<Progress>,
    pub(super) driver: Driver,
    clock: Arc<StepClock>,
    files: Arc<GatedFiles>,
    hear: Receiver<RecorderEvent>,
    told: Vec<RecorderEvent>,
    opened: Vec<PathBuf>,
    folder: TempDir,
}

/// A tape that was closed.
pub(super) struct Ended {
    pub(super) reason: EndReason,
    /// The numbers in the frames of stream 0, without unchanged ones.
    pub(super) numbers: Vec<u32>,
    pub(super) tape: Tape,
}

impl Ended {
    /// Reads a file, closed or not. Returns `None` if it does not exist.
    fn of(path: &Path, reason: EndReason) -> Option<Self> {
        let mut ended = Self { reason, numbers: Vec::new(), tape: Tape::open(path).ok()? };
        let number = |(_, bytes): (u64, Vec<u8>)| u32::from_le_bytes(*bytes.first_chunk().unwrap());
        ended.numbers = ended.frames("numbers").into_iter().map(number).collect();
        Some(ended)
    }

    pub(super) fn events(&self, kind: &str) -> Vec<String> {
        self.tape.events().into_iter().filter(|event| event.kind == kind).map(|event| event.text).collect()
    }

    pub(super) fn counters(&self, stream: &str) -> Counters {
        self.tape.stream_named(stream).unwrap().status().counters
    }

    /// Returns times and bytes of a stream's frames.
    pub(super) fn frames(&self, stream: &str) -> Vec<(u64, Vec<u8>)> {
        let mut frames = self.tape.frames(self.tape.stream_named(stream).unwrap());
        let mut found = Vec::new();
        while let Some(frame) = frames.next().unwrap() {
            found.push((frame.time_ns, frame.data.to_vec()));
        }
        found
    }
}

/// Returns two data streams, and one that describes the first.
pub(super) fn description(game: &str) -> Description {
    let mut description = Description::of_game(game);
    description.rows("numbers", "test");
    description.rows("others", "test");
    description.rows("text", "test");
    description.streams[2].role = Role::Describe;
    description.streams[2].describes = Some(gametape_format::StreamId(0));
    description
}

impl Bench {
    pub(super) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(super) fn with(change: impl FnOnce(&mut RecordOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = Arc::new(GatedFiles::default());
        let mut options = RecordOptions::new(Some(Destination::Folder(folder.path().into())));
        options.files = files.clone();
        change(&mut options);
        let (clock, progress) = (Arc::new(StepClock::default()), Arc::new(Progress::default()));
        clock.0.store(3_600_000_000_000, Ordering::Relaxed);
        let (told, hear) = channel();
        let by: Arc<dyn Clock> = clock.clone();
        let judge = Judge::new(options.split, options.piece);
        let heard = Arc::<Mutex<Heard>>::default();
        let observers: Vec<Box<dyn Observer>> = vec![Box::new(Listens(Arc::clone(&heard)))];
        let tapes = Tapes::new(Arc::new(options), Arc::clone(&by), Arc::clone(&progress), told, observers);
        let driver = Driver::new(judge, tapes, by, Arc::clone(&progress));
        let source = Scripted {
            description: description("scripted"),
            state: LIVE,
            number: 0,
            more_bytes: 0,
            also: Vec::new(),
            session: None,
            about: About::default(),
            about_changes: None,
        };
        let (told, opened) = (Vec::new(), Vec::new());
        Self { heard, source, progress, driver, clock, files, hear, told, opened, folder }
    }

    /// Advances the clock and reads once. If a file can be created, waits until it is.
    pub(super) fn look_after(&mut self, ms: u64) {
        self.clock.0.fetch_add(ms * 1_000_000, Ordering::Relaxed);
        self.driver.look(&mut self.source, &Counters::default()).unwrap();
        self.wait_for_file();
    }

    /// Reads a moving game every 10 ms.
    pub(super) fn drive(&mut self, looks: u32) {
        for _ in 0..looks {
            self.source.number += 1;
            self.look_after(10);
        }
    }

    /// Reads a game in which nothing moves.
    pub(super) fn still(&mut self, ms: u64) {
        (0..ms / 10).for_each(|_| self.look_after(10));
    }

    /// Puts the game into its menus for that long.
    pub(super) fn leave(&mut self, ms: u64) {
        self.source.state = MENU;
        self.still(ms);
        self.source.state = LIVE;
    }

    /// Blocks or unblocks the creation of files. When unblocking, waits for a pending file.
    pub(super) fn disk_hangs(&self, hangs: bool) {
        self.files.set_closed(hangs);
        self.wait_for_file();
    }

    fn wait_for_file(&self) {
        while self.driver.tapes.is_making_file() && !*self.files.closed.lock().unwrap() {
            std::thread::yield_now();
        }
    }

    pub(super) fn break_disk(&self) {
        self.files.broken.store(true, Ordering::Relaxed);
    }

    pub(super) fn mend_disk(&self) {
        self.files.broken.store(false, Ordering::Relaxed);
    }

    /// Makes writing to existing tapes fail. New ones work.
    pub(super) fn break_tapes(&self) {
        let mut fails = self.files.writes_fail.lock().unwrap();
        fails.store(true, Ordering::Relaxed);
        *fails = Arc::default();
    }

    /// Makes every further write to a journal panic.
    pub(super) fn panic_on_write(&self) {
        self.files.panics.store(true, Ordering::Relaxed);
    }

    /// Removes all files in the folder.
    pub(super) fn remove_files(&self) {
        for entry in std::fs::read_dir(self.folder.path()).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }

    /// Drives until that many tapes were begun. The recorder notices some problems with a delay.
    pub(super) fn drive_until_tapes(&mut self, tapes: usize) {
        let start = std::time::Instant::now();
        while self.opened.len() < tapes {
            self.drive(1);
            assert!(start.elapsed() < Duration::from_secs(600), "{} tapes were begun", self.opened.len());
            self.hear();
        }
    }

    fn hear(&mut self) {
        for told in self.hear.try_iter() {
            if let RecorderEvent::Opened { path, .. } = &told {
                self.opened.push(path.clone());
            }
            self.told.push(told);
        }
    }

    /// Ends the recording. Returns the tapes that were begun, the notifications, and whether all tapes were begun, written and
    /// closed.
    pub(super) fn end_whatever(mut self) -> (Vec<Result<Ended, PathBuf>>, Vec<RecorderEvent>, bool) {
        self.driver.end(EndReason::Stopped, &self.source);
        self.hear();
        let tapes = self.opened.iter().map(|path| Ended::of(path, EndReason::Stopped).ok_or_else(|| path.clone()));
        (tapes.collect(), self.told, self.driver.tapes.all_is_well())
    }

    /// Returns the number of tapes in the folder.
    pub(super) fn tapes(&self) -> usize {
        let names = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.extension().is_some_and(|extension| extension == "gtape")).count()
    }

    /// Ends the recording and returns the failures.
    pub(super) fn failures(mut self) -> Vec<String> {
        self.driver.end(EndReason::DiskFailed, &self.source);
        let failed = |told| if let RecorderEvent::Failed(text) = told { Some(text) } else { None };
        self.hear.try_iter().filter_map(failed).collect()
    }

    /// Ends the recording and returns the tapes in the order in which they were begun.
    pub(super) fn end(mut self) -> Vec<Ended> {
        self.driver.end(EndReason::Stopped, &self.source);
        let told: Vec<RecorderEvent> = self.hear.try_iter().collect();
        let opened: Vec<&PathBuf> = told
            .iter()
            .filter_map(|told| if let RecorderEvent::Opened { path, .. } = told { Some(path) } else { None })
            .collect();
        let closed = |wanted: &PathBuf| {
            told.iter().find_map(|told| match told {
                RecorderEvent::Closed(TapeSummary { path, end: reason, .. }) if path == wanted => Some(*reason),
                _ => None,
            })
        };
        let ended = |path: &&PathBuf| Ended::of(path, closed(path).unwrap()).unwrap();
        opened.iter().map(ended).collect()
    }
}
