//! The static page, with names of car and track that no game uses.
use crate::car::vehicle::{MAX_RPM, TANK_L};
use gametape_games::{Utf16, acc};

/// The car.
const CAR: &str = "gametape_gt";
/// The track.
const TRACK: &str = "gametape ring";

/// The page of a session that begins.
pub(crate) fn begin_static(page: &mut acc::Static) {
    page.sm_version = Utf16::new("1.9");
    page.ac_version = Utf16::new("gametape-sim");
    page.number_of_sessions = 1;
    page.num_cars = 1;
    page.car_model = Utf16::new(CAR);
    page.track = Utf16::new(TRACK);
    page.player_name = Utf16::new("Driver");
    page.player_surname = Utf16::new("1");
    page.player_nick = Utf16::new("DR1");
    page.sector_count = 3;
    page.max_rpm = MAX_RPM as i32;
    page.max_fuel = TANK_L as f32;
    page.penalties_enabled = 1;
    page.aid_fuel_rate = 1.0;
    page.aid_tire_rate = 1.0;
    page.aid_auto_clutch = 1;
    page.aid_auto_blip = 1;
    page.pit_window_start = -1;
    page.pit_window_end = -1;
    page.dry_tyres_name = Utf16::new("dry_simulated");
    page.wet_tyres_name = Utf16::new("wet_simulated");
}
