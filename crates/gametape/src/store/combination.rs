//! The key by which bests are grouped (game, track, layout, car, driver), as a row. The row id is a hash of the content, so that every
//! store computes the same id without coordination.

use super::connection::Connection;
use super::error::StoreError;
use super::stored::Combination;
use super::value::{Row, Value, needed};
use crate::laps::Session;

/// The columns, without the id.
pub(super) const COLUMNS: &str = "c.game, c.track, c.layout, c.car, c.driver";

impl Combination {
    /// Returns the combination of a lap by `driver` in `session`.
    pub(super) fn of(session: &Session, driver: Option<&String>) -> Self {
        let known = |text: Option<&String>| text.filter(|text| !text.is_empty()).cloned();
        Self {
            game: session.game.clone(),
            track: known(session.track.as_ref()),
            layout: known(session.layout.as_ref()),
            car: known(session.car.as_ref()),
            driver: known(driver).or_else(|| known(session.driver.as_ref())),
        }
    }

    /// Returns the row id: a hash of the content.
    pub(super) fn number(&self) -> i64 {
        let mut hasher = blake3::Hasher::new();
        for text in
            [Some(&self.game), self.track.as_ref(), self.layout.as_ref(), self.car.as_ref(), self.driver.as_ref()]
        {
            // Length prefixes separate the texts from each other, and empty texts from unknown ones.
            hasher.update(&text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
            hasher.update(text.map_or(&[][..], |text| text.as_bytes()));
        }
        let mut number = [0; 8];
        hasher.finalize_xof().fill(&mut number);
        i64::from_le_bytes(number)
    }

    /// Inserts several combinations, always in the same order, to avoid deadlocks.
    pub(super) fn put_all(db: &mut dyn Connection, all: impl IntoIterator<Item = Self>) -> Result<(), StoreError> {
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_key(Self::number);
        all.iter().try_for_each(|one| one.put(db).map(drop))
    }

    /// Inserts the combination unless it exists. Returns its id.
    pub(super) fn put(&self, db: &mut dyn Connection) -> Result<i64, StoreError> {
        let number = self.number();
        let values = [
            Value::Int(number),
            Value::from(&self.game),
            self.track.as_ref().into(),
            self.layout.as_ref().into(),
            self.car.as_ref().into(),
            self.driver.as_ref().into(),
        ];
        let sql = "INSERT INTO combinations (id, game, track, layout, car, driver) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                   ON CONFLICT (id) DO NOTHING";
        db.execute(sql, &values)?;
        Ok(number)
    }

    /// Reads [`COLUMNS`].
    pub(super) fn read(row: &mut Row) -> Result<Self, StoreError> {
        Ok(Self {
            game: needed(row.text("a game")?, "a game")?,
            track: row.text("a track")?,
            layout: row.text("a layout")?,
            car: row.text("a car")?,
            driver: row.text("a driver")?,
        })
    }
}
