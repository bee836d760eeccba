//! Reads the lines of a text file, in pieces.

use crate::import::Source;
use crate::import::error::ImportError;
use crate::import::source::CHUNK_BYTES;

/// Longest line. The rest of a longer one is skipped.
const LONGEST: usize = 64 << 10;

/// Reads lines of a source.
pub(super) struct TextLines<'a> {
    source: &'a Source,
    /// Offset of the next piece.
    next: u64,
    piece: Vec<u8>,
    at: usize,
    line: Vec<u8>,
    /// Number of lines that were cut.
    pub(super) cut: u64,
}

/// A line, without its end.
pub(super) struct TextLine<'a> {
    /// Offset of its first byte.
    pub(super) offset: u64,
    /// The text. Bytes that are not UTF-8 are replaced.
    pub(super) text: std::borrow::Cow<'a, str>,
}

impl<'a> TextLines<'a> {
    /// Reads from an offset.
    pub(super) fn new(source: &'a Source, offset: u64) -> Self {
        Self { source, next: offset, piece: Vec::new(), at: 0, line: Vec::new(), cut: 0 }
    }

    /// Returns the offset of the next line.
    pub(super) fn offset(&self) -> u64 {
        self.next.saturating_sub((self.piece.len() - self.at.min(self.piece.len())) as u64)
    }

    /// Returns the next line; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<TextLine<'_>>, ImportError> {
        let offset = self.offset();
        self.line.clear();
        let (mut any, mut is_cut) = (false, false);
        loop {
            let rest = self.piece.get(self.at..).unwrap_or_default();
            if rest.is_empty() {
                let end = self.source.bytes.min(self.next.saturating_add(CHUNK_BYTES));
                if self.next >= end {
                    break;
                }
                self.source.read_into(&(self.next..end), &mut self.piece)?;
                (self.next, self.at) = (end, 0);
                continue;
            }
            any = true;
            let end = rest.iter().position(|byte| *byte == b'\n');
            let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let room = LONGEST.saturating_sub(self.line.len()).min(part.len());
            is_cut |= room < part.len();
            self.line.extend(part.iter().take(room));
            self.at += part.len() + usize::from(end.is_some());
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.cut += u64::from(is_cut);
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(Some(TextLine { offset, text: String::from_utf8_lossy(&self.line) }))
    }
}

/// Splits a line of a CSV file into its cells. A cell in quotation marks may contain commas; two quotation marks in it are one.
pub(super) fn csv_cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cell.push(letter),
        }
    }
    cells
}

/// Parses a cell as a number: truth values are 1 and 0, everything else that is not a number is NaN.
pub(super) fn number(cell: &str) -> f64 {
    let cell = cell.trim();
    match cell {
        "true" | "True" | "TRUE" => 1.0,
        "false" | "False" | "FALSE" => 0.0,
        cell => cell.parse::<f64>().ok().filter(|value| value.is_finite()).unwrap_or(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<(u64, String)> {
        let source = Source::of_bytes("lines", bytes.to_vec());
        let mut lines = TextLines::new(&source, 0);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.offset, line.text.into_owned()));
        }
        assert_eq!(lines.offset(), bytes.len() as u64);
        found
    }

    #[test]
    fn lines_are_found_also_across_pieces_and_without_an_end() {
        assert_eq!(all(b""), []);
        assert_eq!(all(b"a\r\n\nb"), [(0, "a".into()), (3, String::new()), (4, "b".into())]);
        let long = [vec![b'x'; CHUNK_BYTES as usize - 1], b"\nyz\n".to_vec()].concat();
        let found = all(&long);
        assert_eq!((found.len(), found[0].1.len()), (2, LONGEST));
        assert_eq!(found[1], (CHUNK_BYTES, "yz".into()));
        let across = [vec![b'\n'; CHUNK_BYTES as usize - 1], b"yz\n".to_vec()].concat();
        assert_eq!(all(&across).last(), Some(&(CHUNK_BYTES - 1, "yz".into())));
    }

    #[test]
    fn cells_may_be_quoted() {
        assert_eq!(csv_cells(r#"a,"b, ""c""",,d"#), ["a", r#"b, "c""#, "", "d"]);
        assert_eq!(csv_cells(""), [""]);
        assert_eq!(csv_cells(r#""open, end"#), ["open, end"]);
    }

    #[test]
    fn cells_are_numbers_truth_values_or_unknown() {
        assert_eq!(["1.5", " -2 ", "+1.234E+00", "true", "false"].map(number), [1.5, -2.0, 1.234, 1.0, 0.0]);
        assert!(["", "x", "inf", "NaN", "1e999"].iter().all(|cell| number(cell).is_nan()));
    }
}
