//! Broadcasting: what the game sends over UDP about all cars, in protocol version 4.
//!
//! The game listens on the port in `broadcasting.json` and sends to clients that register (`BroadcastProtocol`). Each kind of message is a stream:
//!
//! | kind | stream | sent |
//! |---:|---|---|
//! | 1 | `broadcast-registration` | when a client registers |
//! | 2 | `broadcast-update` | in each interval: session, weather, best lap |
//! | 3 | `broadcast-car-update` | in each interval, for each car: position, laps, splits |
//! | 4 | `broadcast-entry-list` | on request: indices of the cars |
//! | 5 | `broadcast-track-data` | on request |
//! | 6 | `broadcast-entry-list-car` | after an entry list, for each car: team and drivers |
//! | 7 | `broadcast-event` | when something happens: a lap, a penalty, an accident |
//!
//! Lengths vary, so frames are stored as rows of bytes. There are no pedals and no engine here: these are in shared memory.
//!
//! Never seen on real bytes: the tests decode messages that were made from descriptions of the protocol.
mod client;
mod fuzz;
mod lap;
mod messages;
mod models;
mod reader;
mod requests;
mod server;
mod standings;
mod state;
#[cfg(test)]
pub(super) mod vectors;

#[doc(hidden)]
pub use fuzz::fuzz_broadcast;
pub use lap::LapRecord;
pub use messages::{
    CarUpdate, Driver, EntryList, EntryListCar, Event, Message, Registration, Replay, TrackData, Update,
};
pub use models::car_model;
pub use requests::{Request, register, request_entry_list, request_track_data, unregister};
pub(super) use standings::BroadcastStandings;
pub(super) use state::{about, counter, is_broadcast, presence, session_key, stream_of};

use crate::capture::{CopyRule, Transport};
use crate::registry::{Layouts, Stream};
use crate::requests::{RequestClient, RequestFile, RequestProtocol, RequestServer, RequestSettings};

/// Names of the streams.
const REGISTRATION: &str = "broadcast-registration";
const UPDATE: &str = "broadcast-update";
const CAR_UPDATE: &str = "broadcast-car-update";
const ENTRY_LIST: &str = "broadcast-entry-list";
const TRACK_DATA: &str = "broadcast-track-data";
const ENTRY_LIST_CAR: &str = "broadcast-entry-list-car";
const EVENT: &str = "broadcast-event";

/// The streams, in the order of their kinds.
pub(super) const STREAMS: [Stream; 7] = [
    stream(REGISTRATION),
    stream(UPDATE),
    stream(CAR_UPDATE),
    stream(ENTRY_LIST),
    stream(TRACK_DATA),
    stream(ENTRY_LIST_CAR),
    stream(EVENT),
];

const fn stream(name: &'static str) -> Stream {
    Stream {
        name,
        layouts: Layouts::Tables(&[]),
        // The game sends to the port that a client registers from.
        transport: Transport::Udp { port: 0, broadcast: false },
        copy_rule: CopyRule::Whole,
        play_rank: 3,
    }
}

/// How a client registers with the game.
#[derive(Debug)]
pub(super) struct BroadcastProtocol;

impl RequestProtocol for BroadcastProtocol {
    fn game_port(&self) -> u16 {
        9000
    }

    fn file(&self) -> Option<RequestFile> {
        Some(RequestFile {
            steam_app: 805_550,
            below_documents: "Assetto Corsa Competizione/Config/broadcasting.json",
            // Spelt so by the game.
            port_key: "updListenerPort",
            password_key: "connectionPassword",
        })
    }

    fn is_answer(&self, stream: &str) -> bool {
        is_answer(stream)
    }

    fn client(&self, settings: &RequestSettings) -> Option<Box<dyn RequestClient>> {
        Some(Box::new(client::BroadcastClient::new(settings)))
    }

    fn server(&self) -> Box<dyn RequestServer> {
        Box::<server::BroadcastServer>::default()
    }
}

fn is_answer(stream: &str) -> bool {
    [REGISTRATION, ENTRY_LIST, TRACK_DATA, ENTRY_LIST_CAR].contains(&stream)
}

/// Returns the name of a session type; `None` for numbers that are not known.
#[must_use]
pub fn session_name(session_type: u8) -> Option<&'static str> {
    Some(match session_type {
        0 => "practice",
        4 => "qualify",
        9 => "superpole",
        10 => "race",
        11 => "hotlap",
        12 => "hotstint",
        13 => "hotlap superpole",
        14 => "replay",
        _ => return None,
    })
}

/// Returns the name of a cup category; `None` for numbers that are not known.
#[must_use]
pub fn cup_name(cup: u8) -> Option<&'static str> {
    ["Overall", "Pro-Am", "Am", "Silver", "National"].get(usize::from(cup)).copied()
}
