//! The pages of Assetto Corsa for the same moment: shorter pages under the same names, with mostly the same members.
use gametape_games::{ac, acc};

use super::Pages;

/// What is in Assetto Corsa's memory at a moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AssettoCorsaPages {
    /// The car.
    pub physics: ac::Physics,
    /// Session and laps.
    pub graphics: ac::Graphics,
    /// Names.
    pub static_page: ac::Static,
}

impl Pages {
    /// The pages of Assetto Corsa at this moment. It gives the time of a sector alone: see
    /// [`Script::sectors_alone`](crate::Script::sectors_alone).
    #[must_use]
    pub fn assetto_corsa(&self) -> AssettoCorsaPages {
        let page: &acc::Graphics = &self.graphics;
        let own = page.car_id.iter().position(|id| *id == page.player_car_id).unwrap_or_default();
        let graphics = ac::Graphics {
            head: page.head,
            car_coordinates: page.car_coordinates.get(own).copied().unwrap_or_default(),
            penalty_time: page.penalty_time,
            flag: page.flag,
            ideal_line_on: page.ideal_line_on,
            is_in_pit_lane: page.is_in_pit_lane,
            surface_grip: 0.98,
            mandatory_pit_done: page.mandatory_pit_done,
            wind_speed: page.wind_speed,
            wind_direction: page.wind_direction,
        };
        AssettoCorsaPages { physics: self.physics.head, graphics, static_page: self.static_page.head }
    }
}
