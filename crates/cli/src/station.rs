//! What runs beside a recording in the main job.
//!
//! ```text
//! recorders ──▶ Live: one tap, one tracker ─┬─▶ store ──▶ server's listeners, lines for the terminal
//!           │                               ├─▶ what the car does now, for those listeners
//!           │                               └─▶ the frames themselves, for clients that request V2
//!           └─▶ tapes that begin and end ──▶ catalogue; laps again, from a closed tape, if some are lacking
//! at the start: tapes that no tracker has seen ──▶ store ──▶ another server, if one is named
//! ```

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use gametape::capture::{Observer, StopFlag};
use gametape::format::TapeId;
use gametape::laps::live::{Announced, KeepLaps, Live, LiveTape};
use gametape::live_view::CarSink as _;
use gametape::store::Store;
use gametape::sys::Prefix;

use crate::catching_up::CatchingUp;
use crate::human;
use crate::lap_lines::LapLines;
use crate::server::{Announcer, AppState, Limits, ShowCars, TellFrames};
use crate::serving::{Reach, Serving};
use crate::tape_notes::{Note, note_tapes};
use crate::upstream::{Pushing, Upstream};

/// Laps, server and catalogue beside a recording.
pub(crate) struct Station {
    live: Live,
    serving: Option<Serving>,
    catalogue: JoinHandle<()>,
    tapes: Option<Sender<Note>>,
    catching_up: Option<CatchingUp>,
    pushing: Option<Pushing>,
    lines: Option<Receiver<String>>,
}

impl Station {
    /// Starts all of it. Tapes in these folders that no tracker has seen are tracked meanwhile. `in_step`: the source waits for its recorder,
    /// which therefore waits for the tracker instead of skipping frames, until that flag is set.
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
            // Nobody asked for this address, and a recording is worth more than its server: it goes on without.
            Err(error) => {
                let _ = say.send(format!("note: nothing is served: {error:#}"));
                None
            }
        };
        let (tapes, notes) = channel();
        let state = serving.as_ref().map(|serving| serving.state().clone());
        let teller = Teller { state, say: say.clone(), tapes: tapes.clone() };
        let told = Mutex::new(HashMap::new());
        let keep = KeepLaps::new(Arc::clone(&store), false, move |tape, announced| {
            teller.tell(&mut told.lock().unwrap_or_else(PoisonError::into_inner), tape, announced);
        });
        let (of_tapes, told) = (Arc::clone(&store), say.clone());
        let catalogue = std::thread::Builder::new()
            .name("gametape-catalogue".into())
            .spawn(move || note_tapes(&*of_tapes, &notes, &told))?;
        let failed = say.clone();
        let of_server = serving.as_ref().map(|serving| ShowCars(serving.state().clone()));
        let mut live = Live::new().laps(Arc::new(keep)).on_failure(move |failure| {
            of_server.iter().for_each(|cars| cars.failed(failure.part));
            let text = human::safe(&failure.to_string());
            let _ = failed.send(format!("error: {text}; the recording goes on"));
        });
        if let Some(stop) = in_step {
            live = live.patient(stop);
        }
        if let Some(serving) = &serving {
            live = live.car(Arc::new(ShowCars(serving.state().clone())));
            live = live.frames(Arc::new(TellFrames(serving.state().clone())));
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

    /// What the server listens on, if there is one.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.serving.as_ref().map(Serving::address)
    }

    /// Tapes are played from a page under this prefix of memory names.
    pub(crate) fn play_under(&self, prefix: &Prefix) {
        if let Some(serving) = &self.serving {
            serving.state().playback.under(prefix.clone());
        }
    }

    /// Observers for one recorder.
    pub(crate) fn observers(&mut self) -> io::Result<Vec<Box<dyn Observer>>> {
        Ok(vec![self.live.observer()?])
    }

    /// What there is to say, as it comes; and who wants to know of tapes.
    pub(crate) fn lines_and_tapes(&mut self) -> Option<(Receiver<String>, impl Fn(&Path) + 'static)> {
        let tapes = self.tapes.take()?;
        Some((self.lines.take()?, move |path: &Path| drop(tapes.send(Note::Tape(path.to_owned())))))
    }

    /// Waits until all laps of what was recorded are stored and told. The recorders must have ended, and the one who tells of tapes be gone.
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

/// What is left when the laps are through.
pub(crate) struct Served {
    /// A part beside the recording failed. What it was has been said.
    pub(crate) failed: bool,
    serving: Option<Serving>,
    catalogue: JoinHandle<()>,
    catching_up: Option<CatchingUp>,
    pushing: Option<Pushing>,
}

impl Served {
    /// Ends the rest.
    pub(crate) fn end(self) -> anyhow::Result<()> {
        if let Some(catching_up) = self.catching_up {
            catching_up.stop();
        }
        let catalogued = self.catalogue.join();
        // What has not arrived yet is sent by the next run.
        self.pushing.into_iter().for_each(Pushing::stop);
        self.serving.map_or(Ok(()), Serving::end)?;
        catalogued
            .map_err(|_| anyhow::anyhow!("the catalogue failed; `gametape laps rebuild` brings in what is missing"))
    }
}

/// Tells of laps: listeners of the server, and people.
struct Teller {
    state: Option<AppState>,
    say: Sender<String>,
    tapes: Sender<Note>,
}

/// What is known of one recording.
struct OfTape {
    announcer: Option<Announcer>,
    lines: LapLines,
}

impl Teller {
    fn tell(&self, all: &mut HashMap<TapeId, OfTape>, tape: &LiveTape, announced: Announced<'_>) {
        let say = |line: String| drop(self.say.send(line));
        match announced {
            Announced::Happened { event, kept } => {
                let known = all.entry(tape.id).or_insert_with(|| OfTape {
                    announcer: self.state.clone().map(Announcer::new),
                    lines: LapLines::default(),
                });
                known.lines.of(event, kept).into_iter().for_each(say);
                if let Some(announcer) = &known.announcer {
                    announcer.tell(event);
                }
            }
            Announced::NotStored { error, .. } => say(format!(
                "laps could not be stored ({}); the tape has them: `gametape laps rebuild` brings them in",
                human::safe(&error.to_string())
            )),
            Announced::Ended { whole } => {
                all.remove(&tape.id);
                let _ = self.tapes.send(Note::LapsEnded { tape: tape.id, whole });
            }
        }
    }
}
