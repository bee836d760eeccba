//! The figures of a car as lines, for wide and for narrow terminals.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::bars::{bar, middle_bar};
use super::super::facts::{Car, Tyre};
use super::super::look::Look;
use super::super::text::{cut, delta, fit, number, right};
use super::Room;
use crate::commands::laps_table::{lap_time, sector_time};
use crate::human;

/// The delta bar is full at this many milliseconds.
const FULL_DELTA_MS: f64 = 1000.0;
/// Labels of the tyres, in the order of the data.
const TYRES: [&str; 4] = ["FL", "FR", "RL", "RR"];

fn gear(car: &Car) -> String {
    match car.gear.map(|gear| gear as i64) {
        None => "-".to_owned(),
        Some(..=-1) => "R".to_owned(),
        Some(0) => "N".to_owned(),
        Some(gear) => gear.min(99).to_string(),
    }
}

fn rpm(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |rpm| human::count(rpm.clamp(0.0, 999_999.0) as u64))
}

fn rpm_share(car: &Car) -> Option<f64> {
    Some(car.rpm? / car.rpm_max.filter(|most| *most > 0.0)?)
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share.clamp(0.0, 1.0) * 100.0))
}

fn speed(car: &Car) -> String {
    number(car.speed_kmh.map(|kmh| kmh.clamp(-9999.0, 9999.0)), 0)
}

/// Returns the most relevant delta: to the session best, else to the all-time best.
fn first_delta(car: &Car) -> Option<i64> {
    car.delta_session_ms.or(car.delta_best_ms)
}

fn delta_span(ms: Option<i64>, cells: usize, look: Look) -> Span<'static> {
    let (text, style) = ms.map_or(("-".to_owned(), Style::new()), |ms| delta(ms, look));
    Span::styled(right(&text, cells, look), style)
}

fn name(text: &str, look: Look) -> Span<'static> {
    Span::styled(text.to_owned(), look.quiet())
}

fn valid(valid: Option<bool>, look: Look) -> Span<'static> {
    match valid {
        Some(false) => Span::styled("invalid", look.slower()),
        Some(true) => Span::raw("valid  "),
        None => Span::raw("       "),
    }
}

fn sectors(times: &[Option<u32>], room: usize, look: Look) -> String {
    let text: Vec<String> =
        times.iter().enumerate().map(|(index, ms)| format!("S{} {}", index + 1, sector_time(*ms))).collect();
    cut(&text.join("  "), room, look)
}

/// Figures side by side, for at least 70 cells.
pub(super) fn wide(car: &Car, room: Room, look: Look) -> Vec<Line<'static>> {
    let airy = room.height >= 17;
    let mut lines = Vec::new();
    let gap = |lines: &mut Vec<Line<'static>>| {
        if airy {
            lines.push(Line::default());
        }
    };
    gap(&mut lines);
    let cells = room.width - 46;
    lines.push(Line::from(vec![
        Span::styled(format!("{:>9} ", speed(car)), look.strong()),
        name("km/h   gear ", look),
        Span::styled(format!("{:<3}", gear(car)), look.strong()),
        Span::raw(format!("{:>8} ", rpm(car.rpm))),
        name("rpm  ", look),
        Span::styled(bar(rpm_share(car), cells, look), look.rpm()),
        Span::raw(format!(" {}", right(&rpm(car.rpm_max), 6, look))),
    ]));
    gap(&mut lines);
    let half = room.width / 2;
    let cells = half - 17;
    let pedal = |title: &str, share: Option<f64>, style: Style| {
        [
            name(&format!("{title:<9}"), look),
            Span::styled(bar(share, cells, look), style),
            Span::raw(format!("{:>6}  ", percent(share))),
        ]
    };
    let centre = room.width - half - 18;
    let steer =
        car.steering.map_or_else(|| "-".to_owned(), |turn| format!("{:+.0} %", turn.clamp(-9.99, 9.99) * 100.0));
    let mut throttle = Vec::from(pedal("throttle", car.throttle, look.faster()));
    throttle.extend([
        name("steering ", look),
        Span::raw(middle_bar(car.steering, centre, look)),
        Span::raw(format!(" {steer:>7}")),
    ]);
    lines.push(Line::from(throttle));
    let mut brake = Vec::from(pedal("brake", car.brake, look.slower()));
    let share = first_delta(car).map(|ms| ms as f64 / FULL_DELTA_MS);
    let style = first_delta(car).map_or(Style::new(), |ms| delta(ms, look).1);
    brake.extend([
        name("delta    ", look),
        Span::styled(middle_bar(share, centre, look), style),
        delta_span(first_delta(car), 8, look),
    ]);
    lines.push(Line::from(brake));
    gap(&mut lines);
    lines.extend(wide_laps(car, room, look));
    gap(&mut lines);
    lines.push(fuel(car, look));
    gap(&mut lines);
    lines.extend(tyres(car, room, look));
    lines.extend(around(car, room, look));
    lines
}

fn wide_laps(car: &Car, room: Room, look: Look) -> Vec<Line<'static>> {
    let lap = car.lap.clone().unwrap_or_default();
    let number = lap.number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let phase = if lap.phase == "flying" { String::new() } else { lap.phase.clone() };
    let rest = room.width.saturating_sub(44);
    let running = vec![
        name("lap  ", look),
        Span::raw(fit(&number, 5, look)),
        Span::styled(format!("{:>9}  ", lap_time(lap.time_ms)), look.strong()),
        valid(lap.valid, look),
        Span::raw(format!("  {} ", fit(&phase, 10, look))),
        Span::raw(sectors(&lap.sectors_ms, rest, look)),
    ];
    let last = car.last_lap.clone().unwrap_or_default();
    let before = vec![
        name("last      ", look),
        Span::raw(format!("{:>9}  ", lap_time(last.time_ms))),
        valid(last.valid, look),
        Span::raw(" ".repeat(13)),
        Span::raw(sectors(&last.sectors_ms, rest, look)),
    ];
    let best = |title: &str, ms: Option<u32>, delta_ms: Option<i64>| {
        Line::from(vec![
            name(&fit(title, 10, look), look),
            Span::styled(format!("{:>9}", lap_time(ms)), if ms.is_some() { look.best() } else { Style::new() }),
            Span::raw(if ms.is_some() { "* " } else { "  " }),
            name("now ", look),
            delta_span(delta_ms, 8, look),
        ])
    };
    vec![
        Line::from(running),
        Line::from(before),
        best("best", car.best_ms, car.delta_session_ms),
        best("best ever", car.best_ever_ms, car.delta_best_ms),
    ]
}

fn fuel(car: &Car, look: Look) -> Line<'static> {
    let mut spans = vec![name("fuel ", look), Span::raw(format!("{} L", number(car.fuel_l, 1)))];
    if let Some(litres) = car.fuel_per_lap_l {
        spans.extend([Span::raw(format!("  {litres:.2} ")), name("L/lap", look)]);
    }
    if let Some(laps) = car.fuel_laps_left {
        let style = if laps < 2.0 { look.warning() } else { Style::new() };
        spans.push(Span::styled(format!("  {laps:.1} laps left"), style));
    }
    Line::from(spans)
}

fn tyre(tyre: &Tyre) -> String {
    let wear = tyre.wear.map_or_else(String::new, |wear| format!("  {:>3.0} % worn", wear.clamp(0.0, 1.0) * 100.0));
    format!("{:>6} C {:>6} psi{wear}", number(tyre.core_c, 1), number(tyre.pressure_psi, 1))
}

fn tyres(car: &Car, room: Room, look: Look) -> Vec<Line<'static>> {
    let half = room.width / 2 - 3;
    let row = |left: usize| {
        let mut spans = Vec::new();
        for index in [left, left + 1] {
            if let (Some(title), Some(of)) = (TYRES.get(index), car.tyres.get(index)) {
                spans.extend([name(&format!("{title} "), look), Span::raw(fit(&tyre(of), half, look))]);
            }
        }
        Line::from(spans)
    };
    vec![row(0), row(2)]
}

/// Weather, race position and remaining time, as far as known.
fn around(car: &Car, room: Room, look: Look) -> Option<Line<'static>> {
    let mut parts = Vec::new();
    parts.extend(car.race_position.filter(|place| *place > 0).map(|place| format!("P{place}")));
    parts.extend(car.air_c.map(|c| format!("air {c:.0} C")));
    parts.extend(car.track_c.map(|c| format!("track {c:.0} C")));
    parts.extend(car.session_left_ms.map(|ms| {
        let text = human::duration(u64::from(ms) * 1_000_000);
        format!("{} left", text.split('.').next().unwrap_or_default())
    }));
    (!parts.is_empty()).then(|| Line::from(name(&cut(&parts.join(look.dot()), room.width, look), look)))
}

/// Figures one below the other, the most important first: 11 lines of 40 cells show everything.
pub(super) fn narrow(car: &Car, room: Room, look: Look) -> Vec<Line<'static>> {
    let lap = car.lap.clone().unwrap_or_default();
    let last = car.last_lap.clone().unwrap_or_default();
    let bar_cells = room.width.saturating_sub(20) / 2;
    let pedal = |title: &str, share: Option<f64>, style: Style| {
        [
            name(&format!("{title} "), look),
            Span::styled(bar(share, bar_cells, look), style),
            Span::raw(format!(
                "{:>5} ",
                share.map_or("-".to_owned(), |share| format!("{:.0}%", share.clamp(0.0, 1.0) * 100.0))
            )),
        ]
    };
    let mut pedals = Vec::from(pedal("thr", car.throttle, look.faster()));
    pedals.extend(pedal("brk", car.brake, look.slower()));
    let number = lap.number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let mut lines = vec![
        Line::from(vec![
            Span::styled(speed(car), look.strong()),
            name(" km/h  gear ", look),
            Span::styled(gear(car), look.strong()),
            Span::raw(format!("  {} ", rpm(car.rpm))),
            name("rpm", look),
        ]),
        Line::from(vec![
            name("rpm ", look),
            Span::styled(bar(rpm_share(car), room.width.saturating_sub(5), look), look.rpm()),
        ]),
        Line::from(pedals),
        Line::from(vec![name("str ", look), Span::raw(middle_bar(car.steering, room.width.saturating_sub(5), look))]),
        Line::from(vec![
            name("lap ", look),
            Span::raw(format!("{number} ")),
            Span::styled(format!("{} ", lap_time(lap.time_ms)), look.strong()),
            valid(lap.valid, look),
            delta_span(first_delta(car), 9, look),
        ]),
        Line::from(vec![
            name("last ", look),
            Span::raw(lap_time(last.time_ms)),
            name("  best ", look),
            Span::styled(lap_time(car.best_ms), look.best()),
        ]),
        Line::from(sectors(&lap.sectors_ms, room.width, look)),
        fuel(car, look),
    ];
    let short = |title: &str, tyre: &Tyre| {
        format!(
            "{title} {:>3}C {:>4}psi  ",
            super::super::text::number(tyre.core_c, 0),
            super::super::text::number(tyre.pressure_psi, 1)
        )
    };
    for pair in [0, 2] {
        let text: String =
            (pair..pair + 2).filter_map(|index| Some(short(TYRES.get(index)?, car.tyres.get(index)?))).collect();
        lines.push(Line::from(text));
    }
    lines
}
