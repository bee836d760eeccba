//! Writes datagrams whose fields follow each other without padding, little endian.

/// A datagram that is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct Packed(Vec<u8>);

impl Packed {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn f32(&mut self, value: f64) -> &mut Self {
        self.raw(&(value as f32).to_le_bytes())
    }

    pub(super) fn f32s<const N: usize>(&mut self, values: [f64; N]) -> &mut Self {
        values.into_iter().for_each(|value| {
            self.f32(value);
        });
        self
    }

    pub(super) fn f64(&mut self, value: f64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    pub(super) fn u8(&mut self, value: u8) -> &mut Self {
        self.raw(&[value])
    }

    pub(super) fn u16(&mut self, value: u16) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Writes a text after its length in bytes.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.u16(text.len() as u16).raw(text.as_bytes())
    }

    pub(super) fn i32(&mut self, value: i32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn zeros(&mut self, bytes: usize) -> &mut Self {
        self.0.resize(self.0.len() + bytes, 0);
        self
    }
}

/// Returns whether a sender of this rate sends in this millisecond.
pub(super) fn is_due(ms: u64, hz: u64) -> bool {
    ms == 0 || ms * hz / 1000 > (ms - 1) * hz / 1000
}
