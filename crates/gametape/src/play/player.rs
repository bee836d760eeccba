//! The configuration of a playback, and its start.

use std::net::SocketAddr;
use std::ops::Range;
use std::time::Duration;

use super::ahead::{Ahead, Plan};
use super::controls::nanoseconds;
use super::error::PlayError;
use super::http::HttpStage;
use super::iracing::IracingStage;
use super::neighbours;
use super::pages::PageStage;
use super::parts::{self, PartKind, Parts};
use super::playing::{Around, Begun, Playing};
use super::simapi::{self, SimApi};
use super::stage::Stage;
use super::status_service::{STATUS_PORT, StatusService};
use crate::capture::playback::PlaybackSign;
use crate::format::TapeId;
use crate::format::read::{Tape as RawTape, TapeStream};
use crate::games::{NO_CHANNELS, iracing};
use crate::layout::layout_of_stream;
use crate::sys::Prefix;
use crate::tape::Tape;

/// Default wait for a leftover section that is too small.
const PATIENCE: Duration = Duration::from_secs(30);
/// Minimum and maximum time for which the last frame is shown.
const LAST_FRAME_NS: Range<u64> = 1_000_000..100_000_000;

/// A stage and, for HTTP, its address.
type Opened = (Box<dyn Stage>, Option<SocketAddr>);

/// Plays a tape through the same interface as its game: shared memory or HTTP. See the [module](super) for an example.
#[derive(Clone)]
pub struct Player {
    tape: Tape,
    prefix: Prefix,
    speed: f64,
    looping: bool,
    from: Option<Duration>,
    to: Option<Duration>,
    force: bool,
    simapi: bool,
    status_port: Option<Option<u16>>,
    http_port: Option<u16>,
    patience: Duration,
}

impl Player {
    /// Creates a player that plays the whole tape once, at normal speed, under the game's own names.
    pub fn new(tape: &Tape) -> Self {
        Self {
            tape: tape.clone(),
            prefix: Prefix::default(),
            speed: 1.0,
            looping: false,
            from: None,
            to: None,
            force: false,
            simapi: false,
            status_port: None,
            http_port: None,
            patience: PATIENCE,
        }
    }

    /// Sets a prefix for all names. Only clients that use the same prefix see the game.
    pub fn names(self, prefix: Prefix) -> Self {
        Self { prefix, ..self }
    }

    /// Sets the speed factor: [`SLOWEST`](super::SLOWEST) to [`FASTEST`](super::FASTEST).
    pub fn speed(self, speed: f64) -> Self {
        Self { speed, ..self }
    }

    /// Sets whether to play in a loop.
    pub fn looping(self, looping: bool) -> Self {
        Self { looping, ..self }
    }

    /// Starts at this time of the tape, with the frames that are current at that time.
    pub fn from(self, from: Duration) -> Self {
        Self { from: Some(from), ..self }
    }

    /// Plays only frames before this time of the tape.
    pub fn to(self, to: Duration) -> Self {
        Self { to: Some(to), ..self }
    }

    /// Plays even if a game is running, whose shared memory is overwritten then.
    pub fn force(self, force: bool) -> Self {
        Self { force, ..self }
    }

    /// Also writes `SIMAPI.DAT`, a game-independent interface for programs on Linux.
    pub fn simapi(self, simapi: bool) -> Self {
        Self { simapi, ..self }
    }

    /// Sets the port of iRacing's status service; 0 means any free port, `None` disables it. Default: [`STATUS_PORT`], or disabled
    /// with a prefix.
    pub fn status_port(self, port: Option<u16>) -> Self {
        Self { status_port: Some(port), ..self }
    }

    /// Sets the port for games with an HTTP API, on the loopback interface; 0 means any free port. Default: the port of the game,
    /// or a free one with a prefix. [`Playing::http_address`] returns the address.
    pub fn http_port(self, port: u16) -> Self {
        Self { http_port: Some(port), ..self }
    }

    /// Sets how long to wait for a leftover section that is too small. Default: 30 s.
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Checks for a running game and creates the shared memory or server. No frame is shown yet.
    pub fn start(self) -> Result<Playing, PlayError> {
        if !(super::SLOWEST..=super::FASTEST).contains(&self.speed) {
            return Err(PlayError::Speed { found: self.speed });
        }
        let raw = self.tape.shared();
        let parts = parts::find(&raw)?;
        let (times, end_ns) = self.times(&raw, &parts)?;
        let plan = Plan { parts: parts.list.clone(), times: times.clone(), end_ns, looping: self.looping };
        // Reads ahead during the checks below.
        let ahead = Ahead::start(raw.clone(), plan)?;
        let processes = || crate::sys::running_processes();
        let has_car = parts.game.is_in_memory();
        let beside = (self.simapi && has_car).then_some(simapi::COUNTER);
        if !self.force
            && let Some(neighbour) = neighbours::find(parts.game, &self.prefix, beside, processes)
        {
            return Err(PlayError::Live { neighbour });
        }
        let mut notes = Vec::new();
        if !parts.left_out.is_empty() {
            notes.push(format!("not played: {}", parts.left_out.join(", ")));
        }
        if self.simapi && !has_car {
            notes.push(format!("SIMAPI.DAT is not written: {} has no car", parts.game.name));
        }
        let id = raw.id().unwrap_or(TapeId([0; 16]));
        let (stage, http) = self.stage(&parts, &raw, id)?;
        let simapi = match self.simapi && has_car {
            true => Some(SimApi::open(parts.game, &self.prefix, self.patience)?),
            false => None,
        };
        let service = self.service(&parts, &mut notes);
        // Last, but before a frame is shown, so that a recorder that finds the game also finds the marker. HTTP responses have a
        // header instead.
        let no_sign = |source| PlayError::Memory { name: "gametape_player".into(), source };
        let sign = match http {
            Some(_) => None,
            None => Some(PlaybackSign::put_up(&self.prefix, id, parts.game).map_err(no_sign)?),
        };
        // Parsing a table of hundreds of variables takes time, so do it only if frames are decoded.
        let decoded = parts.list.iter().filter(|_| simapi.is_some());
        let layout = |stream| raw.stream(stream).and_then(|stream| layout_of_stream(stream.spec()).ok());
        let layouts = decoded.map(|part| layout(part.stream).unwrap_or_else(|| NO_CHANNELS.clone())).collect();
        let around = Around { sign, service, simapi, http };
        let (game, speed, looping) = (parts.game, self.speed, self.looping);
        Ok(Playing::new(Begun { game, stage, around, ahead, layouts, times, end_ns, speed, looping, notes }))
    }

    /// Opens the stage. Returns its address too if it is an HTTP server.
    fn stage(&self, parts: &Parts, tape: &RawTape, id: TapeId) -> Result<Opened, PlayError> {
        if parts::is_http(parts.game) {
            let apart = (!self.prefix.as_str().is_empty()).then_some(0);
            let stage = HttpStage::open(parts, id, self.http_port.or(apart))?;
            let address = stage.address();
            return Ok((Box::new(stage), address));
        }
        Ok(match parts.game.id == iracing::GAME.id {
            true => (Box::new(IracingStage::open(parts, tape, &self.prefix, self.patience)?), None),
            false => (Box::new(PageStage::open(parts, tape, &self.prefix, self.patience)?), None),
        })
    }

    fn service(&self, parts: &Parts, notes: &mut Vec<String>) -> Option<StatusService> {
        if parts.game.id != iracing::GAME.id {
            return None;
        }
        let usual = self.prefix.as_str().is_empty().then_some(STATUS_PORT);
        let port = self.status_port.unwrap_or(usual)?;
        match StatusService::start(port) {
            Ok(service) => Some(service),
            Err(error) => {
                notes.push(format!(
                    "port {port} is not available ({error}): clients that query it for whether iRacing is running get the \
                     response of another program, and may not start"
                ));
                None
            }
        }
    }

    /// Returns the range of times to play, and the time until which the last frame is shown.
    fn times(&self, tape: &RawTape, parts: &Parts) -> Result<(Range<u64>, u64), PlayError> {
        let streams = || {
            // Describing frames are at the start of the tape, wherever the data frames are.
            let moves = parts
                .list
                .iter()
                .filter(|part| matches!(part.kind, PartKind::Page(_) | PartKind::Answer(_) | PartKind::Row));
            moves.filter_map(|part| tape.stream(part.stream))
        };
        let first_ns = streams().filter_map(|stream| stream.totals().first_ns).min().unwrap_or(0);
        let last_ns = streams().filter_map(|stream| stream.totals().last_ns).max().unwrap_or(0);
        let from_ns = self.from.map_or(first_ns, |from| nanoseconds(from).max(first_ns));
        let to_ns = self.to.map_or(u64::MAX, nanoseconds);
        let any = streams().any(|stream| stream.totals().frames > 0);
        if !any || from_ns >= to_ns || from_ns > last_ns {
            return Err(PlayError::Empty {
                from: self.from.unwrap_or_default(),
                to: self.to.unwrap_or(Duration::MAX),
                first: Duration::from_nanos(first_ns),
                last: Duration::from_nanos(last_ns),
            });
        }
        let seen_ns = streams().filter_map(|stream| stream.status().seen_until_ns).max().unwrap_or(0);
        let end_ns = last_ns.saturating_add(streams().map(period_ns).min().unwrap_or(0)).max(seen_ns);
        Ok((from_ns..to_ns, end_ns.min(to_ns)))
    }
}

/// Returns the average time between two frames of a stream, clamped to [`LAST_FRAME_NS`].
fn period_ns(stream: &TapeStream) -> u64 {
    let totals = stream.totals();
    let span_ns = totals.last_ns.unwrap_or(0).saturating_sub(totals.first_ns.unwrap_or(0));
    let between = totals.frames.saturating_sub(1);
    (span_ns.checked_div(between).unwrap_or(LAST_FRAME_NS.end)).clamp(LAST_FRAME_NS.start, LAST_FRAME_NS.end)
}
