//! Game state from the newest messages, for recordings without shared memory.
use super::messages::{Message, Registration, Update};
use super::{CAR_UPDATE, ENTRY_LIST, ENTRY_LIST_CAR, EVENT, REGISTRATION, TRACK_DATA, UPDATE, session_name};
use crate::ac::family::{Fnv, is_zero};
use crate::capture::{About, Presence, Seen, SeenFrame};

/// Session type while the game shows a saved replay.
const REPLAY: u8 = 14;
/// The only public sample of a registration's result has two zeros after its last field. It is not known whether the game sends them.
const MOST_PADDING: usize = 8;

/// Returns whether the frames are messages, and not pages of shared memory.
pub(in super::super) fn is_broadcast(seen: Seen<'_>) -> bool {
    seen.0.first().is_some_and(|frame| frame.stream.starts_with("broadcast-"))
}

/// Returns the stream of a message.
pub(in super::super) fn stream_of(datagram: &[u8]) -> Option<&'static str> {
    let padded = datagram.len().saturating_sub(MOST_PADDING);
    Some(match Message::parse(datagram) {
        Some(Message::Registration(_)) => REGISTRATION,
        Some(Message::Update(_)) => UPDATE,
        Some(Message::CarUpdate(_)) => CAR_UPDATE,
        Some(Message::EntryList(_)) => ENTRY_LIST,
        Some(Message::TrackData(_)) => TRACK_DATA,
        Some(Message::EntryListCar(_)) => ENTRY_LIST_CAR,
        Some(Message::Event(_)) => EVENT,
        None => {
            let result = Registration::begins(datagram)?;
            let length = 9 + result.error.len();
            (length >= padded && is_zero(datagram.get(length..)?)).then_some(REGISTRATION)?
        }
    })
}

/// Returns the message that a frame is; `None` if it is a page of shared memory.
pub(super) fn message(frame: SeenFrame<'_>) -> Option<Message<'_>> {
    is_broadcast(Seen(&[frame])).then(|| Message::parse(frame.bytes))?
}

fn update(seen: Seen<'_>) -> Option<Update<'_>> {
    match message(seen.stream(UPDATE)?) {
        Some(Message::Update(update)) => Some(update),
        _ => None,
    }
}

pub(in super::super) fn presence(seen: Seen<'_>) -> Presence {
    match update(seen) {
        None => Presence::Off,
        Some(update) if update.session_type == REPLAY || update.replay.is_some() => Presence::Replay,
        Some(_) => Presence::Live,
    }
}

/// The time of the session stops in a pause.
pub(in super::super) fn counter(seen: Seen<'_>) -> Option<i64> {
    update(seen).map(|update| update.session_ms as i64)
}

/// Sessions differ in these three numbers.
pub(in super::super) fn session_key(seen: Seen<'_>) -> Option<u64> {
    update(seen).map(|update| {
        let Update { event_index, session_index, session_type, .. } = update;
        Fnv::of(&[&event_index.to_le_bytes(), &session_index.to_le_bytes(), &[session_type]])
    })
}

pub(in super::super) fn about(seen: Seen<'_>) -> About {
    let track = seen.stream(TRACK_DATA).and_then(|frame| match message(frame) {
        Some(Message::TrackData(track)) => Some(track.name.to_owned()),
        _ => None,
    });
    let session = update(seen).and_then(|update| session_name(update.session_type)).map(str::to_owned);
    About { track: track.filter(|name| !name.trim().is_empty()), session, ..About::default() }
}
