//! What the pages say about the game itself.
use crate::capture::{About, Presence, Rules, Seen};
use crate::sample::{Decode, Sample};
use crate::text::utf16le_text;

#[derive(Debug)]
pub(super) struct AccRules;

impl Rules for AccRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        match seen.stream("graphics").and_then(|page| page.integer("status")) {
            Some(1) => Presence::Replay,
            Some(2) => Presence::Live,
            Some(3) => Presence::Paused,
            _ => Presence::Off,
        }
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        seen.stream("static").map(|_| true)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let session = seen.stream("graphics")?.integer("session")?;
        Some(session.cast_unsigned())
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let text = |name: &str| {
            let page = seen.stream("static")?;
            let channel = page.layout.channel(name)?;
            let bytes = page.bytes.get(channel.offset as usize..channel.end() as usize)?;
            Some(utf16le_text(bytes)).filter(|text| !text.is_empty())
        };
        About { game_version: text("acVersion"), car: text("carModel"), track: text("track"), ..About::default() }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(Decoder)
    }
}

struct Decoder;

impl Decode for Decoder {
    fn frame(&mut self, frame: crate::capture::SeenFrame<'_>, sample: &mut Sample) {
        if let Some(speed) = frame.number("speedKmh") {
            sample.speed_kmh = Some(speed as f32);
        }
    }
}
