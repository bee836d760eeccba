//! Game telemetry formats, described as data and pure functions.
//!
//! A game's module lists the streams the game offers and the byte layout of their frames. For a game that describes its
//! layout at run time, the module parses that description. This crate opens no files, reads no clocks and does not know
//! how frames are stored: callers pass in bytes. It builds for `wasm32-unknown-unknown`.
//!
//! - [`Layout`]: maps the bytes of a frame to channels.
//! - [`GAMES`]: the registry, one line per game; [`find_game`] looks up ids and aliases.
//! - [`assetto_corsa`], [`assetto_corsa_competizione`], [`assetto_corsa_evo`], [`assetto_corsa_rally`]: the three
//!   shared memory pages, as channel tables and as structs.
//! - [`echo_vr`]: HTTP API responses, match events and simulated matches.
//! - [`iracing`]: header, variable headers, session info string and rows, for both the live memory map and `.ibt`
//!   files.
//! - [`assetto_corsa_remote`], [`automobilista_2`], [`dirt_rally`], [`ea_wrc`], [`f1`], [`forza`], [`gran_turismo`], [`project_cars`]: UDP packets.
//! - [`american_truck_simulator`], [`euro_truck_simulator_2`], [`raceroom`], [`trackmania`]: one page of shared memory each; [`automobilista_2`] and
//!   [`project_cars`] have one, too. [`war_thunder`]: tables for importing files of other programs. [`lap_file`]: laps in files of other loggers.
//!
//! A game id is the full name of the game in kebab-case. Recordings store it, so it never changes. Aliases are for the
//! command line.
#![forbid(unsafe_code)]

pub mod american_truck_simulator;
pub mod assetto_corsa;
pub mod assetto_corsa_competizione;
pub mod assetto_corsa_evo;
pub mod assetto_corsa_rally;
pub mod assetto_corsa_remote;
pub mod automobilista_2;
mod bytes;
mod capture;
pub mod dirt_rally;
pub mod ea_wrc;
pub mod echo_vr;
pub mod euro_truck_simulator_2;
pub mod f1;
pub mod forza;
mod fuzz;
pub mod gran_turismo;
pub mod iracing;
pub mod lap_file;
mod lap_frame;
mod layout;
pub mod le_mans_ultimate;
mod own_udp;
pub mod project_cars;
mod proof;
pub mod raceroom;
mod readers;
mod registry;
mod requests;
pub mod rfactor_2;
mod sample;
mod sane;
mod session_kind;
mod stage;
mod standings;
mod text;
pub mod trackmania;
mod typed;
mod user_settings;
pub mod war_thunder;

pub use assetto_corsa as ac;
pub use assetto_corsa_competizione as acc;
pub use assetto_corsa_evo as ace;
pub use assetto_corsa_rally as acr;
pub use capture::{
    About, CopyRule, FRONT_BYTES, Presence, Rules, SECOND_COPY_AFTER_NS, STUCK_AFTER_NS, Seen, SeenFrame, Transport,
};
pub use lap_frame::{BackInTime, Identity, LapFrame, LapRecord, NO_LAPS, Pit, ReadLaps, SectorValue, Validity};
pub use layout::{Channel, Kind, Layout, LayoutError, NO_CHANNELS};
pub use own_udp::OWN_UDP_GAME;
pub use proof::Proof;
pub use readers::{ReadGame, find_reader};
pub use registry::{
    ASSETTO_CORSA_FAMILY, FAMILIES, GAMES, Game, Layouts, SectionPart, SharedMemory, Stream, find_game,
};
pub use requests::{Delivery, RequestClient, RequestFile, RequestProtocol, RequestServer, RequestSettings, Subscriber};
pub use sample::{Decode, Flags, Geo, Sample, Wheel};
pub use session_kind::SessionKind;
pub use standings::{CarLap, CarResult, CarStanding, ReadStandings};
pub use text::{Chars, Utf16, char_text, utf16le_text, windows_1252_text};
pub use typed::{Frame, TypedStream};
pub use user_settings::{ReadFile, SettingsFiles, SettingsProblem, UserPacket, UserSettings};

#[doc(hidden)]
pub use user_settings::fuzz_user_settings;

#[doc(hidden)]
pub use assetto_corsa_competizione::broadcast::fuzz_broadcast;
#[doc(hidden)]
pub use echo_vr::fuzz::fuzz_echo_answer;
/// Entry points for the fuzz targets and mutation tests. Not part of the API.
#[doc(hidden)]
pub use fuzz::{fuzz_datagram, fuzz_frames, fuzz_requests};
#[doc(hidden)]
pub use iracing::fuzz::{fuzz_ibt, fuzz_irsdk_map, fuzz_session_info};
#[doc(hidden)]
pub use rfactor_2::fuzz::fuzz_vehicles;
