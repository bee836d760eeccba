//! Filters by the name of a track, layout, car or driver.
//!
//! Users type `monza` and mean `Autodromo Nazionale Monza`; web pages pass on whole names and mean exactly those. So a typed name matches
//! all names that contain it, ignoring case, unless one equals it: then only that one matches. The command line and the server share this
//! rule.

use super::contract::Store;
use super::error::StoreError;
use super::query::{Audience, Filter, ListQuery};
use super::value::Statement;

/// A filter for names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameFilter {
    /// Matches the name that equals this text.
    Is(String),
    /// Matches names that contain this text, ignoring case.
    Contains(String),
}

impl NameFilter {
    /// Returns whether a name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::Is(text) => name == text,
            Self::Contains(text) => name.to_lowercase().contains(&text.to_lowercase()),
        }
    }

    /// Interprets a typed name: [`Is`](Self::Is) if one of `names` equals it, otherwise [`Contains`](Self::Contains).
    pub fn typed<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        match names.into_iter().any(|name| name == text) {
            true => Self::Is(text.to_owned()),
            false => Self::Contains(text.to_owned()),
        }
    }

    /// Adds ` AND (column matches)`.
    pub(super) fn add(&self, sql: &mut Statement, column: &str) {
        sql.push(" AND ");
        self.add_match(sql, column);
    }

    /// Adds `(column matches)`.
    pub(super) fn add_match(&self, sql: &mut Statement, column: &str) {
        match self {
            Self::Is(text) => sql.push(column).push(" = ").bind(text),
            Self::Contains(text) => {
                let pattern = text.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
                sql.push("lower(").push(column).push(" {letters}) LIKE ").bind(format!("%{pattern}%"));
                sql.push(" ESCAPE '\\'")
            }
        };
    }
}

impl Filter {
    /// Narrows each [`NameFilter::Contains`] to [`NameFilter::Is`] if a session that the audience may see has exactly that name.
    pub fn resolved(mut self, store: &dyn Store, audience: Audience) -> Result<Self, StoreError> {
        let deleted = self.deleted;
        let narrow = |name: &mut Option<NameFilter>, of: fn(NameFilter) -> Self| -> Result<(), StoreError> {
            let Some(NameFilter::Contains(text)) = name else { return Ok(()) };
            let exact = NameFilter::Is(text.clone());
            let filter = Self { deleted, ..of(exact.clone()) };
            let query = ListQuery { filter, limit: 1, after: None };
            if !store.sessions(&query, audience)?.items.is_empty() {
                *name = Some(exact);
            }
            Ok(())
        };
        narrow(&mut self.track, |name| Self { track: Some(name), ..Self::default() })?;
        narrow(&mut self.layout, |name| Self { layout: Some(name), ..Self::default() })?;
        narrow(&mut self.car, |name| Self { car: Some(name), ..Self::default() })?;
        narrow(&mut self.driver, |name| Self { driver: Some(name), ..Self::default() })?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_name_is_exact_where_one_equals_it_and_part_of_names_elsewhere() {
        let tracks = ["spa", "spa_short", "Autodromo Nazionale Monza"];
        let matching = |text: &str| {
            let filter = NameFilter::typed(text, tracks);
            tracks.into_iter().filter(|name| filter.matches(name)).collect::<Vec<_>>()
        };
        assert_eq!(matching("spa"), ["spa"]);
        assert_eq!(matching("SPA"), ["spa", "spa_short"]);
        assert_eq!(matching("monza"), ["Autodromo Nazionale Monza"]);
        assert!(matching("imola").is_empty());
    }
}
