//! File names of tapes, and times as text.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use gametape_analysis::documents::utc_text;

/// The file extension of tapes, without the dot.
pub const EXTENSION: &str = "gtape";

/// Returns `GAME_TRACK_YYYYMMDD_HHMMSS.gtape` in local time, without `TRACK_` if the track is unknown.
pub fn recording_name(game: &str, track: Option<&str>, start_utc_ns: i64) -> String {
    let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
    named(game, track, start_utc_ns, zone)
}

fn named(game: &str, track: Option<&str>, start_utc_ns: i64, zone: TimeZone) -> String {
    let time = Timestamp::from_nanosecond(start_utc_ns.into()).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(zone);
    let track = track.map(|track| format!("{}_", plain(track))).unwrap_or_default();
    format!("{}_{track}{}.{EXTENSION}", plain(game), time.strftime("%Y%m%d_%H%M%S"))
}

/// Reduces a text to letters, digits and dashes, which are safe in every file system and shell.
fn plain(text: &str) -> String {
    let dashed: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let words: Vec<&str> = dashed.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "unknown".into() } else { words.join("-") }
}

/// Returns the path itself unless it is `taken`, otherwise the first of `name-2`, `name-3`, … that is free.
pub fn free_path(path: &Path, taken: &dyn Fn(&Path) -> bool) -> PathBuf {
    if !taken(path) {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default();
    let mut number = 2u64;
    loop {
        let mut name = stem.to_owned();
        name.push(format!("-{number}"));
        if let Some(extension) = path.extension() {
            name.push(".");
            name.push(extension);
        }
        let candidate = path.with_file_name(name);
        if !taken(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_game_track_and_time() {
        let at = 1_700_000_000_000_000_000;
        assert_eq!(named("iracing", None, at, TimeZone::UTC), "iracing_20231114_221320.gtape");
        assert_eq!(named("acc", Some("Spa / Ring: Süd"), at, TimeZone::UTC), "acc_spa-ring-s-d_20231114_221320.gtape");
        assert_eq!(named("..", None, at, TimeZone::UTC), "unknown_20231114_221320.gtape");
    }

    #[test]
    fn a_number_is_added_rather_than_anything_overwritten() {
        let free = |there: &'static [&'static str]| {
            free_path(Path::new("a/x.gtape"), &|path| there.iter().any(|name| Path::new(name) == path))
        };
        assert_eq!(free(&[]), Path::new("a/x.gtape"));
        assert_eq!(free(&["a/x.gtape"]), Path::new("a/x-2.gtape"));
        assert_eq!(free(&["a/x.gtape", "a/x-2.gtape"]), Path::new("a/x-3.gtape"));
    }

    #[test]
    fn utc_is_text_to_the_nanosecond() {
        assert_eq!(utc_text(1_700_000_000_000_000_000).unwrap(), "2023-11-14T22:13:20Z");
        assert_eq!(utc_text(1_700_000_000_250_000_001).unwrap(), "2023-11-14T22:13:20.250000001Z");
        assert!(utc_text(i64::MIN).is_some());
    }
}
