//! Simulated Echo VR matches: what the game would answer to `/session` and `/player_bones`, from a seed.
//!
//! Recordings of real matches are rare, so that sizes, speeds and tests need some that are like them. Everything is a pure function of
//! the [`Settings`]: no clock, no files.
//!
//! ```text
//!  chance ─▶ script: what happens when ─▶ play: state at a frame ─▶ text ─▶ Answers
//!         └▶ motion: where everybody is ───┘        skeleton: bones ┘
//! ```
//!
//! What is like the game, and what is not:
//! - Positions, directions and velocities are whole thousandths, multiplied with the `f32` 0.001 and printed with 8 digits, as the game does. Players
//!   wander through the arena on sums of sines; heads and hands shake by a third of a millimetre, as tracked things do, so that the last digit is noise.
//! - Bones are `f32` with all their bits, relative to the body: joints that swing with the body's motion, and a tracking noise of
//!   0.1 mm and 0.0002 in the quaternions. What is below the noise cannot be foretold by anybody: about half of a bone's bits.
//! - Possession, throws, catches, goals, saves and stuns come by chance from the script; the counters follow them. The disc moves between holders on straight lines.
//!
//! The same settings give the same bytes, on one kind of machine: sines differ in their last bit between systems.

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

/// What a match is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Where all chance comes from.
    pub seed: u64,
    /// 2 to 10, blue and orange in turn.
    pub players: usize,
    /// Answers a second.
    pub rate_hz: f64,
    /// Answers in all.
    pub frames: usize,
    /// Whether `/player_bones` answers with bones; otherwise `{"err_code":0}`.
    pub bones: bool,
    /// UTC of the first answer, in milliseconds since 1970.
    pub start_utc_ms: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, players: 2, rate_hz: 60.0, frames: 1023, bones: true, start_utc_ms: 1_680_350_400_123 }
    }
}

/// What the game answers at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// UTC, in milliseconds since 1970.
    pub utc_ms: i64,
    /// The answer to `/session`.
    pub session: String,
    /// The answer to `/player_bones`.
    pub player_bones: String,
}

/// A match, answer by answer.
#[derive(Debug)]
pub struct Match {
    settings: Settings,
    script: Script,
    play: Play,
    next: usize,
}

impl Match {
    /// A match with what chance brings.
    pub fn new(settings: Settings) -> Self {
        let script = Script::by_chance(&settings);
        Self::with_script(settings, script)
    }

    /// A match in which certain things happen.
    pub fn with_script(mut settings: Settings, script: Script) -> Self {
        settings.players = settings.players.clamp(2, 10);
        let play = Play::new(&settings);
        Self { settings, script, play, next: 0 }
    }

    /// What happens in it.
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
