//! What the doctor examines, and the facts it collects.

use std::path::PathBuf;

#[cfg(feature = "echo")]
use gametape_games::echo_vr::ID;
use gametape_games::{GAMES, Game};

use super::folder::TapesFolder;
use super::users::Users;
use crate::control;
use crate::paths::Folders;
use crate::sys::{Prefix, Process, list_processes, wake_exactly};
use crate::transport::Clock;
#[cfg(feature = "echo")]
use crate::transport::http::{EchoVrAddress, EchoVrFacts};
use crate::transport::shared_memory::facts::Memory;
use crate::transport::shared_memory::wine::InWine;
use crate::transport::shared_memory::wine::facts::WineFacts;
use crate::transport::shared_memory::{Sections, player_marker};
use crate::transport::udp::UdpSettings;
use crate::transport::udp::facts::UdpFacts;

/// Number and length of the sleeps that measure the timer.
const WAKES: u64 = 20;
const WAKE_NS: u64 = 1_000_000;

/// What to examine.
#[derive(Debug, Clone)]
pub struct Examination {
    /// Restricts the examination to this game.
    pub game: Option<&'static Game>,
    /// Prefix of section names.
    pub prefix: Prefix,
    /// Which Wine processes a recorder searches if no section has the name.
    pub in_wine: InWine,
    /// Address of Echo VR; `None` skips it.
    #[cfg(feature = "echo")]
    pub echo_vr: Option<EchoVrAddress>,
    /// Where datagrams are received; `None` skips games that send them.
    pub udp: Option<UdpSettings>,
    /// Folders of tapes and of the control sockets of recorders.
    pub folders: Folders,
}

/// The operating system, as far as advice depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Games run in Wine, and bridges expose their memory.
    Linux,
    /// Games run natively.
    Windows,
    /// Any other system.
    Other,
}

impl System {
    fn of_this_machine() -> Self {
        match () {
            () if cfg!(target_os = "linux") => Self::Linux,
            () if cfg!(windows) => Self::Windows,
            () => Self::Other,
        }
    }
}

/// A running recorder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecorderFacts {
    /// Its process id.
    pub process: u32,
    /// Path of the tape that it is writing, if any.
    pub tape: Option<PathBuf>,
    /// Its response to a status request.
    pub status: String,
}

/// All collected facts.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The requested game, if any.
    pub game: Option<&'static Game>,
    /// Prefix of section names.
    pub prefix: Prefix,
    /// The system.
    pub system: System,
    /// Users.
    pub users: Users,
    /// Running processes; `None` if they cannot be listed.
    pub processes: Option<Vec<Process>>,
    /// Games in Wine; empty if they were not inspected.
    pub wine: Vec<WineFacts>,
    /// Shared memory of games.
    pub memories: Vec<Memory>,
    /// Echo VR, which has no shared memory; `None` if it was not examined.
    #[cfg(feature = "echo")]
    pub echo_vr: Option<EchoVrFacts>,
    /// Games that send datagrams; `None` if they were not examined.
    pub udp: Option<UdpFacts>,
    /// Id of the tape that a player is playing.
    pub player: Option<String>,
    /// Running recorders.
    pub recorders: Vec<RecorderFacts>,
    /// The tapes folder.
    pub tapes: TapesFolder,
    /// Typical wakeup latency of the scheduler; `None` if it was not measured.
    pub wakes_late_ns: Option<u64>,
}

impl Facts {
    /// Collects the facts on this machine. Takes about 550 ms and writes nothing.
    pub fn collect(examination: &Examination, clock: &dyn Clock) -> Self {
        let Examination { game, prefix, in_wine, folders, .. } = examination;
        let processes = list_processes().ok();
        let looks_in = *in_wine != InWine::Off && prefix.as_str().is_empty();
        let wine = processes.iter().filter(|_| looks_in).flat_map(|listed| WineFacts::of_games(listed)).collect();
        let sections = Sections::new(prefix.clone(), in_wine.clone());
        let recorders = recorders(folders);
        let being_recorded: Vec<PathBuf> = recorders.iter().filter_map(|recorder| recorder.tape.clone()).collect();
        Self {
            game: *game,
            prefix: prefix.clone(),
            system: System::of_this_machine(),
            users: Users::of_this_machine(),
            processes,
            wine,
            memories: Memory::of_games(*game, &sections, clock),
            #[cfg(feature = "echo")]
            echo_vr: examination
                .echo_vr
                .as_ref()
                .filter(|_| game.is_none_or(|game| game.id == ID))
                .map(EchoVrFacts::look),
            udp: examination
                .udp
                .as_ref()
                .filter(|_| game.is_none_or(|game| game.udp_port().is_some()))
                .map(|settings| UdpFacts::look(settings, *game)),
            player: player_marker::tape_being_played(prefix, game.map_or(GAMES, std::slice::from_ref)),
            recorders,
            tapes: TapesFolder::look(&folders.tapes, &being_recorded),
            wakes_late_ns: wakes_late_ns(clock),
        }
    }
}

fn recorders(folders: &Folders) -> Vec<RecorderFacts> {
    let facts = |recorder: control::RunningRecorder| {
        let status = control::ask(&recorder, "status").unwrap_or_else(|error| error.to_string());
        // Response format: `recording FRAMES PATH`
        let tape = status.strip_prefix("recording ").and_then(|rest| rest.split_once(' ')).map(|(_, path)| path.into());
        RecorderFacts { process: recorder.process, tape, status }
    };
    // A folder that cannot be listed has no recorder of this user.
    control::recorders(&folders.run).unwrap_or_default().into_iter().map(facts).collect()
}

/// Measures the median wakeup latency; a single late wakeup means nothing. Uses a thread with the same timer settings as a
/// recorder; returns `None` if it cannot be started.
fn wakes_late_ns(clock: &dyn Clock) -> Option<u64> {
    let wake = |_| {
        let moment_ns = clock.now_ns() + WAKE_NS;
        clock.sleep_until_ns(moment_ns);
        clock.now_ns().saturating_sub(moment_ns)
    };
    let wakes = || {
        wake_exactly();
        (0..WAKES).map(wake).collect::<Vec<u64>>()
    };
    let mut late = std::thread::scope(|scope| {
        std::thread::Builder::new().spawn_scoped(scope, wakes).ok().and_then(|thread| thread.join().ok())
    })?;
    late.sort_unstable();
    late.get(late.len() / 2).copied()
}
