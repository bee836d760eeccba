//! The sources that `.source(…)` accepts.

use std::any::TypeId;

use super::known::KnownGame;
use super::own_memory::OwnMemory;
use super::own_udp::Udp;
#[cfg(feature = "watch")]
use super::replay_folder::{FileCallbacks, ReplayFolder};
use super::start_error::StartError;
use super::tape_source::Gate;
use super::tape_source::TapeSource;
use crate::capture::{Source, UdpSettings, UdpSource};
use crate::format::StreamSpec;
use crate::games::{Frame, Game, TypedStream};
use crate::sys::Prefix;
use crate::tape::Tape;

/// A source for a capture: a stream of a game (`acc::physics()`), a whole game (`&acc::GAME`, `&games::f1::F1_25`), any supported game that sends
/// over UDP ([`UdpSettings`]), shared memory of another game ([`shared_memory`](crate::shared_memory)), datagrams of another game
/// ([`udp`](crate::udp)), replay folders (`watch::Watch`), a custom [`Source`], or a [`Tape`](crate::Tape).
pub trait IntoSource {
    /// Converts it to a source that can be started.
    fn into_source(self) -> SourceSpec;
}

/// A source that has not been started.
pub struct SourceSpec {
    pub(crate) kind: SourceKind,
    pub(crate) offers: Vec<Offer>,
}

pub(crate) enum SourceKind {
    Game(KnownGame),
    Memory(OwnMemory),
    Own(Box<dyn Source>),
    Tape(Tape),
    Udp(Udp),
    Sender(UdpSettings),
    /// Replay folders.
    #[cfg(feature = "watch")]
    Replays(Box<crate::watch::Watch>),
}

/// What sources need of the capture to start.
pub(super) struct Opening<'a> {
    pub(super) gate: &'a Gate,
    #[cfg(feature = "watch")]
    pub(super) on_file: &'a FileCallbacks,
}

/// A stream that a source is known to provide.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    /// Type of the frame struct, if known.
    pub(crate) type_id: Option<TypeId>,
    pub(crate) game: String,
    pub(crate) stream: String,
    /// Full description, if known before the first frame.
    pub(crate) spec: Option<StreamSpec>,
}

impl SourceSpec {
    /// Returns whether it may provide unlisted streams.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.kind, SourceKind::Own(_) | SourceKind::Sender(_))
    }

    pub(crate) fn set_hz(&mut self, hz: u32) -> Result<(), StartError> {
        if !(1..=1000).contains(&hz) {
            return Err(StartError::Rate { hz });
        }
        match &mut self.kind {
            SourceKind::Game(game) => game.hz = Some(hz),
            SourceKind::Memory(memory) => memory.hz = hz,
            _ => {
                return Err(StartError::NotForThisSource { option: "hz" });
            }
        }
        Ok(())
    }

    pub(crate) fn set_udp(&mut self, settings: UdpSettings) -> Result<(), StartError> {
        match &mut self.kind {
            SourceKind::Game(known) if known.game.udp_port().is_some() => known.udp = Some(settings),
            _ => return Err(StartError::NotForThisSource { option: "udp" }),
        }
        Ok(())
    }

    /// Sets the prefix. Returns `false` if the source has no names in shared memory.
    pub(crate) fn set_prefix(&mut self, prefix: &Prefix) -> bool {
        match &mut self.kind {
            SourceKind::Game(game) => game.prefix = prefix.clone(),
            SourceKind::Memory(memory) => memory.prefix = prefix.clone(),
            _ => return false,
        }
        true
    }

    /// Inherits settings from the previous source of the same tape.
    pub(crate) fn inherit(&mut self, before: &Self) {
        match &before.kind {
            SourceKind::Game(other) => {
                self.set_prefix(&other.prefix);
                if let SourceKind::Game(game) = &mut self.kind
                    && game.game.id == other.game.id
                {
                    game.hz = other.hz;
                    game.udp.clone_from(&other.udp);
                }
            }
            SourceKind::Memory(other) => {
                self.set_prefix(&other.prefix);
            }
            _ => {}
        }
    }

    /// Returns its word in the name of a file.
    pub(crate) fn word(&self) -> Option<String> {
        match self.offers.as_slice() {
            [one] => Some(one.stream.clone()),
            _ => None,
        }
    }

    /// Returns whether it provides frames as fast as they are consumed.
    pub(crate) fn is_full_speed(&self) -> bool {
        matches!(&self.kind, SourceKind::Tape(tape) if !tape.plays_in_real_time())
    }

    pub(super) fn open(self, opening: &Opening<'_>) -> Result<Box<dyn Source>, StartError> {
        let gate = opening.gate;
        match self.kind {
            #[cfg(feature = "watch")]
            SourceKind::Replays(watch) => Ok(Box::new(ReplayFolder::open(*watch, opening.on_file.clone())?)),
            SourceKind::Game(game) => game.open(),
            SourceKind::Memory(memory) => Ok(Box::new(memory.open()?)),
            SourceKind::Own(source) => Ok(source),
            SourceKind::Tape(tape) => Ok(Box::new(TapeSource::open(&tape, gate.clone())?)),
            SourceKind::Udp(udp) => Ok(Box::new(udp.open()?)),
            SourceKind::Sender(settings) => {
                let sources = UdpSource::of_senders(&settings, None, &Prefix::default(), 1);
                let source = sources.into_iter().next().ok_or(StartError::NoSource)?;
                Ok(Box::new(source))
            }
        }
    }
}

impl<F: Frame> IntoSource for TypedStream<F> {
    fn into_source(self) -> SourceSpec {
        let (game, stream) = (self.game, self.stream);
        let offer =
            Offer { type_id: Some(TypeId::of::<F>()), game: game.id.into(), stream: stream.name.into(), spec: None };
        SourceSpec { kind: SourceKind::Game(KnownGame::new(game, vec![stream.name])), offers: vec![offer] }
    }
}

impl IntoSource for &'static Game {
    fn into_source(self) -> SourceSpec {
        let streams: Vec<&'static str> = self.streams.iter().map(|stream| stream.name).collect();
        let offer = |stream: &&str| Offer { type_id: None, game: self.id.into(), stream: (*stream).into(), spec: None };
        let offers = streams.iter().map(offer).collect();
        SourceSpec { kind: SourceKind::Game(KnownGame::new(self, streams)), offers }
    }
}

/// Whichever supported game sends datagrams there: the first sender is recorded.
impl IntoSource for UdpSettings {
    fn into_source(self) -> SourceSpec {
        SourceSpec { kind: SourceKind::Sender(self), offers: Vec::new() }
    }
}

impl<S: Source + 'static> IntoSource for S {
    fn into_source(self) -> SourceSpec {
        SourceSpec { kind: SourceKind::Own(Box::new(self)), offers: Vec::new() }
    }
}
