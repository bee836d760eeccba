//! Values that describe their own structure, as in the user data and `replay.details` of StarCraft II.
//!
//! ```text
//! 0 array: vint n, n values        1 bits: vint n, bytes      2 blob: vint n, bytes   3 choice: vint, value   4 optional: u8, value
//! 5 struct: vint n, n × (vint key, value)                     6 u8    7 u32    8 u64    9 vint
//! vint: bit 0 of the first byte is the sign, bits 1 to 6 the low bits of the number, bit 7 says that 7 more bits follow
//! ```

use super::bytes::Bytes;

/// Maximum depth of nesting. Real files have 5.
const MAX_DEPTH: u32 = 24;

/// Maximum number of values in a file.
const MAX_VALUES: u32 = 100_000;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Array(Vec<Value<'a>>),
    Blob(&'a [u8]),
    Optional(Option<Box<Value<'a>>>),
    Struct(Vec<(i64, Value<'a>)>),
    Number(i64),
}

impl<'a> Value<'a> {
    /// Reads one value.
    pub(super) fn read(data: &'a [u8]) -> Option<Self> {
        let mut left = MAX_VALUES;
        read(&mut Bytes::new(data), 0, &mut left)
    }

    /// A field of a struct.
    pub(super) fn field(&self, key: i64) -> Option<&Self> {
        match self {
            Self::Struct(fields) => fields.iter().find(|(found, _)| *found == key).map(|(_, value)| value.plain()),
            Self::Optional(Some(value)) => value.field(key),
            _ => None,
        }
    }

    /// The content of an optional value.
    fn plain(&self) -> &Self {
        match self {
            Self::Optional(Some(value)) => value.plain(),
            value => value,
        }
    }

    pub(super) fn number(&self) -> Option<i64> {
        if let Self::Number(number) = self.plain() { Some(*number) } else { None }
    }

    pub(super) fn blob(&self) -> Option<&'a [u8]> {
        if let Self::Blob(bytes) = self.plain() { Some(bytes) } else { None }
    }

    pub(super) fn list(&self) -> &[Self] {
        if let Self::Array(values) = self.plain() { values } else { &[] }
    }
}

fn vint(bytes: &mut Bytes<'_>) -> Option<i64> {
    let first = bytes.u8()?;
    let mut value = u64::from(first >> 1 & 0x3F);
    let (mut shift, mut more) = (6, first & 0x80 != 0);
    while more {
        let byte = bytes.u8()?;
        value |= u64::from(byte & 0x7F).checked_shl(shift)?;
        (shift, more) = (shift + 7, byte & 0x80 != 0);
    }
    let value = i64::try_from(value).ok()?;
    Some(if first & 1 == 1 { -value } else { value })
}

fn count(bytes: &mut Bytes<'_>) -> Option<usize> {
    usize::try_from(vint(bytes)?).ok()
}

fn read<'a>(bytes: &mut Bytes<'a>, depth: u32, left: &mut u32) -> Option<Value<'a>> {
    *left = left.checked_sub(1)?;
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match bytes.u8()? {
        0 => Value::Array(list(bytes, left, |bytes, left| read(bytes, depth + 1, left))?),
        1 => Value::Blob(count(bytes).and_then(|bits| bytes.take(bits.div_ceil(8)))?),
        2 => Value::Blob(count(bytes).and_then(|length| bytes.take(length))?),
        3 => {
            vint(bytes)?;
            read(bytes, depth + 1, left)?
        }
        4 if bytes.u8()? == 0 => Value::Optional(None),
        4 => Value::Optional(Some(Box::new(read(bytes, depth + 1, left)?))),
        5 => Value::Struct(list(bytes, left, |bytes, left| Some((vint(bytes)?, read(bytes, depth + 1, left)?)))?),
        6 => Value::Number(bytes.u8()?.into()),
        7 => Value::Number(bytes.u32()?.into()),
        8 => Value::Number(bytes.i64()?),
        9 => Value::Number(vint(bytes)?),
        _ => return None,
    })
}

/// Reads entries one after the other: memory grows with what is there, not with the stated count.
fn list<'a, T>(
    bytes: &mut Bytes<'a>,
    left: &mut u32,
    mut entry: impl FnMut(&mut Bytes<'a>, &mut u32) -> Option<T>,
) -> Option<Vec<T>> {
    let count = count(bytes)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        entries.push(entry(bytes, left)?);
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_endless_ones_are_refused() {
        let data = [5, 4, 0, 2, 4, b'h', b'i', 2, 0, 4, 9, 0x03, 4, 1, 6, 9];
        let value = Value::read(&data).unwrap();
        assert_eq!(value.field(0).unwrap().blob(), Some(&b"hi"[..]));
        assert_eq!(
            value.field(1).unwrap().list(),
            [Value::Number(-1), Value::Optional(Some(Box::new(Value::Number(9))))]
        );
        assert_eq!((value.field(7), value.number(), value.list()), (None, None, &[][..]));
        assert_eq!(vint(&mut Bytes::new(&[0x80, 0x02])), Some(128));
        // Deep, and wide: a choice costs two bytes, an array of a million absent values two each.
        assert_eq!(Value::read(&[3, 0].repeat(1_000_000)), None);
        let wide = [&[0, 0x80, 0x80, 0x80, 0x02][..], &[4, 0].repeat(1_000_000)].concat();
        assert_eq!(Value::read(&wide), None);
        for end in 0..data.len() {
            assert_eq!(Value::read(&data[..end]), None, "{end}");
        }
    }
}
