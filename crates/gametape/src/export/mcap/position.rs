//! Positions of the car as messages that viewers draw: on the map where they are geographic, else in three dimensions.

use gametape_games::Sample;

use super::wire::Wire;

/// Where the car is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Position {
    /// Latitude, longitude, altitude.
    Earth(f64, f64, Option<f32>),
    /// The game's metres: x, y up, z.
    World([f32; 3]),
}

impl Position {
    /// Returns the position, if the game reports it.
    pub(super) fn of(sample: &Sample) -> Option<Self> {
        if let Some(geo) = sample.geo {
            return Some(Self::Earth(geo.latitude_deg, geo.longitude_deg, geo.altitude_m));
        }
        sample.world_m.filter(|metres| metres.iter().all(|metres| metres.is_finite())).map(Self::World)
    }

    /// Writes the message. Viewers have z upwards; games draw their z downwards on maps, so it is negative y here.
    pub(super) fn write(self, utc_ns: u64, out: &mut Wire) {
        out.0.clear();
        let mut time = Wire::default();
        time.uint(1, utc_ns / 1_000_000_000);
        time.uint(2, utc_ns % 1_000_000_000);
        match self {
            Self::Earth(latitude, longitude, altitude) => {
                out.double(1, latitude);
                out.double(2, longitude);
                if let Some(altitude) = altitude {
                    out.double(3, altitude.into());
                }
                out.message(6, &time);
                out.bytes(7, b"car");
            }
            Self::World([x, y, z]) => {
                let (mut position, mut orientation, mut pose) = (Wire::default(), Wire::default(), Wire::default());
                for (field, metres) in [(1, x), (2, -z), (3, y)] {
                    position.double(field, metres.into());
                }
                // Heading has no common zero point among games: no rotation.
                orientation.double(4, 1.0);
                pose.message(1, &position);
                pose.message(2, &orientation);
                out.message(1, &time);
                out.bytes(2, b"track");
                out.message(3, &pose);
            }
        }
    }
}
