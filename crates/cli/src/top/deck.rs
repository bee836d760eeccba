//! Plays a tape into shared memory, as `gametape play` does, on background threads. Dropping the deck stops playback and waits
//! until clients have seen the game disappear.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use gametape::Tape;
use gametape::play::{Controls, FASTEST, PlayError, Played, Player, SLOWEST};
use gametape::sys::Prefix;

use super::facts::TapeRow;
use super::finding::find_tape;
use super::keys::DeckKey;
use super::text::clean;
use crate::human;

/// The selectable speeds.
const SPEEDS: [f64; 10] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 100.0];
/// How long to wait for memory left over by a game that died.
const PATIENCE: Duration = Duration::from_secs(2);

/// The state of the player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeckState {
    Starting,
    Playing,
    Paused,
    /// Playback ended, with a summary.
    Ended(String),
    Failed(String),
}

/// The player as it is displayed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DeckView {
    pub(crate) tape: String,
    pub(crate) name: String,
    pub(crate) state: DeckState,
    pub(crate) position_ns: u64,
    pub(crate) duration_ns: Option<u64>,
    pub(crate) speed: f64,
    pub(crate) looping: bool,
}

/// A message from the playing thread.
#[derive(Debug)]
enum DeckMessage {
    Starting,
    Playing(Controls),
    Ended(String),
    Failed(String),
}

/// One playback.
struct Running {
    view: DeckView,
    told: Arc<Mutex<DeckMessage>>,
    /// A stop was requested, possibly before playback has started.
    stop: Arc<std::sync::atomic::AtomicBool>,
    paused: bool,
    thread: Option<JoinHandle<()>>,
}

/// The player.
pub(crate) struct Deck {
    prefix: Prefix,
    store: Option<String>,
    running: Option<Running>,
}

impl Deck {
    /// A player with this prefix of the shared-memory names.
    pub(crate) fn new(prefix: Prefix, store: Option<String>) -> Self {
        Self { prefix, store, running: None }
    }

    /// Handles a key. Returns a message to show, if there is one.
    pub(crate) fn press(&mut self, key: &DeckKey, picked: Option<&TapeRow>) -> Option<String> {
        if *key == DeckKey::Play {
            return match picked {
                Some(tape) => self.play(tape),
                None => Some("there is no tape to play".to_owned()),
            };
        }
        let Some(running) = &mut self.running else {
            return Some("nothing is playing; press Enter to play the selected tape".into());
        };
        running.press(key);
        None
    }

    fn play(&mut self, tape: &TapeRow) -> Option<String> {
        let same = |running: &Running| running.view.tape == tape.id && running.is_alive();
        if let Some(running) = self.running.as_mut().filter(|running| same(running)) {
            running.press(&DeckKey::Pause);
            return None;
        }
        // The previous playback must be gone, or the new one would conflict with it.
        let (speed, looping) = self.running.take().map_or((1.0, false), |old| (old.view.speed, old.view.looping));
        let view = DeckView {
            tape: tape.id.clone(),
            name: tape.file.clone(),
            state: DeckState::Starting,
            position_ns: 0,
            duration_ns: tape.duration_ns,
            speed,
            looping,
        };
        let started = Running::start(view, self.prefix.clone(), self.store.clone());
        match started {
            Ok(running) => self.running = Some(running),
            Err(error) => return Some(format!("cannot play the tape: {error}")),
        }
        None
    }

    /// Returns the current state for display.
    pub(crate) fn view(&mut self) -> Option<DeckView> {
        let running = self.running.as_mut()?;
        running.look();
        Some(running.view.clone())
    }
}

impl Running {
    fn start(view: DeckView, prefix: Prefix, store: Option<String>) -> std::io::Result<Self> {
        let told = Arc::new(Mutex::new(DeckMessage::Starting));
        let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (tells, stopped, asked) = (Arc::clone(&told), Arc::clone(&stop), view.clone());
        let thread = std::thread::Builder::new().name("gametape-deck".into()).spawn(move || {
            let tell = |what: DeckMessage| *tells.lock().unwrap_or_else(PoisonError::into_inner) = what;
            let stopped = || stopped.load(std::sync::atomic::Ordering::SeqCst);
            tell(match play(&asked, prefix, store.as_deref(), &tell, &stopped) {
                Ok(played) => DeckMessage::Ended(summary(&played)),
                Err(reason) => DeckMessage::Failed(clean(&reason)),
            });
        })?;
        Ok(Self { view, told, stop, paused: false, thread: Some(thread) })
    }

    fn controls(&self) -> Option<Controls> {
        match &*self.told.lock().unwrap_or_else(PoisonError::into_inner) {
            DeckMessage::Playing(controls) => Some(controls.clone()),
            _ => None,
        }
    }

    fn is_alive(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    fn press(&mut self, key: &DeckKey) {
        let Some(controls) = self.controls() else { return };
        match key {
            DeckKey::Pause => {
                self.paused = !self.paused;
                controls.pause(self.paused);
            }
            DeckKey::Seek(by_s) if *by_s < 0 => controls.back(Duration::from_secs(by_s.unsigned_abs())),
            DeckKey::Seek(by_s) => controls.forward(Duration::from_secs(by_s.unsigned_abs())),
            DeckKey::Faster => self.set_speed(SPEEDS.iter().copied().find(|speed| *speed > self.view.speed), &controls),
            DeckKey::Slower => {
                self.set_speed(SPEEDS.iter().copied().rev().find(|speed| *speed < self.view.speed), &controls);
            }
            DeckKey::Loop => {
                self.view.looping = !self.view.looping;
                controls.set_looping(self.view.looping);
            }
            DeckKey::Stop => self.stop(),
            DeckKey::Play => {}
        }
    }

    fn set_speed(&mut self, speed: Option<f64>, controls: &Controls) {
        if let Some(speed) = speed.filter(|speed| (SLOWEST..=FASTEST).contains(speed)) {
            self.view.speed = speed;
            controls.speed(speed);
        }
    }

    fn stop(&self) {
        self.stop.store(true, std::sync::atomic::Ordering::SeqCst);
        if let Some(controls) = self.controls() {
            controls.stop();
        }
    }

    fn look(&mut self) {
        // Checked first: a thread that ends normally reports that before it ends.
        let alive = self.is_alive();
        let (state, position) = match &*self.told.lock().unwrap_or_else(PoisonError::into_inner) {
            DeckMessage::Starting | DeckMessage::Playing(_) if !alive => (
                DeckState::Failed("the player thread panicked, which is a bug in gametape; please report it".into()),
                None,
            ),
            DeckMessage::Starting => (DeckState::Starting, None),
            DeckMessage::Playing(controls) => {
                (if self.paused { DeckState::Paused } else { DeckState::Playing }, Some(controls.position()))
            }
            DeckMessage::Ended(text) => (DeckState::Ended(text.clone()), None),
            DeckMessage::Failed(text) => (DeckState::Failed(text.clone()), None),
        };
        self.view.state = state;
        if let Some(position) = position {
            self.view.position_ns = u64::try_from(position.as_nanos()).unwrap_or(u64::MAX);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn play(
    view: &DeckView,
    prefix: Prefix,
    store: Option<&str>,
    tell: &dyn Fn(DeckMessage),
    stopped: &dyn Fn() -> bool,
) -> Result<Played, String> {
    let path: PathBuf = find_tape(&view.tape, &view.name, store)
        .ok_or("this tape is not on this machine; play it where it was recorded")?;
    let tape = Tape::from(crate::open::tape(&path).map_err(|error| format!("{error:#}"))?);
    let player = Player::new(&tape).names(prefix).patience(PATIENCE).speed(view.speed).looping(view.looping);
    let mut playing = player.start().map_err(explain)?;
    let controls = playing.controls();
    tell(DeckMessage::Playing(controls.clone()));
    // A stop requested before this line could not use the controls.
    if stopped() {
        controls.stop();
    }
    let ran = playing.run();
    let played = playing.stop();
    ran.map_err(explain)?;
    played.map_err(explain)
}

fn explain(error: PlayError) -> String {
    match error {
        PlayError::Live { found } => {
            format!("{found}, so nothing was written; quit it, or start top with --names PREFIX")
        }
        error => error.to_string(),
    }
}

fn summary(played: &Played) -> String {
    let mut text = format!("{} shown", human::counted(played.frames, "frame"));
    if played.lost > 0 {
        text.push_str(&format!(", {} LOST to damage", human::counted(played.lost, "frame")));
    }
    text
}
