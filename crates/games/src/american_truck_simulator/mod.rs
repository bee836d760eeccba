//! American Truck Simulator: the same page as [Euro Truck Simulator 2](crate::euro_truck_simulator_2), which names the game.
use crate::euro_truck_simulator_2::{self as ets2, TruckRules};
use crate::registry::{Game, Layouts, SharedMemory, Stream};

/// The registry entry.
pub const GAME: Game =
    Game { shared_memory: SharedMemory { older_versions: &[IN_FOLDER], ..NAMED.shared_memory }, ..NAMED };

const NAMED: Game = Game {
    id: "american-truck-simulator",
    name: "American Truck Simulator",
    aliases: &["ats"],
    streams: &[PAGE],
    processes: &["amtrucks.exe", "amtrucks"],
    rules: &TruckRules { game: 2 },
    shared_memory: SharedMemory { older_versions: &[], ..ets2::GAME.shared_memory },
    ..ets2::GAME
};

/// The game with a plugin that makes its section in a folder.
pub(crate) const IN_FOLDER: Game = Game { streams: &[PAGE_IN_FOLDER], ..NAMED };

/// The page.
pub const PAGE: Stream = Stream { layouts: LAYOUTS, ..ets2::PAGE };

const PAGE_IN_FOLDER: Stream = Stream { layouts: LAYOUTS, ..ets2::PAGE_IN_FOLDER };

const LAYOUTS: Layouts = Layouts::Built(ets2::american_layouts);
