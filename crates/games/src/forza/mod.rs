//! Forza "Data Out": Forza Motorsport and Forza Horizon. One kind of datagram, without header or sequence number.
//!
//! Versions are distinguished by length only:
//!
//! | bytes | game | contents |
//! |---:|---|---|
//! | 232 | Motorsport 7, Motorsport (2023), format "Sled" | the car |
//! | 311 | Motorsport 7, "Dash" | the car, then position, pedals and laps |
//! | 331 | Motorsport (2023), "Dash" | the same, then tyre wear and the track |
//! | 324 | Horizon 4, 5, 6 | the car, 12 bytes of Horizon's own, then as in "Dash" |
//! | 323 | other programs that send the Horizon format | the same without the last byte, which is unused |
//!
//! The lengths 331 and 324 were checked on datagrams of Motorsport (2023) and Horizon 6; the others follow their documentation. The games of a
//! series cannot be distinguished. There is no default port: the user enters one in the game's menu.
//!
//! While paused, the game continues to send, with every field 0 except `TimestampMS`. Such a frame has no values of the car or the lap.
mod clock;
mod decode;
mod laps;
mod names;
mod packet;
mod rules;
mod tables;

use std::sync::LazyLock;

use crate::capture::{CopyRule, Transport};
use crate::layout::Layout;
use crate::proof::Proof;
use crate::readers::ReadGame;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use rules::ForzaRules;

/// Forza Motorsport 7 and Forza Motorsport (2023).
pub const MOTORSPORT: Game = Game {
    id: "forza-motorsport",
    name: "Forza Motorsport",
    aliases: &["fm"],
    streams: &[stream(Layouts::Built(|| &*MOTORSPORT_LAYOUTS))],
    processes: &[],
    default_hz: None,
    rules: &ForzaRules { series: Series::Motorsport },
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "in the game, Settings > Gameplay & HUD > UDP Race Telemetry: Data Out on, IP address 127.0.0.1, a port that is free, format Dash; \
            then use --listen 127.0.0.1:PORT",
    proven: Proof::SomeRealBytes("331 bytes (Motorsport 2023, Dash); 232 and 311 were never seen"),
};

/// The same for readers of tapes.
pub(crate) const MOTORSPORT_READER: &dyn ReadGame = &ForzaRules { series: Series::Motorsport };
/// The same for readers of tapes.
pub(crate) const HORIZON_READER: &dyn ReadGame = &ForzaRules { series: Series::Horizon };

/// Forza Horizon 4, 5 and 6.
pub const HORIZON: Game = Game {
    id: "forza-horizon",
    name: "Forza Horizon",
    aliases: &["fh"],
    streams: &[stream(Layouts::Built(|| &*HORIZON_LAYOUTS))],
    processes: &[],
    default_hz: None,
    rules: &ForzaRules { series: Series::Horizon },
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "in the game, Settings > HUD and Gameplay: Data Out on, IP address 127.0.0.1, a port that is free and not in 5200 to 5300; \
            then use --listen 127.0.0.1:PORT",
    proven: Proof::SomeRealBytes("324 bytes of Horizon 6"),
};

/// Name of the only stream.
const DATA_OUT: &str = "data-out";

const fn stream(layouts: Layouts) -> Stream {
    Stream {
        name: DATA_OUT,
        layouts,
        transport: Transport::Udp { port: 0, broadcast: false },
        copy_rule: CopyRule::Whole,
        play_rank: 3,
    }
}

/// The two series, which differ in length, class letters and the meaning of a few fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Series {
    Motorsport,
    Horizon,
}

static MOTORSPORT_LAYOUTS: LazyLock<Vec<&'static Layout>> = LazyLock::new(|| built(&[331, 311, 232]));
static HORIZON_LAYOUTS: LazyLock<Vec<&'static Layout>> = LazyLock::new(|| built(&[324, 323]));

/// Builds the layouts of these lengths. They live as long as the process, like the tables of other games.
fn built(lengths: &[u16]) -> Vec<&'static Layout> {
    lengths.iter().filter_map(|bytes| Some(&*Box::leak(Box::new(tables::layout_of(*bytes)?)))).collect()
}
