//! The one playback of this server: takes a tape and what of it, plays it on a thread of its own as `gametape play` does, and hears what pages say. It ends with the
//! server. Blocks: looking for a living game takes half a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use gametape::Tape;
use gametape::format::TapeId;
use gametape::play::{Controls, Ended, PlayError, Played, Player, Playing};
use gametape::sys::Prefix;

/// How long memory that somebody left behind, and that is too small, is waited for: a page waits, too.
const PATIENCE: Duration = Duration::from_secs(3);

/// What is to be played.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) from: Option<Duration>,
    pub(super) to: Option<Duration>,
    pub(super) speed: f64,
    pub(super) looping: bool,
    /// Where it begins, if not at `from`.
    pub(super) at: Option<Duration>,
}

/// What to change about what plays.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PlaybackEdit {
    pub(super) paused: Option<bool>,
    pub(super) position: Option<Duration>,
    pub(super) speed: Option<f64>,
    pub(super) looping: Option<bool>,
}

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    /// This server plays already.
    #[error("this server is playing the tape {tape} already: end that first")]
    Busy { tape: TapeId },
    /// The tape, or what else lives there.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// How a playback is.
#[derive(Debug, Clone)]
pub(super) struct Seen {
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

/// Where the playback is kept.
#[derive(Default)]
pub(crate) struct Playback {
    /// What stands before the names; those of the games if nothing was said.
    prefix: OnceLock<Prefix>,
    now: Mutex<Option<Now>>,
}

/// A playback that was started.
struct Now {
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
    /// Plays under names that begin with this from now on.
    pub(crate) fn under(&self, prefix: Prefix) {
        let _ = self.prefix.set(prefix);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Now>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to play, unless something plays already or a game lives there.
    pub(super) fn start(
        &self,
        id: TapeId,
        tape: gametape::format::read::Tape,
        wanted: &Wanted,
    ) -> Result<Seen, StartError> {
        // Held while we look around: nobody else starts meanwhile.
        let mut now = self.lock();
        if let Some(playing) = now.as_mut()
            && !playing.is_over()
        {
            return Err(StartError::Busy { tape: playing.tape });
        }
        *now = None;
        // Loops are made here, so that they can be switched on and off while it plays.
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
        let started = now.insert(Now {
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
        Ok(started.seen())
    }

    /// How it is; `None` if nothing was played.
    pub(super) fn seen(&self) -> Option<Seen> {
        self.lock().as_mut().map(Now::seen)
    }

    /// Changes what plays; `None` if nothing does.
    pub(super) fn change(&self, edit: &PlaybackEdit) -> Option<Seen> {
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
        let seen = now.seen();
        // The thread hears of it in a moment.
        Some(Seen { position: edit.position.unwrap_or(seen.position).clamp(seen.from, seen.to), ..seen })
    }

    /// Ends what plays, and waits for it: then its memory is gone.
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

impl Now {
    /// Whether it has come to its end by itself.
    fn is_over(&mut self) -> bool {
        if self.thread.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(thread) = self.thread.take()
        {
            let died = |_| Err(PlayError::Thread(std::io::Error::other("it ended early")));
            self.ended = Some(thread.join().unwrap_or_else(died));
        }
        self.thread.is_none()
    }

    fn seen(&mut self) -> Seen {
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
        Seen {
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

/// Plays to the end, and again while that is wanted.
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
