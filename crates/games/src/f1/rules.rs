//! Game state from the newest packets.
use crate::bytes::array_at;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;
use crate::standings::ReadStandings;

use super::cars::F1Cars;
use super::decode::F1Decoder;
use super::header::Header;
use super::laps::F1Laps;
use super::names::{season, session_name, team_name, track_name};
use super::newest::Newest;
use super::packets::{ParticipantsTable, SessionTable};
use super::{format_and_packet_id, packet_layout, packet_name};

/// The [`Rules`] of one packet format.
#[derive(Debug)]
pub(crate) struct F1Rules {
    pub(crate) format: u16,
}

impl Rules for F1Rules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        Newest::of(seen, self.format).presence()
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        Newest::of(seen, self.format).header().map(Header::counter)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        let format = seen.0.iter().find_map(|frame| array_at(frame.bytes, 0))?;
        Some(u16::from_le_bytes(format) == self.format)
    }

    /// Decides by format, packet id and the length that they imply. Packets of any other length are of an unknown version.
    fn datagram(&self, datagram: &[u8], _: &mut Vec<u8>) -> Option<&'static str> {
        let (format, packet_id) = format_and_packet_id(datagram)?;
        let layout = packet_layout(format, packet_id).filter(|_| format == self.format)?;
        packet_name(packet_id).filter(|_| layout.frame_bytes() as usize == datagram.len())
    }

    /// The UID of the last packet, so that the first packets of a session do not count to the one before, although only its session packet opens it.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let last = seen.0.first().and_then(|frame| Header::read(frame.bytes, self.format));
        let uid = last.map(|header| header.session_uid).filter(|uid| *uid != 0);
        uid.or_else(|| Newest::of(seen, self.format).session_uid())
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let newest = Newest::of(seen, self.format);
        let Some(header) = newest.header() else { return About::default() };
        let game_version = Some(format!("{}.{:02}", header.version.0, header.version.1));
        // In the menus, and before the first session packet of a session, the others are those of an earlier one.
        let Some(uid) = newest.session_uid() else { return About { game_version, ..About::default() } };
        let current = |name: &str| {
            let packet = seen.stream(name)?.bytes;
            Header::read(packet, self.format).filter(|header| header.session_uid == uid)?;
            Some(packet)
        };
        let session = current("session").and_then(|packet| SessionTable::of(self.format).read(packet));
        let track = session.map(|session| track_words(session.track));
        let kind = session.and_then(|session| session_name(self.format, header.game_year, session.session_type));
        let participants = current("participants");
        let table = ParticipantsTable::of(self.format);
        let team = Option::zip(participants.filter(|packet| table.fits(packet)), newest.player())
            .and_then(|(packet, player)| table.team(packet, player));
        About {
            game_version,
            car: team.map(|team| team_words(season(self.format, header), team)),
            track: track.clone().and_then(|(name, _)| name),
            track_layout: track.and_then(|(_, layout)| layout),
            session: kind.map(str::to_owned),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(F1Decoder::new(self.format))
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(F1Laps::new(self.format))
    }

    fn standings(&self) -> Option<Box<dyn ReadStandings>> {
        Some(Box::new(F1Cars::new(self.format)))
    }
}

/// Returns the words for a track and its layout. An unknown id is used as the name; -1 means that the game reports none.
pub(super) fn track_words(id: i8) -> (Option<String>, Option<String>) {
    match track_name(id) {
        Some((name, layout)) => (Some(name.to_owned()), layout.map(str::to_owned)),
        None if id < 0 => (None, None),
        None => (Some(format!("track {id}")), None),
    }
}

/// Returns the name of a team. An unknown id is used as the name.
pub(super) fn team_words(season: u16, id: u16) -> String {
    team_name(season, id).map_or_else(|| format!("team {id}"), str::to_owned)
}
