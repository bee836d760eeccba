//! The weather: constant within a session, slightly different from session to session.
use crate::random::{Chance, Purpose};

/// What the air and the road are like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weather {
    /// Of the air.
    pub air_celsius: f64,
    /// Of the road.
    pub road_celsius: f64,
    /// How well the road holds, 1 when it is at its best.
    pub grip: f64,
    /// Wind in m/s.
    pub wind_ms: f64,
    /// Where it comes from.
    pub wind_rad: f64,
}

impl Weather {
    /// The weather of a session, dry.
    pub(super) fn of_session(chance: Chance, session: u64) -> Self {
        let share = |index: u64| chance.share(Purpose::Weather, session.wrapping_mul(4).wrapping_add(index));
        let air_celsius = 19.0 + 7.0 * share(0);
        Self {
            air_celsius,
            road_celsius: air_celsius + 4.0 + 8.0 * share(1),
            grip: 0.985 + 0.015 * share(2),
            wind_ms: 1.0 + 4.0 * share(3),
            wind_rad: std::f64::consts::TAU * share(0),
        }
    }
}
