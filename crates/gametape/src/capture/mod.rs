//! Recording while a game runs: sources provide frames, and a recorder writes them to tapes.
//!
//! A [`Source`] is read at its [`Pace`] and fills a [`Batch`]. Inside [`Recorder`], a judge decides when a tape begins and ends,
//! and a driver writes the batch to it. [`game_sources`] creates the sources for games (see [`transport`](crate::transport)).
//! [`Progress`] shows the state of a recording.
mod driver;
mod judge;
mod newest;
mod observer;
mod opening;
mod options;
mod progress;
mod recorder;
mod running_tape;
mod tapes;

pub use observer::{ObservedFrame, Observer, TapeBegins};
pub use options::{Destination, EndReason, RecordOptions, RecorderEvent, Split, TapeSummary};
pub use progress::{Numbers, Progress, Situation};
pub use recorder::{Recorder, StopFlag};
pub(crate) use running_tape::PIECE_OF;

#[cfg(feature = "echo")]
pub use crate::transport::http::{EchoVrAddress, EchoVrAddressError, EchoVrSource};
pub use crate::transport::shared_memory::wine::InWine;
pub use crate::transport::shared_memory::{IracingSource, PageSource, Sections, player_marker};
pub use crate::transport::{
    AskedGame, Away, Batch, BatchEvent, BatchFrame, Clock, Description, GamePlaces, Pace, RealClock, Source,
    SourceError, State, UdpSettings, UdpSource, game_sources,
};
