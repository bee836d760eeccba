//! The server: sessions, laps and bests of a store as JSON over HTTP.
//!
//! ```text
//! socket ──▶ connection: timeouts ──▶ guard: Host, limits, caller, headers ──▶ routes ──▶ Store, on a blocking thread
//!                                                                                    └──▶ answers: JSON, ETag
//! ```
//! [`app`] is everything but the socket. Handlers take validated parameters (`params`, `filters`), query the store, and return
//! responses with stable field names (`answers`). No path of this machine and no database error leaves the server.

mod access;
mod announce;
mod answers;
mod blocking;
mod car;
mod car_feed;
mod channels;
mod channels_answers;
mod channels_params;
mod clients;
mod connection;
mod connection_slots;
mod edits;
mod error;
mod etag;
mod filters;
mod frame_log;
mod frames;
mod guard;
mod health;
mod import;
mod lap_answer;
mod list_answers;
mod live;
mod live_routes;
mod live_v2;
mod matches;
mod metrics;
mod openapi;
mod oversight;
mod params;
mod piped;
mod playback;
mod playback_routes;
mod push;
mod reading;
mod routes;
mod standings;
mod state;
mod streaming;
mod tape_channels;
mod tape_export;
mod tape_file;
mod tapes;
mod tapes_answers;
mod tapes_params;
#[cfg(test)]
pub(crate) mod tests;
mod times;
mod web;
mod zip;

pub(crate) use access::Access;
pub(crate) use announce::Announcer;
pub(crate) use car::PublishCars;
pub(crate) use channels::is_same_length;
pub(crate) use clients::Limits;
pub(crate) use connection::serve;
pub(crate) use connection_slots::Capacity;
pub(crate) use frames::PublishFrames;
pub(crate) use routes::app;
pub(crate) use standings::CarStandingAnswer;
pub(crate) use state::AppState;
