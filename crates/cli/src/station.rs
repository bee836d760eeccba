//! Everything that runs beside a recording in the main job.
//!
//! ```text
//! recorders ──▶ Live: one tap, one tracker ─┬─▶ store ──▶ server's listeners, lines for the terminal
//!           │                               ├─▶ current state of the car, for those listeners
//!           │                               └─▶ the frames themselves, for clients that request V2
//!           └─▶ tapes that begin and end ──▶ catalogue; laps again, from a closed tape, if some are lacking
//! at the start: tapes that were never tracked ──▶ store ──▶ another server, if one is named
//! ```

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use gametape::Capture;
use gametape::capture::{Source, StopFlag};
use gametape::format::TapeId;
use gametape::live::view::CarSink as _;
use gametape::live::{Announced, KeepLaps, Live, LiveTape};
use gametape::store::Store;
use gametape::sys::Prefix;

use crate::catching_up::CatchingUp;
use crate::human;
use crate::lap_lines::LapLines;
use crate::server::{Announcer, AppState, Limits, PublishCars, PublishFrames};
use crate::serving::{Reach, Serving};
use crate::tape_notes::{TapeNotice, update_catalogue};
use crate::upstream::{Pushing, Upstream};

/// Laps, server and catalogue beside a recording.
pub(crate) struct Station {
    live: Live,
    serving: Option<Serving>,
    catalogue: JoinHandle<()>,
    tapes: Option<Sender<TapeNotice>>,
    catching_up: Option<CatchingUp>,
    pushing: Option<Pushing>,
    lines: Option<Receiver<String>>,
}

impl Station {
    /// Starts everything. Meanwhile, tapes in these folders that were never tracked are tracked. With `in_step`, the source
    /// waits for its recorder, so the recorder waits for the tracker instead of skipping frames, until that flag is set.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        folders: Vec<PathBuf>,
        except: Vec<PathBuf>,
        upstream: Option<Upstream>,
        reach: Reach,
        in_step: Option<StopFlag>,
    ) -> anyhow::Result<Self> {
        let (say, lines) = channel();
        let serving =
            Serving::start(reach.bind.unwrap_or_default(), Arc::clone(&store), reach.access(), Limits::default());
        let serving = match serving {
            Ok(serving) => Some(serving),
            Err(error) if reach.is_chosen() => return Err(error),
            // No address was requested explicitly, and recording is more important than serving: go on without a server.
            Err(error) => {
                let _ = say.send(format!("note: the dashboard is not available: {error:#}"));
                None
            }
        };
        let (tapes, notes) = channel();
        let state = serving.as_ref().map(|serving| serving.state().clone());
        let publisher = LapPublisher { state, say: say.clone(), tapes: tapes.clone() };
        let told = Mutex::new(HashMap::new());
        let keep = KeepLaps::new(Arc::clone(&store), false, move |tape, announced| {
            publisher.publish(&mut told.lock().unwrap_or_else(PoisonError::into_inner), tape, announced);
        });
        let (of_tapes, told) = (Arc::clone(&store), say.clone());
        let catalogue = std::thread::Builder::new()
            .name("gametape-catalogue".into())
            .spawn(move || update_catalogue(&*of_tapes, &notes, &told))?;
        let failed = say.clone();
        let of_server = serving.as_ref().map(|serving| PublishCars(serving.state().clone()));
        let mut live = Live::new().laps(Arc::new(keep)).on_failure(move |failure| {
            of_server.iter().for_each(|cars| cars.failed(failure.part));
            let text = human::safe(&failure.to_string());
            let _ = failed.send(format!("error: {text}; the recording continues"));
        });
        if let Some(stop) = in_step {
            live = live.patient(stop);
        }
        if let Some(serving) = &serving {
            live = live.car(Arc::new(PublishCars(serving.state().clone())));
            live = live.frames(Arc::new(PublishFrames(serving.state().clone())));
        }
        let said = say.clone();
        let push = |upstream| Pushing::start(Arc::clone(&store), upstream, move |text| drop(said.send(text)));
        let pushing = upstream.map(push).transpose()?;
        let catching_up = CatchingUp::start(store, folders, except, move |text| drop(say.send(text)))?;
        Ok(Self {
            live,
            serving,
            catalogue,
            tapes: Some(tapes),
            catching_up: Some(catching_up),
            pushing,
            lines: Some(lines),
        })
    }

    /// Returns the address of the server, if there is one.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.serving.as_ref().map(Serving::address)
    }

    /// Sets the prefix of the shared-memory names for playback started from a page.
    pub(crate) fn play_under(&self, prefix: &Prefix) {
        if let Some(serving) = &self.serving {
            serving.state().playback.under(prefix.clone());
        }
    }

    /// Returns a capture of these sources, each with its own tape and, if there is a station, with its laps tracked.
    pub(crate) fn capture(station: &mut Option<Self>, sources: Vec<Box<dyn Source>>) -> anyhow::Result<Capture> {
        sources.into_iter().try_fold(Capture::new(), |capture, source| {
            let capture = capture.source(source);
            Ok(match station {
                Some(station) => capture.observer(station.live.observer()?),
                None => capture,
            })
        })
    }

    /// Returns the lines to print, as they arrive, and the callback for opened and closed tapes.
    pub(crate) fn lines_and_tapes(&mut self) -> Option<(Receiver<String>, impl Fn(&Path) + 'static)> {
        let tapes = self.tapes.take()?;
        Some((self.lines.take()?, move |path: &Path| drop(tapes.send(TapeNotice::Tape(path.to_owned())))))
    }

    /// Waits until all recorded laps are stored and announced. The recorders must have ended, and the callback of
    /// `lines_and_tapes` must be dropped.
    pub(crate) fn end_laps(self) -> Served {
        let failed = self.live.wait().is_err();
        Served {
            failed,
            serving: self.serving,
            catalogue: self.catalogue,
            catching_up: self.catching_up,
            pushing: self.pushing,
        }
    }
}

/// The parts that still run after all laps are stored.
pub(crate) struct Served {
    /// A part beside the recording failed. The error was already reported.
    pub(crate) failed: bool,
    serving: Option<Serving>,
    catalogue: JoinHandle<()>,
    catching_up: Option<CatchingUp>,
    pushing: Option<Pushing>,
}

impl Served {
    /// Stops the remaining parts.
    pub(crate) fn end(self) -> anyhow::Result<()> {
        if let Some(catching_up) = self.catching_up {
            catching_up.stop();
        }
        let catalogued = self.catalogue.join();
        // The next run sends what has not been sent yet.
        self.pushing.into_iter().for_each(Pushing::stop);
        self.serving.map_or(Ok(()), Serving::end)?;
        catalogued.map_err(|_| {
            anyhow::anyhow!("updating the catalogue failed; run `gametape laps rebuild` to add what is missing")
        })
    }
}

/// Announces laps to the server's listeners and to the user.
struct LapPublisher {
    state: Option<AppState>,
    say: Sender<String>,
    tapes: Sender<TapeNotice>,
}

/// State of one recording.
struct TapeState {
    announcer: Option<Announcer>,
    lines: LapLines,
}

impl LapPublisher {
    fn publish(&self, all: &mut HashMap<TapeId, TapeState>, tape: &LiveTape, announced: Announced<'_>) {
        let say = |line: String| drop(self.say.send(line));
        match announced {
            Announced::Happened { event, kept } => {
                let known = all.entry(tape.id).or_insert_with(|| TapeState {
                    announcer: self.state.clone().map(Announcer::new),
                    lines: LapLines::default(),
                });
                known.lines.of(event, kept).into_iter().for_each(say);
                if let Some(announcer) = &known.announcer {
                    announcer.publish(event);
                }
            }
            Announced::NotStored { error, .. } => say(format!(
                "laps could not be stored ({}), but they are on the tape; run `gametape laps rebuild` to add them",
                human::safe(&error.to_string())
            )),
            Announced::Ended { whole } => {
                all.remove(&tape.id);
                let _ = self.tapes.send(TapeNotice::LapsEnded { tape: tape.id, whole });
            }
        }
    }
}
