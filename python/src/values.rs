//! Values of channels, gathered over blocks, as numpy arrays.

use std::collections::TryReserveError;
use std::ops::Range;

use gametape_format::ChannelType;
use gametape_format::read::Values;
use numpy::{Element, PyArray1, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::text::{each_text, is_text};

/// Returns no values of a type.
pub(crate) fn empty(kind: ChannelType) -> Values {
    match kind {
        ChannelType::U8 | ChannelType::Char | ChannelType::Bits8 => Values::U8(Vec::new()),
        ChannelType::I8 => Values::I8(Vec::new()),
        ChannelType::U16 | ChannelType::Char16 | ChannelType::Bits16 => Values::U16(Vec::new()),
        ChannelType::I16 => Values::I16(Vec::new()),
        ChannelType::U32 | ChannelType::Bits32 => Values::U32(Vec::new()),
        ChannelType::I32 => Values::I32(Vec::new()),
        ChannelType::U64 | ChannelType::Bits64 => Values::U64(Vec::new()),
        ChannelType::I64 => Values::I64(Vec::new()),
        ChannelType::F32 => Values::F32(Vec::new()),
        ChannelType::F64 => Values::F64(Vec::new()),
        ChannelType::Bool => Values::Bool(Vec::new()),
    }
}

/// Reserves room for this many more values.
pub(crate) fn reserve(values: &mut Values, more: usize) -> Result<(), TryReserveError> {
    match values {
        Values::U8(values) => values.try_reserve_exact(more),
        Values::I8(values) => values.try_reserve_exact(more),
        Values::U16(values) => values.try_reserve_exact(more),
        Values::I16(values) => values.try_reserve_exact(more),
        Values::U32(values) => values.try_reserve_exact(more),
        Values::I32(values) => values.try_reserve_exact(more),
        Values::U64(values) => values.try_reserve_exact(more),
        Values::I64(values) => values.try_reserve_exact(more),
        Values::F32(values) => values.try_reserve_exact(more),
        Values::F64(values) => values.try_reserve_exact(more),
        Values::Bool(values) => values.try_reserve_exact(more),
    }
}

/// Appends a range of the values of a block. Values of one channel always have one type.
pub(crate) fn extend(into: &mut Values, from: &Values, range: Range<usize>) -> Result<(), TryReserveError> {
    fn copy<T: Copy>(into: &mut Vec<T>, from: &[T], range: Range<usize>) -> Result<(), TryReserveError> {
        let part = from.get(range).unwrap_or_default();
        into.try_reserve(part.len())?;
        into.extend_from_slice(part);
        Ok(())
    }
    match (into, from) {
        (Values::U8(into), Values::U8(from)) => copy(into, from, range),
        (Values::I8(into), Values::I8(from)) => copy(into, from, range),
        (Values::U16(into), Values::U16(from)) => copy(into, from, range),
        (Values::I16(into), Values::I16(from)) => copy(into, from, range),
        (Values::U32(into), Values::U32(from)) => copy(into, from, range),
        (Values::I32(into), Values::I32(from)) => copy(into, from, range),
        (Values::U64(into), Values::U64(from)) => copy(into, from, range),
        (Values::I64(into), Values::I64(from)) => copy(into, from, range),
        (Values::F32(into), Values::F32(from)) => copy(into, from, range),
        (Values::F64(into), Values::F64(from)) => copy(into, from, range),
        (Values::Bool(into), Values::Bool(from)) => copy(into, from, range),
        _ => Ok(()),
    }
}

/// Hands the values to numpy, without a copy: `(rows,)`, or `(rows, count)` for an array channel. Text becomes an array of `str`.
pub(crate) fn to_numpy<'py>(
    py: Python<'py>,
    kind: ChannelType,
    count: usize,
    values: Values,
) -> PyResult<Bound<'py, PyAny>> {
    fn array<'py, T: Element>(py: Python<'py>, values: Vec<T>, count: usize) -> PyResult<Bound<'py, PyAny>> {
        let rows = values.len() / count.max(1);
        let flat = PyArray1::from_vec(py, values);
        if count == 1 { Ok(flat.into_any()) } else { Ok(flat.reshape([rows, count])?.into_any()) }
    }
    if is_text(kind) {
        return Ok(PyArray1::from_vec(py, strings(py, &values, count)).into_any());
    }
    match values {
        Values::U8(values) => array(py, values, count),
        Values::I8(values) => array(py, values, count),
        Values::U16(values) => array(py, values, count),
        Values::I16(values) => array(py, values, count),
        Values::U32(values) => array(py, values, count),
        Values::I32(values) => array(py, values, count),
        Values::U64(values) => array(py, values, count),
        Values::I64(values) => array(py, values, count),
        Values::F32(values) => array(py, values, count),
        Values::F64(values) => array(py, values, count),
        Values::Bool(values) => array(py, values, count),
    }
}

/// One string per row. Rows with the same text as the row before share it.
fn strings(py: Python<'_>, values: &Values, count: usize) -> Vec<Py<PyAny>> {
    let mut all: Vec<Py<PyAny>> = Vec::new();
    each_text(values, count, |text, same| {
        let shared = all.last().filter(|_| same).map(|last| last.clone_ref(py));
        all.push(shared.unwrap_or_else(|| PyString::new(py, text).into_any().unbind()));
    });
    all
}

/// Times as numpy has them: signed. A time beyond 292 years becomes the largest one.
pub(crate) fn signed(times: impl IntoIterator<Item = u64>) -> Vec<i64> {
    times.into_iter().map(|time| i64::try_from(time).unwrap_or(i64::MAX)).collect()
}
