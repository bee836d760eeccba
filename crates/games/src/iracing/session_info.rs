//! Parses the session info string: game version, track, the player's car and the session type.
//!
//! The string is YAML, but the game writes a small subset of it and not always correctly (names with quotes and
//! colons): lines of `key: value` under keys that end with a colon, lists with `- `. It is therefore parsed line by
//! line, by key name, and no input is an error. Driver names are never extracted.
//!
//! ```text
//! WeekendInfo:                      section
//!  TrackDisplayName: Long Beach
//! SessionInfo:
//!  Sessions:
//!  - SessionNum: 0                  entry of a list
//!    SessionType: Practice
//! ```

/// Values of the session info string; `None` if it does not contain them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionInfo {
    /// `TrackDisplayName`.
    pub track: Option<String>,
    /// `TrackConfigName`.
    pub track_layout: Option<String>,
    /// `CarScreenName` of the driver whose `CarIdx` is the `DriverCarIdx`.
    pub car: Option<String>,
    /// `BuildVersion`.
    pub game_version: Option<String>,
    /// `SessionType` of the requested session.
    pub session_type: Option<String>,
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Column of the key.
    indent: usize,
    pub(super) key: &'a str,
    /// The value without quotes; empty if there is none.
    pub(super) value: &'a str,
}

/// Parses a session info string. `session_number` is the `SessionNum` of the row; if it is `None`, the session that the
/// string calls current is used.
#[must_use]
pub fn session_info(text: &str, session_number: Option<i64>) -> SessionInfo {
    let weekend = |key| value(section(text, "WeekendInfo"), 1, key);
    let current = || value(section(text, "SessionInfo"), 1, "CurrentSessionNum").and_then(|text| text.parse().ok());
    let session = session_number.or_else(current);
    let car: Option<i64> = value(section(text, "DriverInfo"), 1, "DriverCarIdx").and_then(|text| text.parse().ok());
    let entry = |section_name, id_key, id: Option<i64>, key| entry(section(text, section_name), id_key, id?, key);
    SessionInfo {
        track: weekend("TrackDisplayName").map(str::to_owned),
        track_layout: weekend("TrackConfigName").map(str::to_owned),
        car: entry("DriverInfo", "CarIdx", car, "CarScreenName").map(str::to_owned),
        game_version: weekend("BuildVersion").map(str::to_owned),
        session_type: entry("SessionInfo", "SessionNum", session, "SessionType").map(str::to_owned),
    }
}

/// Returns the lines of a section: from its name up to the next line that is not indented.
pub(super) fn section<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Line<'a>> {
    let lines = text.lines().filter_map(line);
    lines.skip_while(move |line| line.indent > 0 || line.key != name).skip(1).take_while(|line| line.indent > 0)
}

/// Returns the value of a key at an indentation.
pub(super) fn value<'a>(mut lines: impl Iterator<Item = Line<'a>>, indent: usize, key: &str) -> Option<&'a str> {
    lines.find(|line| line.indent == indent && line.key == key).and_then(|line| said(line.value))
}

/// Returns the value of `key` in the list entry whose first line is `id_key` with the value `id`.
pub(super) fn entry<'a>(lines: impl Iterator<Item = Line<'a>>, id_key: &str, id: i64, key: &str) -> Option<&'a str> {
    let mut inside = None;
    for line in lines {
        if line.key == id_key {
            inside = (line.value.parse() == Ok(id)).then_some(line.indent);
        } else if inside == Some(line.indent) && line.key == key {
            return said(line.value);
        }
    }
    None
}

fn said(value: &str) -> Option<&str> {
    (!value.is_empty() && value != "null").then_some(value)
}

/// Parses a line; `None` if it is empty or has no key.
fn line(text: &str) -> Option<Line<'_>> {
    let text = text.trim_end();
    let body = text.trim_start_matches(' ');
    let (body, dash) = body.strip_prefix("- ").map_or((body, 0), |rest| (rest, 2));
    let (key, value) = body.split_once(':')?;
    let value = value.trim();
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    Some(Line { indent: text.len() - text.trim_start_matches(' ').len() + dash, key, value: quoted.unwrap_or(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nWeekendInfo:\n TrackName: longbeach\n TrackDisplayName: Long Beach\n TrackConfigName: \n \
        BuildVersion: 2021.08.10.03\n WeekendOptions:\n  TrackDisplayName: not this\n\nSessionInfo:\n CurrentSessionNum: 1\n \
        Sessions:\n - SessionNum: 0\n   SessionType: Practice\n   ResultsPositions:\n   - Position: 1\n     SessionType: no\n \
        - SessionNum: 1\n   SessionType: Lone Qualify\n\nDriverInfo:\n DriverCarIdx: 12\n Drivers:\n - CarIdx: 1\n   \
        UserName: Driver 1: \"the: first\"\n   CarScreenName: Wrong Car\n - CarIdx: 12\n   UserName: Driver 2\n   \
        CarScreenName: \"Right: Car\"\n - CarIdx: 13\n   CarScreenName: Third Car\n\nSplitTimeInfo:\n Sectors:\n";

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn track_car_and_session_are_found() {
        let info = session_info(TEXT, Some(0));
        let expected = SessionInfo {
            track: text("Long Beach"),
            track_layout: None,
            car: text("Right: Car"),
            game_version: text("2021.08.10.03"),
            session_type: text("Practice"),
        };
        assert_eq!(info, expected);
    }

    #[test]
    fn without_a_row_the_current_session_is_meant() {
        assert_eq!(session_info(TEXT, None).session_type, text("Lone Qualify"));
        assert_eq!(session_info(TEXT, Some(7)).session_type, None);
    }

    #[test]
    fn lines_may_end_as_they_do_on_windows() {
        assert_eq!(session_info(&TEXT.replace('\n', "\r\n"), Some(1)), session_info(TEXT, Some(1)));
    }

    #[test]
    fn any_text_is_read() {
        for text in
            ["", ":", "- :", "WeekendInfo", "WeekendInfo:", "\u{1F3C1}: \u{1F3C1}", "DriverInfo:\n DriverCarIdx: x"]
        {
            assert_eq!(session_info(text, Some(0)), SessionInfo::default(), "{text:?}");
        }
        for end in 0..TEXT.len() {
            let _ = session_info(&TEXT[..end], Some(0));
        }
    }
}
