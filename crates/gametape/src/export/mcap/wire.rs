//! Protobuf on the wire: the few kinds of fields that messages and descriptors need.

/// A message that is being written.
#[derive(Debug, Default, Clone)]
pub(super) struct Wire(pub(super) Vec<u8>);

impl Wire {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn key(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    /// An unsigned integer, a truth value or an enum; a signed integer by [`zigzag`], or if it is not negative.
    pub(super) fn uint(&mut self, field: u32, value: u64) {
        self.key(field, 0);
        self.varint(value);
    }

    pub(super) fn float(&mut self, field: u32, value: f32) {
        self.key(field, 5);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn double(&mut self, field: u32, value: f64) {
        self.key(field, 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// A text, a message or packed numbers.
    pub(super) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn message(&mut self, field: u32, message: &Wire) {
        self.bytes(field, &message.0);
    }

    /// An element of packed numbers.
    pub(super) fn element(&mut self, value: u64) {
        self.varint(value);
    }
}

/// Returns a signed integer as `sint32` and `sint64` have it.
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_specification() {
        let mut wire = Wire::default();
        wire.uint(1, 150);
        wire.bytes(2, b"testing");
        wire.uint(3, zigzag(-2));
        wire.float(4, 1.0);
        assert_eq!(wire.0, b"\x08\x96\x01\x12\x07testing\x18\x03\x25\0\0\x80\x3f");
        assert_eq!([0, -1, 1, i64::MAX, i64::MIN].map(zigzag), [0, 1, 2, u64::MAX - 1, u64::MAX]);
    }
}
