//! Every threshold and every open design choice of the tracker, in one file. If a recording contradicts one of them, change it here.
//!
//! What each game writes, and in which order, is known from documentation and from other programs. The points that they leave open are
//! choices. `docs/laps.md` describes them for users.

use gametape_games::{LapFrame, Pit};

/// Debounce time of an unexpected change: a lap count that falls, or rises by more than one. Longer than two rendered frames of a game,
/// so that torn reads and flicker are ignored.
pub const CONFIRM_NS: u64 = 40_000_000;

/// Debounce time of another session, car, track or driver: games update their pages one after the other. The recorder waits as long
/// before it begins a tape.
pub const CONFIRM_SESSION_NS: u64 = 500_000_000;

/// A game that reports "off" for this long has left its session. A shorter period is a page that was zeroed for a moment.
pub const OFF_NS: u64 = 2_000_000_000;

/// A stream without new frames for this long has ended, unless the game is paused. Pauses are not limited.
pub const STREAM_END_NS: u64 = 30_000_000_000;

/// A page that does not change for this long while the game reports driving is stale.
pub const STALE_NS: u64 = 2_000_000_000;

/// A longer interval between frames is a gap, if the game went on meanwhile.
pub const GAP_NS: u64 = 1_000_000_000;

/// A lap timer that advances by at most this much in a gap stood still. If it advances by this much less than the gap lasted, the game was
/// paused for the rest.
pub const STOOD_MS: u32 = 500;

/// How long to wait for the official lap time after the line crossing. iRacing usually takes up to 2.5 s.
pub const OFFICIAL_WAIT_NS: u64 = 3_000_000_000;

/// How late an official time may appear if there is no measured time to check it against. iRacing was observed to take 4.75 s.
pub const LATE_TIME_NS: u64 = 8_000_000_000;

/// How long after a position jump the car may take to appear in the pits with more fuel.
pub const LEAP_WAIT_MS: f64 = 2_000.0;

/// How long one sign of a line crossing (the timer falls, the lap count rises) waits for the other. Games write both within one or two
/// rendered frames.
pub const LINE_WAIT_NS: u64 = 500_000_000;

/// In games in which the player can go back in time, the state of a lap is kept at this interval. It is also how much of the lap before that
/// moment may be lost.
pub const CHECKPOINT_MS: f64 = 1_000.0;

/// How many of these states are kept. Flashbacks lead back by less than a minute.
pub const MOST_CHECKPOINTS: usize = 180;

/// The sectors of a game's record of a lap may differ from its lap time by this much: each of them is rounded.
pub const RECORD_SUM_MS: u32 = 2;

/// How long to wait before deciding on a lap that is too short, or that may be taken back. iRacing counts a lap at a start and takes it
/// back within a second.
pub const FLICKER_NS: u64 = 2_500_000_000;

/// Standings are reported at most this often: a store writes them to disk each time.
pub const STANDINGS_EVERY_NS: u64 = 1_000_000_000;

/// Gaps change with every frame. Alone, they are reported this often, and at the end of a session.
pub const GAPS_EVERY_NS: u64 = 5_000_000_000;

/// Cars of a session that are kept. No game has more.
pub const MOST_CARS: usize = 128;

/// Laps of each car that are kept, the newest ones.
pub const MOST_CAR_LAPS: usize = 1_000;

/// Shortest plausible lap time.
pub const SHORTEST_LAP_MS: u32 = 10_000;

/// A lap whose timer shows more than this in its first frame was joined in the middle.
pub const JOINED_MS: u32 = 5_000;

/// A timer that falls to at most this value has restarted. If it falls to more, the lap was rewound.
pub const TIMER_ANEW_MS: u32 = 3_000;

/// Timer jitter: a decrease of at most this much is not a fall.
pub const TIMER_SHAKE_MS: u32 = 100;

/// If the time left rises by more than this while the lap timer falls, the session was restarted. If the lap timer does not fall, a
/// server corrected the time left.
pub const LEFT_ROSE_MS: f32 = 1_000.0;

/// If the time of day goes back by at least this much, but by less than half a day (midnight), the session was restarted.
pub const CLOCK_BACK_S: f32 = 1.0;

/// If the session time goes back by more than this, in games that report it, the session was restarted.
pub const GAME_TIME_BACK_MS: f64 = 1_000.0;

/// If the stint distance falls by more than this, the car was teleported.
pub const DISTANCE_FELL_M: f32 = 100.0;

/// An official time that differs from the measured one by at most this much is accepted at once. Any other waits for
/// [`OFFICIAL_WAIT_NS`].
pub const OFFICIAL_NEAR_MS: u32 = 1_000;

/// An unchanged last lap time is a new, equal time if the measured time is this close to it, or within the interval of two frames.
pub const SAME_TIME_MS: u32 = 5;

/// The same if the game's timer was observed up to the line: the timer is as old as the rendered frame that it was written with.
pub const PICTURE_MS: u32 = 20;

/// A time that is published at most this long before the line, by the lap timer, already belongs to this lap.
pub const EARLY_TIME_MS: u32 = 2_000;

/// Maximum difference between a sector time and the lap timer in the frames around the sector's end.
pub const SECTOR_NEAR_MS: u32 = 250;

/// How long to wait for a sector time after the sector's end.
pub const SECTOR_WAIT_MS: u32 = 1_000;

/// A car that moves by more than this lap fraction, plus [`TELEPORT_SHARE_PER_S`] for each second, was teleported.
pub const TELEPORT_SHARE: f32 = 0.03;
/// See [`TELEPORT_SHARE`].
pub const TELEPORT_SHARE_PER_S: f32 = 0.2;

/// Highest plausible speed. A distance that grows faster was not driven.
pub const FASTEST_M_PER_S: f32 = 150.0;
/// Tolerance of the distance from one frame to the next.
pub const SHAKE_M: f32 = 50.0;

/// Minimum coverage of a complete lap, from line to line.
pub const COVERAGE: f32 = 0.9;

/// A lap that begins in this range does not begin at the line: it begins past it, and not shortly before it as on a grid.
pub const AWAY_FROM_LINE: std::ops::Range<f32> = 0.02..0.9;

/// A lap shorter than this fraction of the usual distance was not driven in full. Racing lines differ by about 1 %.
pub const USUAL_WAY: f32 = 0.9;

/// Minimum number of laps for the usual distance to be known.
pub const USUAL_LAPS: usize = 3;

/// Minimum coverage for a lap to count in games without a lap timer: a start is before the line.
pub const LINE_COVERAGE: f32 = 0.5;

/// A larger increase in fuel is refuelling, not gauge noise.
pub const REFUELLED_L: f32 = 0.5;

/// Smallest temperature change that is reported.
pub const NEWS_CELSIUS: f32 = 1.0;

/// Returns whether the car was put back on the track without any other sign of a restart.
///
/// Open question: a restart in a mode without time limit and with a stopped clock (ACC hotlap). The car is put back before the line, and
/// the stint distance falls. Choice: the lap is aborted as restarted, and the session continues. The game gives no other sign, and a
/// separate session for every attempt would not be useful.
pub fn is_restart_without_clock(before: &LapFrame, now: &LapFrame) -> bool {
    let fell = Option::zip(before.distance_m, now.distance_m).is_some_and(|(a, b)| b < a - DISTANCE_FELL_M);
    fell && now.pit != Some(Pit::Box)
}

/// Returns whether the frame describes another car that is being watched.
///
/// Open question: whether ACC reports another number of the player's car when another car is watched, and when another driver takes
/// over. Choice: on the track, another car is being watched; in the pits, another driver has taken over.
pub fn is_watching_another(own: Option<i32>, now: &LapFrame) -> bool {
    own.is_some() && now.player_car.is_some() && own != now.player_car && now.pit == Some(Pit::Track)
}
