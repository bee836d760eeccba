//! The catalogue of tapes, as rows: where each is, what it holds, since when it is missing.

use gametape_format::TapeId;

use super::connection::Connection;
use super::cursor::Cursor;
use super::error::StoreError;
use super::put::Put;
use super::query::{ListQuery, Page, page_size, values_of};
use super::read_sessions::add_after;
use super::stored::Change;
use super::value::{Row, Statement, Value, needed, unsigned, unsigned_or_null};

/// A tape in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CataloguedTape {
    /// Id of the tape.
    pub id: TapeId,
    /// The machine on which the path means something.
    pub place: String,
    /// Where it is, or was.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// When the file was changed last; UTC, microseconds since 1970.
    pub modified_us: i64,
    /// BLAKE3 of the file, in hex; `None` while it is being written, or if it was not asked for.
    pub checksum: Option<String>,
    /// Whether its recording was closed.
    pub complete: bool,
    /// Id of the game.
    pub game: Option<String>,
    /// Track, as the recorder noted it.
    pub track: Option<String>,
    /// Car, as the recorder noted it.
    pub car: Option<String>,
    /// When the recording began; UTC, microseconds since 1970.
    pub created_us: Option<i64>,
    /// How long it is.
    pub duration_ns: Option<u64>,
    /// Frames of games.
    pub frames: u64,
    /// What it says of a playback that it recorded.
    pub replay_of: Option<String>,
    /// When it was seen last; UTC, microseconds since 1970.
    pub seen_us: i64,
    /// Since when it is missing; `None` if it is there.
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

/// Puts a tape into the catalogue.
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
    Put { table: "tapes", columns: COLUMNS, key: 1, values: &values, once: &[] }.run(db)
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

/// One tape.
pub(super) fn tape(db: &mut dyn Connection, id: TapeId) -> Result<Option<CataloguedTape>, StoreError> {
    db.first(&format!("SELECT {} FROM tapes WHERE id = ?1", COLUMNS.join(", ")), &[id.into()], read)
}

/// All tapes of a place.
pub(super) fn tapes_of(db: &mut dyn Connection, place: &str) -> Result<Vec<CataloguedTape>, StoreError> {
    let sql = format!("SELECT {} FROM tapes WHERE place = ?1 ORDER BY path, id", COLUMNS.join(", "));
    db.all(&sql, &[Value::from(place)], read)
}

/// A page of tapes, newest first.
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
