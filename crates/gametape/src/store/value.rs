//! Values passed to a database and read from it.
//!
//! Converts numbers, texts and bytes of the model to types that both databases have. Unknown values are [`Value::Null`]; NaN counts as
//! unknown.

use gametape_format::TapeId;

use super::error::StoreError;
use super::name_filter::NameFilter;
use crate::laps::Id;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    fn describe(&self) -> String {
        match self {
            Self::Bytes(bytes) => format!("{} bytes", bytes.len()),
            other => format!("{other:?}"),
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Int(number.into())
    }
}

impl From<u8> for Value {
    fn from(number: u8) -> Self {
        Self::Int(number.into())
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Int(number.into())
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        Self::Int(yes.into())
    }
}

impl From<f32> for Value {
    fn from(number: f32) -> Self {
        if number.is_finite() { Self::Real(number.into()) } else { Self::Null }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        // PostgreSQL does not store text that contains NUL.
        Self::Text(text.replace('\0', ""))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<Id> for Value {
    fn from(id: Id) -> Self {
        Self::Bytes(id.0.to_vec())
    }
}

impl From<TapeId> for Value {
    fn from(id: TapeId) -> Self {
        Self::Bytes(id.0.to_vec())
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Converts an unsigned count or time to the signed integer of the database.
pub(super) fn unsigned(what: &'static str, number: u64) -> Result<Value, StoreError> {
    i64::try_from(number).map(Value::Int).map_err(|_| StoreError::TooLarge { what, found: number })
}

/// Like [`unsigned`], for a value that may be unknown.
pub(super) fn unsigned_or_null(what: &'static str, number: Option<u64>) -> Result<Value, StoreError> {
    number.map_or(Ok(Value::Null), |number| unsigned(what, number))
}

/// A row, read from the first column to the last. A value of the wrong type is [`StoreError::Damaged`].
#[derive(Debug)]
pub(super) struct Row(std::vec::IntoIter<Value>);

impl Row {
    pub(super) fn new(values: Vec<Value>) -> Self {
        Self(values.into_iter())
    }

    /// Returns the remaining values.
    pub(super) fn rest(self) -> Vec<Value> {
        self.0.collect()
    }

    fn damaged<T>(expected: &'static str, found: &Value) -> Result<T, StoreError> {
        Err(StoreError::Damaged { expected, found: found.describe() })
    }

    /// Reads the next value and converts it unless it is NULL.
    fn next<T>(
        &mut self,
        expected: &'static str,
        make: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        match self.0.next().unwrap_or(Value::Null) {
            Value::Null => Ok(None),
            value => make(&value).map_or_else(|| Self::damaged(expected, &value), |made| Ok(Some(made))),
        }
    }

    /// Reads an integer of any type.
    pub(super) fn number<T: TryFrom<i64>>(&mut self, expected: &'static str) -> Result<Option<T>, StoreError> {
        self.next(expected, |value| match value {
            Value::Int(number) => T::try_from(*number).ok(),
            _ => None,
        })
    }

    pub(super) fn yes_or_no(&mut self, expected: &'static str) -> Result<Option<bool>, StoreError> {
        Ok(self.number::<i64>(expected)?.map(|number| number != 0))
    }

    pub(super) fn real(&mut self, expected: &'static str) -> Result<Option<f32>, StoreError> {
        self.next(expected, |value| match value {
            Value::Real(number) => Some(*number as f32),
            // SQLite may return a real number without a fraction as an integer.
            Value::Int(number) => Some(*number as f32),
            _ => None,
        })
    }

    pub(super) fn text(&mut self, expected: &'static str) -> Result<Option<String>, StoreError> {
        self.next(expected, |value| match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        })
    }

    /// Reads a name of the model's vocabulary. A name that only a newer program supports is treated as unknown.
    pub(super) fn word<T>(
        &mut self,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.text(expected)?.and_then(|text| parse(&text)))
    }

    /// Like `word`, for a value without which the row is useless.
    pub(super) fn known_word<T>(
        &mut self,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, StoreError> {
        let text = needed(self.text(expected)?, expected)?;
        parse(&text).ok_or(StoreError::Damaged { expected, found: text })
    }

    pub(super) fn bytes16(&mut self, expected: &'static str) -> Result<Option<[u8; 16]>, StoreError> {
        self.next(expected, |value| match value {
            Value::Bytes(bytes) => bytes.as_slice().try_into().ok(),
            _ => None,
        })
    }

    pub(super) fn id(&mut self, expected: &'static str) -> Result<Option<Id>, StoreError> {
        Ok(self.bytes16(expected)?.map(Id))
    }

    pub(super) fn tape(&mut self, expected: &'static str) -> Result<Option<TapeId>, StoreError> {
        Ok(self.bytes16(expected)?.map(TapeId))
    }
}

/// Returns the value of a column that is never NULL.
pub(super) fn needed<T>(value: Option<T>, expected: &'static str) -> Result<T, StoreError> {
    value.ok_or_else(|| StoreError::Damaged { expected, found: "nothing".to_owned() })
}

/// An assembled statement: text and parameters.
#[derive(Debug, Default, Clone)]
pub(super) struct Statement {
    pub(super) text: String,
    pub(super) values: Vec<Value>,
}

impl Statement {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), values: Vec::new() }
    }

    /// Adds text.
    pub(super) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Adds a parameter and its value.
    pub(super) fn bind(&mut self, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        self.text.push('?');
        self.text.push_str(&self.values.len().to_string());
        self
    }

    /// Adds ` AND (column matches)` if there is a filter.
    pub(super) fn name(&mut self, column: &str, name: Option<&NameFilter>) -> &mut Self {
        if let Some(name) = name {
            name.add(self, column);
        }
        self
    }

    /// Adds `text ?N` if there is a value.
    pub(super) fn filter<T: Into<Value>>(&mut self, text: &str, value: Option<T>) -> &mut Self {
        if let Some(value) = value {
            self.push(text).bind(value);
        }
        self
    }
}
