//! Game state from responses. The game has players and a disc: no car to decode, and no laps.

use super::answer::{API_DISABLED, Answer, IN_LOBBY};
use super::facts::{SessionFacts, session_id};
use super::fields::Fields;
use super::{PLAYER_BONES, SESSION};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::{NoLaps, ReadLaps};
use crate::sample::{Decode, NoSamples};

/// Echo VR's [`Rules`].
#[derive(Debug)]
pub(crate) struct EchoVrRules;

impl Rules for EchoVrRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        let Some(answer) = match_of(seen) else { return Presence::Off };
        let state = Fields::find(answer, "pause").and_then(|pause| Fields::find(pause, "paused_state"));
        if state == Some(b"\"paused\"") { Presence::Paused } else { Presence::Live }
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        match_of(seen).or_else(|| seen.stream(PLAYER_BONES).map(|frame| frame.bytes)).map(|_| true)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        session_id(match_of(seen)?, &mut 0).map(session_key)
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let facts = match_of(seen).map(SessionFacts::read).unwrap_or_default();
        About { track: facts.map_name, session: facts.match_type, ..About::default() }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(NoSamples)
    }

    fn has_laps(&self) -> bool {
        false
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::<NoLaps>::default()
    }

    fn http_status(&self, response: &[u8]) -> u16 {
        match Answer::of(response, &mut 0) {
            Answer::Refused { err_code: API_DISABLED } => 500,
            Answer::Refused { .. } => 404,
            _ => 200,
        }
    }

    fn http_nothing(&self) -> String {
        format!("{{\"err_code\":{IN_LOBBY},\"err_description\":\"no match is shown\"}}")
    }
}

/// Hashes a match id with FNV-1a.
#[must_use]
pub fn session_key(id: &[u8]) -> u64 {
    id.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

/// Returns the newest response if it describes a match.
fn match_of(seen: Seen<'_>) -> Option<&[u8]> {
    let answer = seen.stream(SESSION)?.bytes;
    (Answer::of(answer, &mut 0) == Answer::Match).then_some(answer)
}
