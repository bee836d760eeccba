//! The playback of this server, at most one at a time: plays a tape on a background thread, as `gametape play` does, and is
//! controlled from the dashboard. It ends with the server. Blocks: checking for a running game takes half a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use gametape::Tape;
use gametape::format::TapeId;
use gametape::play::{Controls, Ended, PlayError, Played, Player, Playing};
use gametape::sys::Prefix;

/// How long to wait for leftover memory that is too small to disappear. The page waits as long.
const PATIENCE: Duration = Duration::from_secs(3);

/// What to play.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlayRequest {
    pub(super) from: Option<Duration>,
    pub(super) to: Option<Duration>,
    pub(super) speed: f64,
    pub(super) looping: bool,
    /// The start position, if not `from`.
    pub(super) at: Option<Duration>,
}

/// A change of the playback.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PlaybackEdit {
    pub(super) paused: Option<bool>,
    pub(super) position: Option<Duration>,
    pub(super) speed: Option<f64>,
    pub(super) looping: Option<bool>,
}

/// Why playback was not started.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    /// This server is already playing a tape.
    #[error("this server is already playing tape {tape}; stop it first")]
    Busy { tape: TapeId },
    /// The tape cannot be played, or a game is running.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// No thread could be created.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// The state of a playback.
#[derive(Debug, Clone)]
pub(super) struct PlaybackStatus {
    pub(super) state: &'static str,
    pub(super) tape: TapeId,
    pub(super) game: &'static str,
    pub(super) position: Duration,
    pub(super) from: Duration,
    pub(super) to: Duration,
    pub(super) speed: f64,
    pub(super) looping: bool,
    pub(super) notes: Vec<String>,
    pub(super) played: Option<Played>,
}

/// Holds the playback.
#[derive(Default)]
pub(crate) struct Playback {
    /// The prefix of the shared-memory names; none if not set.
    prefix: OnceLock<Prefix>,
    now: Mutex<Option<Running>>,
}

/// A started playback.
struct Running {
    tape: TapeId,
    game: &'static str,
    controls: Controls,
    looping: Arc<AtomicBool>,
    paused: bool,
    speed: f64,
    times: std::ops::Range<Duration>,
    notes: Vec<String>,
    thread: Option<JoinHandle<Result<Played, PlayError>>>,
    ended: Option<Result<Played, PlayError>>,
}

impl Playback {
    /// Sets the prefix of the shared-memory names for future playbacks.
    pub(crate) fn under(&self, prefix: Prefix) {
        let _ = self.prefix.set(prefix);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Running>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts playing, unless something is already playing or a game is running.
    pub(super) fn start(
        &self,
        id: TapeId,
        tape: gametape::format::read::Tape,
        wanted: &PlayRequest,
    ) -> Result<PlaybackStatus, StartError> {
        // Held during the check, so that no other request starts a playback meanwhile.
        let mut now = self.lock();
        if let Some(playing) = now.as_mut()
            && !playing.is_over()
        {
            return Err(StartError::Busy { tape: playing.tape });
        }
        *now = None;
        // Looping is done here, so that it can be toggled during playback.
        let prefix = self.prefix.get().cloned().unwrap_or_default();
        let mut player = Player::new(&Tape::from(tape)).names(prefix).speed(wanted.speed).patience(PATIENCE);
        if let Some(from) = wanted.from {
            player = player.from(from);
        }
        if let Some(to) = wanted.to {
            player = player.to(to);
        }
        let mut playing = player.start()?;
        if let Some(at) = wanted.at {
            playing.seek(at);
        }
        let looping = Arc::new(AtomicBool::new(wanted.looping));
        let (controls, times, game) = (playing.controls(), playing.times(), playing.game().id);
        let (notes, again) = (playing.notes().to_vec(), Arc::clone(&looping));
        let thread = std::thread::Builder::new().name("gametape-play".into()).spawn(move || play(playing, &again));
        let thread = thread.map_err(StartError::Thread)?;
        let started = now.insert(Running {
            tape: id,
            game,
            controls,
            looping,
            paused: false,
            speed: wanted.speed,
            times,
            notes,
            thread: Some(thread),
            ended: None,
        });
        Ok(started.status())
    }

    /// Returns the state; `None` if nothing was played.
    pub(super) fn status(&self) -> Option<PlaybackStatus> {
        self.lock().as_mut().map(Running::status)
    }

    /// Changes the playback; `None` if nothing is playing.
    pub(super) fn change(&self, edit: &PlaybackEdit) -> Option<PlaybackStatus> {
        let mut now = self.lock();
        let now = now.as_mut()?;
        if now.is_over() {
            return None;
        }
        if let Some(looping) = edit.looping {
            now.looping.store(looping, Ordering::Relaxed);
        }
        if let Some(speed) = edit.speed {
            now.speed = speed;
            now.controls.speed(speed);
        }
        if let Some(position) = edit.position {
            now.controls.seek(position);
        }
        if let Some(paused) = edit.paused {
            now.paused = paused;
            now.controls.pause(paused);
        }
        let status = now.status();
        // The thread applies the change a moment later.
        Some(PlaybackStatus {
            position: edit.position.unwrap_or(status.position).clamp(status.from, status.to),
            ..status
        })
    }

    /// Stops the playback and waits until its memory is removed.
    pub(crate) fn end(&self) {
        if let Some(mut now) = self.lock().take() {
            now.controls.stop();
            if let Some(thread) = now.thread.take() {
                let _ = thread.join();
            }
        }
    }
}

impl Drop for Playback {
    fn drop(&mut self) {
        self.end();
    }
}

impl Running {
    /// Whether the playback has ended on its own.
    fn is_over(&mut self) -> bool {
        if self.thread.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(thread) = self.thread.take()
        {
            let died = |_| Err(PlayError::Thread(std::io::Error::other("the player thread panicked")));
            self.ended = Some(thread.join().unwrap_or_else(died));
        }
        self.thread.is_none()
    }

    fn status(&mut self) -> PlaybackStatus {
        let over = self.is_over();
        let state = match (over, self.paused) {
            (true, _) if matches!(self.ended, Some(Ok(_))) => "ended",
            (true, _) => "failed",
            (false, true) => "paused",
            (false, false) => "playing",
        };
        let mut notes = self.notes.clone();
        let played = match &self.ended {
            Some(Ok(played)) => Some(played.clone()),
            Some(Err(error)) => {
                notes.push(error.to_string());
                None
            }
            None => None,
        };
        PlaybackStatus {
            state,
            tape: self.tape,
            game: self.game,
            position: self.controls.position().clamp(self.times.start, self.times.end),
            from: self.times.start,
            to: self.times.end,
            speed: self.speed,
            looping: self.looping.load(Ordering::Relaxed),
            notes,
            played,
        }
    }
}

/// Plays to the end, and again while looping is on.
fn play(mut playing: Playing, again: &AtomicBool) -> Result<Played, PlayError> {
    let start = playing.times().start;
    let ran = loop {
        match playing.run() {
            Ok(Ended::AtEnd) if again.load(Ordering::Relaxed) => playing.seek(start),
            ran => break ran,
        }
    };
    let stopped = playing.stop();
    ran.and(stopped)
}
