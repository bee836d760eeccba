//! Iterates over one level of a JSON object or array, as slices of its text. Accepts any bytes; iteration ends at the
//! first syntax error.

use super::walk::Walk;

/// The fields of an object: keys without quotes, values as spelled in the text.
#[derive(Debug, Clone)]
pub struct Fields<'a>(Option<Walk<'a>>);

impl<'a> Fields<'a> {
    /// Iterates over the object at the start of `text`. Empty if there is none.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        Self(inside(text, b'{'))
    }

    /// Returns the value of a key of the object at the start of `text`.
    #[must_use]
    pub fn find(text: &'a [u8], key: &str) -> Option<&'a [u8]> {
        Self::of(text).find_map(|(found, value)| (found == key.as_bytes()).then_some(value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        next_of(&mut self.0, b'}', |walk| Some((walk.key()?, walk.value()?)))
    }
}

/// The items of an array, as spelled in the text.
#[derive(Debug, Clone)]
pub struct Items<'a>(Option<Walk<'a>>);

impl<'a> Items<'a> {
    /// Iterates over the array at the start of `text`. Empty if there is none.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        Self(inside(text, b'['))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        next_of(&mut self.0, b']', Walk::value)
    }
}

/// Enters the object or array at the start of `text`, if it begins with this bracket.
fn inside(text: &[u8], bracket: u8) -> Option<Walk<'_>> {
    let mut walk = Walk::of(text);
    walk.enter(bracket).then_some(walk)
}

/// Returns the next element before the closing bracket. Returns `None` forever after the bracket or a syntax error.
fn next_of<'a, T>(
    place: &mut Option<Walk<'a>>,
    bracket: u8,
    step: impl FnOnce(&mut Walk<'a>) -> Option<T>,
) -> Option<T> {
    let walk = place.as_mut()?;
    let found = match walk.leave(bracket) {
        Some(false) => step(walk),
        _ => None,
    };
    if found.is_none() {
        *place = None;
    }
    found
}

/// Decodes a JSON string. Escapes are resolved; invalid ones are kept as they are.
#[must_use]
pub fn text_value(value: &[u8]) -> Option<String> {
    let inner = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let inner = String::from_utf8_lossy(inner);
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(char) = rest.next() {
        match (char, char == '\\') {
            (char, false) => out.push(char),
            _ => match rest.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('u') => out.push(escaped(&mut rest).unwrap_or(char::REPLACEMENT_CHARACTER)),
                Some(other) => out.push(other),
                None => {}
            },
        }
    }
    Some(out)
}

/// Decodes the character of a `\u` escape, whose digits start at `rest`: four digits, or twice four for a surrogate
/// pair.
fn escaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let four = |rest: &mut std::str::Chars<'_>| {
        rest.by_ref().take(4).try_fold(0, |value, digit| Some((value << 4) | digit.to_digit(16)?))
    };
    let first = four(rest)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    let mut ahead = rest.clone();
    if (ahead.next(), ahead.next()) != (Some('\\'), Some('u')) {
        return None;
    }
    let second = four(&mut ahead).filter(|second| (0xdc00..0xe000).contains(second))?;
    *rest = ahead;
    char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<(String, String)> {
        let text_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Fields::of(text.as_bytes()).map(|(key, value)| (text_of(key), text_of(value))).collect()
    }

    #[test]
    fn fields_of_one_level_are_found_with_their_spelling() {
        let found = list(" { \"a\" : 1.50, \"b\":{\"c\":[1,{\"d\":\"}]\"}]},\n\"e\":\"x\\\"y\",\"f\":true}");
        let expected = [("a", "1.50"), ("b", "{\"c\":[1,{\"d\":\"}]\"}]}"), ("e", "\"x\\\"y\""), ("f", "true")];
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
        assert_eq!(Fields::find(b"{\"a\":{\"b\":1},\"b\":2}", "b"), Some(&b"2"[..]));
    }

    #[test]
    fn what_is_broken_ends_early() {
        for text in ["", "[1]", "{", "{\"a\"", "{\"a\":", "{a:1}", "{\"a\":[1,2", "<html>", "{\"a\":,"] {
            assert_eq!(list(text), [], "{text}");
        }
        assert_eq!(list("{\"a\":1,\"b\":[").len(), 1);
    }

    #[test]
    fn a_hundred_thousand_levels_are_no_problem() {
        let deep = format!("{{\"a\":{}{},\"b\":1}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(list(&deep).len(), 2);
    }

    #[test]
    fn escapes_in_texts_are_resolved() {
        assert_eq!(text_value(b"\"a\\u00e9\\n\\\"\\\\\"").as_deref(), Some("a\u{e9}\n\"\\"));
        assert_eq!(text_value(b"\"\\ud83d\\ude00!\"").as_deref(), Some("\u{1f600}!"));
        for broken in ["\\ud83d", "\\ud83dx", "\\ude00", "\\uzzzz"] {
            let text = text_value(format!("\"{broken}\"").as_bytes()).unwrap();
            assert!(text.starts_with(char::REPLACEMENT_CHARACTER), "{broken} {text}");
        }
        assert_eq!(text_value(b"\"\\ud83d\\n\"").as_deref(), Some("\u{fffd}\n"), "what is behind a half stays");
        assert_eq!(text_value(b"1"), None);
    }
}
