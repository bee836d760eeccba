//! The player's car and its rivals in one session.
use crate::board::{Board, SessionKind};
use crate::datagrams::{Player, Rival, Rivals};
use crate::game::Game;

/// Cars besides the player's.
pub(super) const RIVALS: usize = 9;

/// The session so far.
#[derive(Debug, Default)]
pub(super) struct Scene {
    rivals: Option<Rivals>,
    pub(super) player: Player,
    session: Option<(i32, SessionKind, i32)>,
    start_ms: u64,
}

impl Scene {
    /// Follows the game, millisecond by millisecond.
    pub(super) fn watch(&mut self, ms: u64, game: &Game) {
        let board = &game.board;
        let is_other = self.session.is_none_or(|(index, kind, laps)| {
            (index, kind) != (board.session_index, board.session) || board.completed_laps < laps
        });
        if is_other {
            (self.player, self.start_ms) = (Player::default(), ms);
        }
        self.session = Some((board.session_index, board.session, board.completed_laps));
        self.player.watch(board);
    }

    /// Returns the cars besides the player's.
    pub(super) fn rivals(&mut self, ms: u64, game: &Game) -> Vec<Rival> {
        let rivals = self.rivals.get_or_insert_with(|| Rivals::new(game.track()));
        let session_ms = (ms - self.start_ms) as f64;
        (0..RIVALS).map(|index| rivals.at(index, session_ms)).collect()
    }

    /// Returns the place of the player's car, from 1.
    pub(super) fn own_place(&self, game: &Game, rivals: &[Rival]) -> usize {
        let own_m = f64::from(game.board.completed_laps) * game.track().length_m() + game.car().along_m;
        1 + rivals.iter().filter(|rival| rival.distance_m > own_m).count()
    }

    /// Returns the cumulative sectors of the player's last lap; `None` if it does not count.
    pub(super) fn last_sectors_s(&self) -> Option<[f64; 3]> {
        let lap = self.player.laps.last().filter(|lap| lap.valid)?;
        Some(cumulative_s(lap.sectors_ms))
    }

    /// Returns the cumulative sectors of the player's best lap.
    pub(super) fn best_sectors_s(&self) -> Option<[f64; 3]> {
        let valid = self.player.laps.iter().filter(|lap| lap.valid);
        valid.min_by_key(|lap| lap.ms).map(|lap| cumulative_s(lap.sectors_ms))
    }
}

/// Adds up the sectors of a lap.
pub(super) fn cumulative_s([first, second, third]: [u32; 3]) -> [f64; 3] {
    [first, first + second, first + second + third].map(|ms| f64::from(ms) / 1000.0)
}

/// Returns whether the car has not crossed the line yet.
pub(super) fn is_before_first_line(board: &Board) -> bool {
    !board.timer_runs && board.completed_laps == 0
}

/// Returns the place of a rival, from 1.
pub(super) fn place_of(index: usize, rivals: &[Rival], own_place: usize) -> usize {
    let own_m = rivals[index].distance_m;
    let is_ahead =
        |(other, rival): &(usize, &Rival)| rival.distance_m > own_m || (rival.distance_m == own_m && *other < index);
    let ahead = rivals.iter().enumerate().filter(is_ahead).count();
    if 1 + ahead >= own_place { 2 + ahead } else { 1 + ahead }
}
