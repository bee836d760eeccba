//! Parses protobuf fields without a schema: iterates over borrowed fields. This is how fields unknown to this crate are preserved.
//!
//! ```text
//! varint key = number << 3 | type     types: 0 varint, 1 eight bytes, 2 length and bytes, 3/4 group, 5 four bytes
//! ```

/// The reason why bytes are not valid fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The data ends inside a field.
    #[error("the data ends inside the field at byte {offset}")]
    Short {
        /// Offset of the field.
        offset: usize,
    },
    /// A number with more than 64 bits.
    #[error("the number at byte {offset} has more than 64 bits")]
    LongVarint {
        /// Offset of the field.
        offset: usize,
    },
    /// Field number 0 or one that is too large, or an unknown wire type.
    #[error("{key} at byte {offset} is not a valid field key")]
    Key {
        /// Offset of the field.
        offset: usize,
        /// The value found there.
        key: u64,
    },
    /// An unterminated group, or groups nested too deeply.
    #[error("the group at byte {offset} is not terminated")]
    Group {
        /// Offset of the field.
        offset: usize,
    },
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Integers, booleans, enums.
    Varint(u64),
    /// `double` and fixed-size 64-bit numbers.
    Fixed64(u64),
    /// Strings, bytes, messages, packed numbers.
    Bytes(&'a [u8]),
    /// A group, which current writers no longer use.
    Group,
    /// `float` and fixed-size 32-bit numbers.
    Fixed32(u32),
}

/// One field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its number.
    pub number: u32,
    /// Its value.
    pub value: Value<'a>,
    /// The complete field, including its key.
    pub raw: &'a [u8],
}

impl<'a> Field<'a> {
    /// The bytes of a string, message or packed field.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        match self.value {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The value of a varint field.
    pub fn varint(&self) -> Option<u64> {
        match self.value {
            Value::Varint(number) => Some(number),
            _ => None,
        }
    }
}

/// Iterates over the fields of a message, in wire order.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
    offset: usize,
}

const MAX_FIELD_NUMBER: u64 = (1 << 29) - 1;
const MAX_GROUP_DEPTH: usize = 32;

impl<'a> Fields<'a> {
    /// Creates an iterator over the fields in these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, offset: 0 }
    }

    fn field(&self) -> Result<Field<'a>, WireError> {
        let offset = self.offset;
        let (number, value, after) = self.value_at(self.rest, 0)?;
        let length = self.rest.len() - after.len();
        let raw = self.rest.get(..length).ok_or(WireError::Short { offset })?;
        Ok(Field { number, value, raw })
    }

    fn value_at(&self, bytes: &'a [u8], depth: usize) -> Result<(u32, Value<'a>, &'a [u8]), WireError> {
        let offset = self.offset;
        let short = WireError::Short { offset };
        let (key, rest) = varint(bytes).map_err(|fault| fault.at(offset))?;
        let number = key >> 3;
        let bad_key = WireError::Key { offset, key };
        if number == 0 || number > MAX_FIELD_NUMBER {
            return Err(bad_key);
        }
        let number = u32::try_from(number).map_err(|_| bad_key)?;
        let (value, rest) = match key & 7 {
            0 => {
                let (value, rest) = varint(rest).map_err(|fault| fault.at(offset))?;
                (Value::Varint(value), rest)
            }
            1 => {
                let (value, rest) = rest.split_first_chunk().ok_or(short)?;
                (Value::Fixed64(u64::from_le_bytes(*value)), rest)
            }
            2 => {
                let (length, rest) = varint(rest).map_err(|fault| fault.at(offset))?;
                let length = usize::try_from(length).map_err(|_| short)?;
                let (value, rest) = rest.split_at_checked(length).ok_or(short)?;
                (Value::Bytes(value), rest)
            }
            3 => (Value::Group, self.after_group(number, rest, depth)?),
            5 => {
                let (value, rest) = rest.split_first_chunk().ok_or(short)?;
                (Value::Fixed32(u32::from_le_bytes(*value)), rest)
            }
            _ => return Err(bad_key),
        };
        Ok((number, value, rest))
    }

    fn after_group(&self, number: u32, mut rest: &'a [u8], depth: usize) -> Result<&'a [u8], WireError> {
        let offset = self.offset;
        if depth >= MAX_GROUP_DEPTH {
            return Err(WireError::Group { offset });
        }
        loop {
            let (key, after) = varint(rest).map_err(|fault| fault.at(offset))?;
            if key & 7 == 4 {
                return if key >> 3 == u64::from(number) { Ok(after) } else { Err(WireError::Group { offset }) };
            }
            rest = self.value_at(rest, depth + 1)?.2;
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        match &field {
            Ok(found) => {
                self.rest = self.rest.get(found.raw.len()..).unwrap_or_default();
                self.offset += found.raw.len();
            }
            // After an error, the start of the next field is unknown.
            Err(_) => self.rest = &[],
        }
        Some(field)
    }
}

/// The reason why a varint could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarintFault {
    /// More bytes are needed.
    Short,
    /// More than 64 bits.
    Long,
}

impl VarintFault {
    fn at(self, offset: usize) -> WireError {
        match self {
            Self::Short => WireError::Short { offset },
            Self::Long => WireError::LongVarint { offset },
        }
    }
}

/// Reads a varint and returns it with the rest.
pub(crate) fn varint(bytes: &[u8]) -> Result<(u64, &[u8]), VarintFault> {
    let mut value = 0u64;
    for (place, byte) in bytes.iter().enumerate().take(10) {
        // The tenth byte has room for one bit.
        if place == 9 && *byte > 1 {
            return Err(VarintFault::Long);
        }
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok((value, bytes.get(place + 1..).unwrap_or_default()));
        }
    }
    Err(if bytes.len() >= 10 { VarintFault::Long } else { VarintFault::Short })
}

/// Appends a varint.
pub(crate) fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        #[allow(clippy::cast_possible_truncation)]
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    #[allow(clippy::cast_possible_truncation)]
    out.push(value as u8);
}

/// Appends a length-delimited field: key, length, bytes.
pub(crate) fn push_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    push_varint(u64::from(number) << 3 | 2, out);
    push_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Returns the message with `addition` (complete fields) appended to the sub-message at `path`. The last field with a
/// number is used, since that one wins; all other bytes stay unchanged. `None` if there is no such field.
pub(crate) fn append_within(message: &[u8], path: &[u32], addition: &[u8]) -> Option<Vec<u8>> {
    let Some((number, deeper)) = path.split_first() else {
        return Some([message, addition].concat());
    };
    let mut at = 0;
    let mut last = None;
    for field in Fields::new(message) {
        let field = field.ok()?;
        if field.number == *number
            && let Some(bytes) = field.bytes()
        {
            last = Some((at, field.raw.len(), bytes));
        }
        at += field.raw.len();
    }
    let (start, length, bytes) = last?;
    let inner = append_within(bytes, deeper, addition)?;
    let mut out = Vec::with_capacity(message.len() + addition.len() + 16);
    out.extend_from_slice(message.get(..start)?);
    push_bytes(*number, &inner, &mut out);
    out.extend_from_slice(message.get(start + length..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_of_every_length_come_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1u64 << shift) - 1, u64::MAX >> shift] {
                let mut bytes = Vec::new();
                push_varint(value, &mut bytes);
                assert_eq!(varint(&bytes), Ok((value, &[][..])));
                assert_eq!(varint(&bytes[..bytes.len() - 1]), Err(VarintFault::Short));
            }
        }
        assert_eq!(varint(&[0xff; 10]), Err(VarintFault::Long));
        assert_eq!(varint(&[0xff; 11]), Err(VarintFault::Long));
    }

    #[test]
    fn fields_of_every_type_are_walked_and_cover_all_bytes() {
        // 1: varint 5; 2: bytes "ab"; 3: four bytes; 4: eight bytes; 5: a group with a varint and a group.
        let bytes = [
            0x08, 5, 0x12, 2, b'a', b'b', 0x1d, 1, 0, 0, 0, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x2b, 0x08, 9, 0x33, 0x34,
            0x2c,
        ];
        let fields: Vec<_> = Fields::new(&bytes).map(|field| field.unwrap()).collect();
        assert_eq!(fields.iter().map(|field| field.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(fields.iter().map(|field| field.raw.len()).sum::<usize>(), bytes.len());
        assert_eq!(fields[1].bytes(), Some(&b"ab"[..]));
        assert_eq!(fields[4].value, Value::Group);
    }

    #[test]
    fn faults_are_named_and_end_the_walk() {
        for (bytes, fault) in [
            (&[0x08][..], WireError::Short { offset: 0 }),
            (&[0x12, 5, 1][..], WireError::Short { offset: 0 }),
            (&[0x00, 1][..], WireError::Key { offset: 0, key: 0 }),
            (&[0x08, 1, 0x0f][..], WireError::Key { offset: 2, key: 15 }),
            (&[0x0b, 0x14][..], WireError::Group { offset: 0 }),
            (&[0x0b; 100][..], WireError::Group { offset: 0 }),
            (&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2][..], WireError::LongVarint { offset: 0 }),
        ] {
            let mut fields = Fields::new(bytes);
            let found = fields.find_map(Result::err);
            assert_eq!(found, Some(fault));
            assert!(fields.next().is_none());
        }
    }

    #[test]
    fn appending_leaves_all_other_bytes_as_they_are() {
        // Field 7, field 2 { field 9, field 10 { field 1 }, field 11 }, field 8.
        let message = [0x38, 1, 0x12, 8, 0x48, 3, 0x52, 2, 0x08, 4, 0x58, 5, 0x40, 6];
        let out = append_within(&message, &[2, 10], &[0x10, 7]).unwrap();
        assert_eq!(out, [0x38, 1, 0x12, 10, 0x48, 3, 0x52, 4, 0x08, 4, 0x10, 7, 0x58, 5, 0x40, 6]);
        assert_eq!(append_within(&message, &[3], &[0x10, 7]), None);
    }
}
