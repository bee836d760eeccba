//! Laps as a table for people. Everything shown by colour is also shown by a sign or a word.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use gametape::analysis::documents::LapDocument;

use super::laps_report::ReportSession;
use crate::human;

const TITLE: Style = Style::new().bold();
const BEST: Style = AnsiColor::Magenta.on_default().bold();
const SLOWER: Style = AnsiColor::Red.on_default();
const FASTER: Style = AnsiColor::Green.on_default();
const INVALID: Style = AnsiColor::Red.on_default();
const QUIET: Style = Style::new().dimmed();
/// The largest number of sector columns.
const SECTOR_COLUMNS: usize = 12;

/// Formats a lap time: `1:40.400`; dashes if there is none.
pub(crate) fn lap_time(ms: Option<u32>) -> String {
    ms.map_or_else(|| "-:--.---".to_owned(), |ms| format!("{}:{:02}.{:03}", ms / 60_000, ms / 1000 % 60, ms % 1000))
}

/// Formats a sector time: `30.500`; minutes only if there are any.
pub(crate) fn sector_time(ms: Option<u32>) -> String {
    match ms {
        None => "--.---".to_owned(),
        Some(ms) if ms < 60_000 => format!("{}.{:03}", ms / 1000, ms % 1000),
        ms => lap_time(ms),
    }
}

/// Formats a difference with its sign: `+0.312` is slower.
pub(crate) fn delta(ms: i64) -> String {
    let sign = if ms < 0 { '-' } else { '+' };
    let ms = ms.unsigned_abs();
    format!("{sign}{}.{:03}", ms / 1000, ms % 1000)
}

pub(crate) fn write_session(out: &mut Vec<u8>, session: &ReportSession) -> io::Result<()> {
    write_title(out, session)?;
    if session.document.laps.is_empty() {
        return writeln!(out, "  no laps");
    }
    write_head(out, sector_columns(session))?;
    for lap in &session.document.laps {
        write_lap(out, session, lap)?;
    }
    let theoretical = session
        .document
        .theoretical_best_ms
        .map_or_else(String::new, |ms| format!(", sum of best sectors {}", lap_time(Some(ms))));
    match session.bests.lap {
        Some((tape_lap, ms)) => writeln!(out, "  {BEST}best {}{BEST:#} in lap #{tape_lap}{theoretical}", lap_time(ms)),
        None => writeln!(out, "  no lap counts as a best"),
    }
}

/// Writes the title of a session.
pub(crate) fn write_title(out: &mut Vec<u8>, session: &ReportSession) -> io::Result<()> {
    let said = |text: Option<&String>| text.map(|text| human::safe(text));
    let names = &session.names;
    let parts = [
        Some(session.document.kind.replace('_', " ")),
        said(names.track.as_ref().or(session.document.track.as_ref())),
        said(session.document.layout.as_ref()),
        said(names.car.as_ref().or(session.document.car.as_ref())),
        said(names.driver.as_ref().or(session.document.driver.as_ref())),
        session.document.started_utc.as_deref().map(to_the_minute),
        session.document.foreign.then(|| "someone else's laps".to_owned()),
    ];
    let title: Vec<String> = parts.into_iter().flatten().collect();
    writeln!(out, "{TITLE}{}{TITLE:#}", title.join(", "))?;
    match &session.document.remark {
        Some(remark) => writeln!(out, "  {}", human::safe(remark)),
        None => Ok(()),
    }
}

/// Shortens a full date to `2026-11-16 13:42 UTC`, enough to identify a session.
fn to_the_minute(utc: &str) -> String {
    match (utc.get(..10), utc.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => utc.to_owned(),
    }
}

/// Writes the column headings.
pub(crate) fn write_head(out: &mut Vec<u8>, sectors: usize) -> io::Result<()> {
    let columns: String = (1..=sectors).map(|number| format!("{:>9}", format!("S{number}"))).collect();
    writeln!(
        out,
        "{QUIET}   #  lap  {:>9} {columns} {:>9}  {:<10} {:<5} notes{QUIET:#}",
        "time", "to best", "kind", "stint"
    )
}

/// Returns the number of sector columns.
pub(crate) fn sector_columns(session: &ReportSession) -> usize {
    let told = session.document.sector_count.map_or(0, usize::from);
    session.document.laps.iter().map(|lap| lap.sectors_ms.len()).max().unwrap_or(0).max(told).min(SECTOR_COLUMNS)
}

/// Writes a lap of the session.
pub(crate) fn write_lap(out: &mut Vec<u8>, session: &ReportSession, lap: &LapDocument) -> io::Result<()> {
    let is_best = session.document.best_lap.as_deref() == Some(lap.id.as_str());
    let number = lap.number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let (style, sign) = match (is_best, lap.valid) {
        (true, _) => (BEST, '*'),
        (false, Some(false)) => (INVALID, '!'),
        (false, _) if lap.time_source == Some("measured") => (Style::new(), '~'),
        (false, _) => (Style::new(), ' '),
    };
    write!(out, "{:>4} {number:>4}  {style}{:>9}{sign}{style:#}", lap.tape_lap, lap_time(lap.time_ms))?;
    for index in 0..sector_columns(session) {
        let ms = lap.sectors_ms.get(index).copied().flatten();
        let is_best = lap.eligible && ms.is_some() && session.bests.sectors_ms.get(index) == Some(&ms);
        let style = if is_best { BEST } else { Style::new() };
        write!(out, "{style}{:>9}{style:#}", sector_time(ms))?;
    }
    match lap.delta_to_best_ms {
        _ if is_best => write!(out, " {BEST}{:>9}{BEST:#}", "best")?,
        Some(ms) if ms < 0 => write!(out, " {FASTER}{:>9}{FASTER:#}", delta(ms))?,
        Some(ms) if ms > 0 => write!(out, " {SLOWER}{:>9}{SLOWER:#}", delta(ms))?,
        Some(ms) => write!(out, " {:>9}", delta(ms))?,
        None => write!(out, " {:>9}", "")?,
    }
    let stint = lap.stint.map_or_else(String::new, |stint| stint.to_string());
    writeln!(out, "  {:<10} {stint:<5} {}", lap.phase.replace('_', " "), notes(session, lap))
}

/// Returns the notes: everything that has no column.
fn notes(session: &ReportSession, lap: &LapDocument) -> String {
    let mut notes = Vec::new();
    // The title names one driver; after a driver swap others drive too.
    if let Some(driver) = lap.driver.as_deref().filter(|driver| session.document.driver.as_deref() != Some(*driver)) {
        notes.push(human::safe(driver));
    }
    if lap.state != "final" {
        notes.push(lap.state.to_owned());
    }
    if lap.valid == Some(false) {
        notes.push("invalid".to_owned());
    }
    let told = ["out_lap", "in_lap", "pit_lap", "grid_start", "formation"];
    notes.extend(lap.reasons.iter().filter(|code| !told.contains(code)).map(|code| code.replace('_', " ")));
    notes.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_differences_are_as_people_write_them() {
        assert_eq!((lap_time(Some(100_400)), lap_time(None)), ("1:40.400".into(), "-:--.---".into()));
        assert_eq!((sector_time(Some(30_500)), sector_time(Some(61_005))), ("30.500".into(), "1:01.005".into()));
        assert_eq!(
            (delta(312), delta(-312), delta(0), delta(61_000)),
            ("+0.312".into(), "-0.312".into(), "+0.000".into(), "+61.000".into())
        );
    }
}
