//! Laps as CSV, for spreadsheets.

use std::io::Write as _;

use gametape::analysis::documents::LapDocument;

use super::laps_report::ReportSession;
use crate::rows::write_csv_text;

const COLUMNS: &str = "tape,session,game,type,track,layout,car,driver,started_utc,tape_lap,number,time_ms,time_source,state,phase,complete,valid,eligible,\
    delta_to_best_ms,stint,start_ns,end_ns,fuel_used_l,reasons,sector_source,sectors_ms,lap,foreign";

/// Writes a line for each lap; the first column is its tape.
pub(super) fn write_csv<'a>(
    out: &mut Vec<u8>,
    sessions: impl Iterator<Item = (&'a str, &'a ReportSession)>,
) -> std::io::Result<()> {
    writeln!(out, "{COLUMNS}")?;
    for (tape, session) in sessions {
        for lap in &session.document.laps {
            write_line(out, tape, session, lap);
        }
    }
    Ok(())
}

fn write_line(out: &mut Vec<u8>, tape: &str, session: &ReportSession, lap: &LapDocument) {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    fn number<T: ToString>(number: Option<T>) -> String {
        number.map(|number| number.to_string()).unwrap_or_default()
    }
    let sectors: Vec<String> = lap.sectors_ms.iter().map(|ms| number(*ms)).collect();
    let cells = [
        tape.to_owned(),
        session.document.id.clone(),
        session.document.game.clone(),
        session.document.kind.to_owned(),
        text(&session.document.track),
        text(&session.document.layout),
        text(&session.document.car),
        text(&lap.driver),
        text(&session.document.started_utc),
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
        lap.id.clone(),
        lap.foreign.to_string(),
    ];
    for (number, cell) in cells.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write_csv_text(out, cell);
    }
    out.push(b'\n');
}
