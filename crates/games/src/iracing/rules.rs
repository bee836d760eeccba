//! What rows and session text say about the game itself.
use crate::capture::{About, Presence, Rules, Seen, SeenFrame};
use crate::sample::{Decode, Sample};

#[derive(Debug)]
pub(super) struct IracingRules;

impl Rules for IracingRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        match seen.stream("telemetry") {
            None => Presence::Off,
            Some(row) if row.integer("IsReplayPlaying") == Some(1) => Presence::Replay,
            Some(_) => Presence::Live,
        }
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
        Box::new(Decoder)
    }
}

struct Decoder;

impl Decode for Decoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        if let Some(speed) = frame.number("Speed") {
            sample.speed_kmh = Some((speed * 3.6) as f32);
        }
    }
}
