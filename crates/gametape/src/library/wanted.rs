//! Which stream a listener means, and whether its frames are what the listener thinks they are.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::capture::Description;
use crate::format::StreamSpec;

/// Frames are taken as bytes.
pub(crate) const ANY_LENGTH: usize = usize::MAX;

/// Streams that a listener takes, and as what.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// Name of the struct, for messages.
    pub(crate) type_name: &'static str,
    /// Its length, or [`ANY_LENGTH`].
    pub(crate) type_bytes: usize,
    /// The streams: game (`None` is any) and name.
    pub(crate) streams: Vec<(Option<String>, String)>,
}

impl Wanted {
    /// Whether a stream of this game and name is meant.
    pub(crate) fn means(&self, game: &str, name: &str) -> bool {
        self.streams.iter().any(|(of, stream)| stream == name && of.as_deref().is_none_or(|of| of == game))
    }

    /// Checks what can be known before a frame is there.
    pub(crate) fn check(&self, stream: &StreamSpec) -> Result<(), Fault> {
        match stream.frame_bytes as usize {
            _ if self.type_bytes == ANY_LENGTH => Ok(()),
            // Frames of any length: each is looked at when it comes.
            0 => Ok(()),
            bytes if bytes == self.type_bytes => Ok(()),
            bytes => Err(self.mismatch(stream, bytes)),
        }
    }

    /// Frames of a stream are not as long as the struct.
    pub(crate) fn mismatch(&self, stream: &StreamSpec, frame_bytes: usize) -> Fault {
        Fault::WrongType {
            stream: stream.name.clone(),
            game: stream.game.clone(),
            layout: stream.layout.clone(),
            frame_bytes,
            type_name: self.type_name,
            type_bytes: self.type_bytes,
        }
    }

    /// What is meant, for messages.
    pub(crate) fn text(&self) -> String {
        let names: Vec<String> = self
            .streams
            .iter()
            .map(|(game, stream)| game.iter().fold(stream.clone(), |text, game| format!("{text} of {game}")))
            .collect();
        names.join(" or ")
    }
}

/// What went wrong beside the recording, and never stops it. Told at the end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The frames of a stream are not as long as the struct they should be read as. None was read.
    #[error(
        "stream {stream:?} of {game} has frames of {frame_bytes} bytes (layout {layout:?}), but {type_name} has {type_bytes} bytes: \
         use the struct of that version, or read the stream as bytes"
    )]
    WrongType {
        /// The stream.
        stream: String,
        /// Its game.
        game: String,
        /// Its layout.
        layout: String,
        /// Length of its frames.
        frame_bytes: usize,
        /// The struct.
        type_name: &'static str,
        /// Its length.
        type_bytes: usize,
    },
    /// No source had such a stream.
    #[error("there was no stream {wanted} for {type_name}; there were: {offered}")]
    NoSuchStream {
        /// What was asked for.
        wanted: String,
        /// The struct.
        type_name: &'static str,
        /// What there was.
        offered: String,
    },
    /// A callback panicked. It was called again with the next frame.
    #[error("the callback for {listener} panicked {times} times, first with: {message}")]
    Panicked {
        /// What it listens to.
        listener: String,
        /// How often.
        times: u64,
        /// What it said the first time.
        message: String,
    },
    /// A callback had not returned a second after the end.
    #[error("the callback for {listener} did not return; it was left alone")]
    Stuck {
        /// What it listens to.
        listener: String,
    },
    /// An own writer failed.
    #[error("the writer failed: {message}")]
    Writer {
        /// What it said.
        message: String,
    },
}

/// What a listener has met, shared between its parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Met(Arc<Mutex<Things>>);

#[derive(Debug, Default)]
struct Things {
    found: bool,
    offered: BTreeSet<String>,
    faults: Vec<Fault>,
    panics: Option<(u64, String)>,
}

impl Met {
    fn lock(&self) -> MutexGuard<'_, Things> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a fault, once.
    pub(crate) fn fault(&self, fault: Fault) {
        let mut met = self.lock();
        if !met.faults.contains(&fault) {
            met.faults.push(fault);
        }
    }

    /// Notes a panic, with what it said.
    pub(crate) fn panicked(&self, payload: &(dyn std::any::Any + Send)) {
        let mut met = self.lock();
        let (times, _) = met.panics.get_or_insert_with(|| (0, message_of(payload)));
        *times += 1;
    }

    /// How often it panicked.
    pub(crate) fn panics(&self) -> u64 {
        self.lock().panics.as_ref().map_or(0, |(times, _)| *times)
    }

    /// Looks for the wanted stream in what a source offers.
    pub(crate) fn find(&self, wanted: &Wanted, description: &Description) -> Option<usize> {
        let game = description.game.as_str();
        let of = |stream: &StreamSpec| if stream.game.is_empty() { game.to_owned() } else { stream.game.clone() };
        let found = description.streams.iter().position(|stream| wanted.means(&of(stream), &stream.name));
        let checked = found.and_then(|index| description.streams.get(index)).map(|stream| wanted.check(stream));
        let mut met = self.lock();
        let names = description.streams.iter().map(|stream| format!("{} of {}", stream.name, of(stream)));
        met.offered.extend(names);
        met.found |= found.is_some();
        drop(met);
        match checked {
            Some(Err(fault)) => {
                self.fault(fault);
                None
            }
            _ => found,
        }
    }

    /// Everything, once it is over.
    pub(crate) fn faults(&self, wanted: &Wanted) -> Vec<Fault> {
        let met = self.lock();
        let mut faults = met.faults.clone();
        if !met.found && !met.offered.is_empty() && !wanted.streams.is_empty() {
            let offered = met.offered.iter().cloned().collect::<Vec<_>>().join(", ");
            faults.push(Fault::NoSuchStream { wanted: wanted.text(), type_name: wanted.type_name, offered });
        }
        if let Some((times, message)) = &met.panics {
            let (times, message) = (*times, message.clone());
            faults.push(Fault::Panicked { listener: wanted.type_name.into(), times, message });
        }
        faults
    }
}

/// What a panic said.
pub(crate) fn message_of(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "something that is no text".into())
}
