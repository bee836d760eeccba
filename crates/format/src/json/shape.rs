//! The skeletons of a block's frames, and the values of each frame.

use std::collections::HashMap;

use super::decimal::{Decimal, NO_DECIMAL};
use super::split::{Class, Values, text_length, word_length};
use super::template::MOST_VALUES;

/// The maximum number of values in a block; frames beyond it are stored verbatim. This bounds the memory of a writer.
const MOST_TOKENS: usize = 1 << 21;
/// The maximum number of skeletons distinguished in a block.
const MOST_SHAPES: usize = 1024;

/// A value: a decimal or, with the code [`NO_DECIMAL`], a range in the block's data (start, and length in the upper half).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) number: i64,
    pub(crate) code: u8,
}

impl Token {
    fn text(start: usize, length: usize) -> Self {
        Self { number: (start as u64 | (length as u64) << 32) as i64, code: NO_DECIMAL }
    }

    /// The decimal, if the value is one.
    pub(crate) fn decimal(self) -> Option<Decimal> {
        (self.code != NO_DECIMAL).then_some(Decimal { mantissa: self.number, code: self.code })
    }

    /// The bytes of a value that is not a decimal.
    pub(crate) fn bytes(self, data: &[u8]) -> &[u8] {
        let (start, length) = (self.number as u64 as u32 as usize, (self.number as u64 >> 32) as usize);
        data.get(start..start + length).unwrap_or_default()
    }
}

/// A list of values without the padding that an array of [`Token`] would have.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    numbers: Vec<i64>,
    codes: Vec<u8>,
}

impl Tokens {
    pub(crate) fn get(&self, at: usize) -> Option<Token> {
        Some(Token { number: *self.numbers.get(at)?, code: *self.codes.get(at)? })
    }

    fn resize(&mut self, length: usize) {
        self.numbers.resize(length, 0);
        self.codes.resize(length, NO_DECIMAL);
    }
}

/// A row with a skeleton: its index in the block, and where its values begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeRow {
    pub(crate) row: usize,
    pub(crate) tokens: usize,
}

/// A skeleton with the rows that have it.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    literals: Vec<u8>,
    /// For each value, the end of the literal before it.
    ends: Vec<u32>,
    classes: Vec<Class>,
    pub(crate) rows: Vec<ShapeRow>,
}

impl Shape {
    fn of(frame: &[u8]) -> Option<Self> {
        let mut shape = Self::default();
        let mut at = 0;
        for found in Values::of(frame) {
            if shape.ends.len() == MOST_VALUES {
                return None;
            }
            shape.literals.extend_from_slice(frame.get(at..found.start)?);
            shape.ends.push(shape.literals.len() as u32);
            shape.classes.push(found.class);
            at = found.end;
        }
        shape.literals.extend_from_slice(frame.get(at..)?);
        Some(shape)
    }

    /// The number of values in a frame.
    pub(crate) fn values(&self) -> usize {
        self.ends.len()
    }

    /// The literal before a value; the one after the last value if `value` is the number of values.
    pub(crate) fn literal(&self, value: usize) -> &[u8] {
        let end = |value: usize| self.ends.get(value).map_or(self.literals.len(), |end| *end as usize);
        let start = value.checked_sub(1).map_or(0, end);
        self.literals.get(start..end(value)).unwrap_or_default()
    }

    /// Appends the values of the frame at `start` in the block's data, if it has this skeleton.
    fn take(&self, data: &[u8], start: usize, end: usize, tokens: &mut Tokens) -> bool {
        let bytes = end.saturating_sub(start);
        if bytes < self.literals.len() || bytes < self.values() {
            return false;
        }
        let before = tokens.numbers.len();
        // Reserves room for all values at once: doing it value by value takes longer than the values themselves.
        tokens.resize(before + self.values());
        let taken = self.take_values(data, start, end, tokens, before).is_some();
        if !taken {
            tokens.resize(before);
        }
        taken
    }

    #[inline]
    fn take_values(&self, data: &[u8], start: usize, end: usize, tokens: &mut Tokens, first: usize) -> Option<()> {
        let data = data.get(..end)?;
        let (known, new) = tokens.numbers.split_at_mut_checked(first)?;
        let (known_codes, new_codes) = tokens.codes.split_at_mut_checked(first)?;
        // A text that equals the one in the previous row reuses its token, so that it is not compared again later.
        let last = self.rows.last().map_or(first, |row| row.tokens);
        let mut rest = data.get(start..)?;
        let mut literals = self.literals.as_slice();
        let mut literal_at = 0;
        let places = self.ends.iter().zip(&self.classes).zip(new.iter_mut().zip(new_codes)).enumerate();
        for (place, ((literal_end, class), (number, code))) in places {
            let (literal, behind) = literals.split_at_checked(*literal_end as usize - literal_at)?;
            (literals, literal_at) = (behind, *literal_end as usize);
            rest = match (literal, rest) {
                ([byte], [first, rest @ ..]) if byte == first => rest,
                ([_], _) => return None,
                _ => rest.strip_prefix(literal)?,
            };
            let length = match class {
                Class::Number => {
                    let (decimal, length) = Decimal::scan(rest);
                    if let Some(decimal) = decimal {
                        (*number, *code) = (decimal.mantissa, decimal.code);
                        rest = rest.get(length..)?;
                        continue;
                    }
                    Some(length).filter(|length| *length > 0)?
                }
                Class::Word => Some(word_length(rest)).filter(|length| *length > 0)?,
                Class::Text => text_length(rest)?,
            };
            let (text, behind) = rest.split_at_checked(length)?;
            let earlier = known.get(last + place).zip(known_codes.get(last + place));
            let earlier = earlier.map(|(number, code)| Token { number: *number, code: *code });
            let earlier = earlier.filter(|earlier| earlier.code == NO_DECIMAL && earlier.bytes(data) == text);
            let token = earlier.unwrap_or(Token::text(data.len() - rest.len(), length));
            (*number, *code) = (token.number, token.code);
            rest = behind;
        }
        (rest == literals).then_some(())
    }

    fn is_like(&self, other: &Self) -> bool {
        self.ends == other.ends && self.classes == other.classes && self.literals == other.literals
    }
}

/// The skeletons of a block.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) tokens: Tokens,
    by_hash: HashMap<u32, usize>,
    last: usize,
}

impl Shapes {
    pub(crate) fn clear(&mut self) {
        self.shapes.clear();
        self.tokens.resize(0);
        self.by_hash.clear();
        self.last = 0;
    }

    /// Adds a row, the frame at `start..end` of the block's data. A row that cannot be added is stored verbatim.
    pub(crate) fn add(&mut self, row: usize, data: &[u8], start: usize, end: usize) {
        let tokens = self.tokens.numbers.len();
        if tokens >= MOST_TOKENS {
            return;
        }
        let like_last = self.shapes.get(self.last).is_some_and(|shape| shape.take(data, start, end, &mut self.tokens));
        let number = if like_last { Some(self.last) } else { self.find(data, start, end) };
        if let Some((number, shape)) = number.and_then(|number| Some((number, self.shapes.get_mut(number)?))) {
            shape.rows.push(ShapeRow { row, tokens });
            self.last = number;
        }
    }

    /// Splits the frame and finds its skeleton among the known ones, or adds it.
    fn find(&mut self, data: &[u8], start: usize, end: usize) -> Option<usize> {
        let shape = Shape::of(data.get(start..end)?)?;
        let hash = crc32c::crc32c_append(shape.ends.len() as u32, &shape.literals);
        let number = match self.by_hash.get(&hash) {
            Some(number) => *number,
            None if self.shapes.len() == MOST_SHAPES => return None,
            None => {
                let number = self.shapes.len();
                self.by_hash.insert(hash, number);
                self.shapes.push(shape);
                return self.take(number, data, start, end);
            }
        };
        self.shapes.get(number).filter(|known| known.is_like(&shape))?;
        self.take(number, data, start, end)
    }

    fn take(&mut self, number: usize, data: &[u8], start: usize, end: usize) -> Option<usize> {
        let room = self.tokens.numbers.len() + self.shapes.get(number)?.values() <= MOST_TOKENS;
        let Self { shapes, tokens, .. } = self;
        shapes.get(number).filter(|shape| room && shape.take(data, start, end, tokens)).map(|_| number)
    }
}
