//! Identifies the match of a `/session` response.

use super::fields::{Fields, text_value};

/// What a response says about its match. Fields are `None` if missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFacts {
    /// Match id.
    pub session_id: Option<String>,
    /// `mpl_arena_a`, …
    pub map_name: Option<String>,
    /// `Echo_Arena`, `Echo_Combat`, …
    pub match_type: Option<String>,
    /// Name of the local player.
    pub client_name: Option<String>,
    /// Error code that the game sent instead of a match.
    pub err_code: Option<i64>,
}

impl SessionFacts {
    /// Parses a response.
    #[must_use]
    pub fn read(answer: &[u8]) -> Self {
        let mut facts = Self::default();
        for (key, value) in Fields::of(answer) {
            let text = || text_value(value).filter(|text| !text.is_empty());
            match key {
                b"sessionid" => facts.session_id = text(),
                b"map_name" => facts.map_name = text(),
                b"match_type" => facts.match_type = text(),
                b"client_name" => facts.client_name = text(),
                b"err_code" => facts.err_code = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()),
                _ => {}
            }
        }
        facts
    }
}

/// Returns the match id. Tries the offset of the previous response, `hint`, before it searches the response.
#[must_use]
pub fn session_id<'a>(answer: &'a [u8], hint: &mut usize) -> Option<&'a [u8]> {
    const KEY: &[u8] = b"\"sessionid\":\"";
    let at = |place: usize| answer.get(place..).filter(|rest| rest.starts_with(KEY));
    let rest = match at(*hint) {
        Some(rest) => rest,
        None => {
            let value = Fields::find(answer, "sessionid")?;
            let start = value.as_ptr() as usize - answer.as_ptr() as usize;
            *hint = start.saturating_sub(KEY.len() - 1);
            return value.strip_prefix(b"\"")?.strip_suffix(b"\"");
        }
    };
    let id = rest.get(KEY.len()..)?;
    let end = id.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    id.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] = b"{\"disc\":{\"sessionid\":\"no\"},\"sessionid\":\"0C087AF1\",\"map_name\":\"mpl_arena_a\",\"match_type\":\"\",\"err_code\":-6}";

    #[test]
    fn a_match_is_known_by_its_answer() {
        let facts = SessionFacts::read(ANSWER);
        assert_eq!(facts.session_id.as_deref(), Some("0C087AF1"));
        assert_eq!(
            (facts.map_name.as_deref(), facts.match_type, facts.err_code),
            (Some("mpl_arena_a"), None, Some(-6))
        );
    }

    #[test]
    fn the_id_is_found_with_and_without_a_hint() {
        let mut hint = 0;
        assert_eq!(session_id(ANSWER, &mut hint), Some(&b"0C087AF1"[..]));
        assert_eq!(hint, 27);
        assert_eq!(session_id(ANSWER, &mut hint), Some(&b"0C087AF1"[..]));
        assert_eq!(session_id(b"{}", &mut hint), None);
        assert_eq!(session_id(b"{\"sessionid\" : \"A\"}", &mut hint), Some(&b"A"[..]));
    }
}
