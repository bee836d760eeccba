//! Determines the current session and the state of the game from the newest packets.
use super::cars;
use super::event::is_session_end;
use super::header::Header;
use crate::capture::{Presence, Seen};

/// Values of the newest packet of each kind.
///
/// A session begins with its first session packet: for a session that the player skips, the game sends events with a new UID and nothing else.
/// The packets that are sent in every frame say which session is current, because those that are sent rarely may be old.
#[derive(Debug, Clone, Copy)]
pub(super) struct Newest {
    format: u16,
    lap_data: Option<Header>,
    car_telemetry: Option<Header>,
    motion: Option<Header>,
    session: Option<SessionState>,
    /// UID of the session that the newest event ended.
    ended: Option<u64>,
}

/// Values of a session packet.
#[derive(Debug, Clone, Copy)]
struct SessionState {
    uid: u64,
    paused: bool,
    spectating: bool,
}

impl Newest {
    pub(super) fn new(format: u16) -> Self {
        Self { format, lap_data: None, car_telemetry: None, motion: None, session: None, ended: None }
    }

    pub(super) fn of(seen: Seen<'_>, format: u16) -> Self {
        let mut newest = Self::new(format);
        seen.0.iter().for_each(|frame| newest.take(frame.stream, frame.bytes));
        newest
    }

    /// Adds a packet.
    pub(super) fn take(&mut self, stream: &str, packet: &[u8]) {
        let header = Header::read(packet, self.format);
        match stream {
            "lap-data" => self.lap_data = header,
            "car-telemetry" => self.car_telemetry = header,
            "motion" => self.motion = header,
            "session" => {
                let byte = |at: usize| packet.get(Header::bytes(self.format) + at).is_some_and(|byte| *byte != 0);
                self.session = header.map(|header| SessionState {
                    uid: header.session_uid,
                    paused: byte(GAME_PAUSED),
                    spectating: byte(IS_SPECTATING),
                });
            }
            "event" => {
                self.ended = header.filter(|_| is_session_end(packet)).map(|header| header.session_uid);
            }
            _ => {}
        }
    }

    /// Returns the header of the newest packet of those that are sent in every frame.
    pub(super) fn header(&self) -> Option<&Header> {
        self.lap_data.as_ref().or(self.car_telemetry.as_ref()).or(self.motion.as_ref())
    }

    fn state(&self) -> Option<SessionState> {
        let uid = self.header()?.session_uid;
        self.session.filter(|session| session.uid == uid && uid != 0 && self.ended != Some(uid))
    }

    /// Returns the UID of the session; `None` in the menus, before its first session packet, and after its end.
    pub(super) fn session_uid(&self) -> Option<u64> {
        self.state().map(|session| session.uid)
    }

    /// Returns the index of the player's car; `None` if the player has none, or only watches.
    pub(super) fn player(&self) -> Option<usize> {
        let player = usize::from(self.header()?.player);
        let spectating = self.session.is_some_and(|session| session.spectating);
        Some(player).filter(|player| *player < cars(self.format) && !spectating)
    }

    pub(super) fn presence(&self) -> Presence {
        match self.state() {
            None => Presence::Off,
            Some(session) if session.paused => Presence::Paused,
            // The player has no car: as in a replay, the packets show cars of others.
            Some(_) if self.player().is_none() => Presence::Replay,
            Some(_) => Presence::Live,
        }
    }
}

/// The newest session and participants packets. They may precede the packets by which their session is recognised, and are sent rarely.
#[derive(Debug, Default)]
pub(super) struct Kept {
    session: Vec<u8>,
    participants: Vec<u8>,
}

impl Kept {
    /// Adds a packet.
    pub(super) fn take(&mut self, stream: &str, packet: &[u8]) {
        let kept = match stream {
            "session" => &mut self.session,
            "participants" => &mut self.participants,
            _ => return,
        };
        kept.clear();
        kept.extend_from_slice(packet);
    }

    /// Returns those of a session, with the names of their streams.
    pub(super) fn of_session(&self, format: u16, uid: Option<u64>) -> impl Iterator<Item = (&'static str, &[u8])> {
        let packets = [("session", self.session.as_slice()), ("participants", self.participants.as_slice())];
        let uid_of = move |packet: &[u8]| Header::read(packet, format).map(|header| header.session_uid);
        packets.into_iter().filter(move |(_, packet)| uid.is_some() && uid_of(packet) == uid)
    }
}

/// Offset of `gamePaused` from the end of the header.
const GAME_PAUSED: usize = 14;
/// Offset of `isSpectating` from the end of the header.
const IS_SPECTATING: usize = 15;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::f1::packet_layout;

    #[test]
    fn the_flags_are_where_the_tables_have_them() {
        for format in 2022..=2026 {
            let at = |name: &str| packet_layout(format, 1).unwrap().channel(name).unwrap().offset as usize;
            assert_eq!(at("gamePaused"), Header::bytes(format) + GAME_PAUSED);
            assert_eq!(at("isSpectating"), Header::bytes(format) + IS_SPECTATING);
        }
    }
}
