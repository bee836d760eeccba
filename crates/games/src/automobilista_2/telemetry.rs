//! A telemetry packet: the viewed car.
use crate::bytes::{array_at, f32_at};
use crate::sane::finite;

#[derive(Debug, Clone, Copy)]
pub(super) struct Telemetry<'a>(pub(super) &'a [u8]);

impl Telemetry<'_> {
    pub(super) fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub(super) fn u16(self, at: usize) -> Option<u16> {
        array_at(self.0, at).map(u16::from_le_bytes)
    }

    /// Returns a number; `None` if it is not finite.
    pub(super) fn f32(self, at: usize) -> Option<f32> {
        f32_at(self.0, at).and_then(finite)
    }

    /// Returns the place of the viewed car in the timings packet.
    pub(super) fn viewed(self) -> Option<usize> {
        usize::try_from(self.u8(12)?.cast_signed()).ok()
    }

    pub(super) fn speed_kmh(self) -> Option<f32> {
        self.f32(36).and_then(|metres_per_s| finite(metres_per_s * 3.6))
    }

    pub(super) fn fuel_l(self) -> Option<f32> {
        let (level, capacity_l) = (self.f32(32)?, self.u8(28)?);
        (level >= 0.0).then(|| level * f32::from(capacity_l)).and_then(finite)
    }

    pub(super) fn odometer_m(self) -> Option<f32> {
        self.f32(48).filter(|odometer_km| *odometer_km >= 0.0).and_then(|km| finite(km * 1000.0))
    }

    /// Returns the position in the game's axes. Older versions of the game do not send it here.
    pub(super) fn world_m(self) -> Option<[f32; 3]> {
        Some([self.f32(542)?, self.f32(546)?, self.f32(550)?])
    }
}
