//! Every number and every open point that the tracker decides by, in one place, so that a recording that shows otherwise corrects it here.
//!
//! What each game really writes, and in which order, is known from documents and from other programs; the points that they leave open are choices.
//! `docs/laps.md` tells them to users.

use gametape_games::{LapFrame, Pit};

/// A change that nobody expects (laps that fall, laps that rise by more than one) is believed when frames have shown it for this long: longer than two
/// pictures of a game, so that a page that was read while it was written, or a flicker, is none.
pub const CONFIRM_NS: u64 = 40_000_000;

/// Another session, car, track or driver is believed when it is shown for this long: games change their pages one after the other. The recorder waits as
/// long before it begins a tape.
pub const CONFIRM_SESSION_NS: u64 = 500_000_000;

/// A game that says "off" this long has left its session. Shorter is a page that was zero for a moment.
pub const OFF_NS: u64 = 2_000_000_000;

/// No frame for this long, without a pause: the stream has ended. A pause may last.
pub const STREAM_END_NS: u64 = 30_000_000_000;

/// The same page for this long while the game says that it drives: stale.
pub const STALE_NS: u64 = 2_000_000_000;

/// No frame for this long while the game went on: a gap.
pub const GAP_NS: u64 = 1_000_000_000;

/// How long the lap's time is awaited behind the line. iRacing mostly takes up to 2.5 s.
pub const OFFICIAL_WAIT_NS: u64 = 3_000_000_000;

/// How late a time may come if nothing was measured that it can be checked against. iRacing was seen to take 4.75 s.
pub const LATE_TIME_NS: u64 = 8_000_000_000;

/// How long after a leap the car may show that it is in the pits with more fuel.
pub const LEAP_WAIT_MS: f64 = 2_000.0;

/// How long one sign of the line (the timer falls, the laps rise) waits for the other: a game writes them within a picture or two.
pub const LINE_WAIT_NS: u64 = 500_000_000;

/// A lap that is taken back, or that is too short, is decided after this long: iRacing counts a lap at a start and takes it back within a second.
pub const FLICKER_NS: u64 = 2_500_000_000;

/// Nobody drives a lap in less.
pub const SHORTEST_LAP_MS: u32 = 10_000;

/// A lap whose timer shows more than this in the first frame was joined in the middle.
pub const JOINED_MS: u32 = 5_000;

/// A timer that falls to less than this began anew; to more, the lap was wound back.
pub const TIMER_ANEW_MS: u32 = 3_000;

/// A timer may shake by this much without having fallen.
pub const TIMER_SHAKE_MS: u32 = 100;

/// The time left rises by more than this while the lap's timer falls: the session was started again. Without the timer it is a server that corrects.
pub const LEFT_ROSE_MS: f32 = 1_000.0;

/// The time of day goes back by more than this, but less than half a day (midnight): started again.
pub const CLOCK_BACK_S: f32 = 1.0;

/// The session's own time goes back by more than this, where the game gives it: started again.
pub const GAME_TIME_BACK_MS: f64 = 1_000.0;

/// The distance of the stint falls by this much: the car was put elsewhere.
pub const DISTANCE_FELL_M: f32 = 100.0;

/// An official time that differs by no more from the measured one is taken at once; any other is taken when the wait is over.
pub const OFFICIAL_NEAR_MS: u32 = 1_000;

/// A lap time that did not change is the same time again if the measured one is this near, or as near as two frames are.
pub const SAME_TIME_MS: u32 = 5;

/// The same where the game's timer was seen up to the line: it is as old as the picture that it was written with.
pub const PICTURE_MS: u32 = 20;

/// A time that is published this long before the line, by the lap's timer, is already that of this lap.
pub const EARLY_TIME_MS: u32 = 2_000;

/// A sector's time may differ by this much from the timer in the frames around its end.
pub const SECTOR_NEAR_MS: u32 = 250;

/// How long a sector's time is awaited behind its end.
pub const SECTOR_WAIT_MS: u32 = 1_000;

/// A car that moves along the lap by more than this, and this much a second, was put elsewhere.
pub const TELEPORT_SHARE: f32 = 0.03;
/// See [`TELEPORT_SHARE`].
pub const TELEPORT_SHARE_PER_S: f32 = 0.2;

/// No car drives faster: a distance that grows faster was not driven.
pub const FASTEST_M_PER_S: f32 = 150.0;
/// What a distance may be off from one frame to the next.
pub const SHAKE_M: f32 = 50.0;

/// A lap of which less was seen, from line to line, is not complete.
pub const COVERAGE: f32 = 0.9;

/// A lap that begins here does not begin at the line: behind it, and not shortly before it as on a grid.
pub const AWAY_FROM_LINE: std::ops::Range<f32> = 0.02..0.9;

/// A lap with less than this share of the usual way was not driven whole. Lines differ by about one part in a hundred.
pub const USUAL_WAY: f32 = 0.9;

/// Laps that are needed to say what is usual.
pub const USUAL_LAPS: usize = 3;

/// A lap of games without a timer counts as a lap only behind this share of the track: a start is before the line.
pub const LINE_COVERAGE: f32 = 0.5;

/// More fuel than this is a refill and not the shaking of a gauge.
pub const REFUELLED_L: f32 = 0.5;

/// Temperatures that change by this much are news.
pub const NEWS_CELSIUS: f32 = 1.0;

/// Open point: a restart in a mode without time limit and with a clock that stands (ACC hotlap). The car is put back before the line and the stint's
/// distance falls. Choice: the lap is aborted as restarted, the session goes on: the game gives no other sign, and a session for every try helps nobody.
pub fn is_restart_without_clock(before: &LapFrame, now: &LapFrame) -> bool {
    let fell = Option::zip(before.distance_m, now.distance_m).is_some_and(|(a, b)| b < a - DISTANCE_FELL_M);
    fell && now.pit != Some(Pit::Box)
}

/// Open point: whether ACC shows another number of the player's car when another car is watched, and when another driver takes over. Choice: on the track
/// it is another car that is watched, in the pits it is another driver.
pub fn is_watching_another(own: Option<i32>, now: &LapFrame) -> bool {
    own.is_some() && now.player_car.is_some() && own != now.player_car && now.pit == Some(Pit::Track)
}
