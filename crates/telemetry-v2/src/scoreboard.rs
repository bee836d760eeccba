//! Hand-written `ScoreboardUpdated`: its field 5 is a float in the seed generation and a string later. The wire type
//! tells them apart, so both are read, and each is written in the form in which it is held. [`crate::meaning`] converts
//! between the two.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType, float, int32, skip_field, string};

/// The game clock that accompanies a score.
#[derive(Clone, Debug, PartialEq)]
pub enum Clock {
    /// In seconds, as in the seed generation.
    Seconds(f32),
    /// As the game shows it (`MM:SS.cc`), as in later generations.
    Display(String),
}

/// A change of the score (`telemetry.v2.ScoreboardUpdated`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreboardUpdated {
    /// Points of the blue team in this round.
    pub blue_points: i32,
    /// Points of the orange team in this round.
    pub orange_points: i32,
    /// Rounds won by the blue team.
    pub blue_round_score: i32,
    /// Rounds won by the orange team.
    pub orange_round_score: i32,
    /// The clock; `None` if the record has none.
    pub clock: Option<Clock>,
}

const CLOCK: u32 = 5;

impl ScoreboardUpdated {
    fn scores(&self) -> [(u32, i32); 4] {
        [(1, self.blue_points), (2, self.orange_points), (3, self.blue_round_score), (4, self.orange_round_score)]
    }
}

impl prost::Message for ScoreboardUpdated {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        for (tag, score) in self.scores() {
            if score != 0 {
                int32::encode(tag, &score, buf);
            }
        }
        match &self.clock {
            Some(Clock::Seconds(seconds)) if seconds.to_bits() != 0 => float::encode(CLOCK, seconds, buf),
            Some(Clock::Display(text)) if !text.is_empty() => string::encode(CLOCK, text, buf),
            _ => {}
        }
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        match (tag, wire_type) {
            (1, _) => int32::merge(wire_type, &mut self.blue_points, buf, ctx),
            (2, _) => int32::merge(wire_type, &mut self.orange_points, buf, ctx),
            (3, _) => int32::merge(wire_type, &mut self.blue_round_score, buf, ctx),
            (4, _) => int32::merge(wire_type, &mut self.orange_round_score, buf, ctx),
            (CLOCK, WireType::LengthDelimited) => {
                let mut text = String::new();
                string::merge(wire_type, &mut text, buf, ctx)?;
                self.clock = Some(Clock::Display(text));
                Ok(())
            }
            (CLOCK, _) => {
                let mut seconds = 0.0;
                float::merge(wire_type, &mut seconds, buf, ctx)?;
                self.clock = Some(Clock::Seconds(seconds));
                Ok(())
            }
            _ => skip_field(wire_type, tag, buf, ctx),
        }
    }

    fn encoded_len(&self) -> usize {
        let scores: usize = self
            .scores()
            .iter()
            .filter(|(_, score)| *score != 0)
            .map(|(tag, score)| int32::encoded_len(*tag, score))
            .sum();
        scores
            + match &self.clock {
                Some(Clock::Seconds(seconds)) if seconds.to_bits() != 0 => float::encoded_len(CLOCK, seconds),
                Some(Clock::Display(text)) if !text.is_empty() => string::encoded_len(CLOCK, text),
                _ => 0,
            }
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Clock {
    /// The seconds, if the string can be parsed as `MM:SS.cc`, `SS.cc` or more parts.
    pub fn seconds(&self) -> Option<f32> {
        match self {
            Self::Seconds(seconds) => Some(*seconds),
            Self::Display(text) => {
                let (sign, digits) = match text.strip_prefix('-') {
                    Some(rest) => (-1.0, rest),
                    None => (1.0, text.as_str()),
                };
                let mut total = 0.0f64;
                for part in digits.split(':') {
                    if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
                        return None;
                    }
                    total = total * 60.0 + part.parse::<f64>().ok()?;
                }
                #[allow(clippy::cast_possible_truncation)]
                Some((sign * total) as f32)
            }
        }
    }

    /// Formats the clock as the game shows it: minutes, seconds and hundredths, truncated and not rounded.
    pub fn display(&self) -> String {
        match self {
            Self::Display(text) => text.clone(),
            Self::Seconds(seconds) => {
                // A clock that is not a finite number is shown as empty.
                let hundredths = if seconds.is_finite() {
                    (f64::from(seconds.abs()) * 100.0).floor()
                } else {
                    return String::new();
                };
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let hundredths = hundredths as u64;
                let sign = if *seconds < 0.0 && hundredths > 0 { "-" } else { "" };
                format!("{sign}{:02}:{:02}.{:02}", hundredths / 6000, hundredths / 100 % 60, hundredths % 100)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message as _;

    #[test]
    fn both_clocks_come_back_as_they_were_written() {
        for clock in [None, Some(Clock::Seconds(120.5)), Some(Clock::Display("02:00.50".to_owned()))] {
            let event = ScoreboardUpdated { blue_points: 5, orange_round_score: -1, clock, ..Default::default() };
            let bytes = event.encode_to_vec();
            assert_eq!(bytes.len(), event.encoded_len());
            assert_eq!(ScoreboardUpdated::decode(bytes.as_slice()).unwrap(), event);
        }
    }

    #[test]
    fn clock_of_another_wire_type_is_refused_and_not_misread() {
        // `Record::fitted` decodes the rest, and lists the clock.
        assert!(ScoreboardUpdated::decode(&[0x08, 5, 0x28, 7][..]).is_err());
    }

    #[test]
    fn seconds_and_display_say_the_same() {
        assert_eq!(Clock::Seconds(120.509).display(), "02:00.50");
        assert_eq!(Clock::Display("02:00.50".to_owned()).seconds(), Some(120.5));
        assert_eq!(Clock::Display("overtime".to_owned()).seconds(), None);
        assert_eq!(Clock::Display(String::new()).seconds(), None);
        assert_eq!(Clock::Seconds(f32::NAN).display(), "");
        assert_eq!(Clock::Seconds(-1.5).display(), "-00:01.50");
    }
}
