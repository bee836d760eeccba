//! `gametape laps delete`, `restore`, `exclude`, `include` and `note`: user edits of laps and sessions in the store.

use std::io::Write as _;
use std::path::Path;

use gametape::laps::Id;
use gametape::store::{Audience, Edit, SqlStore, Store, StoreError};
use serde::Serialize;

use super::laps_table::lap_time;
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::{human, open, store};

/// The laps or sessions to edit.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Laps as TAPE#N, or ids of laps and sessions from `gametape laps --json` or `--csv`
    #[arg(required = true, value_name = "LAP")]
    laps: Vec<String>,
    #[command(flatten)]
    to: To,
}

/// A lap or a session and its note.
#[derive(Debug, clap::Args)]
pub(super) struct NoteArgs {
    /// A lap as TAPE#N, or the id of a lap or a session
    #[arg(value_name = "LAP")]
    lap: String,
    /// The note; an empty text removes it
    text: String,
    #[command(flatten)]
    to: To,
}

#[derive(Debug, clap::Args)]
struct To {
    /// Store: a file, postgres://… or demo [env: GAMETAPE_STORE]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    edited: Vec<ReportEdited>,
}

/// A lap or a session after the edit.
#[derive(Debug, Serialize)]
struct ReportEdited {
    id: String,
    /// `lap` or `session`.
    kind: &'static str,
    time_ms: Option<u32>,
    /// `null` for a session.
    excluded: Option<bool>,
    deleted: bool,
    note: Option<String>,
}

pub(super) fn delete(args: &Args) -> anyhow::Result<Outcome> {
    let edit = Edit { deleted: Some(true), ..Edit::default() };
    change(&args.laps, &edit, &args.to, "deleted", Some("undo with `gametape laps restore LAP`"))
}

pub(super) fn restore(args: &Args) -> anyhow::Result<Outcome> {
    change(&args.laps, &Edit { deleted: Some(false), ..Edit::default() }, &args.to, "restored", None)
}

pub(super) fn exclude(args: &Args) -> anyhow::Result<Outcome> {
    let edit = Edit { excluded: Some(true), ..Edit::default() };
    change(&args.laps, &edit, &args.to, "excluded from bests", Some("undo with `gametape laps include LAP`"))
}

pub(super) fn include(args: &Args) -> anyhow::Result<Outcome> {
    change(&args.laps, &Edit { excluded: Some(false), ..Edit::default() }, &args.to, "included in bests", None)
}

pub(super) fn note(args: &NoteArgs) -> anyhow::Result<Outcome> {
    let removed = args.text.trim().is_empty();
    let edit = Edit { note: Some((!removed).then(|| args.text.clone())), ..Edit::default() };
    let done = if removed { "note removed" } else { "noted" };
    change(std::slice::from_ref(&args.lap), &edit, &args.to, done, None)
}

fn change(named: &[String], edit: &Edit, to: &To, done: &str, undo: Option<&str>) -> anyhow::Result<Outcome> {
    let store = store::open_if_there(to.store.as_deref())?;
    let store = store.ok_or_else(|| exit::nothing_found("there is no store yet, so there are no laps to edit"))?;
    // All laps are looked up before the first one is changed.
    let ids = named.iter().map(|name| find(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let edited = ids.iter().map(|id| apply(&store, *id, edit)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut out = crate::terminal::data();
    if to.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&Report { edited })?)?;
        return Ok(Outcome::Done);
    }
    for (name, edited) in named.iter().zip(&edited) {
        let time = edited.time_ms.map_or_else(String::new, |ms| format!(", {}", lap_time(Some(ms))));
        writeln!(out, "{}: {} {}{time} {done}", human::safe(name), edited.kind, edited.id)?;
    }
    out.flush()?;
    if let Some(undo) = undo {
        tell(undo);
    }
    Ok(Outcome::Done)
}

/// Finds a lap by its id or by its number on a tape, or a session by its id.
fn find(name: &str) -> anyhow::Result<Id> {
    if let Some(id) = Id::parse(name) {
        return Ok(id);
    }
    let parts = name.rsplit_once('#').and_then(|(path, number)| Some((path, number.parse::<u32>().ok()?)));
    let Some((path, number)) = parts else {
        return Err(exit::usage(format!(
            "{name:?} is not a lap; write TAPE#N (`gametape laps TAPE` prints N), or the id of a lap or session"
        )));
    };
    let tape = open::tape(Path::new(path))?;
    // Ids are derived from the tape and the start time of a lap, so the store uses the same id.
    let tracked = super::of_lap::tracked(&tape, Path::new(path))?;
    Ok(super::of_lap::lap(&tracked, number, Path::new(path))?.id)
}

fn apply(store: &SqlStore, id: Id, edit: &Edit) -> anyhow::Result<ReportEdited> {
    match store.edit_lap(id, edit) {
        Ok(lap) => {
            return Ok(ReportEdited {
                id: id.to_string(),
                kind: "lap",
                time_ms: lap.lap.time_ms,
                excluded: Some(lap.lap.excluded),
                deleted: lap.remarks.deleted_us.is_some(),
                note: lap.remarks.note,
            });
        }
        Err(StoreError::NotFound { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    if edit.excluded.is_some() && store.session(id, Audience::Owner)?.is_some() {
        return Err(exit::usage(format!("{id} is a session, but only laps can be excluded; name its laps instead")));
    }
    match store.edit_session(id, edit) {
        Ok(session) => Ok(ReportEdited {
            id: id.to_string(),
            kind: "session",
            time_ms: None,
            excluded: None,
            deleted: session.remarks.deleted_us.is_some(),
            note: session.remarks.note,
        }),
        Err(StoreError::NotFound { .. }) => Err(exit::nothing_found(format!(
            "there is no lap or session {id} in {}; run `gametape add TAPE` to add the laps of a tape",
            store.name()
        ))),
        Err(error) => Err(error.into()),
    }
}
