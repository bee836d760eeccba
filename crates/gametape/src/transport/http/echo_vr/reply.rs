//! Interprets a response, for the recorder and for the doctor: a match, or the reason why there is none.

use std::net::SocketAddr;
use std::time::Duration;

use gametape_games::echo_vr::{API_DISABLED, Answer, IN_LOBBY, SESSION_STREAM};
use gametape_games::{Presence, Stream};

use super::address::EchoVrAddress;
use super::client::{Client, Failure, MOST_BYTES, Reply};
use crate::transport::{Away, State};

/// Message for the user if the API of the game is disabled.
const DISABLED: &str = "Echo VR answers, but its API is off: switch \"API Access\" on in the game's settings";

/// Returns the path of a stream's endpoint.
pub(super) fn path(stream: &Stream) -> &'static str {
    stream.endpoint().map_or("/", |(_, path)| path)
}

/// Returns the reply if it belongs to a match, or why there is no match.
pub(super) fn judge(
    place: SocketAddr,
    reply: Result<Reply, Failure>,
    body: &[u8],
    hint: &mut usize,
) -> Result<Reply, Away> {
    let reply = match reply {
        Ok(reply) => reply,
        Err(Failure::TooLong) => {
            let text = format!("{place} sends a response of more than {MOST_BYTES} bytes: is it Echo VR?");
            return Err(Away::Unreadable(text));
        }
        Err(_) => return Err(Away::NotThere),
    };
    Err(match (Answer::of(body, hint), reply.status) {
        (Answer::Match, 200) => return Ok(reply),
        (Answer::Refused { err_code: API_DISABLED }, _) => Away::Unreadable(DISABLED.into()),
        (Answer::Refused { err_code: IN_LOBBY }, _) => Away::Off,
        (Answer::Refused { err_code }, _) => {
            Away::Unreadable(format!("Echo VR reports no match: it responds with err_code {err_code}"))
        }
        // A map is being loaded, or there is no session.
        (_, 200 | 404) => Away::Off,
        (_, 500) => Away::Unreadable(DISABLED.into()),
        (_, status) => Away::Unreadable(format!("{place} responds with status {status}: is it Echo VR?")),
    })
}

/// Rates how likely it is that the game responded; `None` if nothing is listening.
pub(super) fn worth(reply: &Result<Reply, Failure>, body: &[u8]) -> Option<u8> {
    match reply {
        Ok(_) if matches!(Answer::of(body, &mut 0), Answer::Match | Answer::Refused { .. }) => Some(2),
        Ok(_) => Some(1),
        Err(Failure::NotThere) => None,
        // Something is listening. It may be the game, busy with something else.
        Err(_) => Some(0),
    }
}

/// The result of scanning the ports of Echo VR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EchoVrFacts {
    /// The address that was scanned.
    pub address: String,
    /// What a recorder would find.
    pub state: State,
    /// Id of the tape that is being played, if a player responds.
    pub played: Option<String>,
}

impl EchoVrFacts {
    /// Scans all ports once: what a recorder would find. Returns quickly on this machine if nothing is listening.
    pub(crate) fn look(address: &EchoVrAddress) -> Self {
        let (state, played) = scan(address);
        Self { address: address.to_string(), state, played }
    }
}

/// Scans all ports once. Returns what a recorder would find, and the id of the tape if a player responds.
fn scan(address: &EchoVrAddress) -> (State, Option<String>) {
    let mut best: (Option<u8>, Away) = (None, Away::NotThere);
    let (mut client, mut body) = (Client::scout(address, Duration::MAX), Vec::new());
    for place in address.places() {
        let reply = client.get(place, path(&SESSION_STREAM), &mut body);
        let worth = worth(&reply, &body);
        match judge(place, reply, &body, &mut 0) {
            Ok(reply) => return (State::Here(Presence::Live), reply.played),
            Err(away) if worth > best.0 => best = (worth, away),
            Err(_) => {}
        }
    }
    (State::Away(best.1), None)
}
