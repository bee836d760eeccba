//! Gran Turismo 7, Gran Turismo Sport and Gran Turismo 6: encrypted UDP packets of the "Simulator Interface".
//!
//! The console sends one packet for each rendered frame (60 Hz) to whoever asked for it with a [`heartbeat`]. Gran Turismo 7 knows four kinds
//! of packets, each of which continues the one before it; the letter in the heartbeat selects the kind:
//!
//! ```text
//!         0x000                 0x128         0x13C        0x158      0x170
//!  A  296 | car, session, laps |
//!  B  316 | car, session, laps | steering, g |
//!  ~  344 | car, session, laps | steering, g | pedals, … |
//!  C  368 | car, session, laps | steering, g | pedals, … | surface, lap clock |
//! ```
//!
//! `cipher` decrypts a datagram; what is recorded is the plain packet, in the stream of its kind. The initialization vector stays in the packet
//! at 0x40, where the game sends it, so that the datagram can be restored byte for byte. Gran Turismo Sport sends packet A under another key,
//! and Gran Turismo 6 does so in big endian, which no layout describes: its stream has columns for none of its values, but they are decoded.
//!
//! Packets A and C were checked against real bytes, A as a datagram. The encryption constants of B, ~ and C, Gran Turismo Sport and
//! Gran Turismo 6 were never seen on real datagrams.
mod cipher;
mod decode;
pub mod heartbeat;
mod laps;
mod packet;
mod requests;
mod rules;
mod tables;

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::readers::ReadGame;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use requests::HeartbeatProtocol;
use rules::GranTurismoRules;

/// The registry entry of Gran Turismo 7.
pub const GT7: Game = Game {
    id: "gran-turismo-7",
    name: "Gran Turismo 7",
    aliases: &["gt7"],
    streams: &[
        stream("c", Layouts::Built(tables::packet_c), GT7_PORT),
        stream("tilde", Layouts::Built(tables::packet_tilde), GT7_PORT),
        stream("b", Layouts::Built(tables::packet_b), GT7_PORT),
        stream("a", Layouts::Built(tables::packet_a), GT7_PORT),
        stream(RAW, Layouts::Tables(&[]), GT7_PORT),
    ],
    processes: &[],
    default_hz: None,
    rules: &GranTurismoRules { requests: HeartbeatProtocol { heartbeat: heartbeat::GT7, kinds: cipher::GT7 } },
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: SETUP,
    proven: Proof::SomeRealBytes("A as a datagram, C after decryption; the encryption of B, ~ and C was never seen"),
};

/// The registry entry of Gran Turismo Sport and Gran Turismo 6.
pub const GT_SPORT: Game = Game {
    id: "gran-turismo-sport",
    name: "Gran Turismo Sport / Gran Turismo 6",
    aliases: &["gt-sport", "gtsport", "gt6"],
    streams: &[
        stream("a", Layouts::Built(tables::sport_packet_a), GT_SPORT_PORT),
        stream(GT6, Layouts::Tables(&[]), GT_SPORT_PORT),
        stream(RAW, Layouts::Tables(&[]), GT_SPORT_PORT),
    ],
    processes: &[],
    default_hz: None,
    rules: &GranTurismoRules {
        requests: HeartbeatProtocol { heartbeat: heartbeat::GT_SPORT, kinds: cipher::GT_SPORT },
    },
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: SETUP,
    proven: Proof::DescriptionsOnly,
};

/// Gran Turismo 7 for readers of tapes.
pub(crate) const GT7_READER: &dyn ReadGame =
    &GranTurismoRules { requests: HeartbeatProtocol { heartbeat: heartbeat::GT7, kinds: cipher::GT7 } };
/// Gran Turismo Sport and Gran Turismo 6 for readers of tapes.
pub(crate) const GT_SPORT_READER: &dyn ReadGame =
    &GranTurismoRules { requests: HeartbeatProtocol { heartbeat: heartbeat::GT_SPORT, kinds: cipher::GT_SPORT } };

/// What the user does before the games can be recorded.
const SETUP: &str = "nothing to set in the game; admit the console with --lan CONSOLE";

/// The port to which Gran Turismo 7 sends.
const GT7_PORT: u16 = heartbeat::GT7.reply_port;
/// The port to which the older games send.
const GT_SPORT_PORT: u16 = heartbeat::GT_SPORT.reply_port;

/// The stream of Gran Turismo 6, in big endian.
const GT6: &str = "gt6";
/// The stream of datagrams that are the game's, but of an unknown kind. They are recorded as they came.
const RAW: &str = "raw";

const fn stream(name: &'static str, layouts: Layouts, port: u16) -> Stream {
    Stream {
        name,
        layouts,
        transport: Transport::Udp { port, broadcast: false },
        copy_rule: CopyRule::Whole,
        play_rank: 3,
    }
}
