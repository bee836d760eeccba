//! Reads the page behind its header. Offsets are from the end of the header.
use super::{HEADER_BYTES, PAGE, TELEMETRY};
use crate::bytes::{f32_at, i32_at};
use crate::capture::{Presence, Seen, SeenFrame};
use crate::sane::finite;
use crate::text::{char_text, chars};

/// Race states.
pub(super) const BEFORE: u32 = 0;
pub(super) const RUNNING: u32 = 1;
pub(super) const FINISHED: u32 = 2;
/// Places for checkpoint times.
const MOST_CHECKPOINTS: usize = 125;

#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'a>(&'a [u8]);

impl<'a> Body<'a> {
    /// Returns the body of a frame of either stream.
    pub(super) fn of(frame: SeenFrame<'a>) -> Option<Self> {
        match frame.stream {
            name if name == PAGE.name => frame.bytes.get(HEADER_BYTES as usize..).map(Self),
            name if name == TELEMETRY.name => Some(Self(frame.bytes)),
            _ => None,
        }
    }

    pub(super) fn newest(seen: Seen<'a>) -> Option<Self> {
        seen.stream(PAGE.name).or_else(|| seen.stream(TELEMETRY.name)).and_then(Self::of)
    }

    /// Returns the body of a page, from all of its bytes.
    pub(super) fn of_page(page: &'a [u8]) -> Self {
        Self(page.get(HEADER_BYTES as usize..).unwrap_or_default())
    }

    pub(super) fn u32(self, at: usize) -> Option<u32> {
        self.i32(at).map(i32::cast_unsigned)
    }

    pub(super) fn i32(self, at: usize) -> Option<i32> {
        i32_at(self.0, at)
    }

    /// Returns the number at an index of an array; `None` if it is not finite.
    pub(super) fn f32(self, at: usize, index: usize) -> Option<f32> {
        f32_at(self.0, at + index * 4).and_then(finite)
    }

    pub(super) fn presence(self) -> Presence {
        match self.u32(0) {
            Some(2) => Presence::Live,
            Some(3) => Presence::Paused,
            _ => Presence::Off,
        }
    }

    pub(super) fn race_state(self) -> Option<u32> {
        self.u32(516).filter(|state| *state <= FINISHED)
    }

    /// Returns the race time; before the start it is negative.
    pub(super) fn race_ms(self) -> Option<u32> {
        self.i32(520).and_then(|ms| u32::try_from(ms).ok())
    }

    /// Returns the number of checkpoints that were passed.
    pub(super) fn checkpoints(self) -> Option<u32> {
        self.u32(528).filter(|count| *count as usize <= MOST_CHECKPOINTS)
    }

    /// Returns the race time at a checkpoint, from 0.
    pub(super) fn checkpoint_ms(self, index: u32) -> Option<u32> {
        let at = 532 + index as usize * 4;
        self.i32(at).filter(|_| (index as usize) < MOST_CHECKPOINTS).and_then(|ms| u32::try_from(ms).ok())
    }

    pub(super) fn checkpoints_per_lap(self) -> Option<u32> {
        self.u32(1032).filter(|count| (1..=MOST_CHECKPOINTS as u32).contains(count))
    }

    /// Returns the number of laps of the race.
    pub(super) fn laps(self) -> Option<u32> {
        self.u32(1036).filter(|laps| (1..=1_000).contains(laps))
    }

    pub(super) fn map_id(self) -> &'a [u8] {
        chars(self.0.get(68..132).unwrap_or_default())
    }

    pub(super) fn variant(self) -> Option<String> {
        self.text(4, 64)
    }

    /// Returns the name of the map, without the codes for colours and styles.
    pub(super) fn map_name(self) -> Option<String> {
        self.text(132, 256).map(|name| plain(&name)).filter(|name| !name.is_empty())
    }

    pub(super) fn user(self) -> Option<String> {
        self.text(1368, 256).map(|name| plain(&name)).filter(|name| !name.is_empty())
    }

    fn text(self, at: usize, bytes: usize) -> Option<String> {
        Some(char_text(self.0.get(at..at + bytes)?).trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns the position of the car in the game's axes.
    pub(super) fn world_m(self) -> Option<[f32; 3]> {
        Some([self.f32(1088, 0)?, self.f32(1088, 1)?, self.f32(1088, 2)?])
    }

    pub(super) fn speed_kmh(self) -> Option<f32> {
        self.u32(1244).filter(|kmh| *kmh < 10_000).map(|kmh| kmh as f32)
    }
}

/// Removes the codes for colours (`$f80`) and styles (`$o`); `$$` is a dollar sign.
fn plain(name: &str) -> String {
    let mut text = String::new();
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '$' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('$') => text.push('$'),
            Some(first) if first.is_ascii_hexdigit() => {
                for _ in 0..2 {
                    if letters.peek().is_some_and(char::is_ascii_hexdigit) {
                        letters.next();
                    }
                }
            }
            _ => {}
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_lose_their_codes_and_keep_their_text() {
        assert_eq!(plain("$f80Sum$o$fffmer $$5 - 01$z"), "Summer $5 - 01");
        assert_eq!((plain("$"), plain("$ff"), plain("plain ")), (String::new(), String::new(), "plain".to_owned()));
    }
}
