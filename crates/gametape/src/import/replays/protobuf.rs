//! Fields of protobuf messages, without generated code: the few messages of Source 2 demos that are read.

use super::bytes::Bytes;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field<'a> {
    /// An integer, or the bits of a fixed-size number.
    Number(u64),
    /// A text, some bytes or a message.
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    pub(super) fn number(self) -> Option<u64> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    pub(super) fn bytes(self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }
}

/// The fields of a message in their order, up to the first that cannot be read.
pub(super) fn fields(message: &[u8]) -> impl Iterator<Item = (u64, Field<'_>)> {
    let mut bytes = Bytes::new(message);
    std::iter::from_fn(move || {
        let tag = bytes.varint()?;
        let field = match tag & 7 {
            0 => Field::Number(bytes.varint()?),
            1 => Field::Number(bytes.u64()?),
            2 => Field::Bytes(usize::try_from(bytes.varint()?).ok().and_then(|length| bytes.take(length))?),
            5 => Field::Number(bytes.u32()?.into()),
            _ => return None,
        };
        Some((tag >> 3, field))
    })
}

/// The last value of a field, as protobuf defines it.
pub(super) fn field(message: &[u8], number: u64) -> Option<Field<'_>> {
    fields(message).filter(|(found, _)| *found == number).last().map(|(_, field)| field)
}

/// The last value of a field that is a text.
pub(super) fn text(message: &[u8], number: u64) -> Option<String> {
    field(message, number)?.bytes().map(super::bytes::utf8).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_field_counts_and_cut_messages_give_what_they_have() {
        let message = [0x08, 0x05, 0x12, 2, b'h', b'i', 0x08, 0x96, 0x01, 0x1D, 0, 0, 0x80, 0x3F];
        assert_eq!(field(&message, 1), Some(Field::Number(150)));
        assert_eq!(text(&message, 2).unwrap(), "hi");
        assert_eq!(field(&message, 3), Some(Field::Number(1.0f32.to_bits().into())));
        assert_eq!(fields(&message[..9]).count(), 3);
        assert_eq!(fields(&[0x0F, 1]).count(), 0);
        assert_eq!(fields(&[0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]).count(), 0);
    }
}
