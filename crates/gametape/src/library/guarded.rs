//! Converts a panic in a source to an error, so that its tape is closed normally.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::capture::{Batch, Clock, Pace, Source, SourceError, State};
use crate::games::About;
use crate::sys::panic_message;

/// A source with panics caught.
pub(crate) struct Guarded(Box<dyn Source>);

impl Guarded {
    pub(crate) fn new(source: Box<dyn Source>) -> Self {
        Self(source)
    }
}

impl Source for Guarded {
    fn pace(&self) -> Pace {
        self.0.pace()
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        let read = catch_unwind(AssertUnwindSafe(|| self.0.read(clock, batch)));
        read.unwrap_or_else(|payload| {
            Err(SourceError::Other(format!("the source panicked: {}", panic_message(&*payload))))
        })
    }

    fn session_key(&self) -> Option<u64> {
        self.0.session_key()
    }

    fn about(&self) -> About {
        self.0.about()
    }

    fn about_changes(&self) -> Option<u64> {
        self.0.about_changes()
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        self.0.metadata()
    }

    fn replay_of(&self) -> Option<String> {
        self.0.replay_of()
    }

    fn zero_ns(&self) -> Option<u64> {
        self.0.zero_ns()
    }
}
