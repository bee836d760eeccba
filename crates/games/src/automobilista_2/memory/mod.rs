//! The page of shared memory of Automobilista 2 and Project CARS 2 (`$pcars2$`), and of Project CARS (`$pcars$`).
//!
//! | version | game | frame |
//! |---|---|---:|
//! | 5, 6 | Project CARS, and Automobilista 2 in its Project CARS 1 mode | 7,320 |
//! | 8, 9 | Project CARS 2 | 20,576 |
//! | 10 | Automobilista 2 | 20,660 |
//! | 11, 12, 13, 14 | | 20,668, 20,688, 20,692, 20,700 |
//!
//! Every version appends to the one before. Later versions are read as version 14. A sequence number at 7320 is odd while the game writes; the page
//! of Project CARS has none.
//!
//! Never seen on real bytes: the tables follow the vendor's header file; units are those of values that were published from the running game.
pub(crate) mod beside_packets;
mod cars;
mod decode;
mod laps;
mod page;
mod state;
mod tables;

use cars::MemoryCars;
use decode::MemoryDecoder;
use laps::MemoryLaps;
pub(crate) use state::{about, counter, first_game_stream, frame_bytes, is_it, presence, session_key, stream_of};
pub(crate) use tables::first_game_layouts;
pub(super) use tables::layouts;

/// Name of the stream, in both games.
pub(crate) const SHARED_MEMORY: &str = "shared-memory";

/// Cars that the page has room for.
const PARTICIPANTS: u32 = 64;
