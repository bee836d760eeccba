//! Classifies responses to `/session`: a match, a reason why there is none, or something that is not from the game.

use super::facts::session_id;
use super::fields::Fields;

/// The game's API is switched off.
pub const API_DISABLED: i64 = -2;
/// The player is in the lobby, not in a match.
pub const IN_LOBBY: i64 = -6;

/// The class of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The state of a match.
    Match,
    /// No match; the game gives the reason as a number.
    Refused {
        /// [`API_DISABLED`], [`IN_LOBBY`], or another code.
        err_code: i64,
    },
    /// A JSON object that is neither.
    Other,
    /// Not a complete JSON object: sent during loading screens, or by another program.
    NoJson,
}

impl Answer {
    /// Classifies a response. `hint` is the offset of the match id in the previous response.
    #[must_use]
    pub fn of(body: &[u8], hint: &mut usize) -> Self {
        if !is_object(body) {
            return Self::NoJson;
        }
        if session_id(body, hint).is_some_and(|id| !id.is_empty()) {
            return Self::Match;
        }
        let code = Fields::find(body, "err_code").and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
        match code {
            Some(err_code) if err_code != 0 => Self::Refused { err_code },
            _ => Self::Other,
        }
    }
}

/// Returns whether the bytes begin and end like a JSON object. Truncated ones do not.
#[must_use]
pub fn is_object(body: &[u8]) -> bool {
    let body = body.trim_ascii();
    body.len() >= 2 && body.starts_with(b"{") && body.ends_with(b"}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_refusals_and_loading_screens_are_told_apart() {
        for (body, expected) in [
            ("{\"sessionid\":\"A\",\"err_code\":0}", Answer::Match),
            ("{\"err_code\":-2,\"err_description\":\"off\"}", Answer::Refused { err_code: API_DISABLED }),
            (" {\"sessionid\":\"\",\"err_code\":-6}\r\n", Answer::Refused { err_code: IN_LOBBY }),
            ("{\"err_code\":0}", Answer::Other),
            ("{}", Answer::Other),
            ("<html>loading</html>", Answer::NoJson),
            ("{\"sessionid\":\"A\",\"teams\":[", Answer::NoJson),
            ("", Answer::NoJson),
            ("}", Answer::NoJson),
        ] {
            assert_eq!(Answer::of(body.as_bytes(), &mut 0), expected, "{body}");
        }
    }
}
