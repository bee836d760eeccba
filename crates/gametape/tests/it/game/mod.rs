//! A game of the Assetto Corsa family that tests drive by hand: its three pages in real shared memory.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]
pub mod iracing;
pub mod this_machine;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use gametape::capture::{
    Destination, ObservedFrame, Observer, PageSource, Progress, RealClock, RecordOptions, Recorder, RecorderEvent,
    Source, StopFlag, TapeBegins,
};
use gametape::games::{ASSETTO_CORSA_FAMILY, Utf16, acc};
use gametape::sys::{Prefix, SectionWriter};
use zerocopy::{FromZeros as _, IntoBytes as _};

/// Names that no other test and no game uses.
pub fn prefix(test: &str) -> Prefix {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    Prefix::new(&format!("gametape-test-{}-{number}-{test}-", std::process::id())).unwrap()
}

/// The pages and their sections.
pub struct Game {
    pub physics: acc::Physics,
    pub graphics: acc::Graphics,
    pub statics: acc::Static,
    sections: Vec<SectionWriter>,
}

impl Game {
    /// A game that is in its menus.
    pub fn start(prefix: &Prefix) -> Self {
        Self::start_with(prefix, 2048)
    }

    /// One whose graphics page has this many bytes.
    pub fn start_with(prefix: &Prefix, graphics_bytes: u64) -> Self {
        let create = |(name, bytes): (&str, u64)| SectionWriter::create(&prefix.section(name), bytes).unwrap();
        let named = [("acpmf_physics", 2048), ("acpmf_graphics", graphics_bytes), ("acpmf_static", 2048)];
        let sections = named.map(create).into();
        let mut statics = acc::Static::new_zeroed();
        statics.ac_version = Utf16::new("1.9.0");
        statics.car_model = Utf16::new("test_car");
        statics.track = Utf16::new("test track");
        statics.dry_tyres_name = Utf16::new("dry_compound");
        let mut graphics = acc::Graphics::new_zeroed();
        graphics.active_cars = 1;
        let game = Self { physics: acc::Physics::new_zeroed(), graphics, statics, sections };
        game.write();
        game
    }

    /// All three pages as they are now.
    pub fn write(&self) {
        let pages = [self.physics.as_bytes(), self.graphics.as_bytes(), self.statics.as_bytes()];
        for (section, page) in self.sections.iter().zip(pages) {
            section.write(0, page).unwrap();
        }
    }

    /// The next physics step, with values that tell which one it is.
    pub fn step(&mut self) {
        self.physics.packet_id += 1;
        let number = self.physics.packet_id as f32;
        (self.physics.speed_kmh, self.physics.fuel) = (number, -number);
        self.sections[0].write(0, self.physics.as_bytes()).unwrap();
    }

    /// 0 off, 1 replay, 2 live, 3 paused.
    pub fn status(&mut self, status: i32) {
        self.graphics.packet_id += 1;
        self.graphics.status = status;
        self.sections[1].write(0, self.graphics.as_bytes()).unwrap();
    }

    /// Another kind of session.
    pub fn session(&mut self, session: i32) {
        self.graphics.packet_id += 1;
        self.graphics.session = session;
        self.sections[1].write(0, self.graphics.as_bytes()).unwrap();
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        for section in self.sections.drain(..) {
            section.remove().unwrap();
        }
    }
}

/// A recorder on a thread of its own.
pub struct Recording {
    /// Frames of the first stream that were taken.
    pub rows: Arc<AtomicU64>,
    /// The number that the newest of them begins with: a packet's or a tick's.
    pub newest: Arc<AtomicI32>,
    pub progress: Arc<Progress>,
    pub told: Receiver<RecorderEvent>,
    pub stop: StopFlag,
    thread: std::thread::JoinHandle<bool>,
}

impl Recording {
    pub fn start(options: RecordOptions, mut source: impl Source + 'static) -> Self {
        let (sender, told) = channel();
        let (rows, newest) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicI32::new(0)));
        let (progress, stop) = (Arc::new(Progress::default()), StopFlag::default());
        let recorder = Recorder {
            options: Arc::new(options),
            clock: Arc::new(RealClock::start()),
            progress: Arc::clone(&progress),
            told: sender,
            observers: vec![Box::new(CountRows(Arc::clone(&rows), Arc::clone(&newest)))],
            stop: stop.clone(),
            once: false,
        };
        let thread = std::thread::spawn(move || recorder.run(&mut source));
        Self { rows, newest, progress, told, stop, thread }
    }

    /// Records the family under a prefix into a folder.
    pub fn family(prefix: &Prefix, folder: &std::path::Path, hz: u32) -> Self {
        let source = PageSource::new(ASSETTO_CORSA_FAMILY, prefix.clone(), hz);
        Self::start(RecordOptions::new(Some(Destination::Folder(folder.into()))), source)
    }

    /// The next tape that was begun.
    pub fn opened(&self) -> PathBuf {
        match self.told.recv_timeout(Duration::from_secs(20)).unwrap() {
            RecorderEvent::Opened { path, .. } => path,
            other => panic!("{other:?}"),
        }
    }

    /// The next thing that is told.
    pub fn next(&self) -> RecorderEvent {
        self.told.recv_timeout(Duration::from_secs(30)).unwrap()
    }

    /// Ends the recording; everything that was told and not yet heard.
    pub fn end(self) -> Vec<RecorderEvent> {
        self.stop.stop();
        assert!(self.thread.join().unwrap());
        self.told.iter().collect()
    }
}

struct CountRows(Arc<AtomicU64>, Arc<AtomicI32>);

impl Observer for CountRows {
    fn begin(&mut self, _tape: &TapeBegins<'_>) {}

    fn frame(&mut self, frame: &ObservedFrame<'_>) {
        if frame.stream == 0 {
            self.1.store(frame.bytes.first_chunk().map_or(0, |number| i32::from_le_bytes(*number)), Ordering::Relaxed);
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Waits until something is so. The limit only guards against a hang.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(300), "waited too long: {what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Returns whether a frame is what a writer leaves that is interrupted in the middle of a page: the start of the page, and the rest of the one before.
/// These pages have no lock, so no reader can tell if the system interrupts the writer for longer than the time between two copies.
pub fn is_of_interrupted_writer(frame: &[u8], page: &[u8], before: &[u8]) -> bool {
    let same = frame.iter().zip(page).take_while(|(a, b)| a == b).count();
    frame.len() == page.len() && frame.get(same..) == before.get(same..)
}

/// Removes the frames of interrupted writers from those that were found, and returns how many there were. What is left must be pages that were
/// written.
pub fn drop_interrupted(found: &mut Vec<Vec<u8>>, written: &[Vec<u8>]) -> usize {
    let in_all = found.len();
    let pairs: Vec<(&Vec<u8>, &Vec<u8>)> = written.iter().skip(1).zip(written).collect();
    let is_interrupted =
        |frame: &Vec<u8>| pairs.iter().any(|(page, before)| is_of_interrupted_writer(frame, page, before));
    found.retain(|frame| written.contains(frame) || !is_interrupted(frame));
    in_all - found.len()
}

#[test]
fn only_the_start_of_a_page_and_the_rest_of_the_one_before_is_of_an_interrupted_writer() {
    let (page, before) = ([2_u8; 8], [1_u8; 8]);
    assert!(is_of_interrupted_writer(&[2, 2, 2, 1, 1, 1, 1, 1], &page, &before));
    assert!(is_of_interrupted_writer(&page, &page, &before) && is_of_interrupted_writer(&before, &page, &before));
    for other in [[2, 2, 1, 1, 2, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 2], [2, 2, 2, 0, 1, 1, 1, 1]] {
        assert!(!is_of_interrupted_writer(&other, &page, &before), "{other:?}");
    }
    assert!(!is_of_interrupted_writer(&page[..4], &page, &before));
}
