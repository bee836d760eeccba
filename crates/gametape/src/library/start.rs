//! Starts a capture: opens sources, starts listeners, starts one recorder per tape. A panic in a source becomes an error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::capture::{Capture, TapePlan, Target};
use super::hub::{Hub, Joining};
use super::listener::{Listen, Listener, Started};
use super::offers::Offers;
use super::queued::Queued;
#[cfg(feature = "watch")]
use super::replay_folder::FileCallbacks;
use super::running::RecorderThread;
use super::source_spec::{Opening, SourceKind, SourceSpec};
use super::start_error::StartError;
use super::tape_source::Gate;
use super::together::Together;
use crate::capture::{
    Batch, Clock, Destination, EndReason, Observer, Pace, Progress, RecordOptions, Recorder, RecorderEvent, Source,
    SourceError, State, StopFlag,
};
use crate::games::About;
use crate::sys::panic_message;

/// A capture being started.
pub(super) struct Start {
    capture: Capture,
    told: Sender<RecorderEvent>,
    busy: Sender<()>,
    pub(super) stop: StopFlag,
    pub(super) offers: Offers,
    pub(super) recorders: Vec<RecorderThread>,
    pub(super) listeners: Vec<Listener>,
    pub(super) patient: bool,
    pub(super) ended: EndReason,
    pub(super) gate: Gate,
}

impl Start {
    pub(super) fn new(mut capture: Capture, told: Sender<RecorderEvent>, busy: Sender<()>) -> Result<Self, StartError> {
        if let Some(wrong) = capture.wrong.take() {
            return Err(wrong);
        }
        if capture.tapes.is_empty() {
            return Err(StartError::NoSource);
        }
        let mut offers = Offers::default();
        capture.tapes.iter().flat_map(|tape| &tape.sources).for_each(|source| offers.add(source));
        let sources = || capture.tapes.iter().flat_map(|tape| &tape.sources);
        let patient = sources().any(SourceSpec::is_full_speed);
        if patient && !sources().all(SourceSpec::is_full_speed) {
            return Err(StartError::MixedSpeeds);
        }
        let all_tapes = sources().all(|source| matches!(source.kind, SourceKind::Tape(_)));
        Ok(Self {
            capture,
            told,
            busy,
            stop: StopFlag::default(),
            offers,
            recorders: Vec::new(),
            listeners: Vec::new(),
            patient,
            ended: if all_tapes { EndReason::SourceEnded } else { EndReason::GameEnded },
            gate: Gate::default(),
        })
    }

    pub(super) fn run(mut self) -> Result<Self, StartError> {
        let tapes = std::mem::take(&mut self.capture.tapes);
        #[cfg(feature = "watch")]
        let on_file = self.listen_to_files(&tapes)?;
        let gate = self.gate.clone();
        let opening = Opening {
            gate: &gate,
            #[cfg(feature = "watch")]
            on_file: &on_file,
        };
        let mut listening: Vec<Vec<Box<dyn Observer>>> = tapes.iter().map(|_| Vec::new()).collect();
        // Report all errors before anything runs.
        let mut opened = Vec::new();
        for tape in tapes {
            let place = self.place(&tape)?;
            let writer = if let Target::Writer(writer) = tape.target { Some(writer) } else { None };
            let source = open(tape.sources, &opening, &self.capture.clock, self.patient)?;
            opened.push((source, place, writer, tape.observers));
        }
        for listener in std::mem::take(&mut self.capture.listeners) {
            let started = self.listen(listener, listening.len())?;
            listening.iter_mut().zip(started).for_each(|(listening, listener)| listening.push(listener));
        }
        for ((source, place, writer, mut observers), mut listening) in opened.into_iter().zip(listening) {
            if let Some(writer) = writer {
                listening.extend(self.listen(writer, 1)?);
            }
            let hub = Hub::new(listening);
            let joining = hub.joining();
            observers.push(Box::new(hub));
            let recorder = self.record(source, place, observers, joining)?;
            self.recorders.push(recorder);
        }
        Ok(self)
    }

    /// Returns the callbacks for files of replay folders.
    #[cfg(feature = "watch")]
    fn listen_to_files(&mut self, tapes: &[TapePlan]) -> Result<FileCallbacks, StartError> {
        let callbacks = std::mem::take(&mut self.capture.on_file);
        let mut sources = tapes.iter().flat_map(|tape| &tape.sources);
        if !callbacks.is_empty() && !sources.any(|source| matches!(source.kind, SourceKind::Replays(_))) {
            return Err(self.offers.nobody_gives("files"));
        }
        let callbacks = FileCallbacks::new(callbacks);
        self.listeners.push(callbacks.listener());
        Ok(callbacks)
    }

    fn listen(&mut self, listener: Box<dyn Listen>, tapes: usize) -> Result<Vec<Box<dyn Observer>>, StartError> {
        let wanted = self.offers.resolve(&listener.wants())?;
        let patient = self.patient.then(|| self.stop.clone());
        let Started { observers, listener } = listener.start(wanted, patient, tapes).map_err(StartError::Thread)?;
        self.listeners.push(listener);
        Ok(observers)
    }

    fn place(&self, tape: &TapePlan) -> Result<Option<Destination>, StartError> {
        Ok(match &tape.target {
            Target::File(_) if tape.sources.iter().any(SourceSpec::is_full_speed) => return Err(StartError::TooFast),
            Target::File(path) => Some(Destination::File(path.clone())),
            Target::Nowhere | Target::Writer(_) => None,
            // The frames are already in a tape.
            Target::Named if tape.sources.iter().all(|source| matches!(source.kind, SourceKind::Tape(_))) => None,
            Target::Named => {
                let words: Option<Vec<String>> = tape.sources.iter().map(SourceSpec::word).collect();
                match (self.capture.options.place.clone(), words) {
                    (Some(Destination::Folder(folder)), Some(words)) => {
                        Some(Destination::Named(folder, words.join("-")))
                    }
                    (place, _) => place,
                }
            }
        })
    }

    fn record(
        &self,
        source: Box<dyn Source>,
        place: Option<Destination>,
        observers: Vec<Box<dyn Observer>>,
        joining: Arc<Joining>,
    ) -> Result<RecorderThread, StartError> {
        let progress = Arc::new(Progress::default());
        let recorder = Recorder {
            options: Arc::new(RecordOptions { place, ..self.capture.options.clone() }),
            clock: Arc::clone(&self.capture.clock),
            progress: Arc::clone(&progress),
            told: self.told.clone(),
            observers,
            stop: self.stop.clone(),
            once: !self.capture.again,
        };
        let (mut source, busy, told) = (Guarded::new(source), self.busy.clone(), self.told.clone());
        let thread = std::thread::Builder::new()
            .name("gametape-capture".into())
            .spawn(move || {
                let ran = catch_unwind(AssertUnwindSafe(|| recorder.run(&mut source)));
                if let Err(payload) = ran {
                    let _ = told.send(RecorderEvent::Failed(format!(
                        "a capture thread panicked ({}), which is a bug: please report it; run `gametape recover` to close its tape",
                        panic_message(&*payload)
                    )));
                }
                drop(busy);
            })
            .map_err(StartError::Thread)?;
        Ok(RecorderThread { thread: Some(thread), progress, joining })
    }
}

/// Opens all sources of one tape as a single source.
fn open(
    sources: Vec<SourceSpec>,
    opening: &Opening<'_>,
    clock: &Arc<dyn Clock>,
    patient: bool,
) -> Result<Box<dyn Source>, StartError> {
    let mut kept: Vec<SourceSpec> = Vec::new();
    for source in sources {
        let taken = kept.iter_mut().any(|kept| match (&mut kept.kind, &source.kind) {
            (SourceKind::Game(kept), SourceKind::Game(game)) => kept.take_over(game),
            _ => false,
        });
        if !taken {
            kept.push(source);
        }
    }
    let mut opened = kept.into_iter().map(|source| source.open(opening)).collect::<Result<Vec<_>, _>>()?;
    if opened.len() > 1 {
        let shared = opened.into_iter().map(|source| match source.pace() {
            Pace::Source => Ok(Box::new(Queued::start(source, Arc::clone(clock), patient)?) as Box<dyn Source>),
            _ => Ok(source),
        });
        opened = vec![Box::new(Together::new(shared.collect::<Result<_, StartError>>()?))];
    }
    opened.pop().ok_or(StartError::NoSource)
}

/// A source with panics caught.
pub(crate) struct Guarded(Box<dyn Source>);

impl Guarded {
    pub(crate) fn new(source: Box<dyn Source>) -> Self {
        Self(source)
    }
}

impl Source for Guarded {
    fn pace(&self) -> Pace {
        self.0.pace()
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        let read = catch_unwind(AssertUnwindSafe(|| self.0.read(clock, batch)));
        read.unwrap_or_else(|payload| {
            Err(SourceError::Other(format!("the source panicked: {}", panic_message(&*payload))))
        })
    }

    fn session_key(&self) -> Option<u64> {
        self.0.session_key()
    }

    fn about(&self) -> About {
        self.0.about()
    }

    fn about_changes(&self) -> Option<u64> {
        self.0.about_changes()
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        self.0.metadata()
    }

    fn replay_of(&self) -> Option<String> {
        self.0.replay_of()
    }

    fn follows(&self) -> bool {
        self.0.follows()
    }

    fn zero_ns(&self) -> Option<u64> {
        self.0.zero_ns()
    }

    fn take_notice(&mut self) -> Option<String> {
        self.0.take_notice()
    }
}
