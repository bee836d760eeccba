//! Laps beside a recording: each recorder gets an observer, behind it a thread that tracks.
//!
//! ```text
//! capturing thread ──LapTap──▶ ring ──▶ thread: Tracking ──▶ events ──▶ LapSink
//!                     (never waits)                                     KeepLaps: into the store, and only then announced
//! ```
//!
//! What finds no place in the ring is counted: then the tape knows better than we, and its laps are to be made again from it when it is closed.

mod keep;
pub(crate) mod tap;
pub(super) mod worker;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use gametape_format::TapeId;

use super::event::Event;
use crate::capture::Observer;

pub use keep::{Announced, KeepLaps};

/// Several seconds of frames of any game: as long as a store may take.
const SLOTS: usize = 2048;

/// The tape on which something happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveTape {
    /// Its id.
    pub id: TapeId,
    /// Its file.
    pub path: PathBuf,
    /// Id of the game.
    pub game: String,
    /// The tape that is being played back, if it is a recording of a playback of ours.
    pub replay_of: Option<String>,
}

/// Who is told of laps while they are driven, on the tracking thread: it may wait, and frames wait meanwhile.
pub trait LapSink: Send + Sync {
    /// What happened, in this order.
    fn events(&self, tape: &LiveTape, events: Vec<Event>);

    /// The tape has got its last frame. If frames were `skipped`, what was told may lack something that is on the tape.
    fn end(&self, tape: &LiveTape, skipped: u64);
}

/// Tracks laps beside recorders.
pub struct LiveLaps {
    sink: Arc<dyn LapSink>,
    threads: Vec<JoinHandle<()>>,
}

impl LiveLaps {
    /// Tells `sink` what happens.
    pub fn new(sink: Arc<dyn LapSink>) -> Self {
        Self { sink, threads: Vec::new() }
    }

    /// An observer for one recorder, and its thread.
    pub fn observer(&mut self) -> io::Result<Box<dyn Observer>> {
        let (tap, ring) = tap::LapTap::new(SLOTS);
        let sink = Arc::clone(&self.sink);
        let thread =
            std::thread::Builder::new().name("gametape-laps".into()).spawn(move || worker::run(&ring, &*sink))?;
        self.threads.push(thread);
        Ok(Box::new(tap))
    }

    /// Waits until all is told. The recorders must have ended before.
    pub fn wait(self) {
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}
