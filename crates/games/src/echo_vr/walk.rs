//! A single-pass JSON cursor that returns slices of the text: it builds nothing and reads nothing twice. Accepts any
//! bytes; traversal ends at the first syntax error.

/// A position in a JSON text. Each method consumes the next element and returns `None` on a syntax error.
#[derive(Debug, Clone)]
pub(super) struct Walk<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Walk<'a> {
    /// Creates a cursor at the first value.
    pub(super) fn of(text: &'a [u8]) -> Self {
        let mut walk = Self { text, at: 0 };
        walk.skip_spaces();
        walk
    }

    /// Enters an object: `field` is called with each key and must consume the value. Any other value is skipped.
    #[inline]
    pub(super) fn object(&mut self, mut field: impl FnMut(&mut Self, &'a [u8]) -> Option<()>) -> Option<()> {
        if !self.enter(b'{') {
            return self.value().map(|_| ());
        }
        while !self.leave(b'}')? {
            let key = self.key()?;
            field(self, key)?;
        }
        Some(())
    }

    /// Enters an array: `item` must consume each value. Any other value is skipped.
    #[inline]
    pub(super) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if !self.enter(b'[') {
            return self.value().map(|_| ());
        }
        while !self.leave(b']')? {
            item(self)?;
        }
        Some(())
    }

    /// Consumes the opening bracket, if it is next.
    pub(super) fn enter(&mut self, bracket: u8) -> bool {
        let entered = self.text.get(self.at) == Some(&bracket);
        self.at += usize::from(entered);
        entered
    }

    /// Moves to the next element of an object or array and returns `false`, or consumes the closing bracket and returns
    /// `true`.
    pub(super) fn leave(&mut self, bracket: u8) -> Option<bool> {
        if self.skip_spaces()? == b',' {
            self.at += 1;
            self.skip_spaces()?;
        }
        Some(self.enter(bracket))
    }

    /// Consumes a key and the colon after it.
    #[inline]
    pub(super) fn key(&mut self) -> Option<&'a [u8]> {
        if self.text.get(self.at) != Some(&b'"') {
            return None;
        }
        let key = self.string()?;
        if self.skip_spaces()? != b':' {
            return None;
        }
        self.at += 1;
        self.skip_spaces()?;
        Some(key)
    }

    /// Consumes a whole value of any kind.
    pub(super) fn value(&mut self) -> Option<&'a [u8]> {
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

    #[inline]
    fn skip_spaces(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.get(self.at)?;
            if !byte.is_ascii_whitespace() {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Consumes a string; its opening quote must be next.
    #[inline]
    fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at + 1;
        let length = string_length(self.text.get(start..)?)?;
        self.at = start + length + 1;
        self.text.get(start..start + length)
    }
}

/// Returns the number of bytes before the closing quote.
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

/// Returns the length of the object or array at the start of `text`, including its closing bracket. Depth is counted
/// instead of recursing, so nesting is unlimited.
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

/// Returns the number of leading bytes that are neither quote nor bracket, checked eight at a time: responses mostly
/// consist of arrays of numbers.
#[inline]
fn plain_length(text: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    // All brackets and braces become 0x7f when these bits are set. So do `Y`, `_`, `y` and 0x7f, which is harmless.
    const ALIKE: u64 = ONES * 0x26;
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut length = 0;
    for word in text.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*word);
        let found = has_zero((word | ALIKE) ^ (ONES * 0x7f)) | has_zero(word ^ (ONES * u64::from(b'"')));
        if found != 0 {
            // The lowest match is exact; those above it may be false positives.
            return length + (found.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Collects the keys of all levels, with the values that are neither object nor array.
    fn leaves(text: &str) -> (Vec<String>, bool) {
        fn step(walk: &mut Walk<'_>, path: &str, found: &mut Vec<String>) -> Option<()> {
            match walk.text.get(walk.at)? {
                b'{' => walk.object(|walk, key| step(walk, &format!("{path}.{}", String::from_utf8_lossy(key)), found)),
                b'[' => walk.list(|walk| step(walk, &format!("{path}[]"), found)),
                _ => {
                    let value = walk.value()?;
                    found.push(format!("{path}={}", String::from_utf8_lossy(value)));
                    Some(())
                }
            }
        }
        let mut found = Vec::new();
        let whole = step(&mut Walk::of(text.as_bytes()), "", &mut found).is_some();
        (found, whole)
    }

    #[test]
    fn every_level_is_walked_once_and_in_order() {
        let (found, whole) = leaves(" { \"a\" : 1.50, \"b\":{\"c\":[1,{\"d\":\"}]\"}, [] ]},\n\"e\":\"x\\\"y\"}");
        assert_eq!(found, [".a=1.50", ".b.c[]=1", ".b.c[].d=\"}]\"", ".e=\"x\\\"y\""]);
        assert!(whole);
    }

    #[test]
    fn a_syntax_error_ends_the_walk_after_the_values_before_it() {
        for (text, seen) in [
            ("", 0),
            ("{\"a\":1", 1),
            ("{\"a\":1,\"b\":[1,2", 3),
            ("{\"a\":1,b:2}", 1),
            ("{\"a\":{\"b\":1,}x", 1),
            ("{\"a\":,", 0),
        ] {
            let (found, whole) = leaves(text);
            assert_eq!((found.len(), whole), (seen, false), "{text}");
        }
    }

    #[test]
    fn what_is_neither_object_nor_list_is_stepped_over() {
        let mut walk = Walk::of(b"{\"a\":1,\"b\":2}");
        let mut keys = 0;
        let whole = walk.object(|walk, _| {
            keys += 1;
            walk.list(|_| None)
        });
        assert_eq!((whole, keys), (Some(()), 2));
    }
}
