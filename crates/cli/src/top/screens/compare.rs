//! Compares two laps by track position: charts of where the second one gains and loses.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::bars::{chart, columns, signed_chart};
use super::super::facts::{Comparison, LapRow, Stretch};
use super::super::look::Look;
use super::super::state::State;
use super::super::text::{cut, delta, fit, number, plain, right, wrapped};
use super::Room;
use crate::commands::laps_table::lap_time;

/// Width of the labels to the left of the charts.
const NAMES: usize = 8;

pub(super) fn lines(state: &mut State, room: Room) -> Vec<Line<'static>> {
    let look = state.look;
    let Some(compared) = &state.compare.value else {
        return nothing(state, room);
    };
    let lines = all_lines(compared, state.cursor, room, look);
    let most = lines.len().saturating_sub(room.height);
    state.scroll = state.scroll.min(most);
    let mut shown: Vec<_> = lines.into_iter().skip(state.scroll).take(room.height).collect();
    if state.scroll < most
        && let Some(last) = shown.last_mut()
    {
        *last = plain(cut("more below: press down", room.width, look), look.quiet());
    }
    shown
}

fn nothing(state: &State, room: Room) -> Vec<Line<'static>> {
    let look = state.look;
    let text = match (&state.compare.error, &state.pair) {
        (Some(error), _) => return wrapped(error, room.width, look.warning(), look),
        (None, Some(_)) => "reading both laps",
        (None, None) => {
            "No laps are chosen. On the Laps screen (3), choose A and B with space and compare them with c. Without a choice, c compares the selected lap with the best of its session."
        }
    };
    wrapped(text, room.width, Style::new(), look)
}

fn all_lines(compared: &Comparison, cursor: f64, room: Room, look: Look) -> Vec<Line<'static>> {
    let cells = room.width.saturating_sub(NAMES);
    let mut lines = heads(compared, room, look);
    // Charts grow with the height; the lists of stretches need six lines.
    let tall = room.height >= 20;
    let rows = match room.height {
        34.. => 4,
        26.. => 3,
        20.. => 2,
        _ => 1,
    };
    lines.extend(delta_chart(compared, rows, cells, look));
    let range = |channel: usize| {
        let all = compared.values.iter().filter_map(|lap| lap.get(channel)).flatten().copied().flatten();
        all.fold(None, |range: Option<(f64, f64)>, value| {
            Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        })
    };
    let (_, fastest) = range(0).unwrap_or((0.0, 0.0));
    for (channel, title, high, rows) in
        [(0, "km/h", fastest, if tall { rows.min(2) } else { 1 }), (1, "thr", 1.0, 1), (2, "brk", 1.0, 1)]
    {
        for (letter, values) in ["A", "B"].into_iter().zip(&compared.values) {
            let values = values.get(channel).map_or(&[][..], Vec::as_slice);
            let style = match channel {
                1 => look.faster(),
                2 => look.slower(),
                _ => look.rpm(),
            };
            for (row, text) in chart(&columns(values, cells), rows, 0.0, high, look).into_iter().enumerate() {
                let title = if row + 1 == rows { format!("{title} {letter}") } else { String::new() };
                lines.push(Line::from(vec![
                    Span::styled(fit(&title, NAMES, look), look.quiet()),
                    Span::styled(text, style),
                ]));
            }
        }
    }
    lines.extend(pointer(compared, cursor, cells, room, look));
    lines.extend(stretches(compared, room, look));
    lines
}

/// The two laps and their difference.
fn heads(compared: &Comparison, room: Room, look: Look) -> Vec<Line<'static>> {
    let head = |letter: &str, lap: &LapRow| {
        let number = lap.number.or(lap.tape_lap).map_or_else(String::new, |number| format!("lap {number}"));
        let facts = [number, lap.driver.clone(), lap.notes()];
        let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
        format!("{letter}  {}  {}", lap_time(lap.time_ms), facts.join(look.dot()))
    };
    let [a, b] = &compared.laps;
    let mut lines = vec![plain(cut(&head("A", a), room.width, look), look.strong())];
    let between = a.time_ms.zip(b.time_ms).map(|(a, b)| i64::from(b) - i64::from(a));
    let (text, style) = between.map_or((String::new(), Style::new()), |ms| delta(ms, look));
    let room_for_b = room.width.saturating_sub(text.len() + 2);
    lines.push(Line::from(vec![
        Span::styled(cut(&head("B", b), room_for_b, look), look.strong()),
        Span::raw("  "),
        Span::styled(text, style),
    ]));
    lines
}

/// Time lost goes up, time gained goes down.
fn delta_chart(compared: &Comparison, rows: usize, cells: usize, look: Look) -> Vec<Line<'static>> {
    let values = columns(&compared.delta_ms, cells);
    let most = values.iter().copied().flatten().map(f64::abs).fold(1.0, f64::max);
    let (upper, lower) = signed_chart(&values, rows, most, look);
    let scale = |ms: f64| right(&crate::commands::laps_table::delta(ms.round() as i64), NAMES - 1, look) + " ";
    let mut lines = Vec::new();
    for (row, text) in upper.into_iter().enumerate() {
        let title = if row == 0 { scale(most) } else { " ".repeat(NAMES) };
        lines.push(Line::from(vec![Span::styled(title, look.quiet()), Span::styled(text, look.slower())]));
    }
    let last = lower.len().saturating_sub(1);
    for (row, text) in lower.into_iter().enumerate() {
        let title = if row == last { scale(-most) } else { " ".repeat(NAMES) };
        lines.push(Line::from(vec![Span::styled(title, look.quiet()), Span::styled(text, look.faster())]));
    }
    lines
}

/// The cursor, and the values of both laps at its position.
fn pointer(compared: &Comparison, cursor: f64, cells: usize, room: Room, look: Look) -> Vec<Line<'static>> {
    let Some(last) = compared.distance_m.len().checked_sub(1) else { return Vec::new() };
    let row = ((cursor * last as f64).round() as usize).min(last);
    let at = ((cursor * cells.saturating_sub(1) as f64).round() as usize).min(cells.saturating_sub(1));
    let place = compared.distance_m.get(row).copied().unwrap_or(0.0);
    let value = |lap: usize, channel: usize| {
        compared.values.get(lap).and_then(|lap| lap.get(channel)).and_then(|values| values.get(row).copied().flatten())
    };
    let (text, style) = compared
        .delta_ms
        .get(row)
        .copied()
        .flatten()
        .map_or(("-".to_owned(), Style::new()), |ms| delta(ms.round() as i64, look));
    let kmh = |lap: usize| number(value(lap, 0), 0);
    let percent = |share: Option<f64>| match share {
        Some(share) => number(Some(share * 100.0), 0) + "%",
        None => "-".to_owned(),
    };
    let pedals = |lap: usize| format!("{}/{}", percent(value(lap, 1)), percent(value(lap, 2)));
    let detail = match room.is_wide() {
        true => format!("   A {} km/h {}   B {} km/h {}  thr/brk", kmh(0), pedals(0), kmh(1), pedals(1)),
        false => format!("  A {} B {} km/h", kmh(0), kmh(1)),
    };
    vec![
        plain(format!("{}{}", " ".repeat(NAMES + at), look.either("▲", "^")), look.strong()),
        Line::from(vec![
            Span::raw(format!("{place:>6.0} m  ")),
            Span::styled(text, style),
            Span::raw(cut(&detail, room.width.saturating_sub(18), look)),
        ]),
    ]
}

/// Where most time is lost and gained, side by side if there is room.
fn stretches(compared: &Comparison, room: Room, look: Look) -> Vec<Line<'static>> {
    const LISTED: usize = 5;
    let (lost, won) = compared.extremes();
    let text = |stretch: Option<&Stretch>, word: &str| match stretch {
        Some(part) => {
            let (ms, style) = delta(part.lost_ms.round() as i64, look);
            (format!("{word} {ms:>7}  {:.0} to {:.0} m", part.from_m, part.to_m), style)
        }
        None => (String::new(), Style::new()),
    };
    let half = room.width / 2;
    let mut lines = Vec::new();
    match room.is_wide() {
        true => {
            for row in 0..LISTED.min(lost.len().max(won.len())) {
                let (left, right) = (text(lost.get(row), "lost"), text(won.get(row), "won"));
                lines.push(Line::from(vec![
                    Span::styled(fit(&left.0, half, look), left.1),
                    Span::styled(right.0, right.1),
                ]));
            }
        }
        false => {
            let parts = lost.iter().take(LISTED).map(|part| text(Some(part), "lost"));
            let parts = parts.chain(won.iter().take(LISTED).map(|part| text(Some(part), "won ")));
            lines.extend(parts.map(|(text, style)| plain(cut(&text, room.width, look), style)));
        }
    }
    if lines.is_empty() {
        lines.push(plain("no notable difference anywhere", look.quiet()));
    }
    lines
}
