//! Patterns for file names, such as `*.replay`.

use std::ffi::OsStr;

use super::error::WatchError;

/// A pattern for file names: `*` matches any number of characters, `?` matches one. Case is ignored, as on Windows, where these files
/// come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    letters: Vec<char>,
}

impl Pattern {
    /// Parses a pattern. Patterns apply to names only: an empty pattern, or one with a folder, is an error.
    pub fn new(text: &str) -> Result<Self, WatchError> {
        if text.is_empty() || text.contains(['/', '\\']) {
            return Err(WatchError::Pattern { pattern: text.into() });
        }
        Ok(Self::of_table(text))
    }

    /// Creates a pattern from a text of the table of games, which a test checks.
    pub(super) fn of_table(text: &str) -> Self {
        Self { text: text.into(), letters: text.chars().flat_map(char::to_lowercase).collect() }
    }

    /// Returns whether a name matches.
    pub fn fits(&self, name: &OsStr) -> bool {
        let name: Vec<char> = name.to_string_lossy().chars().flat_map(char::to_lowercase).collect();
        let (mut at, mut in_name) = (0, 0);
        // The position of the last `*`, and how far into the name it extends: backtracking to the last `*` is sufficient.
        let mut star: Option<(usize, usize)> = None;
        while let Some(letter) = name.get(in_name) {
            match self.letters.get(at) {
                Some('*') => {
                    star = Some((at, in_name));
                    at += 1;
                }
                Some(wanted) if *wanted == '?' || wanted == letter => {
                    at += 1;
                    in_name += 1;
                }
                _ => {
                    let Some((star_at, reach)) = star else { return false };
                    star = Some((star_at, reach + 1));
                    (at, in_name) = (star_at + 1, reach + 1);
                }
            }
        }
        self.letters.get(at..).unwrap_or_default().iter().all(|letter| *letter == '*')
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_in_any_case_of_letters() {
        for (pattern, fitting, others) in [
            (
                "*.replay",
                vec!["a.replay", "A.REPLAY", ".replay", "a.b.replay"],
                vec!["a.replay.tmp", "a.repla", "replay"],
            ),
            ("*", vec!["", "a", "ä.b"], vec![]),
            ("Match-*-R??.rec", vec!["match-2026-R01.rec", "Match--R12.REC"], vec!["Match-1-R1.rec", "Match-R01.rec"]),
            ("a?c", vec!["abc", "aäc"], vec!["ac", "abbc"]),
            ("*a*b*", vec!["ab", "xaxbx", "aab"], vec!["ba", "a"]),
        ] {
            let compiled = Pattern::new(pattern).unwrap();
            for name in fitting {
                assert!(compiled.fits(OsStr::new(name)), "{pattern} {name}");
            }
            for name in others {
                assert!(!compiled.fits(OsStr::new(name)), "{pattern} {name}");
            }
        }
    }

    #[test]
    fn a_pattern_that_tries_everything_is_still_quick() {
        let pattern = Pattern::new(&"*a".repeat(100)).unwrap();
        assert!(!pattern.fits(OsStr::new(&format!("{}b", "a".repeat(10_000)))));
    }

    #[test]
    fn a_pattern_is_for_names_alone() {
        for text in ["", "a/*.rec", "a\\b"] {
            assert!(matches!(Pattern::new(text), Err(WatchError::Pattern { .. })), "{text}");
        }
    }
}
