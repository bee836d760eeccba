//! Stands for games that are not in the registry: a program described their datagrams itself, and only players need to know them.
use crate::capture::{About, CopyRule, Presence, Rules, Seen, Transport};
use crate::lap_frame::{NoLaps, ReadLaps};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use crate::sample::{Decode, NoSamples};

/// Any game whose datagrams were recorded by a program that described them itself. Not in [`GAMES`](crate::GAMES): tapes have the id that the
/// program chose.
pub const OWN_UDP_GAME: Game = Game {
    id: "udp-game",
    name: "a game of your own",
    aliases: &[],
    streams: &[Stream {
        name: "datagrams",
        layouts: Layouts::Tables(&[]),
        transport: Transport::Udp { port: 0, broadcast: false },
        copy_rule: CopyRule::Whole,
        play_rank: 3,
    }],
    processes: &[],
    default_hz: None,
    rules: &OwnRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "",
    proven: Proof::DescriptionsOnly,
};

/// Knows nothing about the contents of datagrams.
#[derive(Debug)]
struct OwnRules;

impl Rules for OwnRules {
    fn presence(&self, _: Seen<'_>) -> Presence {
        Presence::Off
    }

    fn is_it(&self, _: Seen<'_>) -> Option<bool> {
        None
    }

    fn session_key(&self, _: Seen<'_>) -> Option<u64> {
        None
    }

    fn about(&self, _: Seen<'_>) -> About {
        About::default()
    }

    fn decodes(&self) -> bool {
        false
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(NoSamples)
    }

    fn has_laps(&self) -> bool {
        false
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::<NoLaps>::default()
    }
}
