//! Script steps that take time (laps, pauses, gaps), and commands to the game.
use super::{Change, Script};
use crate::board::{SessionKind, Status};
use crate::game::Command;

impl Script {
    /// The session starts over: no laps, the time left and the clock as at its start.
    #[must_use]
    pub fn restart(self) -> Self {
        self.command(Command::Restart)
    }

    /// The same, and the car stands in its box, as the game does it in practice.
    #[must_use]
    pub fn restart_into_box(self) -> Self {
        self.restart().return_to_garage()
    }

    /// Another session begins; its number is one higher.
    #[must_use]
    pub fn new_session(self, kind: SessionKind) -> Self {
        self.command(Command::NewSession(kind))
    }

    /// The car is in its box at once, the running lap is gone, the session goes on.
    #[must_use]
    pub fn return_to_garage(self) -> Self {
        self.command(Command::ReturnToGarage)
    }

    /// The car is elsewhere at once, at this share of the lap.
    #[must_use]
    pub fn teleport(self, position: f64) -> Self {
        self.command(Command::Teleport(position))
    }

    /// The driver comes in at the next chance; without a car it is in the pit lane at once.
    #[must_use]
    pub fn enter_pit(self) -> Self {
        self.command(Command::PitStop)
    }

    /// The driver leaves the track within the next two hundred metres; without a car the lap is invalid at once.
    #[must_use]
    pub fn run_wide(self) -> Self {
        self.command(Command::RunWide)
    }

    /// There is this much fuel in the tank.
    #[must_use]
    pub fn fuel_l(self, litres: f64) -> Self {
        self.command(Command::FuelL(litres))
    }

    /// The game pauses: it says so, and its time stands.
    #[must_use]
    pub fn pause(self, for_ms: u64) -> Self {
        self.stands(Status::Pause, for_ms)
    }

    /// The game shows a replay in the middle of a session: it says so, and the session's values stand.
    #[must_use]
    pub fn replay(self, for_ms: u64) -> Self {
        self.stands(Status::Replay, for_ms)
    }

    fn stands(self, status: Status, for_ms: u64) -> Self {
        self.status(status).time_runs(false).wait(for_ms).time_runs(true).status(Status::Live)
    }

    /// Whether the game's time runs: laps, clocks, the car.
    #[must_use]
    pub fn time_runs(self, runs: bool) -> Self {
        self.with(Change::TimeRuns(runs))
    }

    /// The game hangs: its pages stay as they are, numbers included.
    #[must_use]
    pub fn freeze(self, for_ms: u64) -> Self {
        self.with(Change::Hangs(true)).wait(for_ms).with(Change::Hangs(false))
    }

    /// Nobody sees what the game does meanwhile: no samples. The cursor moves on; what shall happen unseen is put there with [`Script::at`].
    #[must_use]
    pub fn gap(self, for_ms: u64) -> Self {
        self.with(Change::Unseen(true)).wait(for_ms).with(Change::Unseen(false))
    }

    /// The pages are zero for a while.
    #[must_use]
    pub fn zeroed(self, for_ms: u64) -> Self {
        self.hold(for_ms, |pages, _| *pages = super::Pages::default())
    }

    /// The game is gone: no samples any more.
    #[must_use]
    pub fn game_crash(self) -> Self {
        self.with(Change::Crash)
    }

    /// Without a car: the place on the track moves there within this time. The cursor stays.
    #[must_use]
    pub fn glide(self, position: f64, over_ms: u64) -> Self {
        self.with(Change::Glide { position, over_ms })
    }

    /// Without a car: the session has this length, from now on and after every restart.
    #[must_use]
    pub fn session_length_ms(self, ms: Option<f64>) -> Self {
        self.with(Change::SessionLength(ms))
    }

    /// Without a car: a whole lap, from line to line, as the game shows it; the time of each sector. All that belongs to crossing the line happens in
    /// the same millisecond. The cursor is at the line then.
    #[must_use]
    pub fn lap(self, sectors_ms: &[u32]) -> Self {
        let total_ms: u32 = sectors_ms.iter().sum();
        let total_ms = i32::try_from(total_ms).unwrap_or(i32::MAX);
        let script = self.sectors(sectors_ms);
        script.set(move |board| board.finish_lap(total_ms)).position(0.0)
    }

    /// Without a car: a lap up to the line, which is left to others. The last sector is not ended.
    #[must_use]
    pub fn sectors(mut self, sectors_ms: &[u32]) -> Self {
        let count = sectors_ms.len().max(1);
        let mut lap_ms = 0_i32;
        self = self.position(0.0);
        for (index, sector_ms) in sectors_ms.iter().enumerate() {
            if index > 0 {
                self = self.set(move |board| board.finish_sector(lap_ms));
            }
            let end = (index + 1) as f64 / count as f64;
            self = self.glide(end, u64::from(*sector_ms)).wait(u64::from(*sector_ms));
            lap_ms = lap_ms.saturating_add(i32::try_from(*sector_ms).unwrap_or(i32::MAX));
        }
        self
    }
}
