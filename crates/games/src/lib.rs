//! What games expose, as data and pure functions.
//!
//! A game's folder says which streams it has and how their bytes are laid out; where a game describes itself at run
//! time, the folder holds the parser of that description. Nothing here opens a file, asks a clock or knows how frames
//! are stored: callers bring bytes and get facts back. The crate builds for `wasm32-unknown-unknown`.
//!
//! - [`Layout`]: which bytes of a frame are which channel.
//! - [`GAMES`]: the registry, one line per game; [`find_game`] knows ids and aliases.
//! - [`assetto_corsa`], [`assetto_corsa_competizione`], [`assetto_corsa_evo`], [`assetto_corsa_rally`]: the three shared memory
//!   pages, as tables and as structs.
//! - [`echo_vr`]: answers of its HTTP service, events of its matches, simulated matches.
//! - [`iracing`]: header, variable headers, session text and rows, of the live memory and of `.ibt` files.
//! - [`import_layouts`]: tables of games that are known from files of other programs only.
//!
//! A game id is a full name in kebab-case and lives for ever in recordings. Aliases are for people.
#![forbid(unsafe_code)]

pub mod assetto_corsa;
pub mod assetto_corsa_competizione;
pub mod assetto_corsa_evo;
pub mod assetto_corsa_rally;
mod bytes;
mod capture;
pub mod echo_vr;
mod fuzz;
pub mod import_layouts;
pub mod iracing;
mod lap_frame;
mod layout;
mod registry;
mod sample;
mod sane;
mod session_kind;
mod text;
mod typed;

pub use assetto_corsa as ac;
pub use assetto_corsa_competizione as acc;
pub use assetto_corsa_evo as ace;
pub use assetto_corsa_rally as acr;
pub use capture::{About, CopyRule, FRONT_BYTES, Presence, Rules, SECOND_COPY_AFTER_NS, Seen, SeenFrame, Transport};
pub use lap_frame::{Identity, LapFrame, NO_LAPS, Pit, ReadLaps, SectorValue, Validity, Verdict};
pub use layout::{Channel, Kind, Layout, LayoutError, NO_CHANNELS};
pub use registry::{ASSETTO_CORSA_EVO_FAMILY, ASSETTO_CORSA_FAMILY, GAMES, Game, Stream, find_game};
pub use sample::{Decode, Flags, Geo, Sample, Wheel};
pub use session_kind::SessionKind;
pub use text::{Chars, Utf16, char_text, utf16le_text, windows_1252_text};
pub use typed::{Frame, TypedStream};

#[doc(hidden)]
pub use echo_vr::fuzz::fuzz_echo_answer;
/// Run all that reads bytes from outside: for the fuzz targets and mutation only.
#[doc(hidden)]
pub use fuzz::fuzz_frames;
#[doc(hidden)]
pub use iracing::fuzz::{fuzz_ibt, fuzz_irsdk_map, fuzz_session_info};
