//! Plain text tables: aligned lines, the same on a terminal and in a pipe.

/// Formats rows with aligned columns: the first `left` columns to the left, the others to the right.
pub(crate) fn aligned(header: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let mut widths: Vec<usize> = header.iter().map(|word| word.chars().count()).collect();
    for row in rows {
        for (width, word) in widths.iter_mut().zip(row) {
            *width = (*width).max(word.chars().count());
        }
    }
    let line = |words: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (i, (word, &width)) in words.zip(&widths).enumerate() {
            text.push_str(if i == 0 { "" } else { "  " });
            text.push_str(&if i < left { format!("{word:<width$}") } else { format!("{word:>width$}") });
        }
        text.trim_end().to_owned() + "\n"
    };
    let mut text = line(&mut header.iter().copied());
    for row in rows {
        text.push_str(&line(&mut row.iter().map(String::as_str)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_left_and_numbers_right() {
        let rows = vec![vec!["a".to_owned(), "10".to_owned()], vec!["longer".to_owned(), "5".to_owned()]];
        assert_eq!(aligned(&["name", "n"], &rows, 1), "name     n\na       10\nlonger   5\n");
    }
}
