//! Texts and numbers as cells of a terminal.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::look::Look;
use crate::human;

/// Characters of a text from outside that are kept.
const LONGEST: usize = 200;

/// A text from outside as [`human::safe`] shows it, and not too long. Joiners are left out: they take no cell, which not every terminal knows.
pub(crate) fn clean(text: &str) -> String {
    human::safe(text).chars().filter(|c| !matches!(c, '\u{200c}' | '\u{200d}')).take(LONGEST).collect()
}

/// Cells that a text takes.
pub(crate) fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// A text as the terminal can show it.
pub(crate) fn shown(text: &str, look: Look) -> String {
    match look.unicode {
        true => text.to_owned(),
        false => text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect(),
    }
}

/// Exactly this many cells: cut with a sign, or filled with spaces.
pub(crate) fn fit(text: &str, cells: usize, look: Look) -> String {
    let mut out = cut(text, cells, look);
    let used = width(&out);
    out.extend(std::iter::repeat_n(' ', cells.saturating_sub(used)));
    out
}

/// At most this many cells.
pub(crate) fn cut(text: &str, cells: usize, look: Look) -> String {
    let text = shown(text, look);
    if width(&text) <= cells {
        return text;
    }
    let sign = look.either("…", "~");
    let room = cells.saturating_sub(1);
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = width(c.encode_utf8(&mut [0; 4]));
        if used + wide > room {
            break;
        }
        used += wide;
        out.push(c);
    }
    if cells > 0 {
        out.push_str(sign);
    }
    out
}

/// The same at the right end.
pub(crate) fn right(text: &str, cells: usize, look: Look) -> String {
    let text = cut(text, cells, look);
    format!("{}{text}", " ".repeat(cells.saturating_sub(width(&text))))
}

/// A number, or a dash where it is not known.
pub(crate) fn number(value: Option<f64>, digits: usize) -> String {
    let text = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"));
    // Nothing is less than nothing.
    match text.strip_prefix('-') {
        Some(zero) if !zero.is_empty() && zero.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero.to_owned(),
        _ => text,
    }
}

/// `+0.123`, with the style that says the same.
pub(crate) fn delta(ms: i64, look: Look) -> (String, Style) {
    let style = match ms {
        1.. => look.slower(),
        0 => Style::new(),
        _ => look.faster(),
    };
    (crate::commands::laps_table::delta(ms), style)
}

/// A line of pieces.
pub(crate) fn line<const N: usize>(pieces: [(String, Style); N]) -> Line<'static> {
    Line::from(pieces.into_iter().map(|(text, style)| Span::styled(text, style)).collect::<Vec<_>>())
}

/// A line in one style.
pub(crate) fn plain(text: impl Into<String>, style: Style) -> Line<'static> {
    Line::from(Span::styled(text.into(), style))
}

/// A text in lines of at most this many cells, broken between words.
pub(crate) fn wrapped(text: &str, cells: usize, style: Style, look: Look) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut row = String::new();
    for word in text.split_whitespace() {
        if !row.is_empty() && width(&row) + 1 + width(word) > cells {
            lines.push(plain(cut(&row, cells, look), style));
            row.clear();
        }
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(word);
    }
    lines.push(plain(cut(&row, cells, look), style));
    lines
}

/// `2026-11-16 12:55` of `2026-11-16T12:55:01.193Z`.
pub(crate) fn minute(utc: &str) -> String {
    utc.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}
