//! What rows and session text say about the game itself.
use super::decode::{IracingDecoder, presence};
use super::laps::IracingLaps;
use super::session_info::session_info;
use super::session_text::session_text;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
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

    fn about(&self, seen: Seen<'_>) -> About {
        let number = seen.stream("telemetry").and_then(|row| row.integer("SessionNum"));
        let text = seen.stream("session-text").map(|text| session_text(text.bytes)).unwrap_or_default();
        let info = session_info(&text, number);
        About {
            game_version: info.game_version,
            car: info.car,
            track: info.track,
            track_layout: info.track_layout,
            session: info.session_type.map(|kind| session_name(&kind)),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(IracingDecoder::default())
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(IracingLaps::default())
    }
}

/// The game's words in the neutral ones where there are some, else as they are, in small letters: `offline-testing`.
fn session_name(kind: &str) -> String {
    let kind = kind.to_lowercase();
    ["practice", "qualify", "race"]
        .into_iter()
        .find(|name| kind.contains(name))
        .map_or_else(|| kind.replace(' ', "-"), str::to_owned)
}
