//! Small tables (laps, telemetry of a lap, comparisons) as Arrow streams.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::capsule;
use crate::errors::value_error;

/// Makes an Arrow stream of columns: name, unit, type (`i64`, `f64`, `bool` or `str`) and values, of which `None` and NaN are null.
#[pyfunction]
pub(crate) fn table_stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, String, String, Bound<'py, PyAny>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (name, unit, kind, values) in columns {
        let (data_type, array): (DataType, ArrayRef) = match kind.as_str() {
            "i64" => (DataType::Int64, Arc::new(Int64Array::from(values.extract::<Vec<Option<i64>>>()?))),
            "f64" => {
                let values = values.extract::<Vec<Option<f64>>>()?.into_iter();
                let known = values.map(|value| value.filter(|value| !value.is_nan()));
                (DataType::Float64, Arc::new(known.collect::<Float64Array>()))
            }
            "bool" => (DataType::Boolean, Arc::new(BooleanArray::from(values.extract::<Vec<Option<bool>>>()?))),
            "str" => (DataType::Utf8, Arc::new(StringArray::from(values.extract::<Vec<Option<String>>>()?))),
            other => return Err(value_error(format!("unknown type {other:?} of column {name:?}"))),
        };
        let metadata = if unit.is_empty() { HashMap::new() } else { HashMap::from([("unit".to_owned(), unit)]) };
        fields.push(Field::new(name, data_type, true).with_metadata(metadata));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|error| value_error(error.to_string()))?;
    capsule(py, Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}
