//! The catalogue of tapes, as rows: the path and content of each tape, and since when it has been missing.

use gametape_format::TapeId;

use super::connection::Connection;
use super::cursor::Cursor;
use super::error::StoreError;
use super::query::{ListQuery, Page, page_size, values_of};
use super::read_sessions::add_after;
use super::stored::Change;
use super::upsert::Upsert;
use super::value::{Row, Statement, Value, needed, unsigned, unsigned_or_null};

/// A tape in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CataloguedTape {
    /// Id of the tape.
    pub id: TapeId,
    /// The machine that the path refers to.
    pub place: String,
    /// Its current or last known path.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When the file was last modified; UTC, microseconds since 1970.
    pub modified_us: i64,
    /// BLAKE3 hash of the file, in hex; `None` while it is being written, or if it was not requested.
    pub checksum: Option<String>,
    /// Whether the recording was closed.
    pub complete: bool,
    /// Id of the game.
    pub game: Option<String>,
    /// Track, as recorded in the metadata.
    pub track: Option<String>,
    /// Car, as recorded in the metadata.
    pub car: Option<String>,
    /// When the recording started; UTC, microseconds since 1970.
    pub created_us: Option<i64>,
    /// Its duration.
    pub duration_ns: Option<u64>,
    /// Number of game frames.
    pub frames: u64,
    /// The `replay_of` metadata, if it is a recording of a playback.
    pub replay_of: Option<String>,
    /// When it was last found by a scan; UTC, microseconds since 1970.
    pub seen_us: i64,
    /// Since when it has been missing; `None` if it is present.
    pub missing_us: Option<i64>,
}

const COLUMNS: &[&str] = &[
    "id",
    "place",
    "path",
    "bytes",
    "modified_us",
    "checksum",
    "complete",
    "game",
    "track",
    "car",
    "created_us",
    "duration_ns",
    "frames",
    "replay_of",
    "seen_us",
    "missing_us",
];

/// Adds or updates a tape in the catalogue.
pub(super) fn put_tape(db: &mut dyn Connection, tape: &CataloguedTape) -> Result<Change, StoreError> {
    let values = [
        tape.id.into(),
        Value::from(&tape.place),
        Value::from(&tape.path),
        unsigned("the size of a tape", tape.bytes)?,
        tape.modified_us.into(),
        tape.checksum.as_ref().into(),
        tape.complete.into(),
        tape.game.as_ref().into(),
        tape.track.as_ref().into(),
        tape.car.as_ref().into(),
        tape.created_us.into(),
        unsigned_or_null("the length of a tape", tape.duration_ns)?,
        unsigned("the frames of a tape", tape.frames)?,
        tape.replay_of.as_ref().into(),
        tape.seen_us.into(),
        tape.missing_us.into(),
    ];
    Upsert { table: "tapes", columns: COLUMNS, key: 1, values: &values, once: &[] }.run(db)
}

fn read(mut row: Row) -> Result<CataloguedTape, StoreError> {
    Ok(CataloguedTape {
        id: needed(row.tape("a tape id")?, "a tape id")?,
        place: needed(row.text("a place")?, "a place")?,
        path: needed(row.text("a path")?, "a path")?,
        bytes: needed(row.number("a size")?, "a size")?,
        modified_us: needed(row.number("a time")?, "a time")?,
        checksum: row.text("a checksum")?,
        complete: row.yes_or_no("complete or not")? == Some(true),
        game: row.text("a game")?,
        track: row.text("a track")?,
        car: row.text("a car")?,
        created_us: row.number("a time")?,
        duration_ns: row.number("a time")?,
        frames: needed(row.number("a count")?, "a count")?,
        replay_of: row.text("a tape id")?,
        seen_us: needed(row.number("a time")?, "a time")?,
        missing_us: row.number("a time")?,
    })
}

/// Returns one tape.
pub(super) fn tape(db: &mut dyn Connection, id: TapeId) -> Result<Option<CataloguedTape>, StoreError> {
    db.first(&format!("SELECT {} FROM tapes WHERE id = ?1", COLUMNS.join(", ")), &[id.into()], read)
}

/// Returns all tapes of a machine.
pub(super) fn tapes_of(db: &mut dyn Connection, place: &str) -> Result<Vec<CataloguedTape>, StoreError> {
    let sql = format!("SELECT {} FROM tapes WHERE place = ?1 ORDER BY path, id", COLUMNS.join(", "));
    db.all(&sql, &[Value::from(place)], read)
}

/// Returns a page of tapes, newest first.
pub(super) fn tapes(db: &mut dyn Connection, query: &ListQuery) -> Result<Page<CataloguedTape>, StoreError> {
    const KIND: &str = "tapes";
    let limit = page_size(query.limit);
    let mut sql = Statement::new("SELECT ");
    sql.push(&COLUMNS.join(", ")).push(" FROM tapes WHERE 1 = 1");
    sql.filter(" AND game = ", query.filter.game.as_ref())
        .name("track", query.filter.track.as_ref())
        .name("car", query.filter.car.as_ref())
        .filter(" AND created_us >= ", query.filter.from_us)
        .filter(" AND created_us < ", query.filter.to_us);
    if let Some(values) = values_of(query.after.as_ref(), KIND, "ib")? {
        add_after(&mut sql, "(coalesce(created_us, 0), id) < (", values);
    }
    sql.push(" ORDER BY coalesce(created_us, 0) DESC, id DESC LIMIT ").bind(i64::from(limit) + 1);
    let found = db.all_of(&sql, read)?;
    Ok(Page::of(found, limit, |last| {
        Cursor::new(KIND, vec![Value::Int(last.created_us.unwrap_or_default()), last.id.into()])
    }))
}
