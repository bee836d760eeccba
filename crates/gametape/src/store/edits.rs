//! User edits of laps and sessions: exclusion, name, note, tags, deletion.
//!
//! An edit is stored twice: in the row of the lap or session, where queries read it, and in `edits` with the time range of the tape that
//! it applies to, where it outlives that row.

use super::attach::Stretch;
use super::connection::Connection;
use super::error::StoreError;
use super::packed::{tags_of, tags_text};
use super::stored::Remarks;
use super::value::{Row, Value, needed, unsigned, unsigned_or_null};
use crate::identity::new_id;
use crate::laps::Id;
use gametape_format::TapeId;

/// Maximum length of a name or tag, in characters.
pub const LONGEST_NAME: usize = 200;
/// Maximum length of a note, in characters.
pub const LONGEST_NOTE: usize = 10_000;
/// Maximum number of tags of a lap or session.
pub const MOST_TAGS: usize = 50;

/// A change to make. Fields that are `None` are left unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    /// Exclude a lap from bests and statistics, or include it again. Ignored for a session.
    pub excluded: Option<bool>,
    /// Set or remove the name.
    pub name: Option<Option<String>>,
    /// Set or remove the note.
    pub note: Option<Option<String>>,
    /// Replace all tags.
    pub tags: Option<Vec<String>>,
    /// Delete or restore it.
    pub deleted: Option<bool>,
    /// Mark a session as someone else's, or as the user's own. Ignored for a lap.
    pub foreign: Option<bool>,
}

impl Edit {
    /// Checks the lengths of all texts.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let tags = self.tags.as_deref().unwrap_or_default();
        check_length("the list of tags", tags.len(), MOST_TAGS)?;
        tags.iter().try_for_each(|tag| check_length("a tag", tag.chars().count(), LONGEST_NAME))?;
        check_text("the name", self.name.as_ref().and_then(Option::as_ref), LONGEST_NAME)?;
        check_text("the note", self.note.as_ref().and_then(Option::as_ref), LONGEST_NOTE)
    }
}

pub(super) fn check_text(what: &'static str, text: Option<&String>, most: usize) -> Result<(), StoreError> {
    check_length(what, text.map_or(0, |text| text.chars().count()), most)
}

fn check_length(what: &'static str, found: usize, most: usize) -> Result<(), StoreError> {
    if found > most { Err(StoreError::TooLong { what, found, most }) } else { Ok(()) }
}

/// The kind of an edited item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Lap,
    Session,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Lap => "lap",
            Self::Session => "session",
        }
    }

    pub(super) fn table(self) -> &'static str {
        match self {
            Self::Lap => "laps",
            Self::Session => "sessions",
        }
    }
}

/// The combined user edits of one item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) excluded: bool,
    pub(super) remarks: Remarks,
    /// Whether a session is someone else's; `None` if the user did not say.
    pub(super) foreign: Option<bool>,
}

impl Said {
    /// The columns in `edits`. `sessions` has no `excluded`, `laps` has no `said_foreign`.
    pub(super) const COLUMNS: &'static str = "excluded, name, note, tags, deleted_us, said_foreign";

    pub(super) fn read(row: &mut Row) -> Result<Self, StoreError> {
        Ok(Self {
            excluded: row.yes_or_no("excluded or not")? == Some(true),
            remarks: read_remarks(row)?,
            foreign: row.yes_or_no("foreign or not")?,
        })
    }

    fn apply(&mut self, edit: &Edit, now_us: i64) {
        let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        if let Some(excluded) = edit.excluded {
            self.excluded = excluded;
        }
        self.foreign = edit.foreign.or(self.foreign);
        if let Some(name) = &edit.name {
            self.remarks.name = filled(name);
        }
        if let Some(note) = &edit.note {
            self.remarks.note = filled(note);
        }
        if let Some(tags) = &edit.tags {
            self.remarks.tags = sorted(tags.clone());
        }
        match (edit.deleted, self.remarks.deleted_us) {
            (Some(true), None) => self.remarks.deleted_us = Some(now_us),
            (Some(false), _) => self.remarks.deleted_us = None,
            _ => {}
        }
    }

    /// Merges the edits of two items that became one, without losing any. `self` covers more of the new item, so its name takes
    /// precedence.
    pub(super) fn merge(&mut self, other: Self) {
        self.excluded |= other.excluded;
        self.foreign = self.foreign.or(other.foreign);
        let Remarks { name, note, tags, deleted_us } = other.remarks;
        self.remarks.name = self.remarks.name.take().or(name);
        self.remarks.note = match (self.remarks.note.take(), note) {
            (Some(one), Some(other)) if one != other => Some(format!("{one}\n{other}")),
            (one, other) => one.or(other),
        };
        self.remarks.tags = sorted(self.remarks.tags.iter().cloned().chain(tags).collect());
        // The merged item is deleted only if both were.
        self.remarks.deleted_us = self.remarks.deleted_us.and(deleted_us);
    }

    fn values(&self) -> [Value; 6] {
        let Remarks { name, note, tags, deleted_us } = &self.remarks;
        [
            self.excluded.into(),
            name.as_ref().into(),
            note.as_ref().into(),
            Value::from(tags_text(tags)),
            (*deleted_us).into(),
            self.foreign.into(),
        ]
    }
}

/// Sorts the tags and removes duplicates.
fn sorted(mut tags: Vec<String>) -> Vec<String> {
    tags.retain(|tag| !tag.trim().is_empty());
    tags.sort();
    tags.dedup();
    tags
}

/// Reads `name`, `note`, `tags` and `deleted_us`.
pub(super) fn read_remarks(row: &mut Row) -> Result<Remarks, StoreError> {
    Ok(Remarks {
        name: row.text("a name")?,
        note: row.text("a note")?,
        tags: tags_of(&needed(row.text("tags")?, "tags")?)?,
        deleted_us: row.number("a time")?,
    })
}

/// Applies an edit to a lap or a session. Returns whether anything changed.
pub(super) fn edit(db: &mut dyn Connection, kind: Kind, id: Id, edit: &Edit, now_us: i64) -> Result<bool, StoreError> {
    let (excluded, foreign) = match kind {
        Kind::Lap => ("excluded", "CAST(NULL AS BIGINT)"),
        Kind::Session => ("0", "said_foreign"),
    };
    let sql = format!(
        "SELECT tape, start_ns, end_ns, {excluded}, name, note, tags, deleted_us, {foreign} FROM {} WHERE id = ?1 {{locked}}",
        kind.table()
    );
    let found = db.first(&sql, &[id.into()], |mut row| {
        let tape = needed(row.tape("a tape id")?, "a tape id")?;
        let start_ns = needed(row.number("a time")?, "a time")?;
        let stretch = Stretch { start_ns, end_ns: row.number("a time")? };
        Ok((tape, stretch, Said::read(&mut row)?))
    })?;
    let (tape, stretch, before) =
        found.ok_or_else(|| StoreError::NotFound { what: kind.name(), id: id.to_string() })?;
    let mut said = before.clone();
    said.apply(edit, now_us);
    match kind {
        Kind::Session => said.excluded = false,
        Kind::Lap => said.foreign = None,
    }
    if said == before {
        return Ok(false);
    }
    show(db, kind, id, &said)?;
    db.execute("DELETE FROM edits WHERE attached = ?1 AND kind = ?2", &[id.into(), Value::from(kind.name())])?;
    if said != Said::default() {
        remember(db, kind, tape, stretch, id, &said, now_us)?;
    }
    Ok(true)
}

/// Writes the edits to the row of the lap or session.
pub(super) fn show(db: &mut dyn Connection, kind: Kind, id: Id, said: &Said) -> Result<(), StoreError> {
    let [excluded, name, note, tags, deleted_us, foreign] = said.values();
    let mut values = vec![id.into(), name, note, tags, deleted_us];
    let mut sql = format!("UPDATE {} SET name = ?2, note = ?3, tags = ?4, deleted_us = ?5", kind.table());
    match kind {
        Kind::Lap => {
            sql.push_str(", excluded = ?6");
            values.push(excluded);
        }
        Kind::Session => {
            sql.push_str(", said_foreign = ?6");
            values.push(foreign);
        }
    }
    sql.push_str(" WHERE id = ?1");
    db.execute(&sql, &values)?;
    Ok(())
}

fn remember(
    db: &mut dyn Connection,
    kind: Kind,
    tape: TapeId,
    stretch: Stretch,
    attached: Id,
    said: &Said,
    now_us: i64,
) -> Result<(), StoreError> {
    let mut values = vec![
        new_id().into(),
        Value::from(kind.name()),
        tape.into(),
        unsigned("the beginning of a lap", stretch.start_ns)?,
        unsigned_or_null("the end of a lap", stretch.end_ns)?,
        attached.into(),
    ];
    values.extend(said.values());
    values.push(now_us.into());
    let sql = format!(
        "INSERT INTO edits (id, kind, tape, start_ns, end_ns, attached, {}, changed_us) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        Said::COLUMNS
    );
    db.execute(&sql, &values)?;
    Ok(())
}
