//! Recording while a game runs: sources give frames, a recorder puts them on tapes.
//!
//! A [`Source`] is read at its [`Pace`] and fills a [`Batch`]; the driver behind [`Recorder`] decides when a tape begins and ends and
//! puts the batch onto it. [`FamilySource`] and [`IracingSource`] are the games. What a recording does is seen through [`Progress`].
mod batch;
mod clock;
mod driver;
mod family;
mod games;
mod iracing;
mod observer;
mod options;
mod page;
pub mod playback;
mod progress;
mod recorder;
mod running_tape;
mod source;

pub use batch::{Batch, BatchFrame, Description};
pub use clock::{Clock, RealClock};
pub use family::FamilySource;
pub use games::game_sources;
pub use iracing::IracingSource;
pub use observer::Observer;
pub use options::{EndReason, Place, RecordOptions, Split, Told};
pub(crate) use page::{Page, look};
pub use progress::{Numbers, Progress, Seen};
pub use recorder::{Recorder, StopFlag};
pub use source::{Away, Pace, Source, SourceError, State};
