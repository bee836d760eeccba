//! Prints the rows of a comparison: the table of peers and, if gametape is among them, its targets.

use serde::Serialize;

use crate::measure::Row;
use crate::table::aligned;

const GAMETAPE: &str = "gametape";
const REFERENCE: &str = "mcap-zstd";

/// Returns `{"rows": [...]}`, with fields in declaration order.
pub(crate) fn json<T: Serialize>(rows: &[T]) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Rows<'a, T> {
        rows: &'a [T],
    }
    serde_json::to_string_pretty(&Rows { rows })
}

/// The subject of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// Stored size.
    Size,
    /// Encoding, decoding and reading one channel.
    Speed,
}

fn find<'a>(rows: &'a [Row], data: &str, method: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.data == data && row.method == method)
}

fn times(factor: Option<f64>) -> String {
    factor.map_or_else(|| "-".to_owned(), |factor| format!("{factor:.2}x"))
}

/// Formats all rows, with factors relative to MCAP with zstd.
pub(crate) fn table(rows: &[Row], view: View) -> String {
    let line = |row: &Row| {
        let reference = find(rows, &row.data, REFERENCE);
        let factor = |of: fn(&Row) -> f64| times(reference.map(|reference| of(row) / of(reference)));
        let mut words = vec![row.data.clone(), row.method.to_owned()];
        match view {
            View::Size => words.extend([
                row.raw_bytes.to_string(),
                row.stored_bytes.to_string(),
                format!("{:.2}", row.ratio),
                factor(|row| row.ratio),
            ]),
            View::Speed => words.extend([
                format!("{:.2}", row.ratio),
                format!("{:.0}", row.encode_mb_s),
                format!("{:.0}", row.decode_mb_s),
                format!("{:.0}", row.one_channel_mb_s),
                factor(|row| row.encode_mb_s),
                factor(|row| row.decode_mb_s),
                factor(|row| row.one_channel_mb_s),
            ]),
        }
        words
    };
    let header: &[&str] = match view {
        View::Size => &["data", "method", "raw bytes", "stored bytes", "ratio", "to mcap-zstd"],
        View::Speed => &[
            "data",
            "method",
            "ratio",
            "encode MB/s",
            "decode MB/s",
            "one channel MB/s",
            "encode to mcap-zstd",
            "decode to mcap-zstd",
            "one channel to mcap-zstd",
        ],
    };
    aligned(header, &rows.iter().map(line).collect::<Vec<_>>(), 2)
}

/// A target: name, our figure, the other method, a note on its figure, its figure, and the minimum factor.
type Target = (&'static str, fn(&Row) -> f64, &'static str, &'static str, fn(&Row) -> f64, f64);

const SIZE_TARGETS: [Target; 4] = [
    ("size", |row| row.ratio, "mcap-zstd", "", |row| row.ratio, 2.0),
    ("size", |row| row.ratio, "gamesdat-lz4", "", |row| row.ratio, 2.0),
    ("size", |row| row.ratio, "ksana-zlib", "", |row| row.ratio, 3.0),
    ("size", |row| row.ratio, "parquet", "", |row| row.ratio, 1.25),
];
const SPEED_TARGETS: [Target; 3] = [
    ("encode", |row| row.encode_mb_s, REFERENCE, "", |row| row.encode_mb_s, 0.7),
    ("decode", |row| row.decode_mb_s, REFERENCE, "", |row| row.decode_mb_s, 0.8),
    ("one channel", |row| row.one_channel_mb_s, REFERENCE, ", all frames", |row| row.decode_mb_s, 25.0),
];

/// Compares gametape with its targets, or reports that it is not part of this run.
pub(crate) fn targets(rows: &[Row], view: View) -> String {
    let list: &[Target] = match view {
        View::Size => &SIZE_TARGETS,
        View::Speed => &SPEED_TARGETS,
    };
    let mut lines = Vec::new();
    for row in rows.iter().filter(|row| row.method == GAMETAPE) {
        for (what, ours, other, part, theirs, least) in list {
            let factor = find(rows, &row.data, other).map(|other| ours(row) / theirs(other));
            let verdict = match factor {
                Some(factor) if factor >= *least => "met",
                Some(_) => "MISSED",
                None => "not measured",
            };
            let words =
                [row.data.as_str(), &format!("{what} to {other}{part}"), &times(factor), &times(Some(*least)), verdict];
            lines.push(words.map(str::to_owned).to_vec());
        }
    }
    if lines.is_empty() {
        return format!("{GAMETAPE} is not in this run: no targets to compare with\n");
    }
    aligned(&["data", "target", "measured", "at least", ""], &lines, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(method: &'static str, ratio: f64, speed: f64) -> Row {
        Row {
            data: "d".into(),
            method,
            raw_bytes: 1000,
            stored_bytes: (1000.0 / ratio) as u64,
            ratio,
            encode_mb_s: speed,
            decode_mb_s: speed,
            one_channel_mb_s: speed,
        }
    }

    #[test]
    fn json_has_the_fields_scripts_rely_on() {
        let text = json(&[row("parquet", 4.0, 50.0)]).unwrap();
        let words: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
        let fields = ["raw_bytes", "stored_bytes", "ratio", "encode_mb_s", "decode_mb_s", "one_channel_mb_s"];
        assert_eq!(words, [&["rows", "data", "d", "method", "parquet"], &fields[..]].concat());
    }

    #[test]
    fn factors_are_to_mcap_with_zstd() {
        let rows = [row("mcap-zstd", 2.0, 100.0), row("parquet", 3.0, 50.0)];
        assert!(table(&rows, View::Size).lines().nth(2).unwrap().ends_with("1.50x"));
        assert!(table(&rows, View::Speed).lines().nth(2).unwrap().ends_with("0.50x"));
    }

    #[test]
    fn targets_are_met_missed_or_not_measured() {
        let rows = [row("gametape", 5.0, 75.0), row("mcap-zstd", 2.0, 100.0), row("parquet", 4.5, 1.0)];
        let text = targets(&rows, View::Size);
        let verdicts: Vec<&str> = text.lines().skip(1).map(|line| line.rsplit("  ").next().unwrap()).collect();
        assert_eq!(verdicts, ["met", "not measured", "not measured", "MISSED"]);
        assert!(targets(&rows[1..], View::Speed).contains("not in this run"));
    }
}
