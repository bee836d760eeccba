//! Schema migrations. The store records its schema version; opening it applies the missing migrations, all or nothing.
//!
//! A released migration is never changed. A new one is added instead, with the resulting tables as text in `tests/it/store/schemas`.

use super::connection::{Connection, in_transaction};
use super::error::StoreError;
use super::value::Value;

/// The migrations, in order.
const STEPS: &[&str] = &[
    include_str!("migrations/0001_laps.sql"),
    include_str!("migrations/0002_tokens_outbox.sql"),
    include_str!("migrations/0003_tracks_indexes.sql"),
    include_str!("migrations/0004_changes_pushed.sql"),
    include_str!("migrations/0005_cars.sql"),
    include_str!("migrations/0006_foreign.sql"),
    include_str!("migrations/0007_matches.sql"),
];

/// Returns the newest schema version that this program supports.
pub(super) fn newest() -> i64 {
    STEPS.len() as i64
}

/// Returns the schema version of a database; 0 if it is empty.
fn version_of(db: &mut dyn Connection, store: &str) -> Result<i64, StoreError> {
    let tables = db.dialect().tables();
    let tables = db.all(tables, &[], |mut row| row.text("a name of a table"))?;
    if tables.iter().flatten().any(|table| table == "gametape_schema") {
        let version = db.first("SELECT version FROM gametape_schema", &[], |mut row| row.number("a schema version"))?;
        return Ok(version.flatten().unwrap_or_default());
    }
    match tables.into_iter().flatten().next() {
        Some(table) => Err(StoreError::NotAStore { store: store.to_owned(), table }),
        None => Ok(0),
    }
}

/// Returns the schema version of a database; 0 if it is empty. Read-only. Rejects the store of a newer program, and a database of another
/// program.
pub(super) fn check(db: &mut dyn Connection, store: &str) -> Result<i64, StoreError> {
    match version_of(db, store)? {
        found if found > newest() => Err(StoreError::Newer { store: store.to_owned(), found, known: newest() }),
        found => Ok(found),
    }
}

/// Applies the missing migrations. Rejects the store of a newer program.
pub(super) fn bring_up_to_date(db: &mut dyn Connection, store: &str) -> Result<(), StoreError> {
    let known = newest();
    if check(db, store)? == known {
        return Ok(());
    }
    let begin = db.dialect().begin();
    in_transaction(db, begin, |db| {
        if let Some(lock) = db.dialect().lock_schema() {
            db.script(lock)?;
        }
        // Another program may have migrated the schema while this one waited for the lock.
        let found = check(db, store)?;
        if found == 0 {
            db.script("CREATE TABLE gametape_schema (version BIGINT NOT NULL)")?;
            db.execute("INSERT INTO gametape_schema (version) VALUES (?1)", &[Value::Int(0)])?;
        }
        for step in STEPS.iter().skip(usize::try_from(found).unwrap_or_default()) {
            let step = db.dialect().translate(step);
            db.script(&step)?;
        }
        db.execute("UPDATE gametape_schema SET version = ?1", &[Value::Int(known)])?;
        Ok(())
    })
}
