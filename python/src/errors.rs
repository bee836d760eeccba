//! Errors of the crates as Python exceptions, which `gametape/_errors.py` defines.
//!
//! Each message says what was found and where. A Python exception raised by a file object passes through unchanged.

use std::collections::TryReserveError;
use std::io;

use gametape_format::read::ReadError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyValueError};

pyo3::import_exception!(gametape._errors, ChannelNotFoundError);
pyo3::import_exception!(gametape._errors, DamagedTapeError);
pyo3::import_exception!(gametape._errors, GametapeError);
pyo3::import_exception!(gametape._errors, NotATapeError);
pyo3::import_exception!(gametape._errors, StreamNotFoundError);

/// The exception for an error of reading `name`, the path or address of a tape.
pub(crate) fn read_error(error: ReadError, name: &str) -> PyErr {
    match error {
        ReadError::Io { offset, source } => io_error(source, &format!("cannot read {name} at byte {offset}")),
        ReadError::NotATape { .. } | ReadError::UnknownVersion { .. } => {
            NotATapeError::new_err(format!("{name}: {error}"))
        }
        ReadError::NoSuchStream { .. } => StreamNotFoundError::new_err(format!("{name}: {error}")),
        ReadError::NoSuchChannel { .. } => ChannelNotFoundError::new_err(format!("{name}: {error}")),
        ReadError::Damaged(problem) => DamagedTapeError::new_err(format!("{name} is damaged: {problem}")),
    }
}

/// The exception for an I/O error: a subclass of `OSError` by its kind.
pub(crate) fn io_error(error: io::Error, doing: &str) -> PyErr {
    let is_python = error.get_ref().is_some_and(|inner| inner.is::<PyErr>());
    if is_python { error.into() } else { io::Error::new(error.kind(), format!("{doing}: {error}")).into() }
}

/// The exception for memory that is not available.
pub(crate) fn no_memory(error: &TryReserveError) -> PyErr {
    PyMemoryError::new_err(format!("the channel does not fit into memory ({error}): read a part with start= and stop="))
}

/// The exception for an argument.
pub(crate) fn value_error(text: impl Into<String>) -> PyErr {
    PyValueError::new_err(text.into())
}
