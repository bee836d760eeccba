//! Simulated Echo VR matches: responses to `/session` and `/player_bones`, generated from a seed.
//!
//! Recordings of real matches are rare, but tests and measurements of size and speed need realistic ones. Everything is
//! a pure function of the [`Settings`]: no clock, no files.
//!
//! ```text
//!  chance ─▶ script: what happens when ─▶ play: state at a frame ─▶ text ─▶ Answers
//!         └▶ motion: where everybody is ───┘        skeleton: bones ┘
//! ```
//!
//! How the simulation compares to the game:
//! - Positions, directions and velocities are integer thousandths, multiplied by the `f32` 0.001 and printed with 8
//!   digits, as in the game. Players wander through the arena on sums of sines. Heads and hands shake by a third of a
//!   millimetre, as tracked objects do, so the last digit is noise.
//! - Bones are `f32` with full precision, relative to the body: joints that swing with the body's motion, plus tracking
//!   noise of 0.1 mm and of 0.0002 in the quaternions. The bits below the noise, about half of a bone's bits, cannot be
//!   predicted.
//! - Possession, throws, catches, goals, saves and stuns are drawn at random by the script; the counters follow them.
//!   The disc moves between holders in straight lines.
//!
//! The same settings produce the same bytes on the same platform: the last bit of sines differs between platforms.

mod chance;
mod motion;
mod play;
mod script;
mod skeleton;
mod spelling;
mod text;

pub use script::{Happening, Script, What};
pub use spelling::{float_text, grid_text};

use play::Play;

/// Parameters of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Random seed.
    pub seed: u64,
    /// Number of players, 2 to 10, blue and orange in turn.
    pub players: usize,
    /// Responses per second.
    pub rate_hz: f64,
    /// Total number of responses.
    pub frames: usize,
    /// Whether `/player_bones` responds with bones; otherwise with `{"err_code":0}`.
    pub bones: bool,
    /// UTC of the first response, in milliseconds since 1970.
    pub start_utc_ms: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, players: 2, rate_hz: 60.0, frames: 1023, bones: true, start_utc_ms: 1_680_350_400_123 }
    }
}

/// The game's responses at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// UTC, in milliseconds since 1970.
    pub utc_ms: i64,
    /// Response to `/session`.
    pub session: String,
    /// Response to `/player_bones`.
    pub player_bones: String,
}

/// A match: an iterator over its responses.
#[derive(Debug)]
pub struct Match {
    settings: Settings,
    script: Script,
    play: Play,
    next: usize,
}

impl Match {
    /// Creates a match with a random script.
    pub fn new(settings: Settings) -> Self {
        let script = Script::by_chance(&settings);
        Self::with_script(settings, script)
    }

    /// Creates a match with the given script.
    pub fn with_script(mut settings: Settings, script: Script) -> Self {
        settings.players = settings.players.clamp(2, 10);
        let play = Play::new(&settings);
        Self { settings, script, play, next: 0 }
    }

    /// Returns the script.
    pub fn script(&self) -> &Script {
        &self.script
    }
}

impl Iterator for Match {
    type Item = Answers;

    fn next(&mut self) -> Option<Answers> {
        if self.next >= self.settings.frames {
            return None;
        }
        let frame = self.next;
        self.next += 1;
        let seconds = frame as f64 / self.settings.rate_hz;
        self.play.step(frame, seconds, &self.script);
        let late_ms = self.play.lateness_ms(frame);
        Some(Answers {
            utc_ms: self.settings.start_utc_ms + (seconds * 1000.0 + late_ms).floor() as i64,
            session: text::session(&self.play),
            player_bones: text::player_bones(&self.play, self.settings.bones),
        })
    }
}
