//! Runs a blocking source on its own thread, so that it can share a tape with others.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::start_error::StartError;
use crate::capture::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};
use crate::games::About;

/// Polling interval of the queue. Frames keep the time at which they arrived.
pub(crate) const POLL: Duration = Duration::from_millis(5);
/// Capacity of the queue in batches.
const BATCHES: usize = 64;
/// When the queue is full, up to this many bytes of frames wait in the reader; further frames are lost and counted.
pub(crate) const WAITING_BYTES: usize = 16 << 20;

/// The result of one read.
struct Look {
    /// Set if it has changed.
    description: Option<Description>,
    batch: Batch,
    state: Result<State, SourceError>,
}

/// The receiving end of a source on another thread.
pub(crate) struct Queued {
    looks: Receiver<Look>,
    used: SyncSender<Batch>,
    held: Option<Look>,
    state: State,
    known: Arc<Mutex<Known>>,
    follows: bool,
}

/// Information that a source provides besides frames.
#[derive(Default)]
struct Known {
    session_key: Option<u64>,
    about: About,
    metadata: Vec<(&'static str, String)>,
    replay_of: Option<String>,
}

impl Queued {
    /// Starts the thread. If `patient`, the source blocks when the queue is full; only tapes can do that.
    pub(crate) fn start(source: Box<dyn Source>, clock: Arc<dyn Clock>, patient: bool) -> Result<Self, StartError> {
        let (give, looks) = sync_channel(BATCHES);
        let (used, reuse) = sync_channel(BATCHES + 1);
        let (known, follows) = (Arc::new(Mutex::new(Known::default())), source.follows());
        let mut reader = Reader { source, clock, give, reuse, known: Arc::clone(&known), described: 0, patient };
        std::thread::Builder::new()
            .name("gametape-source".into())
            .spawn(move || reader.run())
            .map_err(StartError::Thread)?;
        // Whether the source is available is unknown until its first read.
        Ok(Self { looks, used, held: None, state: State::Away(Away::Undecided), known, follows })
    }

    fn known<T>(&self, ask: impl FnOnce(&Known) -> T) -> T {
        ask(&self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Source for Queued {
    fn pace(&self) -> Pace {
        Pace::About(POLL)
    }

    fn read(&mut self, _clock: &dyn Clock, out: &mut Batch) -> Result<State, SourceError> {
        loop {
            let next = self.held.take().map_or_else(|| self.looks.try_recv(), Ok);
            let mut look = match next {
                Ok(look) => look,
                Err(TryRecvError::Empty) => return Ok(self.state.clone()),
                Err(TryRecvError::Disconnected) => return Ok(State::Ended),
            };
            if look.description.is_some() && !out.is_empty() {
                // The frames so far belong to the old description.
                self.held = Some(look);
                return Ok(self.state.clone());
            }
            if let Some(description) = look.description.take() {
                out.describe(description);
            }
            if !look.batch.is_empty() {
                // Frames from a blocking source are new, including the first ones.
                out.game_moves();
            }
            out.take_over(&mut look.batch, 0);
            let _ = self.used.try_send(look.batch);
            self.state = look.state?;
        }
    }

    fn session_key(&self) -> Option<u64> {
        self.known(|known| known.session_key)
    }

    fn about(&self) -> About {
        self.known(|known| known.about.clone())
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        self.known(|known| known.metadata.clone())
    }

    fn replay_of(&self) -> Option<String> {
        self.known(|known| known.replay_of.clone())
    }

    fn follows(&self) -> bool {
        self.follows
    }
}

/// The sending end.
struct Reader {
    source: Box<dyn Source>,
    clock: Arc<dyn Clock>,
    give: SyncSender<Look>,
    reuse: Receiver<Batch>,
    known: Arc<Mutex<Known>>,
    described: u64,
    patient: bool,
}

impl Reader {
    /// Runs until the source ends or the receiver is dropped.
    fn run(&mut self) {
        let mut batch = Batch::default();
        loop {
            let read = std::panic::AssertUnwindSafe(|| self.source.read(&*self.clock, &mut batch));
            let state = std::panic::catch_unwind(read).unwrap_or_else(|payload| {
                let message = crate::sys::panic_message(&*payload);
                Err(SourceError::Other(format!("the source panicked: {message}")))
            });
            let over = matches!(state, Err(_) | Ok(State::Ended));
            self.note();
            if !self.hand_over(&mut batch, state, over) || over {
                return;
            }
            if let Pace::Every(period) | Pace::About(period) = self.source.pace() {
                std::thread::sleep(period);
            }
        }
    }

    fn note(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.session_key = self.source.session_key();
        if self.described == 0 {
            (known.about, known.replay_of) = (self.source.about(), self.source.replay_of());
            known.metadata = self.source.metadata();
        }
    }

    /// Sends a batch. Returns `false` if the receiver is gone. If the queue is full, the frames stay in the batch.
    fn hand_over(&mut self, batch: &mut Batch, state: Result<State, SourceError>, must: bool) -> bool {
        let described = batch.described();
        let description = (described != self.described).then(|| batch.description().clone());
        let streams = batch.description().streams.len();
        let mut copy = self.reuse.try_recv().unwrap_or_default();
        copy.begin_copy(streams);
        copy.take_over(batch, 0);
        let look = Look { description, batch: copy, state };
        if must || self.patient {
            self.described = described;
            return self.give.send(look).is_ok();
        }
        match self.give.try_send(look) {
            Ok(()) => self.described = described,
            Err(TrySendError::Disconnected(_)) => return false,
            Err(TrySendError::Full(mut look)) => {
                batch.take_over(&mut look.batch, 0);
                batch.drop_newest(WAITING_BYTES);
            }
        }
        true
    }
}
