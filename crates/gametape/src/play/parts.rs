//! Maps the streams of a tape to parts of the game's interface.

use crate::format::read::{Tape, TapeStream};
use crate::format::{Role, StreamId};
use crate::games::{GAMES, Game, Stream, Transport, echo_vr, find_game, iracing};

use super::error::PlayError;

/// A stream that is played.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) stream: StreamId,
    pub(super) kind: PartKind,
}

/// What the frames of a stream are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    /// A page in its own section.
    Page(&'static str),
    /// Responses of an HTTP endpoint.
    Answer(&'static str),
    /// iRacing: variable headers.
    Variables,
    /// iRacing: the session text.
    Text,
    /// iRacing: the 112-byte header of the memory, as it was when the row with the same time was copied.
    Header,
    /// iRacing: the header of an `.ibt` file.
    FileHeader,
    /// iRacing: a row.
    Row,
}

impl PartKind {
    /// Order of frames with the same time, lowest first: static data, then values, then the page with the liveness status.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::FileHeader | Self::Page("static") => 0,
            Self::Variables => 1,
            Self::Text | Self::Page("physics") => 2,
            Self::Row | Self::Answer(echo_vr::SESSION) => 3,
            // After the row with the same time: it describes the memory after that row.
            Self::Header | Self::Page(_) | Self::Answer(_) => 4,
        }
    }
}

/// The parts of a tape that are played.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub(super) game: &'static Game,
    pub(super) list: Vec<Part>,
    /// Streams of games that are not played.
    pub(super) left_out: Vec<String>,
}

/// Finds the parts of the first game on the tape that can be played.
pub(super) fn find(tape: &Tape) -> Result<Parts, PlayError> {
    let of_games = || tape.streams().filter(|stream| !stream.spec().role.is_system());
    let playable = |stream: &TapeStream| {
        let game = find_game(&stream.spec().game)?;
        (stream.spec().role == Role::Data && kind(game, tape, stream).is_some()).then_some(game)
    };
    let Some(game) = of_games().find_map(playable) else {
        let found: Vec<String> =
            of_games().map(|stream| format!("{} of {}", stream.spec().name, stream.spec().game)).collect();
        let found = if found.is_empty() { "no game frames".into() } else { found.join(", ") };
        let can: Vec<&str> =
            GAMES.iter().filter(|game| game.streams.iter().any(is_live)).map(|game| game.name).collect();
        return Err(PlayError::NotPlayable { found, playable: can.join(", ") });
    };
    let (mut list, mut left_out) = (Vec::new(), Vec::new());
    for stream in of_games() {
        let kind = if stream.spec().game == game.id { kind(game, tape, stream) } else { None };
        match kind {
            Some(kind) => list.push(Part { stream: stream.id(), kind }),
            // Residual lines of an imported file are not part of the game's API.
            None if is_http(game) && stream.spec().role == Role::Describe => {}
            None if stream.totals().frames > 0 => left_out.push(stream.name().to_owned()),
            None => {}
        }
    }
    Ok(Parts { game, list, left_out })
}

fn is_live(stream: &Stream) -> bool {
    stream.transport != Transport::File
}

/// Returns whether a game has an HTTP API.
pub(super) fn is_http(game: &Game) -> bool {
    game.streams.iter().any(|stream| matches!(stream.transport, Transport::Http { .. }))
}

fn kind(game: &Game, tape: &Tape, stream: &TapeStream) -> Option<PartKind> {
    if game.id == iracing::GAME.id {
        return iracing_kind(tape, stream);
    }
    let stream = game.stream(stream.name())?;
    match stream.transport {
        Transport::SharedMemory { .. } => Some(PartKind::Page(stream.name)),
        Transport::Http { .. } => Some(PartKind::Answer(stream.name)),
        Transport::File => None,
    }
}

/// Live recordings and imports use slightly different stream names. If a tape has rows of several layouts, the first is played.
fn iracing_kind(tape: &Tape, stream: &TapeStream) -> Option<PartKind> {
    let rows = tape.stream_named(iracing::TELEMETRY.name).ok()?;
    let describes = stream.spec().describes == Some(rows.id());
    match stream.name() {
        _ if stream.id() == rows.id() => Some(PartKind::Row),
        "telemetry.variables" if describes => Some(PartKind::Variables),
        "session-text" | "telemetry.session-text" => Some(PartKind::Text),
        "telemetry.header" if describes => {
            let live = stream.spec().frame_bytes as usize == iracing::HEADER_BYTES;
            Some(if live { PartKind::Header } else { PartKind::FileHeader })
        }
        _ => None,
    }
}
