//! Chooses how the values at one position of a skeleton are stored, and converts them to columns.

use std::collections::HashMap;
use std::ops::Range;

use super::decimal::Decimal;
use super::float::{Grid, Spelling};
use super::kind::{Kind, PATTERN_BYTES, runs_of, trimmed};
use super::shape::Token;

/// A number with more decimal places than this is tried as a float first: numbers with few places were not floats.
const FEW_PLACES: u32 = 4;
/// With more decimal places, steps of 10^−places do not fit into 8 bytes.
const MOST_DECIMAL_PLACES: u32 = 12;
/// Up to this many distinct texts are cheaper as a table than as a pattern.
const FEW_TEXTS: usize = 8;
/// The number of samples from which the kind of the others is guessed.
const SAMPLES: usize = 32;
/// The maximum number of digit runs in a pattern.
const MOST_RUNS: usize = 8;

const GRIDS: [Grid; 2] = [Grid { power: 3, divide: false }, Grid { power: 3, divide: true }];
const SPELLINGS: [Spelling; 5] = [
    Spelling { digits: 8, padded: false },
    Spelling { digits: 8, padded: true },
    Spelling { digits: 9, padded: false },
    Spelling { digits: 7, padded: false },
    Spelling { digits: 6, padded: false },
];

/// The values at one position, in all rows.
#[derive(Debug, Default)]
pub(crate) struct Values {
    /// One value per row.
    pub(crate) tokens: Vec<Token>,
    /// The columns of the chosen kind, back to back, as bit patterns.
    pub(crate) columns: Vec<u64>,
    /// Bytes of texts and patterns.
    pub(crate) texts: Vec<u8>,
}

impl Values {
    /// Whether all rows have the same bytes here.
    pub(crate) fn is_constant(&self, data: &[u8]) -> bool {
        let Some(first) = self.tokens.first() else { return true };
        let same = |token: &Token| {
            token == first
                || (token.decimal().is_none() && first.decimal().is_none() && token.bytes(data) == first.bytes(data))
        };
        self.tokens.iter().all(same)
    }

    /// Chooses a kind and fills `columns`. With `trust`, only a sample of the floats is compared with its textual form;
    /// the caller then has to render and compare the rows.
    pub(crate) fn choose(&mut self, data: &[u8], trust: bool) -> Kind {
        self.columns.clear();
        self.texts.clear();
        let numbers = self.tokens.iter().all(|token| token.decimal().is_some());
        if numbers && let Some(kind) = self.number(trust) {
            return kind;
        }
        if !numbers && let Some(kind) = self.pattern(data) {
            return kind;
        }
        self.distinct(data)
    }

    fn number(&mut self, trust: bool) -> Option<Kind> {
        let plain = self.decimals().all(Decimal::is_plain);
        let most = self.decimals().map(Decimal::places).max()?;
        let least = self.decimals().map(Decimal::places).min()?;
        if plain && most == 0 && self.fill(|spelled| Some(spelled.mantissa as u64)) {
            return Some(Kind::Integer { wide: self.is_wide() });
        }
        if plain
            && most <= FEW_PLACES
            && let Some(kind) = self.steps(most, least)
        {
            return Some(kind);
        }
        for grid in GRIDS {
            let read = |spelled| grid.read(spelled).map(|steps| steps as u32 as u64);
            let guess = |spelled| Some(grid.guess(spelled) as u32 as u64);
            if plain && (if trust { self.samples(read) && self.fill(guess) } else { self.fill(read) }) {
                return Some(Kind::Grid(grid));
            }
        }
        for spelling in SPELLINGS {
            let read = |spelled| spelling.read(spelled).map(|value| u64::from(value.to_bits()));
            let guess = |spelled| Some(u64::from(Spelling::guess(spelled).to_bits()));
            if if trust { self.samples(read) && self.fill(guess) } else { self.fill(read) } {
                return Some(Kind::Float(spelling));
            }
        }
        if plain && let Some(kind) = self.steps(most, least) {
            return Some(kind);
        }
        self.columns.clear();
        self.columns.extend(self.tokens.iter().map(|token| token.number as u64));
        self.columns.extend(self.tokens.iter().map(|token| u64::from(token.code)));
        Some(Kind::Spelled)
    }

    /// Tries numbers with at most `most` decimal places as multiples of the smallest step.
    fn steps(&mut self, most: u32, least: u32) -> Option<Kind> {
        if most > MOST_DECIMAL_PLACES {
            return None;
        }
        let fixed = most == least;
        let scaled = |spelled: Decimal| -> Option<u64> {
            let value = spelled.mantissa.checked_mul(10i64.checked_pow(most - spelled.places())?)?;
            let again = if fixed { Decimal::plain(value, most) } else { trimmed(value, most)? };
            (again == spelled).then_some(value as u64)
        };
        self.fill(scaled).then(|| Kind::Decimal { wide: self.is_wide(), places: most as u8, fixed })
    }

    fn decimals(&self) -> impl Iterator<Item = Decimal> {
        self.tokens.iter().filter_map(|token| token.decimal())
    }

    /// Whether a sample of the numbers is of this kind.
    fn samples(&self, value: impl Fn(Decimal) -> Option<u64>) -> bool {
        let every = self.tokens.len() / SAMPLES + 1;
        self.decimals().step_by(every).all(|spelled| value(spelled).is_some())
    }

    /// Fills the column with the converted numbers; `false` if one is not of this kind.
    #[inline]
    fn fill(&mut self, value: impl Fn(Decimal) -> Option<u64>) -> bool {
        self.columns.clear();
        let Self { tokens, columns, .. } = self;
        // Repeated values are common, and a comparison is cheaper than a conversion.
        let mut last: Option<(Token, u64)> = None;
        for token in tokens.iter() {
            let known = last.filter(|(of, _)| of == token).map(|(_, value)| value);
            let Some(found) = known.or_else(|| token.decimal().and_then(&value)) else { return false };
            last = Some((*token, found));
            columns.push(found);
        }
        true
    }

    /// Whether a value of the column needs 8 bytes.
    fn is_wide(&self) -> bool {
        self.columns.iter().any(|value| i32::try_from(*value as i64).is_err())
    }

    /// Tries texts of one length that differ only in digits, such as a clock.
    fn pattern(&mut self, data: &[u8]) -> Option<Kind> {
        let first = self.tokens.first().filter(|token| token.decimal().is_none())?.bytes(data);
        let alike = |text: &[u8]| {
            text.len() == first.len()
                && text.iter().zip(first).all(|(a, b)| a == b || (a.is_ascii_digit() && b.is_ascii_digit()))
        };
        let changes = self.tokens.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
        if first.len() > PATTERN_BYTES || changes < FEW_TEXTS {
            return None;
        }
        if !self.tokens.iter().all(|token| token.decimal().is_none() && alike(token.bytes(data))) {
            return None;
        }
        let runs = runs_of(first);
        if runs.len() > MOST_RUNS {
            return None;
        }
        for run in &runs {
            let digits = usize::from(run.start)..usize::from(run.end);
            self.columns.extend(self.tokens.iter().map(|token| {
                let digits = token.bytes(data).get(digits.clone()).unwrap_or_default();
                digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'))
            }));
        }
        self.texts.extend(first.iter().map(|byte| if byte.is_ascii_digit() { b'0' } else { *byte }));
        Some(Kind::Pattern { text: 0..self.texts.len() as u32, runs })
    }

    /// Stores each distinct text once, and an index for each row.
    fn distinct(&mut self, data: &[u8]) -> Kind {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let mut known: HashMap<Vec<u8>, u64> = HashMap::new();
        let mut last: Option<(Token, u64)> = None;
        let mut spelled = Vec::new();
        self.columns.clear();
        for token in &self.tokens {
            if let Some((_, number)) = last.filter(|(of, _)| of == token) {
                self.columns.push(number);
                continue;
            }
            let text = match token.decimal() {
                Some(decimal) => {
                    spelled.clear();
                    decimal.write(&mut spelled);
                    spelled.as_slice()
                }
                None => token.bytes(data),
            };
            let number = match known.get(text) {
                Some(number) => *number,
                None => {
                    let start = self.texts.len() as u32;
                    self.texts.extend_from_slice(text);
                    ranges.push(start..self.texts.len() as u32);
                    known.insert(text.to_vec(), ranges.len() as u64 - 1);
                    ranges.len() as u64 - 1
                }
            };
            last = Some((*token, number));
            self.columns.push(number);
        }
        Kind::Texts(ranges)
    }
}
