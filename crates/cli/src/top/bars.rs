//! Bars and charts as text. Uses block characters if the terminal supports them, `#` otherwise.

use super::look::Look;

const EIGHTHS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_HEIGHTS: [char; 9] = [' ', '_', '.', '-', ':', '=', '+', '*', '#'];

/// Draws a bar of this many cells, filled from the left by a share of 0 to 1.
pub(crate) fn bar(share: Option<f64>, cells: usize, look: Look) -> String {
    let (empty, eighths) = (look.either("░", "."), (share.unwrap_or(0.0).clamp(0.0, 1.0) * (cells * 8) as f64).round());
    let eighths = eighths as usize;
    let (full, part) = (eighths / 8, eighths % 8);
    let mut out: String = std::iter::repeat_n(look.either("█", "#"), full.min(cells)).collect();
    if full < cells && part > 0 {
        let sign = EIGHTHS.get(part).copied().unwrap_or(' ');
        out.push(if look.unicode {
            sign
        } else if part >= 4 {
            '#'
        } else {
            '.'
        });
    }
    let used = out.chars().count();
    out.extend(std::iter::repeat_n(empty, cells.saturating_sub(used)));
    out
}

/// Draws a bar from the middle, for a share of -1 to 1.
pub(crate) fn middle_bar(share: Option<f64>, cells: usize, look: Look) -> String {
    if cells < 3 {
        return " ".repeat(cells);
    }
    let half = (cells - 1) / 2;
    let share = share.map(|share| share.clamp(-1.0, 1.0));
    let filled = share.map_or(0, |share| (share.abs() * half as f64).round() as usize);
    let (full, empty) = (look.either("█", "#"), look.either("░", "."));
    let side = |on: bool, towards_middle: bool| -> String {
        let count = if on { filled } else { 0 };
        let (rest, part) = (empty.repeat(half - count), full.repeat(count));
        if towards_middle { rest + &part } else { part + &rest }
    };
    let left = side(share.is_some_and(|share| share < 0.0), true);
    let right = side(share.is_some_and(|share| share > 0.0), false);
    let spare = " ".repeat(cells - 1 - 2 * half);
    format!("{left}{}{right}{spare}", look.either("│", "|"))
}

/// Resamples values to this many columns: the mean of each column, `None` if it has no values.
pub(crate) fn columns(values: &[Option<f64>], cells: usize) -> Vec<Option<f64>> {
    (0..cells)
        .map(|cell| {
            let from = cell * values.len() / cells;
            let to = ((cell + 1) * values.len() / cells).max(from + 1);
            let known: Vec<f64> = values.get(from..to.min(values.len()))?.iter().copied().flatten().collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        })
        .collect()
}

/// Draws a chart of this many rows, top row first. Known values get at least the lowest mark; unknown ones are blank.
pub(crate) fn chart(values: &[Option<f64>], rows: usize, low: f64, high: f64, look: Look) -> Vec<String> {
    let signs = if look.unicode { HEIGHTS } else { ASCII_HEIGHTS };
    let most = rows * 8;
    let height = |value: &Option<f64>| {
        let share = if high > low { (value.as_ref()? - low) / (high - low) } else { 0.0 };
        Some(((share.clamp(0.0, 1.0) * most as f64).round() as usize).max(1))
    };
    let heights: Vec<Option<usize>> = values.iter().map(height).collect();
    let row = |row: usize| {
        let below = (rows - 1 - row) * 8;
        let sign = |height: &Option<usize>| {
            let eighths = height.map_or(0, |height| height.saturating_sub(below).min(8));
            signs.get(eighths).copied().unwrap_or(' ')
        };
        heights.iter().map(sign).collect()
    };
    (0..rows).map(row).collect()
}

/// Draws a chart around zero: positive values go up, negative ones down. `rows` on each side.
pub(crate) fn signed_chart(values: &[Option<f64>], rows: usize, most: f64, look: Look) -> (Vec<String>, Vec<String>) {
    let above: Vec<Option<f64>> = values.iter().map(|value| value.map(|value| value.max(0.0))).collect();
    let mut upper = chart(&above, rows, 0.0, most, look);
    // The lowest mark would show a loss where there is none.
    if let Some(last) = upper.last_mut() {
        let signs =
            last.chars().zip(values).map(|(sign, value)| if value.is_some_and(|v| v > 0.0) { sign } else { ' ' });
        *last = signs.collect();
    }
    let (half, full) = (look.either("▀", "'"), look.either("█", "#"));
    let lower = |row: usize| {
        let sign = |value: &Option<f64>| {
            let depth = value.map_or(0.0, |value| (-value).max(0.0)) / most.max(f64::MIN_POSITIVE) * rows as f64;
            match depth - row as f64 {
                part if part >= 0.75 => full,
                part if part > 0.0 => half,
                _ => " ",
            }
        };
        values.iter().map(sign).collect()
    };
    (upper, (0..rows).map(lower).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: Look = Look { colour: false, unicode: false, attributes: false };
    const UNICODE: Look = Look { colour: true, unicode: true, attributes: true };

    #[test]
    fn bars_have_exactly_their_cells_whatever_the_value() {
        for share in [None, Some(0.0), Some(0.5), Some(1.0), Some(-7.0), Some(1e300), Some(f64::NAN)] {
            for cells in [0, 1, 2, 3, 7, 40, 400] {
                for look in [ASCII, UNICODE] {
                    assert_eq!(bar(share, cells, look).chars().count(), cells, "{share:?} {cells}");
                    assert_eq!(middle_bar(share, cells, look).chars().count(), cells, "{share:?} {cells}");
                }
                assert!(bar(share, cells, ASCII).is_ascii() && middle_bar(share, cells, ASCII).is_ascii());
            }
        }
        assert_eq!(bar(Some(0.5), 8, ASCII), "####....");
        assert_eq!(middle_bar(Some(-0.5), 9, ASCII), "..##|....");
        assert_eq!(middle_bar(Some(1.0), 9, ASCII), "....|####");
        assert_eq!(bar(Some(0.5), 3, UNICODE), "█▌░");
    }

    #[test]
    fn charts_show_heights_and_leave_the_unknown_blank() {
        let values = [Some(0.0), Some(50.0), None, Some(100.0)];
        assert_eq!(chart(&values, 1, 0.0, 100.0, UNICODE), ["▁▄ █"]);
        assert_eq!(chart(&values, 2, 0.0, 100.0, UNICODE), ["   █", "▁█ █"]);
        assert_eq!(chart(&values, 1, 0.0, 100.0, ASCII), ["_: #"]);
        let (upper, lower) = signed_chart(&[Some(1.0), Some(-1.0), None, Some(0.0)], 1, 1.0, ASCII);
        assert_eq!((upper, lower), (vec!["#   ".to_owned()], vec![" #  ".to_owned()]));
        assert!(chart(&[], 0, 0.0, 0.0, ASCII).is_empty());
        assert_eq!(chart(&[Some(f64::NAN)], 1, f64::NAN, f64::NAN, ASCII).len(), 1);
    }

    #[test]
    fn columns_are_means_and_never_more_than_there_is() {
        assert_eq!(columns(&[Some(1.0), Some(3.0), None, None], 2), [Some(2.0), None]);
        assert_eq!(columns(&[Some(1.0)], 3), [Some(1.0), Some(1.0), Some(1.0)]);
        assert_eq!(columns(&[], 3), [None, None, None]);
        assert!(columns(&[Some(1.0)], 0).is_empty());
    }
}
