//! The plan of a playback, and its start.

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

/// How long a section that is left over, and too small, is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// The last frame stays at least and at most this long.
const LAST_FRAME_NS: Range<u64> = 1_000_000..100_000_000;

/// A stage, and where it answers over HTTP.
type Opened = (Box<dyn Stage>, Option<SocketAddr>);

/// Plays a tape as its game shows itself: into shared memory, or over HTTP. See the [module](super) for an example.
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
    /// Plays all of a tape once, as it was recorded, under the game's own names.
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

    /// Under names that begin with this: clients that know it see the game, nobody else does.
    pub fn names(self, prefix: Prefix) -> Self {
        Self { prefix, ..self }
    }

    /// Times faster than it was recorded: [`SLOWEST`](super::SLOWEST) to [`FASTEST`](super::FASTEST).
    pub fn speed(self, speed: f64) -> Self {
        Self { speed, ..self }
    }

    /// Again and again.
    pub fn looping(self, looping: bool) -> Self {
        Self { looping, ..self }
    }

    /// From this moment of the tape on, with what was shown at that moment.
    pub fn from(self, from: Duration) -> Self {
        Self { from: Some(from), ..self }
    }

    /// Only frames before this moment of the tape.
    pub fn to(self, to: Duration) -> Self {
        Self { to: Some(to), ..self }
    }

    /// Also next to a living game, whose memory is overwritten then.
    pub fn force(self, force: bool) -> Self {
        Self { force, ..self }
    }

    /// Also writes `SIMAPI.DAT`, through which programs for Linux see any game alike.
    pub fn simapi(self, simapi: bool) -> Self {
        Self { simapi, ..self }
    }

    /// Where iRacing's clients ask whether the game runs; 0 is any free port, `None` none. It is [`STATUS_PORT`] if nothing is said, and none
    /// under a prefix.
    pub fn status_port(self, port: Option<u16>) -> Self {
        Self { status_port: Some(port), ..self }
    }

    /// Where games that answer over HTTP do it, on this machine; 0 is any free port. It is the game's own port if nothing is said, and a free one
    /// under a prefix: [`Playing::http_address`] says which.
    pub fn http_port(self, port: u16) -> Self {
        Self { http_port: Some(port), ..self }
    }

    /// How long a section that is left over, and too small, is waited for: half a minute if nothing is said.
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Looks whether a game lives there, and makes its memory; nothing is shown yet.
    pub fn start(self) -> Result<Playing, PlayError> {
        if !(super::SLOWEST..=super::FASTEST).contains(&self.speed) {
            return Err(PlayError::Speed { found: self.speed });
        }
        let raw = self.tape.shared();
        let parts = parts::find(&raw)?;
        let (times, end_ns) = self.times(&raw, &parts)?;
        let plan = Plan { parts: parts.list.clone(), times: times.clone(), end_ns, looping: self.looping };
        // Reads while we look around.
        let ahead = Ahead::start(raw.clone(), plan)?;
        let processes = || crate::doctor::running_processes();
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
        // Last, but before anything is shown: a recorder that finds the game finds the sign. Over HTTP each answer says it.
        let no_sign = |source| PlayError::Memory { name: "gametape_player".into(), source };
        let sign = match http {
            Some(_) => None,
            None => Some(PlaybackSign::put_up(&self.prefix, id, parts.game).map_err(no_sign)?),
        };
        // A table of hundreds of variables takes its time: only for those who decode.
        let decoded = parts.list.iter().filter(|_| simapi.is_some());
        let layout = |stream| raw.stream(stream).and_then(|stream| layout_of_stream(stream.spec()).ok());
        let layouts = decoded.map(|part| layout(part.stream).unwrap_or_else(|| NO_CHANNELS.clone())).collect();
        let around = Around { sign, service, simapi, http };
        let (game, speed, looping) = (parts.game, self.speed, self.looping);
        Ok(Playing::new(Begun { game, stage, around, ahead, layouts, times, end_ns, speed, looping, notes }))
    }

    /// What the game shows, and where it answers, if it does.
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
                    "port {port} is not free ({error}): clients that ask there whether iRacing runs get the answer of \
                     whoever has it, and may not start"
                ));
                None
            }
        }
    }

    /// The times that are played, and until when the last frame is shown.
    fn times(&self, tape: &RawTape, parts: &Parts) -> Result<(Range<u64>, u64), PlayError> {
        let streams = || {
            // What describes others stands at the front, wherever the frames are.
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

/// The usual time between two frames of a stream.
fn period_ns(stream: &TapeStream) -> u64 {
    let totals = stream.totals();
    let span_ns = totals.last_ns.unwrap_or(0).saturating_sub(totals.first_ns.unwrap_or(0));
    let between = totals.frames.saturating_sub(1);
    (span_ns.checked_div(between).unwrap_or(LAST_FRAME_NS.end)).clamp(LAST_FRAME_NS.start, LAST_FRAME_NS.end)
}
