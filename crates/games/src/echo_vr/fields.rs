//! Keys and values of a JSON object, one level of it, as places in its text. Takes any bytes; what is broken ends early.

/// The fields of an object: keys without quotes, values as they are spelled.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    /// The fields of the object that `text` begins with. Without one there are none.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        let at = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
        let at = if text.get(at) == Some(&b'{') { at + 1 } else { text.len() };
        Self { text, at }
    }

    /// The value of a key of the object that `text` begins with.
    #[must_use]
    pub fn find(text: &'a [u8], key: &str) -> Option<&'a [u8]> {
        Self::of(text).find_map(|(found, value)| (found == key.as_bytes()).then_some(value))
    }

    fn skip_spaces(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.text.get(self.at).copied()
    }

    /// The bytes of a string whose opening quote is next.
    fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at + 1;
        let length = string_length(self.text.get(start..)?)?;
        self.at = start + length + 1;
        self.text.get(start..start + length)
    }

    /// A whole value, whatever it is.
    fn value(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        match self.text.get(start)? {
            b'"' => {
                self.string()?;
            }
            b'{' | b'[' => self.at = start + nested_length(self.text.get(start..)?)?,
            _ => {
                let rest = self.text.get(start..)?;
                let end = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                self.at = start + rest.iter().position(end).unwrap_or(rest.len());
            }
        }
        self.text.get(start..self.at).filter(|value| !value.is_empty())
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let mut next = || {
            if self.skip_spaces()? == b',' {
                self.at += 1;
                self.skip_spaces()?;
            }
            if self.text.get(self.at) != Some(&b'"') {
                return None;
            }
            let key = self.string()?;
            if self.skip_spaces()? != b':' {
                return None;
            }
            self.at += 1;
            self.skip_spaces()?;
            Some((key, self.value()?))
        };
        let found = next();
        if found.is_none() {
            self.at = self.text.len();
        }
        found
    }
}

/// The items of a list, as they are spelled.
#[derive(Debug, Clone)]
pub struct Items<'a>(Fields<'a>);

impl<'a> Items<'a> {
    /// The items of the list that `text` begins with. Without one there are none.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        let at = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
        let at = if text.get(at) == Some(&b'[') { at + 1 } else { text.len() };
        Self(Fields { text, at })
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        let mut next = || {
            if self.0.skip_spaces()? == b',' {
                self.0.at += 1;
                self.0.skip_spaces()?;
            }
            self.0.value()
        };
        let found = next();
        if found.is_none() {
            self.0.at = self.0.text.len();
        }
        found
    }
}

/// Bytes before the quote that ends a string.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Bytes of the object or list that `text` begins with, its end included. Depth is counted, so that nothing is too deep.
fn nested_length(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0u32);
    loop {
        at += plain_length(text.get(at..)?);
        match text.get(at)? {
            b'"' => at += 1 + string_length(text.get(at + 1..)?)?,
            b'{' | b'[' => depth = depth.checked_add(1)?,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Bytes at the start that are neither quote nor bracket, as far as eight at a time tell: answers are lists of numbers for the most part.
#[inline]
fn plain_length(text: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    // Brackets and braces of both sides are 0x7f with these bits set; so are `Y`, `_`, `y` and 0x7f, which do no harm.
    const ALIKE: u64 = ONES * 0x26;
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut length = 0;
    for word in text.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*word);
        let found = has_zero((word | ALIKE) ^ (ONES * 0x7f)) | has_zero(word ^ (ONES * u64::from(b'"')));
        if found != 0 {
            // The lowest mark is right, marks above it need not be.
            return length + (found.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    length
}

/// The text of a JSON string. Escapes are resolved; what is none is left as it is.
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
                Some('u') => {
                    let digits: String = rest.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).ok();
                    out.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Some(other) => out.push(other),
                None => {}
            },
        }
    }
    Some(out)
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
    fn quotes_and_brackets_are_found_at_every_place() {
        for ahead in 0..20 {
            for (byte, found) in [(b'"', true), (b'[', true), (b']', true), (b'{', true), (b'}', true), (b'0', false)] {
                let mut text = vec![b'1'; ahead];
                text.extend_from_slice(&[byte, b'[', 0xff, b'2', b'3', b'4', b'5', b'6', b'7']);
                let length = plain_length(&text);
                assert!(length <= ahead || !found, "{ahead} {}", byte as char);
                assert!(text[..length].iter().all(|byte| !b"\"[]{}".contains(byte)), "{ahead} {}", byte as char);
            }
        }
    }

    #[test]
    fn a_hundred_thousand_levels_are_no_problem() {
        let deep = format!("{{\"a\":{}{},\"b\":1}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(list(&deep).len(), 2);
    }

    #[test]
    fn escapes_in_texts_are_resolved() {
        assert_eq!(text_value(b"\"a\\u00e9\\n\\\"\\\\\"").as_deref(), Some("a\u{e9}\n\"\\"));
        assert_eq!(text_value(b"1"), None);
    }
}
