//! Telemetry of one vehicle, 1888 bytes, as both games write it.
use super::records::{VEHICLE_BYTES, WHEEL_BYTES, WHEELS_AT};
use crate::bytes::{f64_at, i32_at};
use crate::sample::Wheel;
use crate::sane::finite;
use crate::text::char_text;

const KELVIN: f32 = 273.15;
/// Carcass temperatures above this are not temperatures.
const MOST_KELVINS: f32 = 2000.0;

/// The record of a vehicle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vehicle<'a>(&'a [u8]);

impl<'a> Vehicle<'a> {
    /// Returns all records of a frame.
    pub(crate) fn all(frame: &'a [u8]) -> impl Iterator<Item = Self> {
        frame.chunks_exact(VEHICLE_BYTES as usize).map(Self)
    }

    /// Returns the record with this number. Places in the array change, and unused ones keep what was there before: the first one counts.
    pub(crate) fn with_id(frame: &'a [u8], id: i32) -> Option<Self> {
        // At the change of a session, values are not numbers for a moment.
        Self::all(frame).find(|vehicle| vehicle.id() == Some(id) && vehicle.elapsed_s().is_some())
    }

    /// Returns the whole record.
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.0
    }

    fn f64(self, at: usize) -> Option<f64> {
        f64_at(self.0, at).filter(|value| value.is_finite())
    }

    pub(crate) fn f32(self, at: usize) -> Option<f32> {
        self.f64(at).map(|value| value as f32).filter(|value| value.is_finite())
    }

    pub(crate) fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub(crate) fn vector(self, at: usize) -> Option<[f32; 3]> {
        Some([self.f32(at)?, self.f32(at + 8)?, self.f32(at + 16)?])
    }

    pub(crate) fn id(self) -> Option<i32> {
        i32_at(self.0, 0)
    }

    /// Returns the session clock; `None` while the record is not in use.
    pub(crate) fn elapsed_s(self) -> Option<f64> {
        self.f64(12).filter(|seconds| *seconds > 0.0)
    }

    /// Returns when the car crossed the line, on the session clock.
    pub(crate) fn lap_start_s(self) -> Option<f64> {
        self.f64(24).filter(|seconds| *seconds >= 0.0)
    }

    pub(crate) fn running_ms(self) -> Option<u32> {
        crate::sane::ms((self.elapsed_s()? - self.lap_start_s()?) * 1000.0)
    }

    pub(crate) fn speed_kmh(self) -> Option<f32> {
        let [x, y, z] = self.vector(184)?;
        finite((x * x + y * y + z * z).sqrt() * 3.6)
    }

    /// Returns the speed ahead; negative in reverse.
    pub(crate) fn ahead_m_per_s(self) -> Option<f32> {
        self.f32(200).map(|back| -back)
    }

    pub(crate) fn fuel_l(self) -> Option<f32> {
        self.f32(524).filter(|litres| *litres >= 0.0)
    }

    /// Returns the sector, from 0.
    pub(crate) fn sector(self) -> Option<u8> {
        u8::try_from(i32_at(self.0, 600)? & i32::MAX).ok().filter(|sector| *sector < 3)
    }

    pub(crate) fn is_in_pit_lane(self) -> Option<bool> {
        i32_at(self.0, 600).map(|sector| sector < 0)
    }

    pub(crate) fn tyre(self) -> Option<String> {
        self.text(620, 18)
    }

    /// Returns a text; `None` if it is empty.
    pub(crate) fn text(self, at: usize, bytes: usize) -> Option<String> {
        text_at(self.0, at, bytes)
    }

    /// Returns a wheel: front left, front right, rear left, rear right.
    pub(crate) fn wheel(self, index: usize) -> Wheel {
        let at = WHEELS_AT as usize + WHEEL_BYTES as usize * index;
        let celsius = |offset: usize| {
            let kelvins = self.f32(at + offset).filter(|kelvins| *kelvins > 0.0 && *kelvins <= MOST_KELVINS);
            kelvins.map(|kelvins| kelvins - KELVIN)
        };
        // Left, centre, right; the inner edge is the one next to the car.
        let (inner, outer) = if index.is_multiple_of(2) { (144, 128) } else { (128, 144) };
        Wheel {
            tyre_core_celsius: celsius(204),
            tyre_inner_celsius: celsius(inner),
            tyre_middle_celsius: celsius(136),
            tyre_outer_celsius: celsius(outer),
            pressure_kpa: self.f32(at + 120).filter(|kpa| *kpa > 0.0),
            tread_left: self.f32(at + 152).filter(|left| (0.0..=1.0).contains(left)),
            brake_celsius: celsius(24),
            suspension_m: self.f32(at),
            slip: self.f32(at + 112),
            angular_speed_rad_s: self.f32(at + 40).map(|backwards| -backwards),
        }
    }
}

/// Returns a text that ends at its first NUL; `None` if it is empty or not there.
pub(crate) fn text_at(bytes: &[u8], at: usize, length: usize) -> Option<String> {
    let text = char_text(bytes.get(at..at.checked_add(length)?)?);
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
