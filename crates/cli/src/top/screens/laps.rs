//! The laps of a session, with their sectors. Validity is shown by words and signs: `*` is a best, `~` a measured time.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::facts::{LapRow, SessionDetail};
use super::super::look::Look;
use super::super::state::State;
use super::super::text::{cut, delta, fit, plain, right};
use super::list::{first_shown, nothing};
use super::{Drawn, Room};
use crate::commands::laps_table::{lap_time, sector_time};

/// Width of a sector time and its sign.
const SECTOR: usize = 9;

pub(super) fn lines(state: &State, room: Room) -> Drawn {
    let look = state.look;
    let Some(detail) = &state.laps.value else {
        let loading = state.open.is_some() || state.sessions.value.is_none();
        let why =
            ["no session yet", "gametape      waits for a game and records it", "gametape demo drives a simulated car"];
        let error = state.laps.error.as_ref().or(state.sessions.error.as_ref());
        return nothing(loading, error, &why, look).into();
    };
    let sectors = sectors_shown(detail, room);
    let mut lines = vec![title(detail, room, look), head(sectors, room, look)];
    if detail.laps.is_empty() {
        lines.push(plain("  no laps yet", look.quiet()));
    }
    let rows = room.height.saturating_sub(3);
    let first = first_shown(state.lap.at, detail.laps.len(), rows);
    let best = detail.best_sectors();
    for (index, lap) in detail.laps.iter().enumerate().skip(first).take(rows) {
        let mark = match state.chosen.iter().position(|chosen| chosen.id == lap.id) {
            Some(0) => "A",
            Some(_) => "B",
            None => " ",
        };
        lines.push(Row { detail, lap, mark, picked: index == state.lap.at, sectors, best: &best, look }.line(room));
    }
    lines.push(foot(detail, state.lap.at, room, look));
    Drawn { lines, list: Some((2, first)) }
}

/// Returns the number of sector columns: all, or none if they do not fit.
fn sectors_shown(detail: &SessionDetail, room: Room) -> usize {
    let all = detail.sector_count();
    if room.width >= 56 + all * SECTOR || (room.is_wide() && all <= 3) { all } else { 0 }
}

/// The title of the session.
pub(super) fn title(detail: &SessionDetail, room: Room, look: Look) -> Line<'static> {
    let session = &detail.session;
    let parts = [&session.kind, &session.track, &session.car, &session.driver, &session.started];
    let known: Vec<&str> =
        parts.into_iter().map(String::as_str).filter(|part| !part.is_empty() && *part != "-").collect();
    plain(cut(&known.join(look.dot()), room.width, look), look.strong())
}

pub(super) fn head(sectors: usize, room: Room, look: Look) -> Line<'static> {
    let columns: String = (1..=sectors).map(|number| format!("{:>8} ", format!("S{number}"))).collect();
    let text = match room.is_wide() {
        true => format!("    lap      time  {columns} {:>8}  {:<10} notes", "to best", "kind"),
        false => format!("    lap      time  {:>8} notes", "to best"),
    };
    plain(cut(&text, room.width, look), look.quiet())
}

pub(super) struct Row<'a> {
    pub(super) detail: &'a SessionDetail,
    pub(super) lap: &'a LapRow,
    pub(super) mark: &'static str,
    pub(super) picked: bool,
    pub(super) sectors: usize,
    pub(super) best: &'a [Option<u32>],
    pub(super) look: Look,
}

impl Row<'_> {
    pub(super) fn line(&self, room: Room) -> Line<'static> {
        let Self { lap, look, .. } = *self;
        let is_best = self.detail.best_lap.as_deref() == Some(lap.id.as_str());
        let number = lap.number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let sign = match (is_best, lap.measured) {
            (true, _) => "*",
            (false, true) => "~",
            _ => " ",
        };
        let style = match (is_best, lap.valid) {
            (true, _) => look.best(),
            (_, Some(false)) => look.slower(),
            _ => Style::new(),
        };
        let arrow = if self.picked { ">" } else { " " };
        let mut spans = vec![
            Span::raw(format!("{arrow}{} {} ", self.mark, right(&number, 4, look))),
            Span::styled(format!("{:>9}{sign} ", lap_time(lap.time_ms)), style),
        ];
        for index in 0..self.sectors {
            let ms = lap.sectors_ms.get(index).copied().flatten();
            let is_best = lap.eligible && ms.is_some() && self.best.get(index).copied().flatten() == ms;
            let (sign, style) = if is_best { ("*", look.best()) } else { (" ", Style::new()) };
            spans.push(Span::styled(format!("{:>8}{sign}", sector_time(ms)), style));
        }
        let (text, style) = match lap.delta_ms {
            _ if is_best => ("best".to_owned(), look.best()),
            Some(ms) => delta(ms, look),
            None => (String::new(), Style::new()),
        };
        spans.push(Span::styled(format!("{} ", right(&text, if room.is_wide() { 9 } else { 8 }, look)), style));
        if room.is_wide() {
            spans.push(Span::raw(format!(" {} ", fit(&lap.phase, 10, look))));
        }
        let used: usize = spans.iter().map(Span::width).sum();
        let notes = match (room.is_wide(), lap.notes()) {
            (false, notes) if notes.is_empty() && lap.phase != "flying" => lap.phase.clone(),
            (_, notes) => notes,
        };
        let style = if lap.valid == Some(false) { look.slower() } else { Style::new() };
        spans.push(Span::styled(fit(&notes, room.width.saturating_sub(used), look), style));
        let line = Line::from(spans);
        if self.picked { line.style(look.picked()) } else { line }
    }
}

fn foot(detail: &SessionDetail, at: usize, room: Room, look: Look) -> Line<'static> {
    let best = detail.laps.iter().find(|lap| detail.best_lap.as_ref() == Some(&lap.id)).and_then(|lap| lap.time_ms);
    let best = best.or(detail.session.best_ms);
    let of = format!(
        "{} of {}",
        if detail.laps.is_empty() { 0 } else { at + 1 },
        crate::human::counted(detail.laps.len() as u64, "lap")
    );
    let best = best.map_or_else(String::new, |ms| format!("  best {}", lap_time(Some(ms))));
    let sum = detail.theoretical_ms.map_or_else(String::new, |ms| format!("  best sectors {}", lap_time(Some(ms))));
    plain(cut(&format!("{of}{best}{sum}"), room.width, look), look.quiet())
}
