//! What failed beside a recording: kept for its end, and told at once.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::LiveTape;

/// More are not kept: the first ones say what is wrong.
const MOST: usize = 16;

/// A part beside the recording that panicked. The recording goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{part} failed{}: {message}", .tape.as_ref().map_or_else(String::new, |tape| format!(" beside {}", tape.display())))]
pub struct LiveFailure {
    /// Which part: the tracker, the live view, the frames or the store.
    pub part: &'static str,
    /// The tape that was being recorded.
    pub tape: Option<PathBuf>,
    /// What the panic said.
    pub message: String,
}

type OnFailure = dyn Fn(&LiveFailure) + Send + Sync;

/// What failed so far.
#[derive(Clone, Default)]
pub(super) struct Failures {
    kept: Arc<Mutex<Vec<LiveFailure>>>,
    told: Option<Arc<OnFailure>>,
}

impl Failures {
    pub(super) fn new(told: impl Fn(&LiveFailure) + Send + Sync + 'static) -> Self {
        Self { kept: Arc::default(), told: Some(Arc::new(told)) }
    }

    pub(super) fn note(&self, tape: Option<&LiveTape>, part: &'static str, message: &str) {
        let failure = LiveFailure { part, tape: tape.map(|tape| tape.path.clone()), message: message.to_owned() };
        if let Some(told) = &self.told {
            told(&failure);
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST {
            kept.push(failure);
        }
    }

    pub(super) fn take(&self) -> Vec<LiveFailure> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
