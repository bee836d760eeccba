//! The player's car as lap data show it: what the board says, and the laps and sectors that the board forgets.
use crate::board::Board;

/// A lap of the player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlayerLap {
    pub(crate) ms: u32,
    /// 0 for sectors that the board did not time.
    pub(crate) sectors_ms: [u32; 3],
    pub(crate) valid: bool,
}

/// The player's session so far.
#[derive(Debug, Default)]
pub(crate) struct Player {
    pub(crate) laps: Vec<PlayerLap>,
    /// The first two sectors of the running lap; 0 until they end.
    pub(crate) sectors_ms: [u32; 2],
    pub(crate) stops: u32,
    /// The car has been at the line since the session began.
    pub(crate) started: bool,
    valid: bool,
    in_box: bool,
}

impl Player {
    /// Follows the board, millisecond by millisecond.
    pub(crate) fn watch(&mut self, board: &Board) {
        if board.completed_laps as usize > self.laps.len() {
            let ms = board.last_ms.unwrap_or(0).max(0).cast_unsigned();
            let [first_ms, second_ms] = self.sectors_ms;
            let third_ms = if second_ms > 0 { ms.saturating_sub(first_ms + second_ms) } else { 0 };
            let sectors_ms = [first_ms, second_ms, third_ms];
            // More than one lap at once is what a script does: the others have no times.
            let lap = PlayerLap { ms, sectors_ms, valid: self.valid };
            self.laps.resize(board.completed_laps as usize, lap);
        }
        let ended_ms = board.last_sector_ms.max(0).cast_unsigned();
        match board.sector {
            1 if self.sectors_ms[0] == 0 => self.sectors_ms[0] = ended_ms,
            2 if self.sectors_ms[1] == 0 => self.sectors_ms[1] = ended_ms.saturating_sub(self.sectors_ms[0]),
            0 => self.sectors_ms = [0; 2],
            _ => {}
        }
        self.valid = board.valid;
        self.started |= board.timer_runs;
        self.stops += u32::from(board.in_box && !self.in_box && self.started);
        self.in_box = board.in_box;
    }
}
