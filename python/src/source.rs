//! Where a tape's bytes come from if not from a file: Python `bytes`, and Python objects with `read_at` (file objects, ranges over HTTP).

use std::io;

use gametape_format::ReadAt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// `bytes` of Python, without a copy.
pub(crate) struct Bytes(pub(crate) PyBackedBytes);

impl ReadAt for Bytes {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read_at(offset, buffer)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }
}

/// An object with `read_at(offset, size) -> bytes` and `size() -> int` (`gametape/_sources.py`). Its exceptions become errors of reading.
pub(crate) struct Object(pub(crate) Py<PyAny>);

impl ReadAt for Object {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| -> PyResult<usize> {
            let found = self.0.call_method1(py, "read_at", (offset, buffer.len()))?;
            let found = found.extract::<PyBackedBytes>(py)?;
            let count = found.len().min(buffer.len());
            if let (Some(room), Some(bytes)) = (buffer.get_mut(..count), found.get(..count)) {
                room.copy_from_slice(bytes);
            }
            Ok(count)
        })
        .map_err(io::Error::from)
    }

    fn size(&self) -> io::Result<u64> {
        Python::attach(|py| self.0.call_method0(py, "size")?.extract::<u64>(py)).map_err(io::Error::from)
    }
}
