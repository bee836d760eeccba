//! Game state from rows and session info string.
use super::decode::{IracingDecoder, presence};
use super::header::HEADER_BYTES;
use super::laps::IracingLaps;
use super::live_map::LiveMap;
use super::session_info::session_info;
use super::session_text::session_text;
use crate::bytes::array_at;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;

/// Offset of `status` in the header.
const STATUS_AT: usize = 4;

#[derive(Debug)]
pub(crate) struct IracingRules;

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

    fn stream_of(&self, section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        let mut header: [u8; HEADER_BYTES] = array_at(front, 0)?;
        // Between sessions the status is 0 but the rest of the header stays valid, so the status is ignored here.
        header[STATUS_AT] |= 1;
        matches!(LiveMap::read(&header, section_bytes), Ok(Some(_))).then_some("telemetry")
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

    fn lap_timer_is_estimate(&self) -> bool {
        true
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(IracingLaps::default())
    }
}

/// Returns the normalized name of a session type if there is one, else the game's name in lower case:
/// `offline-testing`.
fn session_name(kind: &str) -> String {
    let kind = kind.to_lowercase();
    ["practice", "qualify", "race"]
        .into_iter()
        .find(|name| kind.contains(name))
        .map_or_else(|| kind.replace(' ', "-"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(numbers: [i32; 10]) -> Vec<u8> {
        let buffers = [[7, 4096, 0, 0], [8, 8192, 0, 0]];
        let all = numbers.into_iter().chain([0, 0]).chain(buffers.into_iter().flatten()).chain([0; 8]);
        all.flat_map(i32::to_le_bytes).collect()
    }

    #[test]
    fn unnamed_sections_are_identified_by_header_also_between_sessions() {
        let stream_of = |numbers| IracingRules.stream_of(65536, &header(numbers));
        assert_eq!(stream_of([2, 1, 60, 1, 400, 512, 2, 1024, 2, 12]), Some("telemetry"));
        assert_eq!(stream_of([2, 0, 60, 1, 400, 512, 2, 1024, 2, 12]), Some("telemetry"));
        assert_eq!(stream_of([0, 1, 60, 1, 400, 512, 2, 1024, 2, 12]), None, "no version");
        assert_eq!(stream_of([2, 1, 60, 1, 400, 512, 2, 65500, 2, 12]), None, "beyond the end");
        assert_eq!(stream_of([0; 10]), None);
        assert_eq!(IracingRules.stream_of(65536, &[2; 50]), None);
    }
}
