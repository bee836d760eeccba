//! Which game a datagram belongs to, by its contents.

use std::sync::Arc;

use gametape_games::{GAMES, Game};

use super::user_settings::DescribedGames;

/// Recognises datagrams.
#[derive(Debug)]
pub(super) struct Recognition {
    games: Vec<&'static Game>,
    described: Arc<DescribedGames>,
    /// The game of the last datagram: the next one is probably of the same.
    last: usize,
    plain: Vec<u8>,
}

/// What a datagram is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recognised<'a> {
    pub(super) game: &'static Game,
    /// Index of the stream among those that the game sends.
    pub(super) stream: usize,
    /// What is recorded.
    pub(super) recorded: &'a [u8],
}

impl Recognition {
    /// Recognises the datagrams of one game, or of all, and those that the user described.
    pub(super) fn new(game: Option<&'static Game>, described: Arc<DescribedGames>) -> Self {
        let all = game.map_or(GAMES, std::slice::from_ref).iter();
        let games = all.filter(|game| game.udp_port().is_some()).collect();
        Self { games, described, last: 0, plain: Vec::new() }
    }

    /// Returns what the datagram is; `None` if no game knows it.
    pub(super) fn recognise<'a>(&'a mut self, datagram: &'a [u8]) -> Option<Recognised<'a>> {
        let count = self.games.len();
        let order = (0..count).map(|index| (self.last + index) % count);
        let mut found = None;
        for index in order {
            let Some(game) = self.games.get(index).copied() else { continue };
            self.plain.clear();
            let described = self.described.stream_of(game, datagram);
            if let Some(name) = described.or_else(|| game.rules.datagram(datagram, &mut self.plain)) {
                let stream = game.udp_streams().position(|stream| stream.name == name)?;
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
