//! A replay folder as a source: the finds of a [`Watch`] go to callbacks and to a tape.
//!
//! ```text
//!  watch thread ── find ──▶ callbacks of `on_file` ──▶ queue ──▶ read ──▶ a frame and an event on the tape
//! ```
//! The watch finds, archives and imports files as it does alone. A find counts as reported after its callbacks have returned, so a slow
//! callback delays later finds, and none is skipped.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;

use super::listener::{AnyRing, Listener};
use super::source_spec::{IntoSource, Offer, SourceKind, SourceSpec};
use super::start_error::StartError;
use crate::capture::{Batch, Clock, Description, Pace, Source, SourceError, State};
use crate::games::Presence;
use crate::names::utc_text;
use crate::tape::wanted::{ANY_LENGTH, Met, Wanted};
use crate::watch::{Found, Notice, Watch, Watching};

/// Name of the stream.
const STREAM: &str = "files";
/// Kind of the event that a find adds to the tape.
const EVENT: &str = "replay-file";
/// Polling interval of the queue.
const POLL: Duration = Duration::from_millis(50);
/// Game of a tape with the finds of several games.
const SEVERAL: &str = "replays";

pub(super) type OnFile = Box<dyn FnMut(&Found) + Send>;

impl IntoSource for Watch {
    fn into_source(self) -> SourceSpec {
        let game = game_of(&self);
        let offers = vec![Offer { type_id: None, game, stream: STREAM.into(), spec: None }];
        SourceSpec { kind: SourceKind::Replays(Box::new(self)), offers }
    }
}

/// Returns the game of all folders, if they have the same.
fn game_of(watch: &Watch) -> String {
    let mut games: Vec<_> = watch.games().collect();
    games.dedup();
    match games.as_slice() {
        [Some(game)] => (*game).to_owned(),
        _ => SEVERAL.into(),
    }
}

/// The callbacks of a capture for found files, shared by all its replay folders.
#[derive(Clone, Default)]
pub(super) struct FileCallbacks {
    callbacks: Arc<Mutex<Vec<OnFile>>>,
    met: Met,
}

impl FileCallbacks {
    pub(super) fn new(callbacks: Vec<OnFile>) -> Self {
        Self { callbacks: Arc::new(Mutex::new(callbacks)), met: Met::default() }
    }

    /// Returns the handle by which the capture reports panics.
    pub(super) fn listener(&self) -> Listener {
        let wanted = Wanted { type_name: STREAM, type_bytes: ANY_LENGTH, streams: Vec::new() };
        Listener { wanted: Arc::new(wanted), met: self.met.clone(), ring: Arc::new(NoRing), thread: None }
    }

    /// Calls all callbacks. One that panics is called again for the next find.
    fn call(&self, found: &Found) {
        let mut callbacks = self.callbacks.lock().unwrap_or_else(PoisonError::into_inner);
        for callback in callbacks.iter_mut() {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| callback(found))) {
                self.met.panicked(&*payload);
            }
        }
    }
}

/// Callbacks for files have no ring: nothing is skipped.
struct NoRing;

impl AnyRing for NoRing {
    fn skipped(&self) -> u64 {
        0
    }

    fn abandon(&self) {}
}

/// What the watch sends to the recorder.
enum Told {
    /// A find, as JSON, and in words.
    Find(String, String),
    Notice(String),
}

/// A running watch as a source. It has no end of its own.
pub(super) struct ReplayFolder {
    description: Description,
    told: Receiver<Told>,
    notices: Vec<String>,
    /// Whether anything was found: a tape begins with the first find, and goes on until the capture ends.
    begun: bool,
    /// Dropping it ends the watch.
    _watching: Watching,
}

impl ReplayFolder {
    pub(super) fn open(watch: Watch, callbacks: FileCallbacks) -> Result<Self, StartError> {
        let mut description = Description::of_game(&game_of(&watch));
        description.rows(STREAM, "files");
        let (to_recorder, told): (Sender<Told>, _) = channel();
        let notices = to_recorder.clone();
        let watch = watch
            .on_found(move |found| {
                callbacks.call(found);
                // The recorder may have ended already.
                let _ = to_recorder.send(Told::Find(as_json(found), in_words(found)));
            })
            .on_notice(move |notice| {
                if !matches!(notice, Notice::Watching { looking_because: None, .. }) {
                    let _ = notices.send(Told::Notice(notice.to_string()));
                }
            });
        let watching = watch.start()?;
        Ok(Self { description, told, notices: Vec::new(), begun: false, _watching: watching })
    }
}

impl Source for ReplayFolder {
    fn pace(&self) -> Pace {
        Pace::About(POLL)
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        if batch.described() == 0 {
            batch.describe(self.description.clone());
        }
        for told in self.told.try_iter() {
            match told {
                Told::Find(json, text) => {
                    let now_ns = clock.now_ns();
                    batch.frame(0, now_ns, json.as_bytes());
                    batch.event(now_ns, EVENT, &text);
                    self.begun = true;
                }
                Told::Notice(text) => self.notices.push(text),
            }
        }
        if self.begun {
            batch.game_moves();
        }
        Ok(State::Here(Presence::Live))
    }

    fn follows(&self) -> bool {
        true
    }

    fn take_notice(&mut self) -> Option<String> {
        (!self.notices.is_empty()).then(|| self.notices.remove(0))
    }
}

/// A find as a frame. Unknown values are `null`.
fn as_json(found: &Found) -> String {
    let text = |path: &std::path::Path| path.display().to_string();
    json!({
        "path": text(&found.path),
        "folder": found.is_folder,
        "files": found.files.len(),
        "game": found.game,
        "kind": found.kind.map(crate::import::Kind::id),
        "bytes": found.bytes,
        "modified_utc": found.modified_utc_ns.and_then(utc_text),
        "blake3": found.hash.to_string(),
        "rewritten": found.rewritten,
        "missing": found.missing(),
        "archived": found.archived().map(text),
        "tape": found.tape().map(text),
    })
    .to_string()
}

fn in_words(found: &Found) -> String {
    let name = found.path.file_name().unwrap_or(found.path.as_os_str()).to_string_lossy();
    let missing = found.missing().map(|missing| format!(", incomplete: {missing}")).unwrap_or_default();
    format!("{name}, {} bytes{missing}", found.bytes)
}

impl From<crate::watch::WatchError> for StartError {
    fn from(error: crate::watch::WatchError) -> Self {
        Self::Watch(io::Error::other(error))
    }
}
