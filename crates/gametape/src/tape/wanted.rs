//! Selects the stream of a listener, and checks that its frames have the expected type.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zerocopy::FromBytes;

use crate::capture::Description;
use crate::format::StreamSpec;
use crate::sys::panic_message;

/// Frames are received as bytes.
pub(crate) const ANY_LENGTH: usize = usize::MAX;

/// The streams that a listener receives, and their type.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// Name of the struct, for messages.
    pub(crate) type_name: &'static str,
    /// Size of the struct, or [`ANY_LENGTH`].
    pub(crate) type_bytes: usize,
    /// The streams: game (`None` is any) and name.
    pub(crate) streams: Vec<(Option<String>, String)>,
}

impl Wanted {
    /// Returns whether a stream of this game and name is requested.
    pub(crate) fn means(&self, game: &str, name: &str) -> bool {
        self.streams.iter().any(|(of, stream)| stream == name && of.as_deref().is_none_or(|of| of == game))
    }

    /// Checks the frame size as far as it is known before the first frame.
    pub(crate) fn check(&self, stream: &StreamSpec) -> Result<(), Fault> {
        match stream.frame_bytes as usize {
            _ if self.type_bytes == ANY_LENGTH => Ok(()),
            // Frames of variable length are checked as they arrive.
            0 => Ok(()),
            bytes if bytes == self.type_bytes => Ok(()),
            bytes => Err(self.mismatch(stream, bytes)),
        }
    }

    /// Returns the fault for a stream whose frames do not have the size of the struct.
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

    /// Describes the requested streams, for messages.
    pub(crate) fn text(&self) -> String {
        let names: Vec<String> = self
            .streams
            .iter()
            .map(|(game, stream)| game.iter().fold(stream.clone(), |text, game| format!("{text} of {game}")))
            .collect();
        names.join(" or ")
    }
}

/// An error of a listener. It never stops the recording, and is reported at the end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The frames of a stream do not have the size of the requested struct. None was read.
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
        /// Length of its frames in bytes.
        frame_bytes: usize,
        /// The struct.
        type_name: &'static str,
        /// Size of the struct in bytes.
        type_bytes: usize,
    },
    /// No source had such a stream.
    #[error("no source had a stream {wanted} for {type_name}; available: {offered}")]
    NoSuchStream {
        /// The requested stream.
        wanted: String,
        /// The struct.
        type_name: &'static str,
        /// The streams of the sources.
        offered: String,
    },
    /// A callback panicked. It was called again with the next frame.
    #[error("the callback for {listener} panicked {times} times, first with: {message}")]
    Panicked {
        /// The type that it listens to.
        listener: String,
        /// Number of panics.
        times: u64,
        /// Message of the first panic.
        message: String,
    },
    /// A callback had not returned a second after the end.
    #[error("the callback for {listener} did not return and was abandoned")]
    Stuck {
        /// The type that it listens to.
        listener: String,
    },
    /// A custom writer failed.
    #[error("the writer failed: {message}")]
    Writer {
        /// The error message.
        message: String,
    },
}

/// What a listener has encountered, shared between its parts.
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

    /// Records a fault, once.
    pub(crate) fn fault(&self, fault: Fault) {
        let mut met = self.lock();
        if !met.faults.contains(&fault) {
            met.faults.push(fault);
        }
    }

    /// Records a panic and the message of the first.
    pub(crate) fn panicked(&self, payload: &(dyn std::any::Any + Send)) {
        let mut met = self.lock();
        let (times, _) = met.panics.get_or_insert_with(|| (0, panic_message(payload)));
        *times += 1;
    }

    /// Returns the number of panics.
    pub(crate) fn panics(&self) -> u64 {
        self.lock().panics.as_ref().map_or(0, |(times, _)| *times)
    }

    /// Finds the wanted stream in the description of a source.
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

    /// Returns all faults, at the end of the capture.
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

/// A struct that represents a frame byte for byte: `#[repr(C)]`, with `FromBytes` derived by `zerocopy`.
pub trait FrameStruct: FromBytes + Send + 'static {}

impl<F: FromBytes + Send + 'static> FrameStruct for F {}
