//! Which game a datagram belongs to, by its contents.

use gametape_games::{GAMES, Game};

/// Recognises datagrams.
#[derive(Debug)]
pub(super) struct Recognition {
    games: Vec<&'static Game>,
    /// The game of the last datagram: the next one is probably of the same.
    last: usize,
    plain: Vec<u8>,
}

/// What a datagram is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recognised<'a> {
    pub(super) game: &'static Game,
    /// Index of the stream among the streams of the game.
    pub(super) stream: usize,
    /// What is recorded.
    pub(super) recorded: &'a [u8],
}

impl Recognition {
    /// Recognises the datagrams of one game, or of all.
    pub(super) fn new(game: Option<&'static Game>) -> Self {
        let all = game.map_or(GAMES, std::slice::from_ref).iter();
        Self { games: all.filter(|game| game.udp_port().is_some()).collect(), last: 0, plain: Vec::new() }
    }

    /// Returns what the datagram is; `None` if no game knows it.
    pub(super) fn recognise<'a>(&'a mut self, datagram: &'a [u8]) -> Option<Recognised<'a>> {
        let count = self.games.len();
        let order = (0..count).map(|index| (self.last + index) % count);
        let mut found = None;
        for index in order {
            let Some(game) = self.games.get(index).copied() else { continue };
            self.plain.clear();
            if let Some(name) = game.rules.datagram(datagram, &mut self.plain) {
                let stream = game.streams.iter().position(|stream| stream.name == name)?;
                self.last = index;
                found = Some((game, stream));
                break;
            }
        }
        let (game, stream) = found?;
        let recorded = if self.plain.is_empty() { datagram } else { &self.plain };
        Some(Recognised { game, stream, recorded })
    }
}
