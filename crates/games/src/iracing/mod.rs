//! iRacing: one row of variables per tick, described by the game itself, and a session info string.
//!
//! The live shared memory and `.ibt` files begin with the same header and variable headers, so they share those parsers
//! ([`IrsdkHeader`], [`read_var_headers`]). [`IbtHead`] and [`Ibt`] add the parts specific to files, [`LiveMap`] those
//! specific to memory. Rows are decoded by their [`Layout`](crate::Layout) and timed by [`RowTimes`]; [`session_info`]
//! parses the session info string.
mod decode;
#[doc(hidden)]
pub mod fuzz;
pub(crate) mod ground;
mod header;
mod ibt;
mod ibt_error;
mod lap_text;
mod laps;
mod live_map;
mod row_times;
mod row_vars;
pub(crate) mod rules;
mod session_info;
mod session_text;
mod var_headers;

pub use header::{HEADER_112, HEADER_BYTES, IrsdkHeader, MAX_BUFFERS, VarBuffer};
pub use ibt::{DiskSubHeader, Ibt, IbtHead, IbtRows};
pub use ibt_error::{IbtError, IbtProblem};
pub use live_map::{LiveBuffer, LiveBuffers, LiveMap, LiveMapError};
pub use row_times::{RowClock, RowTime, RowTimes};
pub use session_info::{SessionInfo, session_info};
pub use session_text::{TextEncoding, session_text, session_text_bytes, session_text_encoding};
pub use var_headers::{MAX_VARS, VAR_HEADER_BYTES, VarDetail, VarProblem, VarTable, read_var_headers};

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};

/// Registry entry.
pub const GAME: Game = Game {
    id: "iracing",
    name: "iRacing",
    aliases: &["ir"],
    streams: &[TELEMETRY, SESSION_TEXT],
    processes: &["iRacingSim64DX11.exe"],
    default_hz: None,
    rules: &rules::IracingRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "set irsdkEnableMem=1 in app.ini (Documents/iRacing)",
    proven: Proof::RealBytes,
};

/// The single shared memory section that holds everything: `Local\IRSDKMemMapFileName` on Windows.
const MEMORY: Transport = Transport::SharedMemory { section: SECTION, section_bytes: SECTION_BYTES };

/// Name of the section.
pub const SECTION: &str = "IRSDKMemMapFileName";

/// Number of bytes that clients map. [`LiveMap`] describes the contents.
pub const SECTION_BYTES: u32 = 1_191_936;

/// Rows of variables. Their layout is in the variable headers of each file or connection.
pub const TELEMETRY: Stream = Stream {
    name: "telemetry",
    layouts: Layouts::Tables(&[]),
    transport: MEMORY,
    copy_rule: CopyRule::RotatingBuffers,
    play_rank: 3,
};

/// The session info string (YAML), as bytes.
pub const SESSION_TEXT: Stream = Stream {
    name: "session-text",
    layouts: Layouts::Tables(&[]),
    transport: MEMORY,
    copy_rule: CopyRule::TwoEqualCopies,
    play_rank: 2,
};
