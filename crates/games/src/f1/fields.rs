//! Fields of packets: looked up by name once, then read by offset.
use crate::bytes::{array_at, f32_at};
use crate::layout::{Kind, Layout};

use super::packet_layout;

/// The table of one packet in one format.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table(Option<&'static Layout>);

impl Table {
    pub(super) fn of(format: u16, packet_id: u8) -> Self {
        Self(packet_layout(format, packet_id))
    }

    /// Returns whether a packet has the length of the table. A packet of any other length must not be decoded.
    pub(super) fn fits(self, packet: &[u8]) -> bool {
        self.0.is_some_and(|layout| layout.frame_bytes() as usize == packet.len())
    }

    /// Returns the field with the first of these names that the table has.
    pub(super) fn field(self, names: &[&str]) -> Field {
        self.each_of("", names)
    }

    /// Returns a field of a struct that is repeated, by the first of these names that the table has.
    pub(super) fn each(self, group: &str, names: &[&str]) -> Field {
        self.each_of(&format!("{group}[0]."), names)
    }

    fn each_of(self, prefix: &str, names: &[&str]) -> Field {
        let find = |name: &str| self.0?.channel(name);
        let found = names.iter().find_map(|name| {
            let first = find(&format!("{prefix}{name}"))?;
            let next = find(&format!("{}{name}", prefix.replace("[0]", "[1]"))).unwrap_or(first);
            Some(Place { at: first.offset as usize, step: (next.offset - first.offset) as usize, kind: first.kind })
        });
        Field(found)
    }
}

/// A value in a packet; empty if the format does not have it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field(Option<Place>);

#[derive(Debug, Clone, Copy)]
struct Place {
    at: usize,
    /// Bytes from one element to the next.
    step: usize,
    kind: Kind,
}

impl Field {
    /// Returns an element of an array, from 0.
    pub(super) fn nth(self, index: usize) -> Self {
        Self(self.0.map(|place| Place { at: place.at + index * place.kind.bytes() as usize, ..place }))
    }

    /// Returns the offset of an element.
    fn place(self, element: usize) -> Option<(usize, Kind)> {
        let place = self.0?;
        Some((place.at.checked_add(element.checked_mul(place.step)?)?, place.kind))
    }

    /// Returns an integer.
    pub(super) fn whole(self, packet: &[u8], element: usize) -> Option<i64> {
        let (at, kind) = self.place(element)?;
        match kind {
            Kind::U8 => packet.get(at).map(|byte| i64::from(*byte)),
            Kind::I8 => packet.get(at).map(|byte| i64::from(byte.cast_signed())),
            Kind::U16 => array_at(packet, at).map(|bytes| u16::from_le_bytes(bytes).into()),
            Kind::I16 => array_at(packet, at).map(|bytes| i16::from_le_bytes(bytes).into()),
            Kind::U32 => array_at(packet, at).map(|bytes| u32::from_le_bytes(bytes).into()),
            _ => None,
        }
    }

    /// Returns an integer that fits the type; `None` otherwise.
    pub(super) fn count<T: TryFrom<i64>>(self, packet: &[u8], element: usize) -> Option<T> {
        self.whole(packet, element).and_then(|value| T::try_from(value).ok())
    }

    /// Returns a number of any kind; `None` if it is not finite.
    pub(super) fn number(self, packet: &[u8], element: usize) -> Option<f32> {
        let (at, kind) = self.place(element)?;
        match kind {
            Kind::F32 => f32_at(packet, at).filter(|value| value.is_finite()),
            _ => self.whole(packet, element).map(|value| value as f32),
        }
    }

    /// Returns the text of `bytes` bytes at this offset.
    pub(super) fn text(self, packet: &[u8], element: usize, bytes: usize) -> Option<String> {
        let (at, _) = self.place(element)?;
        let text = crate::text::char_text(packet.get(at..at.checked_add(bytes)?)?);
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

/// A duration. Since 2023 in two parts: whole minutes, and the milliseconds that remain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Duration {
    pub(super) ms: Field,
    pub(super) minutes: Field,
}

impl Duration {
    /// Returns the whole duration; `None` if it is 0, which means "none yet".
    pub(super) fn ms(self, packet: &[u8], element: usize) -> Option<u32> {
        let minutes = self.minutes.whole(packet, element).unwrap_or(0);
        // Gaps of cars without a time are arbitrary: real packets have up to 255 minutes. No sector takes an hour.
        let ms = self.ms.whole(packet, element)?.checked_add(minutes * 60_000).filter(|_| minutes < 60)?;
        u32::try_from(ms).ok().filter(|ms| *ms > 0)
    }
}
