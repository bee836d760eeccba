//! Hand-written `Vec3` and `Quat`: prost omits −0.0 as if it were 0. Positions, velocities and rotations keep their exact bits.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType, float, skip_field};

/// A point or a direction (`spatial.v1.Vec3`). In metres, or metres per second for a velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3 {
    /// To the left, seen from the blue goal.
    pub x: f32,
    /// Up.
    pub y: f32,
    /// Along the arena.
    pub z: f32,
}

/// A rotation as a unit quaternion (`spatial.v1.Quat`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quat {
    /// First imaginary part.
    pub x: f32,
    /// Second imaginary part.
    pub y: f32,
    /// Third imaginary part.
    pub z: f32,
    /// Real part; 1 is no rotation.
    pub w: f32,
}

/// Iterates over the components that are written, with their field numbers.
fn written<const N: usize>(components: [f32; N]) -> impl Iterator<Item = (u32, f32)> {
    (1..).zip(components).filter(|(_, value)| value.to_bits() != 0)
}

fn merge(
    component: Option<&mut f32>,
    tag: u32,
    wire_type: WireType,
    buf: &mut impl Buf,
    ctx: DecodeContext,
) -> Result<(), DecodeError> {
    match component {
        Some(value) => float::merge(wire_type, value, buf, ctx),
        None => skip_field(wire_type, tag, buf, ctx),
    }
}

impl prost::Message for Vec3 {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        written([self.x, self.y, self.z]).for_each(|(tag, value)| float::encode(tag, &value, buf));
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let component = match tag {
            1 => Some(&mut self.x),
            2 => Some(&mut self.y),
            3 => Some(&mut self.z),
            _ => None,
        };
        merge(component, tag, wire_type, buf, ctx)
    }

    fn encoded_len(&self) -> usize {
        written([self.x, self.y, self.z]).map(|(tag, value)| float::encoded_len(tag, &value)).sum()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

impl prost::Message for Quat {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        written([self.x, self.y, self.z, self.w]).for_each(|(tag, value)| float::encode(tag, &value, buf));
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let component = match tag {
            1 => Some(&mut self.x),
            2 => Some(&mut self.y),
            3 => Some(&mut self.z),
            4 => Some(&mut self.w),
            _ => None,
        };
        merge(component, tag, wire_type, buf, ctx)
    }

    fn encoded_len(&self) -> usize {
        written([self.x, self.y, self.z, self.w]).map(|(tag, value)| float::encoded_len(tag, &value)).sum()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message as _;

    #[test]
    fn every_bit_of_a_component_comes_back() {
        for bits in [0u32, 0x8000_0000, 1, 0x3f80_0000, 0xff80_0000, 0x7fc0_1234] {
            let value = f32::from_bits(bits);
            let vec = Vec3 { y: value, ..Vec3::default() };
            let quat = Quat { w: value, x: 1.0, ..Quat::default() };
            assert_eq!(vec.encode_to_vec().len(), vec.encoded_len());
            assert_eq!(Vec3::decode(vec.encode_to_vec().as_slice()).unwrap().y.to_bits(), bits);
            assert_eq!(Quat::decode(quat.encode_to_vec().as_slice()).unwrap().w.to_bits(), bits);
            assert_eq!(vec.encoded_len(), if bits == 0 { 0 } else { 5 });
        }
    }
}
