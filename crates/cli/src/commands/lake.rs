//! Folders of a data lake: `game=acc/track=Spa/car=gt3/SESSION.parquet`, as Hive names them, so that engines skip the files of other tracks.
//!
//! Takes what a tape says about a session, which can be any text. Returns a path that is one on every system, below the given folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gametape::format::TapeId;
use gametape::laps::Session;

/// What Hive calls a folder of an unknown value.
const UNKNOWN: &str = "__HIVE_DEFAULT_PARTITION__";
/// The longest name of a folder. Systems allow 255 bytes.
const MOST_BYTES: usize = 200;

/// Returns the file of a session. Exporting it again gives the same one.
pub(super) fn path_of(lake: &Path, tape: Option<TapeId>, game: &str, session: Option<&Session>) -> PathBuf {
    let known = |of: fn(&Session) -> Option<&String>| session.and_then(of).map(String::as_str);
    let game = Some(game).filter(|game| !game.is_empty());
    let folders = [
        ("game", known(|session| Some(&session.game)).or(game)),
        ("track", known(|session| session.track.as_ref())),
        ("car", known(|session| session.car.as_ref())),
    ];
    let mut path = lake.to_owned();
    path.extend(folders.map(|(key, value)| folder(key, value)));
    let hex = |bytes: [u8; 16]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let name = session.map(|session| session.id.to_string()).or_else(|| Some(hex(tape?.0)));
    path.join(format!("{}.parquet", name.as_deref().unwrap_or("unknown")))
}

/// Returns the name of a folder. Everything but letters, digits, `-` and `_` is percent-encoded, which engines decode. A long value is cut
/// off and told from others by its hash; its columns in the file have all of it.
fn folder(key: &str, value: Option<&str>) -> String {
    let mut name = format!("{key}=");
    let Some(value) = value.filter(|value| !value.is_empty()) else { return name + UNKNOWN };
    for character in value.chars() {
        let mut bytes = [0; 4];
        let bytes = character.encode_utf8(&mut bytes).as_bytes();
        let before = name.len();
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = match byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
                true => name.write_char(char::from(*byte)),
                false => write!(name, "%{byte:02X}"),
            };
        }
        if name.len() > MOST_BYTES {
            name.truncate(before);
            let _ = write!(name, "-{:016x}", hash(value));
            break;
        }
    }
    name
}

/// FNV-1a, the same on every machine and in every version.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_track_leaves_the_lake() {
        for (value, expected) in [
            (Some("Spa"), "track=Spa"),
            (Some("Nürburgring 24h"), "track=N%C3%BCrburgring%2024h"),
            (Some("../../etc/passwd"), "track=%2E%2E%2F%2E%2E%2Fetc%2Fpasswd"),
            (Some("C:\\x\0=a%20b"), "track=C%3A%5Cx%00%3Da%2520b"),
            (Some("CON"), "track=CON"),
            (Some(""), "track=__HIVE_DEFAULT_PARTITION__"),
            (None, "track=__HIVE_DEFAULT_PARTITION__"),
        ] {
            assert_eq!(folder("track", value), expected);
        }
        let long = "ü".repeat(600);
        let (a, b) = (folder("track", Some(&long)), folder("track", Some(&format!("{long}x"))));
        assert!(a.len() <= 220 && a != b, "{a} {b}");
        assert!(a.starts_with("track=%C3%BC") && !a.contains("%C3-"), "no half of a character: {a}");
    }
}
