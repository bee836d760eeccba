//! Reads sessions of the store for `gametape laps`.

use gametape::laps::TrackedSession;
use gametape::paths::newest_tape;
use gametape::store::{Audience, LARGEST_PAGE, ListQuery, SessionDetail, SqlStore, Store};

use super::laps::Shown;
use super::laps_cars;
use super::laps_filter::Filters;
use super::laps_report::{Names, ReportSession};
use crate::cli::tell;
use crate::{exit, open, store};

/// Returns up to `limit` matching sessions, newest first; 0 for all.
pub(super) fn read(named: Option<&str>, filters: &Filters, limit: usize, all_cars: bool) -> anyhow::Result<Shown> {
    let store = with_laps(named)?;
    let mut shown = Shown::default();
    let (filter, names) = filters.in_store(&store)?;
    let mut query = ListQuery { filter, limit: LARGEST_PAGE, after: None };
    loop {
        let page = store.sessions(&query, Audience::Owner)?;
        for session in page.items {
            let Some(detail) = store.session(session.session.id, Audience::Owner)? else { continue };
            shown.found += 1;
            let id = detail.session.session.id;
            let (tape, session) = (detail.session.session.tape, report(detail));
            if filters.is_past(&session) {
                return Ok(shown);
            }
            let Some(mut session) = filters.left_of(session, &names) else { continue };
            if limit > 0 && shown.sessions.len() == limit {
                tell(&format!("showing the {limit} newest sessions; --limit 0 shows all"));
                return Ok(shown);
            }
            if all_cars {
                session.cars = Some(laps_cars::of_store(&store, id)?);
            }
            let tape = store.tape(tape)?.map_or_else(|| tape.to_string(), |known| known.path);
            shown.sessions.push((tape, session));
        }
        query.after = page.next;
        if query.after.is_none() {
            return Ok(shown);
        }
    }
}

fn report(detail: SessionDetail) -> ReportSession {
    let SessionDetail { session: stored, stints, laps } = detail;
    let names = Names { track: stored.track_name, car: stored.car_name, driver: stored.driver_name };
    let laps = laps.into_iter().map(|lap| lap.lap).collect();
    ReportSession {
        names,
        ..ReportSession::of(&TrackedSession { session: stored.session, stints, laps, cars: Vec::new() })
    }
}

/// Opens the store if it has laps. Without laps in the user's own store, falls back to that of `demo` and prints a note.
pub(super) fn with_laps(named: Option<&str>) -> anyhow::Result<SqlStore> {
    if let Some(store) = store::open_if_there(named)?.filter(has_sessions) {
        return Ok(store);
    }
    let folders = open::folders()?;
    if named.is_none() && newest_tape(&folders.tapes)?.is_some() {
        return Err(exit::nothing_found(
            "there are no laps in the store; run `gametape laps rebuild` to track your tapes",
        ));
    }
    let demo = if named.is_none() { store::open_if_there(Some(store::DEMO))?.filter(has_sessions) } else { None };
    if let Some(demo) = demo {
        tell("you have no laps yet; showing those of `gametape demo`");
        return Ok(demo);
    }
    Err(exit::nothing_found(
        "there are no laps yet; run `gametape` to record a game, or `gametape demo` to try it with a simulated car",
    ))
}

fn has_sessions(store: &SqlStore) -> bool {
    let query = ListQuery { limit: 1, ..ListQuery::default() };
    // Errors are reported by the query that follows.
    store.sessions(&query, Audience::Owner).map_or(true, |page| !page.items.is_empty())
}
