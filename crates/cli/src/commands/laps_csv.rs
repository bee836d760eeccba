//! Laps as lines with commas, for spreadsheets.

use std::io::Write as _;

use super::laps_report::{ReportLap, ReportSession};

const COLUMNS: &str = "tape,session,game,type,track,layout,car,driver,started_utc,tape_lap,number,time_ms,time_source,state,phase,complete,valid,eligible,\
    delta_to_best_ms,stint,start_ns,end_ns,fuel_used_l,reasons,sector_source,sectors_ms";

/// Writes a line for each lap; the first cell says where it is from.
pub(super) fn write_csv<'a>(
    out: &mut Vec<u8>,
    sessions: impl Iterator<Item = (&'a str, &'a ReportSession)>,
) -> std::io::Result<()> {
    writeln!(out, "{COLUMNS}")?;
    for (tape, session) in sessions {
        for lap in &session.laps {
            writeln!(out, "{}", csv_line(tape, session, lap))?;
        }
    }
    Ok(())
}

fn csv_line(tape: &str, session: &ReportSession, lap: &ReportLap) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    fn number<T: ToString>(number: Option<T>) -> String {
        number.map(|number| number.to_string()).unwrap_or_default()
    }
    let sectors: Vec<String> = lap.sectors_ms.iter().map(|ms| number(*ms)).collect();
    let cells = [
        tape.to_owned(),
        session.id.clone(),
        session.game.clone(),
        session.kind.to_owned(),
        text(&session.track),
        text(&session.layout),
        text(&session.car),
        text(&lap.driver),
        text(&session.started_utc),
        lap.tape_lap.to_string(),
        number(lap.number),
        number(lap.time_ms),
        number(lap.time_source),
        lap.state.to_owned(),
        lap.phase.to_owned(),
        lap.complete.to_string(),
        number(lap.valid),
        lap.eligible.to_string(),
        number(lap.delta_to_best_ms),
        number(lap.stint),
        lap.start_ns.to_string(),
        number(lap.end_ns),
        number(lap.fuel_used_l),
        lap.reasons.join(" "),
        lap.sector_source.to_owned(),
        sectors.join(" "),
    ];
    cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",")
}

/// A cell that a spreadsheet reads as it is: no formulas out of names.
fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '@', '+']) || (cell.starts_with('-') && cell.parse::<f64>().is_err());
    let cell = if formula { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}
