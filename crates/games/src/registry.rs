//! The registry of games. To add a game, add its module, its `mod` line, its line in [`GAMES`] and in `readers`.
use crate::capture::{CopyRule, Rules, Transport};
use crate::layout::Layout;
use crate::proof::Proof;
use crate::{
    american_truck_simulator, assetto_corsa, assetto_corsa_competizione, assetto_corsa_evo, assetto_corsa_rally,
    assetto_corsa_remote, automobilista_2, dirt_rally, ea_wrc, echo_vr, euro_truck_simulator_2, f1, forza,
    gran_turismo, iracing, lap_file, le_mans_ultimate, project_cars, raceroom, rfactor_2, trackmania,
};

/// All games, sorted by id.
pub const GAMES: &[Game] = &[
    american_truck_simulator::GAME,
    assetto_corsa::GAME,
    assetto_corsa_competizione::GAME,
    assetto_corsa_evo::GAME,
    assetto_corsa_rally::GAME,
    assetto_corsa_remote::GAME,
    automobilista_2::GAME,
    dirt_rally::GAME,
    ea_wrc::GAME,
    echo_vr::GAME,
    euro_truck_simulator_2::GAME,
    f1::F1_18,
    f1::F1_19,
    f1::F1_20,
    f1::F1_21,
    f1::F1_22,
    f1::F1_23,
    f1::F1_24,
    f1::F1_25,
    f1::F1_26,
    forza::HORIZON,
    forza::MOTORSPORT,
    gran_turismo::GT7,
    gran_turismo::GT_SPORT,
    iracing::GAME,
    lap_file::GAME,
    le_mans_ultimate::GAME,
    project_cars::GAME,
    raceroom::GAME,
    rfactor_2::GAME,
    trackmania::GAME,
];

/// Games that share section names. Their frames reveal which one it is.
pub const ASSETTO_CORSA_FAMILY: &[Game] =
    &[assetto_corsa_competizione::GAME, assetto_corsa::GAME, assetto_corsa_rally::GAME];

/// The truck simulators: the page of a plugin says which of them it is.
const TRUCKS: &[Game] = &[euro_truck_simulator_2::GAME, american_truck_simulator::GAME];

/// The same with a build of the plugin that uses another name on Linux.
const TRUCKS_IN_FOLDER: &[Game] = &[euro_truck_simulator_2::IN_FOLDER, american_truck_simulator::IN_FOLDER];

/// Games that share section names, in groups.
pub const FAMILIES: &[&[Game]] = &[ASSETTO_CORSA_FAMILY, TRUCKS, TRUCKS_IN_FOLDER];

/// A game and the streams it offers.
#[derive(Debug, Clone, Copy)]
pub struct Game {
    /// Full name in kebab-case. Recordings store it, so it never changes.
    pub id: &'static str,
    /// Official name.
    pub name: &'static str,
    /// Short names for the command line.
    pub aliases: &'static [&'static str],
    /// Streams that can be captured.
    pub streams: &'static [Stream],
    /// Executable names, as the system lists them.
    pub processes: &'static [&'static str],
    /// Default sample rate in Hz; `None` records every tick of the game.
    pub default_hz: Option<u32>,
    /// Interprets the game's frames.
    pub rules: &'static dyn Rules,
    /// What its shared memory has besides the streams.
    pub shared_memory: SharedMemory,
    /// What the user has to switch on before the game can be recorded, as an instruction; empty if nothing.
    pub setup: &'static str,
    /// How far its tables and rules are proven.
    pub proven: Proof,
}

/// What the shared memory of a game has besides its streams.
#[derive(Debug, Clone, Copy)]
pub struct SharedMemory {
    /// Older versions of the game whose streams are in other sections.
    pub older_versions: &'static [Game],
    /// Names and sizes of sections that clients on Linux open next to the game's. Some crash if these are missing or empty.
    pub companions: &'static [(&'static str, u64)],
    /// Name of the stream, and offset in its frames, of the `u32` that is 0 while the game is off.
    pub running_flag: Option<(&'static str, u64)>,
}

impl SharedMemory {
    /// Nothing besides the streams, or no shared memory at all.
    pub const STREAMS_ONLY: Self = Self { older_versions: &[], companions: &[], running_flag: None };
}

/// Where the layouts of a stream come from.
#[derive(Debug, Clone, Copy)]
pub enum Layouts {
    /// Tables.
    Tables(&'static [&'static Layout]),
    /// Built when they are first needed.
    Built(fn() -> &'static [&'static Layout]),
}

/// A stream of frames of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    /// Unique within the game. Recordings store it, so it never changes.
    pub name: &'static str,
    /// Known layouts; see [`layouts`](Self::layouts).
    pub layouts: Layouts,
    /// Where the frames come from.
    pub transport: Transport,
    /// How a reader ensures that its copy is consistent.
    pub copy_rule: CopyRule,
    /// Order in which frames with the same time are played back, lowest first: static data, then values, then the frame that tells clients
    /// that something has changed.
    pub play_rank: u8,
}

/// A part of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionPart {
    /// Offset in the section.
    pub offset: usize,
    /// Length.
    pub bytes: usize,
    /// How much of the section is used by all parts.
    pub page_bytes: u32,
}

impl Game {
    /// Returns whether any of its streams is in shared memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.sections().next().is_some()
    }

    /// Returns how the game is reached while it runs, such as `shared memory, UDP`; `None` if it is only read from files.
    #[must_use]
    pub fn reached_over(&self) -> Option<String> {
        let live = self.streams.iter().filter(|stream| stream.is_live());
        let mut names: Vec<&str> = live.map(|stream| stream.transport.name()).collect();
        names.dedup();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Returns the section names of its streams, each once if streams share one.
    pub fn sections(&self) -> impl Iterator<Item = &'static str> {
        let mut last = None;
        self.streams.iter().filter_map(Stream::section).filter(move |section| last.replace(*section) != Some(*section))
    }

    /// Returns the port to which it sends its datagrams by default; 0 if the user chooses one, `None` if it sends none.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        self.streams.iter().find_map(Stream::udp_port)
    }

    /// Returns whether it broadcasts its datagrams to the network.
    #[must_use]
    pub fn is_broadcast(&self) -> bool {
        self.streams.iter().any(Stream::is_broadcast)
    }

    /// Returns the streams that are sent as datagrams.
    pub fn udp_streams(&self) -> impl Iterator<Item = &'static Stream> + use<> {
        self.streams.iter().filter(|stream| stream.udp_port().is_some())
    }

    /// Returns the stream with exactly this name.
    #[must_use]
    pub fn stream(&self, name: &str) -> Option<&'static Stream> {
        self.streams.iter().find(|stream| stream.name == name)
    }
}

impl Stream {
    /// Returns whether the game publishes the stream while it runs, and not only in files.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.transport != Transport::File
    }

    /// Returns the name of its shared memory section.
    #[must_use]
    pub fn section(&self) -> Option<&'static str> {
        match self.transport {
            Transport::SharedMemory { section, .. } | Transport::SharedMemoryPart { section, .. } => Some(section),
            _ => None,
        }
    }

    /// Returns the size of its shared memory section when a program simulates the game.
    #[must_use]
    pub fn section_bytes(&self) -> Option<u32> {
        match self.transport {
            Transport::SharedMemory { section_bytes, .. } | Transport::SharedMemoryPart { section_bytes, .. } => {
                Some(section_bytes)
            }
            _ => None,
        }
    }

    /// Returns the part of its section that the stream is, and how much of the section is used; `None` if it is not a part.
    #[must_use]
    pub fn part(&self) -> Option<SectionPart> {
        match self.transport {
            Transport::SharedMemoryPart { page_bytes, offset, bytes, .. } => {
                Some(SectionPart { offset: offset as usize, bytes: bytes as usize, page_bytes })
            }
            _ => None,
        }
    }

    /// Returns whether the game can be recorded without the section of this stream.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        matches!(self.transport, Transport::SharedMemoryPart { is_needed: false, .. })
    }

    /// Returns the default port and the path of its HTTP endpoint.
    #[must_use]
    pub fn endpoint(&self) -> Option<(u16, &'static str)> {
        match self.transport {
            Transport::Http { port, path } => Some((port, path)),
            _ => None,
        }
    }

    /// Returns the port to which the game sends its datagrams by default; 0 if the user chooses one.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        match self.transport {
            Transport::Udp { port, .. } => Some(port),
            _ => None,
        }
    }

    /// Returns whether the game broadcasts its datagrams to the network.
    #[must_use]
    pub fn is_broadcast(&self) -> bool {
        matches!(self.transport, Transport::Udp { broadcast: true, .. })
    }

    /// Returns the known layouts, newest first, each with a different frame length. Empty for text streams and for games that describe
    /// their layout at run time.
    #[must_use]
    pub fn layouts(&self) -> &'static [&'static Layout] {
        match self.layouts {
            Layouts::Tables(tables) => tables,
            Layouts::Built(build) => build(),
        }
    }

    /// Returns the frame lengths of the known layouts.
    pub fn lengths(&self) -> impl Iterator<Item = u64> {
        self.layouts().iter().map(|layout| u64::from(layout.frame_bytes()))
    }

    /// Returns the layout of frames of this length.
    #[must_use]
    pub fn layout_of(&self, frame_bytes: u32) -> Option<&'static Layout> {
        self.layouts().iter().copied().find(|layout| layout.frame_bytes() == frame_bytes)
    }
}

/// Returns the game with this id or alias. ASCII case is ignored.
#[must_use]
pub fn find_game(id_or_alias: &str) -> Option<&'static Game> {
    let same = |name: &&str| name.eq_ignore_ascii_case(id_or_alias);
    GAMES.iter().find(|game| same(&game.id) || game.aliases.iter().any(same))
}
