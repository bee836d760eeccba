//! The file in which a user configures the requests of a game, such as `broadcasting.json` of Assetto Corsa Competizione.
//!
//! Games write it as UTF-8 or UTF-16, and some with NUL bytes in between.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use gametape_games::{RequestFile, RequestSettings};
use serde_json::Value;

use crate::documents::{game_documents, join};

/// Such a file has a few hundred bytes.
const MOST_BYTES: u64 = 64 << 10;

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Configured {
    /// The game does not listen.
    Off,
    /// The game listens on this port of its machine.
    On {
        /// The port.
        port: u16,
        /// What a client has to know.
        settings: RequestSettings,
    },
}

/// Reads the file of a game on this machine; `None` if there is none, or if it cannot be read.
pub(crate) fn configured(file: &RequestFile) -> Option<Configured> {
    let found = candidates(file).into_iter().filter_map(|path| {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        parse(file, &bytes)
    });
    // A file that was left by an earlier installation may say that it is off.
    let mut found: Vec<Configured> = found.collect();
    let on = found.iter().position(|one| *one != Configured::Off).unwrap_or(0);
    (!found.is_empty()).then(|| found.swap_remove(on))
}

/// Returns where the file may be.
pub(crate) fn candidates(file: &RequestFile) -> Vec<PathBuf> {
    game_documents(file.steam_app).iter().map(|documents| join(documents, file.below_documents)).collect()
}

/// Parses a file; `None` if it is not JSON or does not name a port.
pub(crate) fn parse(file: &RequestFile, bytes: &[u8]) -> Option<Configured> {
    let value: Value = serde_json::from_str(&text(bytes)).ok()?;
    let port = match value.get(file.port_key)? {
        Value::Number(port) => port.as_u64()?,
        Value::String(port) => port.trim().parse().ok()?,
        _ => return None,
    };
    Some(match u16::try_from(port).ok()? {
        0 => Configured::Off,
        port => {
            let password = value.get(file.password_key).and_then(Value::as_str).map(str::to_owned);
            Configured::On { port, settings: RequestSettings { password, interval_ms: None } }
        }
    })
}

/// Decodes by the byte order mark. Without one it is UTF-8, or UTF-16 of Latin letters with its NUL bytes.
fn text(bytes: &[u8]) -> String {
    let units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.as_chunks::<2>().0.iter().map(|two| unit(*two)).filter(|unit| *unit != 0);
        char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => units(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] | rest => {
            let letters: Vec<u8> = rest.iter().copied().filter(|byte| *byte != 0).collect();
            String::from_utf8_lossy(&letters).into_owned()
        }
    }
}

/// Parses bytes as such a file. For mutation tests only.
#[doc(hidden)]
pub fn fuzz_request_file(data: &[u8]) {
    for file in gametape_games::GAMES.iter().filter_map(|game| game.rules.requests()?.file()) {
        if let Some(Configured::On { port, .. }) = parse(&file, data) {
            assert!(port > 0, "port 0 means off");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> RequestFile {
        gametape_games::acc::GAME.rules.requests().unwrap().file().unwrap()
    }

    fn on(port: u16, password: &str) -> Option<Configured> {
        let settings = RequestSettings { password: Some(password.into()), interval_ms: None };
        Some(Configured::On { port, settings })
    }

    const TEXT: &str =
        "{\n    \"updListenerPort\": 9000,\n    \"connectionPassword\": \"pä\",\n    \"commandPassword\": \"\"\n}";

    #[test]
    fn the_file_is_read_in_every_encoding_that_the_game_writes() {
        let utf_16: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let with_mark = [&[0xFF, 0xFE], utf_16.as_slice()].concat();
        assert_eq!(parse(&file(), &with_mark), on(9000, "pä"));
        assert_eq!(parse(&file(), &[with_mark.as_slice(), &[0, 0, 0]].concat()), on(9000, "pä"), "NULs at the end");
        let big: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(parse(&file(), &[&[0xFE, 0xFF], big.as_slice()].concat()), on(9000, "pä"));
        assert_eq!(parse(&file(), TEXT.as_bytes()), on(9000, "pä"));
        assert_eq!(parse(&file(), &[b"\xEF\xBB\xBF", TEXT.as_bytes()].concat()), on(9000, "pä"));
        let latin = TEXT.replace('ä', "a");
        let without_mark: Vec<u8> = latin.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(parse(&file(), &without_mark), on(9000, "pa"), "without a mark");
    }

    #[test]
    fn a_port_of_0_means_off_and_nonsense_means_nothing() {
        let of = |port: &str| parse(&file(), format!("{{\"updListenerPort\": {port}}}").as_bytes());
        assert_eq!(of("0"), Some(Configured::Off));
        assert_eq!(of("\"9001\"").map(|one| one != Configured::Off), Some(true));
        for wrong in ["-1", "65536", "null", "[]", "1.5", "\"x\""] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert_eq!(parse(&file(), b"{\"udpListenerPort\": 9000}"), None, "the game spells it in another way");
        for cut in 0..TEXT.len() {
            let _ = parse(&file(), TEXT.as_bytes().get(..cut).unwrap());
        }
        assert!(parse(&file(), b"").is_none() && parse(&file(), b"[1]").is_none() && parse(&file(), &[0xFF]).is_none());
    }

    #[test]
    fn it_is_looked_for_in_the_documents_of_the_game() {
        let all = candidates(&file());
        assert!(
            all.iter().all(|path| path.ends_with("Assetto Corsa Competizione/Config/broadcasting.json")),
            "{all:?}"
        );
    }
}
