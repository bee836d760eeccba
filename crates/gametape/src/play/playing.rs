//! A running playback: waits for deadlines, writes frames and handles commands.

use std::net::SocketAddr;
use std::ops::Range;
use std::time::Duration;

use super::chunk::{Chunk, Item};
use super::controls::{Command, Controls, nanoseconds};
use super::error::PlayError;
use super::pace::{Do, Pace};
use super::prefetch::Prefetch;
use super::simapi::SimApi;
use crate::games::{Game, Layout, SeenFrame};
use crate::sys::wake_exactly;
use crate::transport::shared_memory::player_marker::PlayerMarker;
use crate::transport::{Asked, Clock, Entry, Part, RealClock, Shown, Stage};

/// Maximum delay until a command or a stop request is noticed.
const NAP_NS: u64 = 20_000_000;
/// A frame written this long after its deadline is late.
const LATE_NS: u64 = 1_000_000;

/// Everything that accompanies the shared memory of the game.
pub(super) struct Around {
    pub(super) marker: Option<PlayerMarker>,
    pub(super) simapi: Option<SimApi>,
    /// Address of the HTTP server.
    pub(super) http: Option<SocketAddr>,
}

/// The initial state of a playback.
pub(super) struct Begun {
    /// Id of the game on the tape.
    pub(super) game_id: String,
    pub(super) game: &'static Game,
    pub(super) stage: Box<dyn Stage>,
    pub(super) around: Around,
    pub(super) prefetch: Prefetch,
    /// All parts and their layouts, if frames are decoded; otherwise empty.
    pub(super) decoded: Vec<(Part, Layout)>,
    pub(super) times: Range<u64>,
    /// Time until which the last frame is shown.
    pub(super) end_ns: u64,
    pub(super) speed: f64,
    pub(super) looping: bool,
    pub(super) notes: Vec<String>,
}

/// How the playback ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The end of the tape was reached.
    AtEnd,
    /// A stop was requested.
    Stopped,
}

/// A frame that was just shown at its deadline.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// Its tape time.
    pub tape_ns: u64,
    /// Its deadline, on the clock.
    pub due_ns: u64,
    /// When it was written, on the clock.
    pub shown_ns: u64,
}

/// The result of a playback.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Played {
    /// Number of frames that were shown.
    pub frames: u64,
    /// Number of restarts when looping.
    pub loops: u64,
    /// Number of frames that were shown more than 1 ms after their deadline.
    pub late: u64,
    /// Number of frames of the tape that could not be read.
    pub lost: u64,
    /// Number of frames that do not fit into the game's shared memory.
    pub unfit: u64,
    /// Descriptions of the damage that was encountered; at most 100.
    pub problems: Vec<String>,
}

/// A tape that is being played. When dropped, clients observe that the game has exited.
pub struct Playing {
    stage: Option<Box<dyn Stage>>,
    around: Around,
    prefetch: Prefetch,
    game_id: String,
    game: &'static Game,
    decoded: Vec<(Part, Layout)>,
    chunk: Chunk,
    next: usize,
    /// The range to play, including the time of the last frame.
    times: Range<u64>,
    speed: f64,
    looping: bool,
    /// Whether the reading thread starts over by itself.
    prefetch_loops: bool,
    began: bool,
    /// Time of the frames that were shown since the stage last settled, and whether they belong to the position where reading started.
    moment: Option<(u64, bool)>,
    position_ns: u64,
    controls: Controls,
    notes: Vec<String>,
    played: Played,
}

impl Playing {
    pub(super) fn new(plan: Begun) -> Self {
        let position_ns = plan.times.start;
        Self {
            stage: Some(plan.stage),
            around: plan.around,
            prefetch: plan.prefetch,
            game_id: plan.game_id,
            game: plan.game,
            decoded: plan.decoded,
            chunk: Chunk::default(),
            next: 0,
            times: plan.times.start..plan.end_ns,
            speed: plan.speed,
            looping: plan.looping,
            prefetch_loops: plan.looping,
            began: false,
            moment: None,
            position_ns,
            controls: Controls::default(),
            notes: plan.notes,
            played: Played::default(),
        }
    }

    /// Returns the controls.
    pub fn controls(&self) -> Controls {
        self.controls.clone()
    }

    /// Returns notes for the user, such as streams that are not played or a port that is in use.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the id of the game on the tape.
    pub fn game_id(&self) -> &str {
        &self.game_id
    }

    /// Returns the game that is played; [`OWN_UDP_GAME`](crate::games::OWN_UDP_GAME) if it is not in the registry.
    pub fn game(&self) -> &'static Game {
        self.game
    }

    /// Returns the address of iRacing's status service.
    pub fn status_address(&self) -> Option<SocketAddr> {
        self.stage.as_ref()?.status_address()
    }

    /// Returns the address of the HTTP server, for games with an HTTP API.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.around.http
    }

    /// Returns the address for requests of clients, for games that send on request only.
    pub fn request_address(&self) -> Option<SocketAddr> {
        self.stage.as_ref()?.request_address()
    }

    /// Returns the numbers of clients and requests so far, for games that send on request only.
    pub fn asked(&self) -> Asked {
        self.stage.as_ref().map(|stage| stage.asked()).unwrap_or_default()
    }

    /// Returns the range that is played: from the first frame to the end of the last one.
    pub fn times(&self) -> Range<Duration> {
        Duration::from_nanos(self.times.start)..Duration::from_nanos(self.times.end)
    }

    /// Returns the time of the last frame that was shown.
    pub fn position(&self) -> Duration {
        Duration::from_nanos(self.position_ns)
    }

    /// Returns the result so far.
    pub fn played(&self) -> &Played {
        &self.played
    }

    /// Shows the next frame immediately, regardless of the clock. At the beginning and after a seek, shows all frames that are
    /// current at that time. Returns the time of the frame, or `None` at the end.
    pub fn step(&mut self) -> Result<Option<Duration>, PlayError> {
        let mut at_once = false;
        loop {
            let item = self.peek()?;
            self.settle_before(&item)?;
            match item {
                // One step shows all frames of the position.
                Item::Frame(entry) if at_once && !entry.at_once => return Ok(Some(self.position())),
                Item::Frame(entry) => {
                    self.next += 1;
                    let stepped = self.show(&entry)?;
                    at_once |= entry.at_once && stepped;
                    if stepped && !entry.at_once {
                        self.show_rest_of_moment()?;
                        return Ok(Some(self.position()));
                    }
                }
                _ if at_once => return Ok(Some(self.position())),
                Item::Begin { at_ns } => self.begin(at_ns),
                Item::Damage { frames, text } => self.damage(frames, text),
                Item::End { .. } if !self.looping => return Ok(None),
                Item::End { .. } => self.begin_anew(),
            }
        }
    }

    /// Seeks to a time of the tape. The next step or run shows it.
    pub fn seek(&mut self, to: Duration) {
        self.go_to(nanoseconds(to));
    }

    /// Plays in real time until the end of the tape, or until a stop is requested.
    pub fn run(&mut self) -> Result<Ended, PlayError> {
        self.run_by(&RealClock::start(), &mut |_| {})
    }

    /// Like [`run`](Self::run), with another clock. `each` is called for every frame that was shown at its deadline.
    pub fn run_by(&mut self, clock: &dyn Clock, each: &mut dyn FnMut(&Moment)) -> Result<Ended, PlayError> {
        wake_exactly();
        let mut pace = Pace::new(clock.now_ns(), self.position_ns, self.speed);
        loop {
            if self.controls.stop_wanted() || (pace.stop_after_steps && pace.steps == 0) {
                return Ok(Ended::Stopped);
            }
            self.hear(&mut pace, clock.now_ns());
            self.controls.tell_paused(pace.paused);
            let item = self.peek()?;
            self.settle_before(&item)?;
            let now_ns = clock.now_ns();
            match item {
                Item::Begin { at_ns } => {
                    self.begin(at_ns);
                    pace.begin(now_ns, at_ns);
                }
                Item::Damage { frames, text } => self.damage(frames, text),
                Item::Frame(entry) if entry.at_once || self.is_of_shown_moment(&entry) => {
                    self.next += 1;
                    self.show(&entry)?;
                }
                Item::Frame(entry) => match pace.what_now(entry.time_ns, now_ns) {
                    Do::Show => {
                        self.next += 1;
                        let due_ns = pace.timeline.due_ns(entry.time_ns);
                        let stepped = self.show(&entry)?;
                        let waited_for = !pace.paused;
                        pace.shown(entry.time_ns, stepped);
                        if waited_for && stepped {
                            self.played.late += u64::from(now_ns.saturating_sub(due_ns) > LATE_NS);
                            each(&Moment { tape_ns: entry.time_ns, due_ns, shown_ns: now_ns });
                        }
                    }
                    wait => self.wait(clock, now_ns, &wait),
                },
                Item::End { at_ns } => match pace.what_now(at_ns, now_ns) {
                    Do::Show if !self.looping => return Ok(Ended::AtEnd),
                    Do::Show => {
                        pace.end(at_ns);
                        self.begin_anew();
                    }
                    wait => self.wait(clock, now_ns, &wait),
                },
            }
        }
    }

    /// Ends the playback. Clients observe that the game has exited, then the sections that this player created are removed.
    pub fn stop(mut self) -> Result<Played, PlayError> {
        self.leave()?;
        Ok(std::mem::take(&mut self.played))
    }

    fn leave(&mut self) -> Result<(), PlayError> {
        let Some(mut stage) = self.stage.take() else { return Ok(()) };
        let mut ended = stage.leave();
        if let Some(simapi) = self.around.simapi.take() {
            ended = ended.and(simapi.leave()).and(simapi.remove());
        }
        ended = ended.and(stage.remove());
        if let Some(marker) = self.around.marker.take() {
            // A leftover marker is ignored once this process is gone.
            let _ = marker.remove();
        }
        Ok(ended?)
    }

    fn wait(&self, clock: &dyn Clock, now_ns: u64, what: &Do) {
        let pulse_ns = self.stage.as_ref().and_then(|stage| stage.pulse_every_ns());
        let nap_ns = now_ns.saturating_add(pulse_ns.map_or(NAP_NS, |every_ns| every_ns.min(NAP_NS)));
        let until_ns = match what {
            Do::Wait(due_ns) => nap_ns.min(*due_ns),
            Do::Nap | Do::Show => nap_ns,
        };
        clock.sleep_until_ns(until_ns);
        if pulse_ns.is_some()
            && let Some(stage) = &self.stage
        {
            stage.pulse();
        }
    }

    fn hear(&mut self, pace: &mut Pace, now_ns: u64) {
        while let Some(command) = self.controls.next() {
            match command {
                Command::Pause(pause) => pace.pause(pause, now_ns),
                Command::TogglePause => pace.pause(!pace.paused, now_ns),
                Command::Step => {
                    pace.pause(true, now_ns);
                    pace.steps += 1;
                }
                Command::Speed(speed) => {
                    // Applies to the next run too.
                    self.speed = speed;
                    pace.change_speed(speed, now_ns);
                }
                Command::StopAfterSteps => pace.stop_after_steps = true,
                Command::Loop(looping) => self.looping = looping,
                Command::SeekTo(to_ns) => {
                    let to_ns = self.go_to(to_ns);
                    pace.begin(now_ns, to_ns);
                }
                Command::SeekBy(by_ns) => {
                    let here_ns = pace.position_ns(now_ns).min(self.times.end);
                    let to_ns = self.go_to(here_ns.saturating_add_signed(by_ns));
                    // Until the frames of that position arrive, this is the current position, so that repeated seeks add up.
                    pace.begin(now_ns, to_ns);
                }
            }
        }
    }

    /// Seeks to the nearest time in the range, and returns it.
    fn go_to(&mut self, to_ns: u64) -> u64 {
        let to_ns = to_ns.clamp(self.times.start, self.times.end);
        self.chunk = Chunk::default();
        self.next = 0;
        self.prefetch.seek(to_ns);
        to_ns
    }

    fn begin(&mut self, at_ns: u64) {
        self.next += 1;
        self.position_ns = at_ns;
        if std::mem::replace(&mut self.began, true)
            && let Some(stage) = &mut self.stage
        {
            stage.jump();
        }
    }

    fn begin_anew(&mut self) {
        self.next += 1;
        self.played.loops += 1;
        if !self.prefetch_loops {
            self.go_to(self.times.start);
        }
    }

    fn damage(&mut self, frames: u64, text: String) {
        const MOST: usize = 100;
        self.next += 1;
        self.played.lost += frames;
        if self.played.problems.len() < MOST && !self.played.problems.contains(&text) {
            self.played.problems.push(text);
        }
    }

    /// Returns the next item. After the last frame, that is the end, every time.
    fn peek(&mut self) -> Result<Item, PlayError> {
        loop {
            if let Some(item) = self.chunk.items.get(self.next) {
                return Ok(item.clone());
            }
            (self.chunk, self.next) = (self.prefetch.next()?, 0);
        }
    }

    /// Ends the moment of the frames that were shown, unless the next item is another frame of it.
    fn settle_before(&mut self, next: &Item) -> Result<(), PlayError> {
        let continues = match (next, self.moment) {
            // Frames of the position where reading started have different times, and are one moment.
            (Item::Frame(entry), Some((time_ns, at_once))) => {
                entry.at_once == at_once && (at_once || entry.time_ns == time_ns)
            }
            (_, None) => true,
            _ => false,
        };
        if continues { Ok(()) } else { self.settle() }
    }

    /// Returns whether a frame belongs to the moment that is being shown, in a game whose frames are shown by the moment.
    fn is_of_shown_moment(&self, entry: &Entry) -> bool {
        self.moment == Some((entry.time_ns, entry.at_once))
            && self.stage.as_ref().is_some_and(|stage| stage.shows_moments())
    }

    fn show_rest_of_moment(&mut self) -> Result<(), PlayError> {
        while let Item::Frame(entry) = self.peek()?
            && self.is_of_shown_moment(&entry)
        {
            self.next += 1;
            self.show(&entry)?;
        }
        self.settle()
    }

    fn settle(&mut self) -> Result<(), PlayError> {
        self.moment = None;
        if let Some(stage) = &mut self.stage {
            stage.settle()?;
        }
        Ok(())
    }

    /// Writes a frame. Returns whether clients observe a change.
    fn show(&mut self, entry: &Entry) -> Result<bool, PlayError> {
        let Some(stage) = &mut self.stage else { return Ok(false) };
        let frame = self.chunk.bytes(entry);
        let shown = stage.show(entry, frame)?;
        self.moment = Some((entry.time_ns, entry.at_once));
        match shown {
            Shown::Step => {
                self.played.frames += 1;
                self.position_ns = entry.time_ns;
                self.controls.tell_position(entry.time_ns);
            }
            Shown::Noted => {}
            Shown::Unfit => self.played.unfit += 1,
        }
        if let (Some(simapi), Some((part, layout))) = (&mut self.around.simapi, self.decoded.get(entry.part)) {
            simapi.show(SeenFrame { stream: part.name, layout, bytes: frame })?;
        }
        Ok(shown == Shown::Step)
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        // To get errors, call `stop`.
        let _ = self.leave();
    }
}
