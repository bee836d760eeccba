//! EA SPORTS WRC (2023): datagrams whose layout the user chooses.
//!
//! The game reads structures from `Documents\My Games\WRC\telemetry\udp\*.json`: lists of channels, which it sends packed and in that order.
//! `config.json` beside that folder says which packets of which structure go where. [`layout_of_structure`] turns a structure into a layout;
//! `settings` reads the files of the user, so that every structure is decoded.
//!
//! | stream | 4CC | sent |
//! |---|---|---|
//! | `session-start` | `SESS` | when a stage starts |
//! | `session-update` | `SESU` | at the chosen rate, while the stage runs |
//! | `session-pause`, `session-resume` | `SESP`, `SESR` | when the game is paused, and when it resumes |
//! | `session-end` | `SESE` | when the stage ends |
//!
//! Datagrams are recognized by a 4CC as their first channel, as in [`STRUCTURE_JSON`], by the length and contents of the structure that the game
//! comes with (`wrc`), which has only `session_update` and no 4CC, or by the structures of the user.
//!
//! Never seen on real bytes: everything here follows descriptions of the format.
mod channels;
mod decode;
mod laps;
pub(crate) mod rules;
mod settings;
mod structure;
mod values;

pub use structure::{StructureError, layout_of_structure};

use std::sync::LazyLock;

use crate::capture::{CopyRule, Transport};
use crate::layout::Layout;
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};

/// Registry entry.
pub const GAME: Game = Game {
    id: "ea-wrc",
    name: "EA SPORTS WRC",
    aliases: &["wrc"],
    streams: &[SESSION_START, SESSION_UPDATE, SESSION_PAUSE, SESSION_RESUME, SESSION_END],
    processes: &[],
    default_hz: None,
    rules: &rules::WrcRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "in Documents/My Games/WRC/telemetry/config.json, set bEnabled of the packet session_update to true, with ip 127.0.0.1 and port 20777",
    proven: Proof::DescriptionsOnly,
};

/// A structure to install in the game, as `gametape.json`. It has all five packets, each with a 4CC and a running number, and needs version 1.8 of
/// the game.
pub const STRUCTURE_JSON: &str = include_str!("gametape.json");

const SESSION_START: Stream = stream("session-start", Layouts::Built(|| &LAYOUTS.start));
const SESSION_UPDATE: Stream = stream("session-update", Layouts::Built(|| &LAYOUTS.update));
const SESSION_PAUSE: Stream = stream("session-pause", Layouts::Built(|| &LAYOUTS.pause));
const SESSION_RESUME: Stream = stream("session-resume", Layouts::Built(|| &LAYOUTS.resume));
const SESSION_END: Stream = stream("session-end", Layouts::Built(|| &LAYOUTS.end));

const fn stream(name: &'static str, layouts: Layouts) -> Stream {
    Stream {
        name,
        layouts,
        transport: Transport::Udp { port: 20_777, broadcast: false },
        copy_rule: CopyRule::Whole,
        play_rank: 3,
    }
}

/// The layouts of [`STRUCTURE_JSON`] and of the game's own structure. Other structures are known only to the user.
struct KnownLayouts {
    start: Vec<&'static Layout>,
    update: Vec<&'static Layout>,
    pause: Vec<&'static Layout>,
    resume: Vec<&'static Layout>,
    end: Vec<&'static Layout>,
}

/// They live as long as the process, like the tables of other games.
static LAYOUTS: LazyLock<KnownLayouts> = LazyLock::new(|| {
    let kept = |layout: Option<Layout>| layout.map(|layout| &*Box::leak(Box::new(layout)));
    let own = |packet: &str| kept(layout_of_structure(STRUCTURE_JSON, packet).ok());
    KnownLayouts {
        start: own("session_start").into_iter().collect(),
        update: own("session_update").into_iter().chain(kept(channels::default_layout())).collect(),
        pause: own("session_pause").into_iter().collect(),
        resume: own("session_resume").into_iter().collect(),
        end: own("session_end").into_iter().collect(),
    }
});
