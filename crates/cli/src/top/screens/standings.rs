//! All cars of a session: position, gaps, times, stops, tyres. The player's car is marked with `>`; unknown is a dash.

use ratatui::style::Style;

use super::super::facts::{CarRow, Standings};
use super::super::look::Look;
use super::super::state::State;
use super::super::text::{cut, fit, plain, right};
use super::list::nothing;
use super::{Drawn, Room};
use crate::commands::laps_table::lap_time;

/// Width of names, of classes and of tyres.
const NAME: usize = 18;
const CLASS: usize = 8;
const TYRE: usize = 8;

pub(super) fn lines(state: &State, room: Room) -> Drawn {
    let look = state.look;
    let why = ["no session yet", "gametape      waits for a game and records it"];
    let Some(standings) = &state.cars.value else {
        let loading = state.cars_wanted().is_some();
        return nothing(loading, state.cars.error.as_ref(), &why, look).into();
    };
    if standings.cars.is_empty() {
        let why =
            if standings.all_cars { "no cars are stored of this session" } else { "this game reports only your car" };
        return nothing(false, None, &[why], look).into();
    }
    let columns = Columns::of(standings, room);
    let mut lines = vec![plain(cut(&columns.head(), room.width, look), look.quiet())];
    let rows = room.height.saturating_sub(1);
    let first = state.first_car.min(standings.cars.len().saturating_sub(rows.max(1)));
    let fastest = standings.cars.iter().filter_map(|car| car.best_ms).min();
    for car in standings.cars.iter().skip(first).take(rows) {
        let style = if car.is_player { look.strong() } else { Style::new() };
        lines.push(plain(cut(&columns.row(car, fastest, look), room.width, look), style));
    }
    lines.into()
}

/// Which columns fit.
struct Columns {
    name: usize,
    class: bool,
    interval: bool,
    /// The current lap and the last time.
    times: bool,
    stops: bool,
    tyre: bool,
}

impl Columns {
    fn of(standings: &Standings, room: Room) -> Self {
        let has = |of: fn(&CarRow) -> bool| standings.cars.iter().any(of);
        let wide = room.width >= 78;
        Self {
            name: if room.is_wide() { NAME } else { 12 },
            class: room.width >= 78 + CLASS && has(|car| !car.class.is_empty()),
            interval: room.is_wide(),
            times: room.width >= 50,
            stops: wide && has(|car| car.stops.is_some()),
            tyre: wide && has(|car| !car.tyre.is_empty()),
        }
    }

    fn head(&self) -> String {
        let mut head = format!(" pos  {:<width$}", "driver", width = self.name);
        if self.times {
            head += " lap";
        }
        head += &format!(" {:>8}", "gap");
        if self.class {
            head += &format!(" {:<CLASS$}", "class");
        }
        if self.interval {
            head += &format!(" {:>8}", "interval");
        }
        if self.times {
            head += &format!(" {:>9}", "last");
        }
        head += &format!(" {:>9} ", "best");
        if self.stops {
            head += " stops";
        }
        if self.tyre {
            head += &format!(" {:<TYRE$}", "tyre");
        }
        head
    }

    fn row(&self, car: &CarRow, fastest: Option<u32>, look: Look) -> String {
        let number = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let mark = if car.is_player { '>' } else { ' ' };
        let mut row = format!("{mark}{}  {}", right(&number(car.position), 3, look), fit(&car.driver, self.name, look));
        if self.times {
            row += &format!(" {}", right(&number(car.lap), 3, look));
        }
        row += &format!(" {}", right(&gap(car.gap_ms), 8, look));
        let text = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
        if self.class {
            row += &format!(" {}", fit(&text(&car.class), CLASS, look));
        }
        if self.interval {
            row += &format!(" {}", right(&gap(car.interval_ms), 8, look));
        }
        if self.times {
            row += &format!(" {:>9}", lap_time(car.last_ms));
        }
        let sign = if car.best_ms.is_some() && car.best_ms == fastest { '*' } else { ' ' };
        row += &format!(" {:>9}{sign}", lap_time(car.best_ms));
        if self.stops {
            row += &format!(" {}", right(&number(car.stops), 5, look));
        }
        if self.tyre {
            row += &format!(" {}", fit(&text(&car.tyre), TYRE, look));
        }
        if !car.result.is_empty() {
            row += &format!(" {}", car.result);
        }
        row
    }
}

fn gap(ms: Option<u32>) -> String {
    ms.map_or_else(|| "-".to_owned(), |ms| format!("+{}.{:03}", ms / 1000, ms % 1000))
}
