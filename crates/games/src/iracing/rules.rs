//! What rows and session text say about the game itself.
use super::decode::{IracingDecoder, presence};
use crate::capture::{About, Presence, Rules, Seen};
use crate::sample::Decode;

#[derive(Debug)]
pub(super) struct IracingRules;

impl Rules for IracingRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        match seen.stream("telemetry") {
            None => Presence::Off,
            Some(row) => {
                presence(row.integer("IsReplayPlaying"), row.integer("IsOnTrack"), row.integer("ReplayFrameNumEnd"))
            }
        }
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        seen.stream("telemetry")?.integer("SessionTick")
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        seen.stream("telemetry").map(|_| true)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let row = seen.stream("telemetry")?;
        let (id, number) = (row.integer("SessionUniqueID")?, row.integer("SessionNum")?);
        Some(id.cast_unsigned() << 16 | (number.cast_unsigned() & 0xFFFF))
    }

    fn about(&self, _seen: Seen<'_>) -> About {
        About::default()
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(IracingDecoder::default())
    }
}
