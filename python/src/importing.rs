//! Files of other programs as tapes, and tapes that were not closed.

use std::path::PathBuf;
use std::sync::Arc;

use gametape::import::{ImportError, ImportOptions, import_with};
use gametape_format::write::{RewriteError, StdFiles, recover};
use pyo3::exceptions::PyFileExistsError;
use pyo3::prelude::*;

use crate::errors::{GametapeError, io_error, read_error};

/// Imports a file: kind of the source, id of the tape, frames, problems.
#[pyfunction]
pub(crate) fn import_file(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    is_own: bool,
) -> PyResult<(String, String, u64, Vec<String>)> {
    let options = ImportOptions { is_own, ..ImportOptions::default() };
    let imported = py.detach(|| import_with(Arc::new(StdFiles), &source, &target, &options, &mut |_| {}));
    let imported = imported.map_err(|error| match error {
        ImportError::Read { path, source } => io_error(source, &format!("cannot read {}", path.display())),
        ImportError::Exists { .. } => PyFileExistsError::new_err(error.to_string()),
        error => GametapeError::new_err(format!("{}: {error}", source.display())),
    })?;
    Ok((imported.kind.id().to_owned(), imported.tape_id.to_string(), imported.frames, imported.problems))
}

/// Closes a tape whose recorder was killed, in place: frames, problems.
#[pyfunction]
pub(crate) fn recover_file(py: Python<'_>, path: PathBuf) -> PyResult<(u64, Vec<String>)> {
    let report = py.detach(|| recover(Arc::new(StdFiles), &path, None, &mut |_| {}));
    let report = report.map_err(|error| match error {
        RewriteError::Read(error) => read_error(error, &path.display().to_string()),
        error => GametapeError::new_err(format!("{}: {error}", path.display())),
    })?;
    Ok((report.frames, report.problems.iter().map(ToString::to_string).collect()))
}
