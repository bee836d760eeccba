//! The configuration of a playback, which streams of the tape are played, and its start.

use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::time::Duration;

use super::controls::nanoseconds;
use super::error::PlayError;
use super::playing::{Around, Begun, Playing};
use super::prefetch::{Plan, Prefetch};
use super::simapi::{self, SimApi};
use crate::format::read::{Tape as RawTape, TapeStream};
use crate::format::{Role, TapeId};
use crate::games::{GAMES, Game, NO_CHANNELS};
use crate::layout::layout_of_stream;
use crate::sys::Prefix;
use crate::tape::Tape;
use crate::transport::shared_memory::player_marker::PlayerMarker;
use crate::transport::shared_memory::running_game;
use crate::transport::{OpenStage, Part, Playback, StageError, StageOptions, can_be_played, playback_of};

/// Default wait for a leftover section that is too small.
const PATIENCE: Duration = Duration::from_secs(30);
/// Minimum and maximum time for which the last frame is shown.
const LAST_FRAME_NS: Range<u64> = 1_000_000..100_000_000;

/// Plays a tape through the same interface as its game: shared memory, HTTP or UDP. See the [module](super) for an example.
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
    send_to: Vec<SocketAddr>,
    request_port: Option<u16>,
    lan: Vec<IpAddr>,
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
            send_to: Vec::new(),
            request_port: None,
            lan: Vec::new(),
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

    /// Sets the port of iRacing's status service; 0 means any free port, `None` disables it. Default: [`STATUS_PORT`](super::STATUS_PORT), or disabled
    /// with a prefix.
    pub fn status_port(self, port: Option<u16>) -> Self {
        Self { status_port: Some(port), ..self }
    }

    /// Sets the port for games with an HTTP API, on the loopback interface; 0 means any free port. Default: the port of the game,
    /// or a free one with a prefix. [`Playing::http_address`] returns the address.
    pub fn http_port(self, port: u16) -> Self {
        Self { http_port: Some(port), ..self }
    }

    /// Sends the datagrams of a game to these addresses. Default: the port of the game on this machine.
    pub fn send_to(self, addresses: &[SocketAddr]) -> Self {
        Self { send_to: addresses.to_vec(), ..self }
    }

    /// Sets the port on which requests are answered, for games that send datagrams only to clients that ask; 0 means any free port. Default: the
    /// port of the game, or a free one with a prefix. [`Playing::request_address`] returns the address.
    pub fn request_port(self, port: u16) -> Self {
        Self { request_port: Some(port), ..self }
    }

    /// Also answers requests from these addresses on the network. Default: only those from this machine.
    pub fn lan(self, addresses: &[IpAddr]) -> Self {
        Self { lan: addresses.to_vec(), ..self }
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
        let parts = find_parts(&raw)?;
        let (times, end_ns) = self.times(&raw, &parts)?;
        let lookahead = parts.playback.lookahead(&parts.list);
        let plan = Plan { parts: parts.list.clone(), lookahead, times: times.clone(), end_ns, looping: self.looping };
        // Reads ahead during the checks below.
        let prefetch = Prefetch::start(raw.clone(), plan)?;
        let processes = || crate::sys::running_processes();
        let has_car = parts.game.is_in_memory() && parts.list.iter().any(|part| !part.is_message);
        let beside = (self.simapi && has_car).then_some(simapi::COUNTER);
        if !self.force
            && let Some(found) = running_game::find(parts.game, &self.prefix, beside, processes)
        {
            return Err(PlayError::Live { found });
        }
        let mut notes = Vec::new();
        if !parts.left_out.is_empty() {
            notes.push(format!("not played: {}", parts.left_out.join(", ")));
        }
        if self.simapi && !has_car {
            notes.push(format!("SIMAPI.DAT is not written: {} has no car", parts.game.name));
        }
        let options = StageOptions {
            prefix: self.prefix.clone(),
            patience: self.patience,
            http_port: self.http_port,
            status_port: self.status_port,
            send_to: self.send_to.clone(),
            request_port: self.request_port,
            lan: self.lan.clone(),
            from_ns: times.start,
        };
        let OpenStage { stage, address: http, notes: missing } = parts.playback.open(&raw, &parts.list, &options)?;
        notes.extend(missing);
        let simapi = match self.simapi && has_car {
            true => Some(SimApi::open(parts.game, &self.prefix, self.patience)?),
            false => None,
        };
        // Last, but before a frame is shown, so that a recorder that finds the game also finds the marker. HTTP responses have a
        // header instead.
        let id = raw.id().unwrap_or(TapeId([0; 16]));
        let no_marker = |source| StageError::Memory { name: "gametape_player".into(), source };
        let marker = match http.is_some() || !parts.playback.has_marker() {
            true => None,
            false => Some(PlayerMarker::create(&self.prefix, id, parts.game).map_err(no_marker)?),
        };
        // Parsing a table of hundreds of variables takes time, so do it only if frames are decoded.
        let decoded = parts.list.iter().filter(|_| simapi.is_some());
        let layout = |stream| raw.stream(stream).and_then(|stream| layout_of_stream(stream.spec()).ok());
        let layout = |stream| layout(stream).unwrap_or_else(|| NO_CHANNELS.clone());
        let decoded = decoded.map(|part| (*part, layout(part.stream))).collect();
        let around = Around { marker, simapi, http };
        let (game_id, game, speed, looping) = (parts.id, parts.game, self.speed, self.looping);
        Ok(Playing::new(Begun {
            game_id,
            game,
            stage,
            around,
            prefetch,
            decoded,
            times,
            end_ns,
            speed,
            looping,
            notes,
        }))
    }

    /// Returns the range of times to play, and the time until which the last frame is shown.
    fn times(&self, tape: &RawTape, parts: &Parts) -> Result<(Range<u64>, u64), PlayError> {
        let streams = || {
            // Describing frames are at the start of the tape, wherever the data frames are.
            parts.list.iter().filter(|part| part.moves).filter_map(|part| tape.stream(part.stream))
        };
        let first_ns = streams().filter_map(|stream| stream.totals().first_ns).min().unwrap_or(0);
        let last_ns = streams().filter_map(|stream| stream.totals().last_ns).max().unwrap_or(0);
        let from_ns = self.from.map_or(first_ns, |from| nanoseconds(from).max(first_ns));
        let to_ns = self.to.map_or(u64::MAX, nanoseconds);
        let any = streams().any(|stream| stream.totals().frames > 0);
        if !any || from_ns >= to_ns || from_ns > last_ns {
            return Err(PlayError::Empty {
                from: self.from.unwrap_or_default(),
                to: self.to,
                first: Duration::from_nanos(first_ns),
                last: Duration::from_nanos(last_ns),
            });
        }
        let seen_ns = streams().filter_map(|stream| stream.status().seen_until_ns).max().unwrap_or(0);
        let end_ns = last_ns.saturating_add(streams().map(period_ns).min().unwrap_or(0)).max(seen_ns);
        Ok((from_ns..to_ns, end_ns.min(to_ns)))
    }
}

/// Returns whether tapes of a game can be played.
pub fn can_play(game: &Game) -> bool {
    can_be_played(game)
}

/// Returns the average time between two frames of a stream, clamped to [`LAST_FRAME_NS`].
fn period_ns(stream: &TapeStream) -> u64 {
    let totals = stream.totals();
    let span_ns = totals.last_ns.unwrap_or(0).saturating_sub(totals.first_ns.unwrap_or(0));
    let between = totals.frames.saturating_sub(1);
    (span_ns.checked_div(between).unwrap_or(LAST_FRAME_NS.end)).clamp(LAST_FRAME_NS.start, LAST_FRAME_NS.end)
}

/// The parts of a tape that are played.
pub(super) struct Parts {
    /// Id of the game on the tape.
    id: String,
    pub(super) game: &'static Game,
    pub(super) list: Vec<Part>,
    /// Streams of games that are not played.
    pub(super) left_out: Vec<String>,
    /// How they are played.
    pub(super) playback: Box<dyn Playback>,
}

/// Finds the parts of the first game on the tape that can be played.
fn find_parts(tape: &RawTape) -> Result<Parts, PlayError> {
    let of_games = || tape.streams().filter(|stream| !stream.spec().role.is_system());
    let playable = |stream: &TapeStream| {
        let (game, playback) = playback_of(stream, tape)?;
        let is_played = stream.spec().role == Role::Data && playback.part(stream).is_some();
        is_played.then(|| (stream.spec().game.clone(), game, playback))
    };
    let Some((id, game, playback)) = of_games().find_map(playable) else {
        let found: Vec<String> =
            of_games().map(|stream| format!("{} of {}", stream.spec().name, stream.spec().game)).collect();
        let found = if found.is_empty() { "no game frames".into() } else { found.join(", ") };
        let can: Vec<&str> = GAMES.iter().filter(|game| can_play(game)).map(|game| game.name).collect();
        return Err(PlayError::NotPlayable { found, playable: can.join(", ") });
    };
    let (mut list, mut left_out) = (Vec::new(), Vec::new());
    for stream in of_games() {
        let part = if stream.spec().game == id { playback.part(stream) } else { None };
        match part {
            Some(part) => list.push(part),
            None if playback.is_left_out_silently(stream) => {}
            None => left_out.push(stream.name().to_owned()),
        }
    }
    Ok(Parts { id, game, list, left_out, playback })
}
