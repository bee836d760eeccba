//! Decodes text as games write it. Invalid bytes become U+FFFD or a control character, never an error.

use std::fmt::{self, Debug, Display, Write as _};

use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

/// A UTF-16LE text field of `N` code units, NUL-padded. `to_string()` returns the text before the first NUL.
#[derive(Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub struct Utf16<const N: usize>(pub [u16; N]);

impl<const N: usize> Utf16<N> {
    /// Encodes `text`, truncated at a character boundary if it is too long. The last unit stays NUL.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut units = [0; N];
        let mut end = 0;
        for letter in text.chars() {
            let next = end + letter.len_utf16();
            let Some(place) = units.get_mut(end..next).filter(|_| next < N) else { break };
            letter.encode_utf16(place);
            end = next;
        }
        Self(units)
    }

    /// Returns whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.first().is_none_or(|unit| *unit == 0)
    }
}

impl<const N: usize> Default for Utf16<N> {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl<const N: usize> Display for Utf16<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = self.0.iter().copied().take_while(|unit| *unit != 0);
        char::decode_utf16(units).try_for_each(|unit| out.write_char(unit.unwrap_or(char::REPLACEMENT_CHARACTER)))
    }
}

impl<const N: usize> Debug for Utf16<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.to_string())
    }
}

/// A byte text field of `N` bytes, NUL-padded. `to_string()` returns the text before the first NUL, see [`char_text`].
#[derive(Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub struct Chars<const N: usize>(pub [u8; N]);

impl<const N: usize> Chars<N> {
    /// Encodes `text` as UTF-8, truncated at a character boundary if it is too long. The last byte stays NUL.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut bytes = [0; N];
        let mut end = 0;
        for letter in text.chars() {
            let next = end + letter.len_utf8();
            let Some(place) = bytes.get_mut(end..next).filter(|_| next < N) else { break };
            letter.encode_utf8(place);
            end = next;
        }
        Self(bytes)
    }

    /// Returns whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        chars(&self.0).is_empty()
    }
}

impl<const N: usize> Default for Chars<N> {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl<const N: usize> Display for Chars<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&char_text(&self.0))
    }
}

impl<const N: usize> Debug for Chars<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.to_string())
    }
}

/// Returns the bytes before the first NUL, or all of them.
pub(crate) fn chars(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Decodes a NUL-padded byte array up to the first NUL or the end. Bytes that are not valid UTF-8 are decoded as
/// Windows-1252: games do not declare which of the two they use.
#[must_use]
pub fn char_text(bytes: &[u8]) -> String {
    let bytes = chars(bytes);
    std::str::from_utf8(bytes).map_or_else(|_| windows_1252_text(bytes), str::to_owned)
}

/// Windows-1252 characters for 0x80..=0x9F, the range that differs from Latin-1. As in browsers, the five undefined
/// bytes map to the control characters of the same number, so that nothing is lost.
const WINDOWS_1252_HIGH: [char; 32] = [
    '\u{20AC}', '\u{0081}', '\u{201A}', '\u{0192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}', // 80..87
    '\u{02C6}', '\u{2030}', '\u{0160}', '\u{2039}', '\u{0152}', '\u{008D}', '\u{017D}', '\u{008F}', // 88..8F
    '\u{0090}', '\u{2018}', '\u{2019}', '\u{201C}', '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}', // 90..97
    '\u{02DC}', '\u{2122}', '\u{0161}', '\u{203A}', '\u{0153}', '\u{009D}', '\u{017E}', '\u{0178}', // 98..9F
];

/// Decodes a NUL-padded UTF-16LE array up to the first NUL or the end. A lone surrogate becomes U+FFFD; an odd last
/// byte is ignored.
#[must_use]
pub fn utf16le_text(bytes: &[u8]) -> String {
    let (pairs, _odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).take_while(|unit| *unit != 0);
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Decodes all bytes as Windows-1252. NUL does not end the text.
#[must_use]
pub fn windows_1252_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| windows_1252_char(*byte)).collect()
}

fn windows_1252_char(byte: u8) -> char {
    match byte {
        0x80..=0x9F => WINDOWS_1252_HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or(char::from(byte)),
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_text_ends_at_the_first_nul() {
        assert_eq!(utf16le_text(b"1\0:\0\xE9\0\0\0x\0"), "1:é");
        assert_eq!(utf16le_text(b"a\0b\0c"), "ab");
        assert_eq!(utf16le_text(b""), "");
    }

    #[test]
    fn utf16_surrogates_pair_up_and_lone_ones_are_replaced() {
        assert_eq!(utf16le_text(&[0x3C, 0xD8, 0xC1, 0xDF]), "\u{1F3C1}");
        assert_eq!(utf16le_text(&[0x3C, 0xD8, 0x41, 0x00]), "\u{FFFD}A");
    }

    #[test]
    fn text_arrays_keep_whole_letters_and_a_nul() {
        assert_eq!(Utf16::<5>::new("Spà").to_string(), "Spà");
        assert_eq!(Utf16::<5>::new("Monza"), Utf16([77, 111, 110, 122, 0]));
        assert_eq!(Utf16::<3>::new("a\u{1F3C1}").to_string(), "a");
        assert_eq!(Utf16::<4>::new("a\u{1F3C1}").to_string(), "a\u{1F3C1}");
        assert!(Utf16::<0>::new("a").is_empty() && Utf16::<1>::new("a").is_empty());
        assert_eq!(format!("{} {:?}", Utf16([65, 0xD800, 66]), Utf16([0, 66])), "A\u{FFFD}B \"\"");
    }

    #[test]
    fn text_of_bytes_is_utf_8_or_else_windows_1252() {
        assert_eq!(char_text(b"Spa\0old"), "Spa");
        assert_eq!(char_text("Nürburg".as_bytes()), "Nürburg");
        assert_eq!(char_text(b"N\xFCrburg"), "Nürburg");
        assert_eq!((Chars::<4>::new("Monza"), Chars::<4>::new("Noé")), (Chars(*b"Mon\0"), Chars(*b"No\0\0")));
        assert!(Chars::<0>::new("a").is_empty() && Chars::<1>::new("a").is_empty() && !Chars::<2>::new("a").is_empty());
        assert_eq!(format!("{} {:?}", Chars(*b"ab"), Chars(*b"\0b")), "ab \"\"");
    }

    #[test]
    fn windows_1252_differs_from_latin_1_where_it_should() {
        assert_eq!(windows_1252_text(&[0x80, 0x8A, 0x9F, 0xE9, b'A']), "€ŠŸéA");
        assert_eq!(windows_1252_text(&[0x81, 0x8D, 0x8F, 0x90, 0x9D]), "\u{81}\u{8D}\u{8F}\u{90}\u{9D}");
    }

    #[test]
    fn windows_1252_gives_every_byte_its_own_character() {
        let every: Vec<u8> = (0..=255).collect();
        let mut chars: Vec<char> = windows_1252_text(&every).chars().collect();
        chars.sort_unstable();
        chars.dedup();
        assert_eq!(chars.len(), 256);
    }
}
