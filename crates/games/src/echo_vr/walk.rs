//! One way through a JSON text, as places in it: nothing is built, nothing is read twice. Takes any bytes; what is broken ends the way.

/// A place in a JSON text. Each step takes what is next and stands behind it; `None` if the text is broken there.
#[derive(Debug, Clone)]
pub(super) struct Walk<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Walk<'a> {
    /// Stands before the first value.
    pub(super) fn of(text: &'a [u8]) -> Self {
        let mut walk = Self { text, at: 0 };
        walk.skip_spaces();
        walk
    }

    /// Goes into an object: `field` gets each key and takes the value that stands behind it. Anything else is one step and has no fields.
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

    /// Goes into a list: `item` takes each value of it. Anything else is one step and has no items.
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

    /// Stands behind the bracket that is next, if it is this one.
    pub(super) fn enter(&mut self, bracket: u8) -> bool {
        let entered = self.text.get(self.at) == Some(&bracket);
        self.at += usize::from(entered);
        entered
    }

    /// Stands before what comes next in an object or a list, or behind the bracket that ends it: then it is left.
    pub(super) fn leave(&mut self, bracket: u8) -> Option<bool> {
        if self.skip_spaces()? == b',' {
            self.at += 1;
            self.skip_spaces()?;
        }
        Some(self.enter(bracket))
    }

    /// A key and the colon behind it.
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

    /// A whole value, whatever it is.
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

    /// The bytes of a string whose opening quote is next.
    #[inline]
    fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at + 1;
        let length = string_length(self.text.get(start..)?)?;
        self.at = start + length + 1;
        self.text.get(start..start + length)
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

    /// Keys on all levels with the values of those that are neither object nor list.
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
    fn what_is_broken_ends_the_way_and_what_stood_before_it_was_seen() {
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
