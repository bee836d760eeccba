//! What runs beside a recording in the main job.
//!
//! ```text
//! recorders ──▶ LiveLaps ──▶ store ──▶ server's listeners, lines for the terminal
//!           ├─▶ LiveView ──▶ what the car does now, for those listeners
//!           ├─▶ LiveFrames ──▶ the frames themselves, for those who ask for V2
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

use gametape::capture::Observer;
use gametape::format::TapeId;
use gametape::laps::live::{Announced, KeepLaps, LiveLaps, LiveTape};
use gametape::live_frames::LiveFrames;
use gametape::live_view::LiveView;
use gametape::store::Store;

use crate::catching_up::CatchingUp;
use crate::human;
use crate::lap_lines::LapLines;
use crate::server::{Access, Announcer, AppState, Limits, ShowCars, TellFrames};
use crate::serving::{Bind, Serving};
use crate::tape_notes::{Note, note_tapes};
use crate::upstream::{Pushing, Upstream};

/// Laps, server and catalogue beside a recording.
pub(crate) struct Station {
    laps: LiveLaps,
    /// `None` if there is no server to look through.
    view: Option<LiveView>,
    frames: Option<LiveFrames>,
    serving: Option<Serving>,
    catalogue: JoinHandle<()>,
    tapes: Option<Sender<Note>>,
    catching_up: Option<CatchingUp>,
    pushing: Option<Pushing>,
    lines: Option<Receiver<String>>,
}

impl Station {
    /// Starts all of it. Tapes in these folders that no tracker has seen are tracked meanwhile.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        folders: Vec<PathBuf>,
        except: Vec<PathBuf>,
        upstream: Option<Upstream>,
    ) -> anyhow::Result<Self> {
        let (say, lines) = channel();
        // A recording is worth more than its server: it goes on without.
        let serving = Serving::start(Bind::default(), Arc::clone(&store), Access::default(), Limits::default());
        let serving = serving.inspect_err(|error| drop(say.send(format!("note: nothing is served: {error:#}")))).ok();
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
        let said = say.clone();
        let push = |upstream| Pushing::start(Arc::clone(&store), upstream, move |text| drop(said.send(text)));
        let pushing = upstream.map(push).transpose()?;
        let catching_up = CatchingUp::start(store, folders, except, move |text| drop(say.send(text)))?;
        Ok(Self {
            laps: LiveLaps::new(Arc::new(keep)),
            view: serving.as_ref().map(|serving| LiveView::new(Arc::new(ShowCars(serving.state().clone())))),
            frames: serving.as_ref().map(|serving| LiveFrames::new(Arc::new(TellFrames(serving.state().clone())))),
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

    /// Observers for one recorder.
    pub(crate) fn observers(&mut self) -> io::Result<Vec<Box<dyn Observer>>> {
        let mut observers = vec![self.laps.observer()?];
        if let Some(view) = &mut self.view {
            observers.push(view.observer()?);
        }
        if let Some(frames) = &mut self.frames {
            observers.push(frames.observer()?);
        }
        Ok(observers)
    }

    /// What there is to say, as it comes; and who wants to know of tapes.
    pub(crate) fn lines_and_tapes(&mut self) -> Option<(Receiver<String>, impl Fn(&Path) + 'static)> {
        let tapes = self.tapes.take()?;
        Some((self.lines.take()?, move |path: &Path| drop(tapes.send(Note::Tape(path.to_owned())))))
    }

    /// Waits until all laps of what was recorded are stored and told. The recorders must have ended, and the one who tells of tapes be gone.
    pub(crate) fn end_laps(self) -> Served {
        self.laps.wait();
        self.view.into_iter().for_each(LiveView::wait);
        self.frames.into_iter().for_each(LiveFrames::wait);
        Served {
            serving: self.serving,
            catalogue: self.catalogue,
            catching_up: self.catching_up,
            pushing: self.pushing,
        }
    }
}

/// What is left when the laps are through.
pub(crate) struct Served {
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
        let _ = self.catalogue.join();
        // What has not arrived yet is sent by the next run.
        self.pushing.into_iter().for_each(Pushing::stop);
        self.serving.map_or(Ok(()), Serving::end)
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
