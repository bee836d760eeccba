//! The state of the game, and which page it is.
use super::page::Page;
use super::tables::{FIRST_GAME_BYTES, LENGTHS};
use super::{PARTICIPANTS, SHARED_MEMORY};
use crate::assetto_corsa::family::{Fnv, page};
use crate::capture::{About, Presence, Seen};
use crate::project_cars::states::{self, is_text, session_name, session_of};
use crate::text::chars;

/// Race states from which on the session is over for the player.
const FINISHED: u8 = 3;
/// A version beyond this is not a version.
const LAST_VERSION: u32 = 99;

fn newest(seen: Seen<'_>) -> Page<'_> {
    Page(page(seen, SHARED_MEMORY))
}

pub(crate) fn presence(seen: Seen<'_>) -> Presence {
    presence_of(newest(seen))
}

pub(super) fn presence_of(page: Page<'_>) -> Presence {
    // Between the menus and a session, the game plays without a track.
    match page.game_state() {
        Some(state) if page.length_m().is_some() && page.count() > 0 => states::presence(state),
        _ => Presence::Off,
    }
}

pub(crate) fn counter(seen: Seen<'_>) -> Option<i64> {
    newest(seen).sequence().map(i64::from)
}

pub(crate) fn is_it(seen: Seen<'_>) -> Option<bool> {
    newest(seen).version().filter(|version| (5..=LAST_VERSION).contains(version)).map(|_| true)
}

/// Returns the length of the page of a version; `None` if there is no such version.
pub(crate) fn frame_bytes(page: &[u8]) -> Option<u32> {
    let version = Page(page).version().filter(|version| *version <= LAST_VERSION)?;
    let (_, bytes) = LENGTHS.iter().find(|(since, _)| version >= *since)?;
    Some(*bytes)
}

/// Recognises the page of Automobilista 2 or Project CARS 2.
pub(crate) fn stream_of(section_bytes: u64, front: &[u8]) -> Option<&'static str> {
    let bytes = frame_bytes(front)?;
    (u64::from(bytes) <= section_bytes && is_plausible(Page(front))).then_some(SHARED_MEMORY)
}

/// Recognises the page of Project CARS.
pub(crate) fn first_game_stream(section_bytes: u64, front: &[u8]) -> Option<&'static str> {
    let is_version = matches!(Page(front).version(), Some(5..=7));
    (is_version && u64::from(FIRST_GAME_BYTES) <= section_bytes && is_plausible(Page(front))).then_some(SHARED_MEMORY)
}

/// Returns whether states, counts and texts have values that they can have.
fn is_plausible(page: Page<'_>) -> bool {
    let most = PARTICIPANTS.cast_signed();
    let states = [(8, 7), (12, 6), (16, 6), (6800, 11), (6808, 5)];
    states.iter().all(|(at, last)| page.state(*at).is_some_and(|state| state <= *last))
        && page.i32(20).is_some_and(|viewed| (-1..most).contains(&viewed))
        && page.i32(24).is_some_and(|count| (-1..=most).contains(&count))
        && [6444, 6576, 6640].iter().all(|at| page.text_bytes(*at).is_some_and(is_text))
        && page.f32(6704, 0).is_some_and(|metres| (-1.0..1e6).contains(&metres))
}

/// There is no session id: sessions of a weekend differ in their kind, and others in the track. The kind changes while the player still has
/// finished the session before.
pub(crate) fn session_key(seen: Seen<'_>) -> Option<u64> {
    let page = newest(seen);
    let is_over = page.race_state().is_some_and(|state| state >= FINISHED);
    let session = page.session_state().and_then(session_of).filter(|_| !is_over && presence(seen) != Presence::Off)?;
    let [track, variation] = [6576, 6640].map(|at| chars(page.text_bytes(at).unwrap_or_default()));
    (!track.is_empty()).then(|| Fnv::of(&[&[session], track, variation]))
}

pub(crate) fn about(seen: Seen<'_>) -> About {
    let page = newest(seen);
    let game_version = page.version().filter(|version| (5..=LAST_VERSION).contains(version));
    let game_version = game_version.and_then(|_| version_text(page));
    if presence(seen) == Presence::Off {
        return About { game_version, ..About::default() };
    }
    About {
        game_version,
        car: page.text(6444),
        track: page.text(6576),
        track_layout: page.text(6640),
        session: page.session_state().and_then(session_name).map(str::to_owned),
    }
}

pub(super) fn version_text(page: Page<'_>) -> Option<String> {
    Some(format!("build {}, shared memory {}", page.u32(4)?, page.version()?))
}
