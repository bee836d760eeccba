//! All cars of a session, for `gametape laps --all-cars`.

use std::io::{self, Write as _};

use anstyle::Style;
use gametape::games::{CarStanding, find_game};
use gametape::store::{Audience, Store, StoredCar};

use super::laps_report::ReportSession;
use super::laps_table::{lap_time, sector_time, write_title};
use crate::human;
use crate::rows::write_csv_text;
use crate::server::CarStandingAnswer;

const OWN: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
/// Widest names in the table.
const WIDEST: usize = 24;

/// Returns the cars of a tracked session, in the order of their positions.
pub(super) fn of_tracked(cars: &[CarStanding]) -> Vec<CarStandingAnswer> {
    let mut cars: Vec<_> = cars.iter().collect();
    cars.sort_by_key(|car| (car.position.is_none(), car.position, car.car));
    cars.into_iter().map(|car| CarStandingAnswer::of(StoredCar { car: car.clone(), driver_name: None }, true)).collect()
}

/// Returns the cars of a stored session.
pub(super) fn of_store(store: &dyn Store, session: gametape::laps::Id) -> anyhow::Result<Vec<CarStandingAnswer>> {
    let cars = store.standings(session, Audience::Owner)?.unwrap_or_default();
    Ok(cars.into_iter().map(|car| CarStandingAnswer::of(car, true)).collect())
}

/// Writes the standings of a session and the laps of each car.
pub(super) fn write_cars(out: &mut Vec<u8>, session: &ReportSession) -> io::Result<()> {
    write_title(out, session)?;
    let cars = session.cars.as_deref().unwrap_or_default();
    if cars.is_empty() {
        return writeln!(out, "  {}", why_none(&session.document.game));
    }
    let shown = |text: &str| -> String { human::safe(text).chars().take(WIDEST).collect() };
    let driver = |car: &CarStandingAnswer| match car.driver_name.as_ref().or(car.driver.as_ref()) {
        Some(name) => shown(name),
        None => format!("car {}", car.car),
    };
    let text = |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), shown);
    let width = |of: &dyn Fn(&CarStandingAnswer) -> String, least: usize| {
        cars.iter().map(|car| of(car).chars().count()).max().unwrap_or(0).max(least)
    };
    let class = |car: &CarStandingAnswer| text(&car.class);
    let tyre = |car: &CarStandingAnswer| text(&car.tyre);
    let (names, classes, tyres) = (width(&driver, 6), width(&class, 5), width(&tyre, 4));
    writeln!(
        out,
        "{QUIET} pos  no  {:<names$}  {:<classes$}  lap  {:>9}  {:>9}  {:>9}  {:>9}  stops  {:<tyres$}  result{QUIET:#}",
        "driver", "class", "gap", "interval", "last", "best", "tyre"
    )?;
    for car in cars {
        let style = if car.is_player { OWN } else { Style::new() };
        let sign = if car.is_player { '>' } else { ' ' };
        writeln!(
            out,
            "{style}{sign}{:>3} {:>3}  {:<names$}  {:<classes$}  {:>3}  {:>9}  {:>9}  {:>9}  {:>9}  {:>5}  {:<tyres$}  {}{style:#}",
            number(car.position),
            number(car.race_number),
            driver(car),
            class(car),
            number(car.current_lap),
            gap(car.gap_to_leader_ms),
            gap(car.gap_ahead_ms),
            lap_time(car.last_ms),
            lap_time(car.best_ms),
            number(car.pit_stops),
            tyre(car),
            result(car.result),
        )?;
    }
    for (car, laps) in cars.iter().filter_map(|car| Some((car, car.laps.as_ref()?))) {
        if laps.is_empty() {
            continue;
        }
        writeln!(out, "\n  {}", driver(car))?;
        for lap in laps {
            let invalid = if lap.valid == Some(false) { '!' } else { ' ' };
            let sectors: String = lap.sectors_ms.iter().map(|ms| format!("{:>9}", sector_time(*ms))).collect();
            writeln!(out, "{:>6}  {:>9}{invalid}{sectors}", lap.number, lap_time(lap.time_ms))?;
        }
    }
    Ok(())
}

/// Says why a session has no cars.
fn why_none(game: &str) -> &'static str {
    match find_game(game).is_some_and(|game| game.rules.standings().is_some()) {
        true => {
            "no other cars are stored: the game did not send them (docs/games.md says what to switch on), or the tape was tracked by an \
             earlier version; then run `gametape laps rebuild`"
        }
        false => "this game reports only your car",
    }
}

fn number<T: ToString>(number: Option<T>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

fn gap(ms: Option<u32>) -> String {
    ms.map_or_else(|| "-".to_owned(), |ms| format!("+{}.{:03}", ms / 1000, ms % 1000))
}

/// The result in words. Nothing while a car drives.
fn result(result: &str) -> String {
    if matches!(result, "active" | "unknown") { String::new() } else { result.replace('_', " ") }
}

const COLUMNS: &str = "tape,session,game,type,track,layout,started_utc,car,is_player,position,driver,team,car_model,class,race_number,result,\
    gap_to_leader_ms,gap_ahead_ms,best_ms,pit_stops,tyre,number,time_ms,valid,sectors_ms";

/// Writes a line for each lap of each car.
pub(super) fn write_csv<'a>(
    out: &mut Vec<u8>,
    sessions: impl Iterator<Item = (&'a str, &'a ReportSession)>,
) -> io::Result<()> {
    fn cell<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    writeln!(out, "{COLUMNS}")?;
    for (tape, session) in sessions {
        for car in session.cars.iter().flatten() {
            for lap in car.laps.iter().flatten() {
                let sectors: Vec<String> = lap.sectors_ms.iter().map(|ms| cell(*ms)).collect();
                let cells = [
                    tape.to_owned(),
                    session.document.id.clone(),
                    session.document.game.clone(),
                    session.document.kind.to_owned(),
                    cell(session.document.track.as_ref()),
                    cell(session.document.layout.as_ref()),
                    cell(session.document.started_utc.as_ref()),
                    car.car.to_string(),
                    car.is_player.to_string(),
                    cell(car.position),
                    cell(car.driver.as_ref()),
                    cell(car.team.as_ref()),
                    cell(car.car_model.as_ref()),
                    cell(car.class.as_ref()),
                    cell(car.race_number),
                    car.result.to_owned(),
                    cell(car.gap_to_leader_ms),
                    cell(car.gap_ahead_ms),
                    cell(car.best_ms),
                    cell(car.pit_stops),
                    cell(car.tyre.as_ref()),
                    lap.number.to_string(),
                    cell(lap.time_ms),
                    cell(lap.valid),
                    sectors.join(" "),
                ];
                for (at, cell) in cells.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    write_csv_text(out, cell);
                }
                out.push(b'\n');
            }
        }
    }
    Ok(())
}
