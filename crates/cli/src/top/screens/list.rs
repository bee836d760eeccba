//! Scrolling of lists: the selected entry is always visible.

use super::super::look::Look;
use super::super::text::plain;
use ratatui::text::Line;

/// Returns the first visible entry of a list of `len` entries in this many rows.
pub(super) fn first_shown(picked: usize, len: usize, rows: usize) -> usize {
    // A few entries below the selected one stay visible.
    let ahead = (rows / 4).min(3);
    let last = picked.saturating_add(ahead).min(len.saturating_sub(1));
    (last + 1).saturating_sub(rows.max(1))
}

/// The lines shown for an empty list.
pub(super) fn nothing(loading: bool, error: Option<&String>, why: &[&str], look: Look) -> Vec<Line<'static>> {
    let mut lines = match error {
        Some(error) => vec![plain(error.clone(), look.warning())],
        None if loading => vec![plain("loading", look.quiet())],
        None => why.iter().map(|line| plain((*line).to_owned(), look.quiet())).collect(),
    };
    lines.insert(0, Line::default());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picked_entry_is_always_shown() {
        for len in [0, 1, 5, 100] {
            for rows in [0, 1, 2, 7, 50] {
                for picked in 0..len {
                    let first = first_shown(picked, len, rows);
                    assert!(first <= picked && picked < first + rows.max(1), "{picked} of {len} in {rows}: {first}");
                }
            }
        }
    }
}
