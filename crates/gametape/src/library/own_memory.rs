//! Support for other games: a struct, the name of its shared memory section, and a few settings.

use std::any::TypeId;
use std::marker::PhantomData;
use std::time::Duration;

use super::page_source::PageSource;
use super::source_spec::{IntoSource, Offer, SourceKind, SourceSpec};
use super::start_error::StartError;
use crate::capture::Description;
use crate::format::StreamSpec;
use crate::games::{Channel, CopyRule, Kind, Layout};
use crate::sys::Prefix;
use crate::tape::FrameStruct;

/// Creates a source for a game that is not supported out of the box, whose frames are a `#[repr(C)]` struct in shared memory:
/// `/dev/shm/SECTION` on Linux, `Local\SECTION` on Windows.
///
/// The capture waits for the game. A tape begins when frames start to change, and ends when the section is gone or nothing has changed
/// for ten seconds. Without channels the tape stores bytes only; with channels, every tool can read the values by name.
///
/// ```
/// use std::mem::offset_of;
/// use gametape::games::Kind;
/// use zerocopy::FromBytes;
///
/// #[derive(FromBytes)]
/// #[repr(C)]
/// struct MyCar { tick: u32, speed: f32 }
///
/// let source = gametape::shared_memory::<MyCar>("my_game")
///     .game("my-game")
///     .stream("car")
///     .hz(60)
///     .channel("speed", offset_of!(MyCar, speed), Kind::F32, 1, "m/s");
/// # drop(source);
/// ```
pub fn shared_memory<F: FrameStruct>(section: &str) -> SharedMemory<F> {
    let memory = OwnMemory {
        section: section.into(),
        game: section.into(),
        stream: "memory".into(),
        bytes: size_of::<F>(),
        rule: CopyRule::TwoEqualCopies,
        channels: Vec::new(),
        hz: 100,
        prefix: Prefix::default(),
        live: None,
    };
    SharedMemory { memory, frame: PhantomData }
}

/// A builder for a shared memory source; see [`shared_memory`].
pub struct SharedMemory<F> {
    memory: OwnMemory,
    frame: PhantomData<fn() -> F>,
}

/// Returns whether a frame shows that the game is live.
pub(crate) type IsLive = Box<dyn Fn(&[u8]) -> bool + Send>;

/// The settings without the frame type.
pub(crate) struct OwnMemory {
    pub(crate) section: String,
    pub(crate) game: String,
    pub(crate) stream: String,
    pub(crate) bytes: usize,
    pub(crate) rule: CopyRule,
    pub(crate) channels: Vec<Channel>,
    pub(crate) hz: u32,
    pub(crate) prefix: Prefix,
    pub(crate) live: Option<IsLive>,
}

impl<F: FrameStruct> SharedMemory<F> {
    /// Sets the id of the game, in kebab-case. The default is the name of the section.
    pub fn game(mut self, id: &str) -> Self {
        self.memory.game = id.into();
        self
    }

    /// Sets the name of the stream. The default is `memory`.
    pub fn stream(mut self, name: &str) -> Self {
        self.memory.stream = name.into();
        self
    }

    /// Sets the sampling rate, 1 to 1000 Hz. The default is 100.
    pub fn hz(mut self, hz: u32) -> Self {
        self.memory.hz = hz;
        self
    }

    /// Sets how a consistent copy is recognized. By default, two consecutive copies must be equal.
    pub fn copy_rule(mut self, rule: CopyRule) -> Self {
        self.memory.rule = rule;
        self
    }

    /// Names a value of the frame, so that every tool finds it in the tape: its offset (`offset_of!`), type, count and unit.
    pub fn channel(mut self, name: &str, offset: usize, kind: Kind, count: u32, unit: &str) -> Self {
        let (name, unit) = (name.to_owned().into(), unit.to_owned().into());
        // An offset that does not fit is outside the frame; `Layout::new` reports that.
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        self.memory.channels.push(Channel { name, offset, kind, count, unit });
        self
    }

    /// Sets a predicate that tells from a frame whether there is something to record. Otherwise the game counts as being in its menus.
    pub fn live_when(mut self, live: impl Fn(&F) -> bool + Send + 'static) -> Self {
        self.memory.live = Some(Box::new(move |bytes| F::read_from_bytes(bytes).is_ok_and(|frame| live(&frame))));
        self
    }
}

impl<F: FrameStruct> IntoSource for SharedMemory<F> {
    fn into_source(self) -> SourceSpec {
        let (game, stream) = (self.memory.game.clone(), self.memory.stream.clone());
        let spec =
            StreamSpec { game: game.clone(), ..StreamSpec::columns(&stream, self.memory.bytes as u32, Vec::new()) };
        let offer = Offer { type_id: Some(TypeId::of::<F>()), game, stream, spec: Some(spec) };
        SourceSpec { kind: SourceKind::Memory(self.memory), offers: vec![offer] }
    }
}

impl OwnMemory {
    pub(crate) fn open(self) -> Result<PageSource, StartError> {
        let Self { section, game, stream, bytes, rule, channels, hz, prefix, live } = self;
        if !(1..=1000).contains(&hz) {
            return Err(StartError::Rate { hz });
        }
        let (offset, needed) = match rule {
            CopyRule::CounterAndSecondCopy { counter_offset: at } | CopyRule::EvenSequence { sequence_offset: at } => {
                (at, 4)
            }
            CopyRule::EqualVersions { begin_offset, end_offset } => (begin_offset.max(end_offset), 4),
            CopyRule::TwoEqualCopies
            | CopyRule::TwoEqualCopiesUnlocked { .. }
            | CopyRule::RotatingBuffers
            | CopyRule::Whole => (0, 1),
        };
        if (offset as usize).saturating_add(needed) > bytes {
            return Err(StartError::OutsideStruct { section, offset, needed, bytes });
        }
        let mut description = Description::of_game(&game);
        let layout =
            Layout::new(format!("{game}-{stream}-{bytes}"), u32::try_from(bytes).unwrap_or(u32::MAX), channels)
                .map_err(|source| StartError::Channels { section: section.clone(), source })?;
        description.layout(&stream, "shm", &layout);
        let period = Duration::from_nanos(1_000_000_000 / u64::from(hz));
        Ok(PageSource::new(prefix.section(&section), description, bytes, rule, period, live))
    }
}
