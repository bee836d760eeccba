//! Length and modification time of a file: a cheap check for changes.

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

/// Length and modification time of a file. Equal stamps mean that the file is unchanged, as far as can be determined without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) bytes: u64,
    /// UTC; `None` if the system does not provide it.
    pub(super) modified_ns: Option<i64>,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified_ns = metadata.modified().ok().and_then(|time| match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok(),
            Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|ns| -ns),
        });
        Self { bytes: metadata.len(), modified_ns }
    }
}
