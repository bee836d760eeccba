//! The list of sessions, newest first.

use ratatui::text::Line;

use super::super::facts::SessionRow;
use super::super::look::Look;
use super::super::state::State;
use super::super::text::{fit, line, plain, right};
use super::list::{first_shown, nothing};
use super::{Drawn, Room};
use crate::commands::laps_table::lap_time;
use crate::human;

pub(super) fn lines(state: &State, room: Room) -> Drawn {
    let look = state.look;
    let shown = state.shown_sessions();
    let all = state.sessions.value.as_ref().map_or(0, Vec::len);
    let mut lines = vec![head(room, look)];
    if shown.is_empty() {
        let why: &[&str] = match all {
            0 => &[
                "no sessions yet",
                "gametape      waits for a game and records it",
                "gametape demo drives a simulated car",
            ],
            _ => &["no session matches the filter", "Esc clears it"],
        };
        let loading = state.sessions.value.is_none();
        lines.extend(nothing(loading, state.sessions.error.as_ref(), why, look));
        return lines.into();
    }
    let filter = if state.filter.is_empty() {
        String::new()
    } else {
        format!(" of {} with {:?}", human::count(all as u64), state.filter)
    };
    let rows = room.height.saturating_sub(2);
    let first = first_shown(state.session.at, shown.len(), rows);
    for (index, session) in shown.iter().enumerate().skip(first).take(rows) {
        let runs = state.car_session() == Some(session.id.as_str());
        lines.push(row(session, index == state.session.at, runs, room, look));
    }
    let count = format!("{} of {}{filter}", state.session.at + 1, human::counted(shown.len() as u64, "session"));
    lines.push(plain(fit(&count, room.width, look), look.quiet()));
    Drawn { lines, list: Some((1, first)) }
}

/// Widths of track, car and driver; 0 if there is no room.
fn widths(room: Room) -> (usize, usize, usize) {
    match room.width {
        wide @ 100.. => {
            let rest = wide - 16 - 11 - 6 - 11 - 4;
            (rest / 3 + rest % 3, rest / 3, rest / 3)
        }
        wide @ 70.. => {
            let rest = wide - 16 - 11 - 6 - 11 - 4;
            (rest / 2 + rest % 2, rest / 2, 0)
        }
        narrow => (narrow.saturating_sub(2 + 11 + 2 + 11), 0, 0),
    }
}

fn head(room: Room, look: Look) -> Line<'static> {
    let (track, car, driver) = widths(room);
    let text = match room.is_wide() {
        true => {
            let driver = if driver > 0 { fit("driver", driver, look) } else { String::new() };
            format!(
                "  {:<16} {:<10} {}{}{driver} {:>5} {:>10}",
                "start (UTC)",
                "kind",
                fit("track", track, look),
                fit("car", car, look),
                "laps",
                "best"
            )
        }
        false => format!("  {:<11} {} {:>10}", "start (UTC)", fit("track", track, look), "best"),
    };
    plain(text, look.quiet())
}

fn row(session: &SessionRow, picked: bool, runs: bool, room: Room, look: Look) -> Line<'static> {
    let (track, car, driver) = widths(room);
    let sign = if picked { ">" } else { " " };
    let style = if picked { look.picked() } else { ratatui::style::Style::new() };
    let best = right(&if session.best_ms.is_some() { lap_time(session.best_ms) } else { "-".to_owned() }, 10, look);
    let kind = if runs { "running" } else { session.kind.as_str() };
    let started = match room.is_wide() {
        true => fit(&session.started, 16, look),
        false => fit(session.started.get(5..).unwrap_or_default(), 11, look),
    };
    let column = |text: &str, cells: usize| match cells {
        0 => String::new(),
        cells => fit(text, cells - 1, look) + " ",
    };
    match room.is_wide() {
        true => {
            let names = column(&session.track, track) + &column(&session.car, car) + &column(&session.driver, driver);
            let text = format!("{sign} {started} {} {names} {:>5} ", fit(kind, 10, look), session.lap_count);
            line([(text, style), (best, if picked { style } else { look.strong() })])
        }
        false => line([(format!("{sign} {started} {} ", fit(&session.track, track, look)), style), (best, style)]),
    }
}
