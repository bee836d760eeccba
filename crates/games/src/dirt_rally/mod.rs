//! The Codemasters "extradata" format: DiRT 2 and 3, DiRT Rally, DiRT 4, DiRT Rally 2.0, GRID (2008 to 2019).
//!
//! A datagram is an array of up to 66 `f32`, without header or counter. Nothing in it identifies the game, so all of them are one game here. The user
//! switches it on in `hardware_settings_config.xml`: `<udp enabled="true" extradata="3" ip="127.0.0.1" port="20777" delay="1" />`.
//!
//! | `extradata` | bytes | contents |
//! |---:|---:|---|
//! | 3 | 264 | everything |
//! | 1 | 152 | the first 38 values |
//!
//! Lengths in between are decoded as far as they reach. The format with 264 bytes was checked on datagrams of DiRT Rally and DiRT Rally 2.0.
//! Some games can send layouts of the user's own (`custom_udp`); those are not recognized.
//!
//! A stage is run once: `laps` finds its end, which the games do not report. Events with several laps report their lap times.
mod decode;
mod laps;
mod packet;
mod pause;
pub(crate) mod rules;
mod tables;

use std::sync::LazyLock;

use crate::capture::{CopyRule, Transport};
use crate::layout::Layout;
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};

/// Registry entry.
pub const GAME: Game = Game {
    id: "dirt-rally",
    name: "DiRT / GRID",
    aliases: &["dirt"],
    streams: &[TELEMETRY],
    processes: &[],
    default_hz: None,
    rules: &rules::DirtRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: SETUP,
    proven: Proof::SomeRealBytes("264 bytes (extradata 3) of DiRT Rally 1 and 2"),
};

/// What the user switches on.
const SETUP: &str = "in Documents/My Games/GAME/hardwaresettings/hardware_settings_config.xml, below <motion_platform>: \
                     <udp enabled=\"true\" extradata=\"3\" ip=\"127.0.0.1\" port=\"20777\" delay=\"1\" />";

/// The only stream.
pub const TELEMETRY: Stream = Stream {
    name: "telemetry",
    layouts: Layouts::Built(|| &*LAYOUTS),
    transport: Transport::Udp { port: 20_777, broadcast: false },
    copy_rule: CopyRule::Whole,
    play_rank: 3,
};

/// One layout for each length, the longest first. They live as long as the process, like the tables of other games.
static LAYOUTS: LazyLock<Vec<&'static Layout>> = LazyLock::new(|| {
    packet::lengths().rev().filter_map(|bytes| Some(&*Box::leak(Box::new(tables::layout_of(bytes)?)))).collect()
});
