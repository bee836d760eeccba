//! The datagrams of the flood: telemetry packets of F1 25, each a pure function of its number, so that the tape can be compared with them.

use anyhow::{Context as _, Result};
use gametape::games::f1::packet_layout;

use crate::data::noise::Noise;

const FORMAT: u16 = 2025;
const SESSION: u8 = 1;
const TELEMETRY: u8 = 6;
const CARS: usize = 22;
const SESSION_UID: u64 = 0x6731_0000_0000_0042;
/// Offset of the number in the header.
pub(super) const NUMBER_AT: usize = 19;

/// Makes datagrams.
pub(super) struct Traffic {
    session: Vec<u8>,
    telemetry: Vec<u8>,
    cars: Vec<CarPlaces>,
    rate: u64,
}

/// Offsets of the values of a car.
struct CarPlaces {
    speed: usize,
    throttle: usize,
    steer: usize,
    brake: usize,
    gear: usize,
    rpm: usize,
    brakes: usize,
    pressures: usize,
}

impl Traffic {
    /// Creates traffic at a rate. The datagrams that open the session, one in a second, are shorter than the others.
    pub(super) fn new(rate: u64) -> Result<Self> {
        let layout = packet_layout(FORMAT, TELEMETRY).context("no telemetry packet")?;
        let place = |car: usize, name: &str| {
            let name = format!("carTelemetryData[{car}].{name}");
            let channel = layout.channel(&name).with_context(|| format!("no channel {name}"))?;
            anyhow::Ok(channel.offset as usize)
        };
        let places = |car| {
            anyhow::Ok(CarPlaces {
                speed: place(car, "speed")?,
                throttle: place(car, "throttle")?,
                steer: place(car, "steer")?,
                brake: place(car, "brake")?,
                gear: place(car, "gear")?,
                rpm: place(car, "engineRPM")?,
                brakes: place(car, "brakesTemperature")?,
                pressures: place(car, "tyresPressure")?,
            })
        };
        let cars = (0..CARS).map(places).collect::<Result<_>>()?;
        Ok(Self { session: packet(SESSION)?, telemetry: packet(TELEMETRY)?, cars, rate: rate.max(1) })
    }

    /// Returns whether the datagram with this number is one that opens the session.
    pub(super) fn is_session(&self, number: u64) -> bool {
        number.is_multiple_of(self.rate)
    }

    /// Returns the datagram with this number.
    pub(super) fn datagram(&mut self, number: u64) -> &[u8] {
        let time_s = (number as f64 / self.rate as f64) as f32;
        let is_session = self.is_session(number);
        let packet = if is_session { &mut self.session } else { &mut self.telemetry };
        put(packet, 15, time_s.to_le_bytes());
        for at in [NUMBER_AT, NUMBER_AT + 4] {
            put(packet, at, (number as u32).to_le_bytes());
        }
        if is_session {
            return packet;
        }
        let mut noise = Noise::new(number);
        for (car, places) in self.cars.iter().enumerate() {
            // Each car is at another place. The low bits of the floats are noise, as in a game.
            let (at, noise) = (number + 977 * car as u64, noise.next_u64());
            let swing = triangle(at, 8192);
            let jitter = |shift: u32| ((noise >> shift) & 0xFFF) as f32 * 1e-6;
            let throttle = swing + jitter(0);
            let speed = (80.0 + 240.0 * swing) as u16;
            put(packet, places.speed, speed.to_le_bytes());
            put(packet, places.throttle, throttle.to_le_bytes());
            put(packet, places.steer, (2.0 * triangle(at, 5000) - 1.0 + jitter(12)).to_le_bytes());
            put(packet, places.brake, (1.0 - throttle).max(0.0).to_le_bytes());
            put(packet, places.gear, [1 + (speed / 45) as u8]);
            put(packet, places.rpm, ((4000.0 + 8000.0 * triangle(at, 900)) as u16).to_le_bytes());
            put(packet, places.brakes, (300 + (at >> 11 & 0xFF) as u16).to_le_bytes());
            put(packet, places.pressures, (21.5 + jitter(24)).to_le_bytes());
        }
        packet
    }
}

/// Returns a packet with its header.
fn packet(id: u8) -> Result<Vec<u8>> {
    let layout = packet_layout(FORMAT, id).context("no such packet")?;
    let mut packet = vec![0; layout.frame_bytes() as usize];
    put(&mut packet, 0, FORMAT.to_le_bytes());
    put(&mut packet, 2, [25, 1, 20, 1, id]);
    put(&mut packet, 7, SESSION_UID.to_le_bytes());
    Ok(packet)
}

fn put<const N: usize>(packet: &mut [u8], at: usize, bytes: [u8; N]) {
    if let Some(place) = packet.get_mut(at..at + N) {
        place.copy_from_slice(&bytes);
    }
}

/// Rises from 0 to 1 and falls again within a period.
fn triangle(at: u64, period: u64) -> f32 {
    let part = (at % period) as f32 / period as f32;
    1.0 - (2.0 * part - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_depend_on_their_number_alone_and_all_differ() {
        let (mut one, mut other) = (Traffic::new(100).unwrap(), Traffic::new(100).unwrap());
        let all: Vec<Vec<u8>> = (0..300).map(|number| one.datagram(number).to_vec()).collect();
        for (number, datagram) in all.iter().enumerate().rev() {
            assert_eq!(other.datagram(number as u64), datagram);
            assert_eq!(datagram.len(), if number % 100 == 0 { 753 } else { 1352 });
            assert!(number == 0 || all[number - 1] != *datagram);
        }
    }
}
