//! A time stats packet: last and best times of all cars. The names of cars and drivers, which come in packets of their own.
use crate::bytes::{array_at, f32_at};
use crate::project_cars::lap_history::ReportedTime;
use crate::project_cars::states::{are_texts, lap_ms, text};

const STATS_AT: usize = 16;
const STATS_BYTES: usize = 32;

#[derive(Debug, Clone, Copy)]
pub(super) struct TimeStats<'a>(pub(super) &'a [u8]);

impl<'a> TimeStats<'a> {
    /// Returns the times of the participant with this number.
    pub(super) fn of(self, participant: u16) -> Option<Stats<'a>> {
        let all = self.0.get(STATS_AT..)?.chunks_exact(STATS_BYTES);
        all.map(Stats).find(|stats| stats.participant() == Some(participant))
    }
}

/// The times of one car.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stats<'a>(&'a [u8]);

impl Stats<'_> {
    pub(super) fn best_ms(self) -> Option<u32> {
        f32_at(self.0, 0).and_then(lap_ms)
    }

    pub(super) fn last_ms(self) -> Option<u32> {
        f32_at(self.0, 4).and_then(lap_ms)
    }

    /// Returns the bits of the last lap time, which is finer than a millisecond.
    pub(super) fn last_exact(self) -> Option<u32> {
        f32_at(self.0, 4).filter(|last_s| *last_s > 0.0).map(f32::to_bits)
    }

    pub(super) fn last_sector_ms(self) -> Option<u32> {
        f32_at(self.0, 8).and_then(lap_ms)
    }

    /// Returns the last lap time.
    pub(super) fn last(self) -> Option<ReportedTime> {
        self.reported(4)
    }

    /// Returns the time of the sector that ended last.
    pub(super) fn last_sector(self) -> Option<ReportedTime> {
        self.reported(8)
    }

    fn reported(self, at: usize) -> Option<ReportedTime> {
        let seconds = f32_at(self.0, at)?;
        Some(ReportedTime { ms: lap_ms(seconds)?, exact: seconds.to_bits() })
    }

    fn participant(self) -> Option<u16> {
        array_at(self.0, 28).map(u16::from_le_bytes)
    }
}

/// Names of drivers, cars and car classes, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Names {
    drivers: Vec<(u16, Option<String>)>,
    cars: Vec<(u16, u32, Option<String>)>,
    classes: Vec<(u32, Option<String>)>,
}

/// More than there can be cars in a session: bytes of another meaning.
const MOST_NAMES: usize = 256;

/// Replaces the entry with the same number, or adds one. Packets are complete lists only together.
fn put<T>(list: &mut Vec<T>, new: T, is_same: impl Fn(&T) -> bool) {
    let is_full = list.len() >= MOST_NAMES;
    match list.iter_mut().find(|old| is_same(old)) {
        Some(old) => *old = new,
        None if is_full => {}
        None => list.push(new),
    }
}

impl Names {
    /// Takes a participants packet.
    pub(super) fn participants(&mut self, packet: &[u8]) {
        let (Some(names), Some(numbers)) = (packet.get(16..1040), packet.get(1104..1136)) else { return };
        for (name, number) in names.chunks_exact(64).zip(numbers.as_chunks::<2>().0) {
            let (name, number) = (text(Some(name)), u16::from_le_bytes(*number));
            if name.is_some() {
                put(&mut self.drivers, (number, name), |old| old.0 == number);
            }
        }
    }

    /// Takes a vehicles packet. Programs read the class right after the number; by the vendor's declaration, a compiler would leave two bytes
    /// between them. The name then begins two bytes later, behind the end of a class number, which is not text.
    pub(super) fn vehicles(&mut self, packet: &[u8]) {
        for entry in packet.get(12..).unwrap_or_default().chunks_exact(72) {
            let is_packed = entry.get(6..8).is_some_and(|begin| begin.iter().all(|byte| (b' '..0x7F).contains(byte)));
            let at = if is_packed { 2 } else { 4 };
            let Some(number) = array_at(entry, 0).map(u16::from_le_bytes) else { continue };
            let (class, name) = (array_at(entry, at).map_or(0, u32::from_le_bytes), text(entry.get(at + 4..)));
            if name.is_some() {
                put(&mut self.cars, (number, class, name), |old| old.0 == number);
            }
        }
    }

    /// Takes a vehicle classes packet.
    pub(super) fn classes(&mut self, packet: &[u8]) {
        for entry in packet.get(12..).unwrap_or_default().chunks_exact(24) {
            let Some(number) = array_at(entry, 0).map(u32::from_le_bytes) else { continue };
            let name = text(entry.get(4..));
            if name.is_some() {
                put(&mut self.classes, (number, name), |old| old.0 == number);
            }
        }
    }

    /// Returns whether the fields for text of a vehicles packet hold text.
    pub(super) fn is_vehicles(packet: &[u8]) -> bool {
        let mut entries = packet.get(12..).unwrap_or_default().chunks_exact(72);
        entries.all(|entry| are_texts(entry.get(8..70), 62))
    }

    /// Returns whether the fields for text of a vehicle classes packet hold text.
    pub(super) fn is_classes(packet: &[u8]) -> bool {
        let mut entries = packet.get(12..).unwrap_or_default().chunks_exact(24);
        entries.all(|entry| are_texts(entry.get(4..), 20))
    }

    pub(super) fn driver(&self, participant: u16) -> Option<String> {
        self.drivers.iter().find(|(number, _)| *number == participant)?.1.clone()
    }

    /// Returns car and class of a participant. Vehicles are named by the participant's number; if there is none with it, by the car's.
    pub(super) fn car(&self, participant: u16, car_index: Option<u16>) -> (Option<String>, Option<String>) {
        let of = |wanted: u16| self.cars.iter().find(|(number, _, _)| *number == wanted);
        let Some((_, class, name)) = of(participant).or_else(|| of(car_index?)) else { return (None, None) };
        let class = self.classes.iter().find(|(number, _)| number == class).and_then(|(_, name)| name.clone());
        (name.clone(), class)
    }
}
