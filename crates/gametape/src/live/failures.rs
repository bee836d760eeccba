//! Failures of live tracking: reported at once, and kept until the end of the recording.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::LiveTape;

/// Maximum number of failures kept. The first ones show what is wrong.
const MOST: usize = 16;

/// A part of live tracking that panicked. The recording continues.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{part} failed{}: {message}", .tape.as_ref().map_or_else(String::new, |tape| format!(" while recording {}", tape.display())))]
pub struct LiveFailure {
    /// Which part: the tracker, the live view, the frames or the store.
    pub part: &'static str,
    /// The tape that was being recorded.
    pub tape: Option<PathBuf>,
    /// The panic message.
    pub message: String,
}

type OnFailure = dyn Fn(&LiveFailure) + Send + Sync;

/// The failures so far.
#[derive(Clone, Default)]
pub(super) struct Failures {
    kept: Arc<Mutex<Vec<LiveFailure>>>,
    on_failure: Option<Arc<OnFailure>>,
}

impl Failures {
    pub(super) fn new(on_failure: impl Fn(&LiveFailure) + Send + Sync + 'static) -> Self {
        Self { kept: Arc::default(), on_failure: Some(Arc::new(on_failure)) }
    }

    pub(super) fn note(&self, tape: Option<&LiveTape>, part: &'static str, message: &str) {
        let failure = LiveFailure { part, tape: tape.map(|tape| tape.path.clone()), message: message.to_owned() };
        if let Some(on_failure) = &self.on_failure {
            on_failure(&failure);
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
