//! A tape as a source, so that callbacks written for a game can be tested without one.
//!
//! A thread reads the tape and sends batches of frames; their memory is recycled. At full speed, available frames are returned
//! immediately; in real time, when they are due. A gate holds a tape at full speed back until somebody reads.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::source_spec::{IntoSource, Offer, SourceKind, SourceSpec};
use super::start_error::StartError;
use crate::capture::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};
use crate::format::StreamId;
use crate::format::read::{ReadError, Tape as RawTape, TapeStream};
use crate::games::{About, Presence};
use crate::tape::Tape;

/// Maximum time that a read blocks.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// A batch is sent when it has this many frames or bytes.
const BATCH_FRAMES: usize = 256;
const BATCH_BYTES: usize = 1 << 20;
/// Number of batches read ahead.
const BATCHES: usize = 4;

impl IntoSource for Tape {
    fn into_source(self) -> SourceSpec {
        let offer = |stream: &TapeStream| Offer {
            type_id: None,
            game: stream.spec().game.clone(),
            stream: stream.spec().name.clone(),
            spec: Some(stream.spec().clone()),
        };
        let offers = of_games(self.raw()).map(offer).collect();
        SourceSpec { kind: SourceKind::Tape(self), offers }
    }
}

fn of_games(tape: &RawTape) -> impl Iterator<Item = &TapeStream> {
    tape.streams().filter(|stream| !stream.spec().role.is_system())
}

/// Plays a tape.
pub(crate) struct TapeSource {
    batches: Receiver<Result<Batch, ReadError>>,
    used: SyncSender<Batch>,
    description: Description,
    /// The current batch; `given` counts the frames already returned.
    batch: Batch,
    given: usize,
    /// Time 0 of the tape on the capture's clock, once it plays.
    zero_ns: Option<u64>,
    real_time: bool,
    gate: Gate,
    replay_of: Option<String>,
    about: About,
}

impl TapeSource {
    pub(crate) fn open(tape: &Tape, gate: Gate) -> Result<Self, StartError> {
        if let Some(problem) = tape.loss(None) {
            return Err(StartError::Damaged(problem));
        }
        let raw = tape.shared();
        let description = describe(&raw);
        let metadata = raw.metadata();
        let said = |key: &str| metadata.get(key).cloned();
        let about = About {
            game_version: said("game_version"),
            car: said("car"),
            track: said("track"),
            track_layout: said("track_layout"),
            session: said("session"),
        };
        let replay_of = raw.id().map(|id| id.to_string());
        let (give, batches) = sync_channel(BATCHES);
        let (used, reuse) = sync_channel(BATCHES + 1);
        std::thread::Builder::new()
            .name("gametape-tape".into())
            .spawn(move || read_all(&raw, &give, &reuse))
            .map_err(StartError::Thread)?;
        Ok(Self {
            batches,
            used,
            description,
            batch: Batch::default(),
            given: 0,
            zero_ns: None,
            real_time: tape.plays_in_real_time(),
            gate,
            replay_of,
            about,
        })
    }

    /// Receives the next batch when the current one is used up. Returns `false` at the end of the tape.
    fn next_batch(&mut self) -> Result<bool, SourceError> {
        if self.given < self.batch.len() {
            return Ok(true);
        }
        match self.batches.recv_timeout(LONGEST_WAIT) {
            Ok(Ok(batch)) => {
                let used = std::mem::replace(&mut self.batch, batch);
                self.given = 0;
                // If the reader is done, nothing needs the memory.
                let _ = self.used.try_send(used);
                Ok(true)
            }
            Ok(Err(error)) => Err(SourceError::Other(format!(
                "the tape cannot be read to its end: {error}; `gametape recover` helps"
            ))),
            Err(RecvTimeoutError::Timeout) => Ok(true),
            Err(RecvTimeoutError::Disconnected) => Ok(false),
        }
    }

    /// Emits the frames that are due. Returns the time of the next frame that is not.
    fn give(&mut self, zero_ns: u64, now_ns: u64, out: &mut Batch) -> Option<u64> {
        for frame in self.batch.frames().skip(self.given) {
            let time_ns = zero_ns.saturating_add(frame.time_ns);
            if self.real_time && time_ns > now_ns {
                return Some(time_ns);
            }
            out.frame(frame.stream, time_ns, frame.bytes);
            self.given += 1;
        }
        None
    }
}

impl Source for TapeSource {
    fn pace(&self) -> Pace {
        Pace::Source
    }

    fn read(&mut self, clock: &dyn Clock, out: &mut Batch) -> Result<State, SourceError> {
        if out.described() == 0 {
            out.describe(self.description.clone());
        }
        if !self.real_time && !self.gate.wait(LONGEST_WAIT) {
            return Ok(State::Away(Away::NotThere));
        }
        let zero_ns = *self.zero_ns.get_or_insert_with(|| clock.now_ns());
        if !self.next_batch()? {
            return Ok(State::Ended);
        }
        let now_ns = clock.now_ns();
        if let Some(next_ns) = self.give(zero_ns, now_ns, out)
            && out.is_empty()
        {
            clock.sleep_until_ns(next_ns.min(now_ns.saturating_add(LONGEST_WAIT.as_nanos() as u64)));
        }
        // Not live: unchanged frames in a tape do not mean that the game is frozen.
        Ok(State::Here(Presence::Replay))
    }

    fn about(&self) -> About {
        self.about.clone()
    }

    fn replay_of(&self) -> Option<String> {
        self.replay_of.clone()
    }

    fn zero_ns(&self) -> Option<u64> {
        self.zero_ns
    }
}

/// Describes the streams in the order of their ids. References between streams are mapped to their index here.
fn describe(tape: &RawTape) -> Description {
    let ids: Vec<StreamId> = of_games(tape).map(TapeStream::id).collect();
    let place = |id: StreamId| ids.iter().position(|other| *other == id).and_then(|place| u16::try_from(place).ok());
    let mut description = Description::default();
    for stream in of_games(tape) {
        let mut spec = stream.spec().clone();
        spec.describes = spec.describes.and_then(place).map(StreamId);
        if description.game.is_empty() {
            description.game.clone_from(&spec.game);
        }
        description.streams.push(spec);
    }
    description
}

/// The reader thread. Ends early when the receiver is gone.
fn read_all(tape: &Arc<RawTape>, give: &SyncSender<Result<Batch, ReadError>>, reuse: &Receiver<Batch>) {
    let ids: Vec<StreamId> = of_games(tape).map(TapeStream::id).collect();
    let mut frames = tape.merged(of_games(tape));
    let mut batch = Batch::default();
    loop {
        match frames.next() {
            Ok(Some(frame)) => {
                let Some(stream) = ids.iter().position(|id| *id == frame.stream) else { continue };
                batch.frame(stream, frame.time_ns, frame.data);
            }
            Ok(None) => {
                let _ = give.send(Ok(batch));
                return;
            }
            Err(error) => {
                // Send the frames before the damage first.
                let _ = give.send(Ok(batch));
                let _ = give.send(Err(error));
                return;
            }
        }
        if batch.len() >= BATCH_FRAMES || batch.frame_bytes() >= BATCH_BYTES {
            let mut next = reuse.try_recv().unwrap_or_default();
            next.clear();
            if give.send(Ok(std::mem::replace(&mut batch, next))).is_err() {
                return;
            }
        }
    }
}

/// Closed until it is opened; it never closes again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub(crate) fn open(&self) {
        let (open, changed) = &*self.0;
        *open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
    }

    /// Waits until it is open, at most for `longest`. Returns whether it is open.
    pub(crate) fn wait(&self, longest: Duration) -> bool {
        let (open, changed) = &*self.0;
        let guard = open.lock().unwrap_or_else(PoisonError::into_inner);
        *changed.wait_timeout_while(guard, longest, |open| !*open).unwrap_or_else(PoisonError::into_inner).0
    }
}
