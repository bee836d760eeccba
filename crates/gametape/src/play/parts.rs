//! Maps the streams of a tape to parts of the game's interface.

use super::error::PlayError;
use crate::format::Role;
use crate::format::read::{Tape, TapeStream};
use crate::games::{GAMES, Game, find_game};
use crate::transport::{Part, Playback, adapter_of};

/// The parts of a tape that are played.
pub(super) struct Parts {
    pub(super) game: &'static Game,
    pub(super) list: Vec<Part>,
    /// Streams of games that are not played.
    pub(super) left_out: Vec<String>,
    /// How they are played.
    pub(super) playback: Box<dyn Playback>,
}

/// Finds the parts of the first game on the tape that can be played.
pub(super) fn find(tape: &Tape) -> Result<Parts, PlayError> {
    let of_games = || tape.streams().filter(|stream| !stream.spec().role.is_system());
    let playable = |stream: &TapeStream| {
        let game = find_game(&stream.spec().game)?;
        let playback = adapter_of(game)?.playback(game, tape);
        (stream.spec().role == Role::Data && playback.part(stream).is_some()).then_some((game, playback))
    };
    let Some((game, playback)) = of_games().find_map(playable) else {
        let found: Vec<String> =
            of_games().map(|stream| format!("{} of {}", stream.spec().name, stream.spec().game)).collect();
        let found = if found.is_empty() { "no game frames".into() } else { found.join(", ") };
        let can: Vec<&str> = GAMES.iter().filter(|game| adapter_of(game).is_some()).map(|game| game.name).collect();
        return Err(PlayError::NotPlayable { found, playable: can.join(", ") });
    };
    let (mut list, mut left_out) = (Vec::new(), Vec::new());
    for stream in of_games() {
        let part = if stream.spec().game == game.id { playback.part(stream) } else { None };
        match part {
            Some(part) => list.push(part),
            None if playback.is_left_out_silently(stream) => {}
            None => left_out.push(stream.name().to_owned()),
        }
    }
    Ok(Parts { game, list, left_out, playback })
}
