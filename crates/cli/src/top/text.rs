//! Formats texts and numbers as terminal cells.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::look::Look;
use crate::human;

/// The largest number of characters kept of an external text.
const LONGEST: usize = 200;

/// Sanitizes an external text with [`human::safe`] and limits its length. Joiners are removed: they take no cell, but not every
/// terminal handles that.
pub(crate) fn clean(text: &str) -> String {
    human::safe(text).chars().filter(|c| !matches!(c, '\u{200c}' | '\u{200d}')).take(LONGEST).collect()
}

/// Returns the width of a text in cells.
pub(crate) fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// Replaces characters that the terminal cannot show.
pub(crate) fn shown(text: &str, look: Look) -> String {
    match look.unicode {
        true => text.to_owned(),
        false => text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect(),
    }
}

/// Fits a text to exactly this many cells: truncates it with a sign, or pads it with spaces.
pub(crate) fn fit(text: &str, cells: usize, look: Look) -> String {
    let mut out = cut(text, cells, look);
    let used = width(&out);
    out.extend(std::iter::repeat_n(' ', cells.saturating_sub(used)));
    out
}

/// Truncates a text to at most this many cells.
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

/// Like [`fit`], but right-aligned.
pub(crate) fn right(text: &str, cells: usize, look: Look) -> String {
    let text = cut(text, cells, look);
    format!("{}{text}", " ".repeat(cells.saturating_sub(width(&text))))
}

/// Formats a number; a dash if it is unknown.
pub(crate) fn number(value: Option<f64>, digits: usize) -> String {
    let text = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"));
    // Avoids a negative zero.
    match text.strip_prefix('-') {
        Some(zero) if !zero.is_empty() && zero.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero.to_owned(),
        _ => text,
    }
}

/// Formats `+0.123` with the matching style.
pub(crate) fn delta(ms: i64, look: Look) -> (String, Style) {
    let style = match ms {
        1.. => look.slower(),
        0 => Style::new(),
        _ => look.faster(),
    };
    (crate::commands::laps_table::delta(ms), style)
}

/// Builds a line from styled pieces.
pub(crate) fn line<const N: usize>(pieces: [(String, Style); N]) -> Line<'static> {
    Line::from(pieces.into_iter().map(|(text, style)| Span::styled(text, style)).collect::<Vec<_>>())
}

/// Builds a line in one style.
pub(crate) fn plain(text: impl Into<String>, style: Style) -> Line<'static> {
    Line::from(Span::styled(text.into(), style))
}

/// Wraps a text to lines of at most this many cells.
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

/// Shortens `2026-11-16T12:55:01.193Z` to `2026-11-16 12:55`.
pub(crate) fn minute(utc: &str) -> String {
    utc.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}
