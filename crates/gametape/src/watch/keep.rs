//! Copies and imports a complete file, as configured.

use std::path::Path;

use super::archive::{ArchiveError, copy_into};
use super::content::ContentHash;
use super::found::{Archive, Import};
use super::setup::Setup;
use super::stopping::Stopping;
use super::tapes::import_into;
use crate::import::{Kind, detect};

/// The results for a find.
pub(super) struct Kept {
    pub(super) kind: Option<Kind>,
    pub(super) archive: Archive,
    pub(super) import: Import,
}

/// Copies and imports a find. Returns `None` if the watch was stopped; nothing incomplete is left then.
pub(super) fn keep(path: &Path, hash: ContentHash, setup: &Setup, stopping: &Stopping) -> Option<Kept> {
    let archive = match &setup.archive {
        Some(folder) => copy_into(folder, path, hash, &|| stopping.is_wanted()),
        None => Archive::NotWanted,
    };
    if matches!(archive, Archive::Failed(ArchiveError::Stopped)) {
        return None;
    }
    let detected = detect(path);
    let kind = detected.as_ref().ok().copied();
    let import = match &setup.tapes {
        Some(folder) => import_into(folder, path, detected, hash, stopping)?,
        None => Import::NotWanted,
    };
    Some(Kept { kind, archive, import })
}
