//! Recording while a game runs: sources provide frames, and a recorder writes them to tapes.
//!
//! A [`Source`] is read at its [`Pace`] and fills a [`Batch`]. Inside [`Recorder`], a judge decides when a tape begins and ends,
//! and a driver writes the batch to it. [`FamilySource`], [`IracingSource`] and [`EchoVrSource`] are the sources for games.
//! [`Progress`] shows the state of a recording.
mod backoff;
mod batch;
mod belief;
mod clock;
mod driver;
mod echo_vr;
mod family;
mod games;
mod iracing;
mod judge;
mod newest;
mod observer;
mod opening;
mod options;
mod page;
mod page_length;
pub mod playback;
mod progress;
mod recorder;
mod running_tape;
mod sections;
mod source;
mod tapes;

pub use batch::{Batch, BatchEvent, BatchFrame, Description};
pub use clock::{Clock, RealClock};
pub use echo_vr::{EchoVrAddress, EchoVrAddressError, EchoVrSource};
pub(crate) use echo_vr::{TAPE_HEADER, look_at_echo_vr};
pub use family::FamilySource;
pub use games::{GamePlaces, game_sources};
pub use iracing::IracingSource;
pub use observer::{Observer, TapeBegins};
pub use options::{EndReason, Place, RecordOptions, Split, Told};
pub(crate) use page::{CopyError, Page, look};
pub(crate) use page_length::unknown_length;
pub use progress::{Numbers, Progress, Situation};
pub use recorder::{Recorder, StopFlag};
pub(crate) use running_tape::PIECE_OF;
pub use sections::{InWine, Sections};
pub use source::{Away, Pace, Source, SourceError, State};
