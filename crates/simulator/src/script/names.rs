//! Script steps for names, flags and weather: members of the pages that the game itself never changes.
use super::Script;
use gametape_games::Utf16;

impl Script {
    /// Another car, by name.
    #[must_use]
    pub fn car(self, name: &str) -> Self {
        let name = Utf16::new(name);
        self.poke(move |pages, _| pages.static_page.car_model = name)
    }

    /// Another track, by name.
    #[must_use]
    pub fn track(self, name: &str) -> Self {
        let name = Utf16::new(name);
        self.poke(move |pages, _| pages.static_page.track = name)
    }

    /// Another driver, in the same car.
    #[must_use]
    pub fn driver(self, first_name: &str, last_name: &str) -> Self {
        let (first_name, last_name) = (Utf16::new(first_name), Utf16::new(last_name));
        self.poke(move |pages, _| {
            pages.static_page.player_name = first_name;
            pages.static_page.player_surname = last_name;
        })
    }

    /// Another driver takes over, and with him another number among the cars.
    #[must_use]
    pub fn driver_swap(self, first_name: &str, last_name: &str, car_id: i32) -> Self {
        self.driver(first_name, last_name).player_car(car_id)
    }

    /// The number of the car that the game follows; its place moves into the entry of the old number.
    #[must_use]
    pub fn player_car(self, car_id: i32) -> Self {
        self.poke(move |pages, _| {
            let graphics = &mut pages.graphics;
            let old = graphics.player_car_id;
            if let Some(entry) = graphics.car_id.iter_mut().find(|id| **id == old) {
                *entry = car_id;
            }
            graphics.player_car_id = car_id;
        })
    }

    /// How many sectors the track has.
    #[must_use]
    pub fn sector_count(self, sectors: i32) -> Self {
        self.poke(move |pages, _| pages.static_page.sector_count = sectors)
    }

    /// Whether the session is on a server.
    #[must_use]
    pub fn online(self, online: bool) -> Self {
        self.poke(move |pages, _| pages.static_page.is_online = i32::from(online))
    }

    /// The whole track is yellow, or no longer.
    #[must_use]
    pub fn yellow(self, yellow: bool) -> Self {
        self.poke(move |pages, _| pages.graphics.global_yellow = i32::from(yellow)).flag(if yellow { 2 } else { 0 })
    }

    /// The red flag is out, or no longer.
    #[must_use]
    pub fn red(self, red: bool) -> Self {
        self.poke(move |pages, _| pages.graphics.global_red = i32::from(red))
    }

    /// The chequered flag is out, or no longer.
    #[must_use]
    pub fn chequered(self, out: bool) -> Self {
        self.poke(move |pages, _| pages.graphics.global_chequered = i32::from(out)).flag(if out { 5 } else { 0 })
    }

    /// Rain from 0 to 5, and the state of the track from 0 to 6.
    #[must_use]
    pub fn rain(self, intensity: i32, grip_status: i32) -> Self {
        self.poke(move |pages, _| {
            pages.graphics.rain_intensity = intensity;
            pages.graphics.track_grip_status = grip_status;
        })
    }
}
