//! Upsert: inserts a row, updates it if it differs, and leaves it untouched if it is equal.

use super::connection::Connection;
use super::error::StoreError;
use super::stored::Change;
use super::value::{Row, Value};

/// A row to upsert.
pub(super) struct Upsert<'a> {
    pub(super) table: &'a str,
    pub(super) columns: &'a [&'a str],
    /// The number of leading columns that form the key.
    pub(super) key: usize,
    pub(super) values: &'a [Value],
    /// Columns that are set on insert only, and updated elsewhere.
    pub(super) once: &'a [(&'a str, Value)],
}

impl Upsert<'_> {
    /// Runs the upsert. Compares values in their stored form, so that information that cannot be stored does not count as a difference.
    pub(super) fn run(&self, db: &mut dyn Connection) -> Result<Change, StoreError> {
        if let Some(change) = self.update_existing(db)? {
            return Ok(change);
        }
        let names: Vec<_> = self.columns.iter().copied().chain(self.once.iter().map(|(name, _)| *name)).collect();
        let values: Vec<_> =
            self.values.iter().cloned().chain(self.once.iter().map(|(_, value)| value.clone())).collect();
        let places: Vec<_> = (1..=names.len()).map(|at| format!("?{at}")).collect();
        let sql = format!(
            "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING",
            self.table,
            names.join(", "),
            places.join(", ")
        );
        if db.execute(&sql, &values)? == 1 {
            return Ok(Change::New);
        }
        // Another program inserted the row in the meantime.
        Ok(self.update_existing(db)?.unwrap_or(Change::Same))
    }

    fn update_existing(&self, db: &mut dyn Connection) -> Result<Option<Change>, StoreError> {
        let is_key: Vec<_> =
            self.columns.iter().take(self.key).zip(1..).map(|(name, at)| format!("{name} = ?{at}")).collect();
        let is_key = is_key.join(" AND ");
        let sql = format!("SELECT {} FROM {} WHERE {is_key} {{locked}}", self.columns.join(", "), self.table);
        let key = self.values.get(..self.key).unwrap_or_default();
        match db.first(&sql, key, |row| Ok(Row::rest(row)))? {
            None => Ok(None),
            Some(there) if there == self.values => Ok(Some(Change::Same)),
            Some(_) => {
                let set = self.columns.iter().zip(1..).skip(self.key).map(|(name, at)| format!("{name} = ?{at}"));
                let set = set.collect::<Vec<_>>().join(", ");
                db.execute(&format!("UPDATE {} SET {set} WHERE {is_key}", self.table), self.values)?;
                Ok(Some(Change::Changed))
            }
        }
    }
}
