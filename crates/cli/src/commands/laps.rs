//! `gametape laps`

use std::io::Write as _;
use std::path::PathBuf;

use super::laps_report::{Report, ReportLap, ReportSession};
use super::{laps_table, of_lap};
use crate::exit::{self, Outcome};
use crate::open;
use gametape::games::find_game;
use gametape::laps::Phase;

/// Sessions, laps and sectors of tapes
///
/// A lap is marked `*` where it is the best of its session, `!` where the game does not count it, `~` where its time is measured and not the game's.
/// The first number is the lap's number on the tape, for `cut --lap`, `play --lap` and `compare TAPE#N`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape laps                              the newest tape
  gametape laps race.gtape --valid --phase flying
  gametape laps *.gtape --track monza --since 2026-01-31
  gametape laps race.gtape --json | jq '.sessions[].laps[].time_ms'
  gametape laps race.gtape --csv > laps.csv

Filters of sessions look for a part of the name, in any case of letters. Dates are those of UTC.")]
pub(crate) struct Args {
    /// The tapes; the newest one if left out
    files: Vec<PathBuf>,
    /// Sessions of this game
    #[arg(long, value_name = "ID", value_parser = parse_game)]
    game: Option<String>,
    /// Sessions on this track
    #[arg(long, value_name = "NAME")]
    track: Option<String>,
    /// Sessions in this car
    #[arg(long, value_name = "NAME")]
    car: Option<String>,
    /// Laps of this driver
    #[arg(long, value_name = "NAME")]
    driver: Option<String>,
    /// Only laps that the game counts
    #[arg(long)]
    valid: bool,
    /// Only laps of this kind: flying, out, in, pit, grid_start, formation; may be given more than once
    #[arg(long, value_name = "KIND", value_parser = parse_phase)]
    phase: Vec<Phase>,
    /// Sessions that began on this day or later
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    since: Option<String>,
    /// Sessions that began on this day or before
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    until: Option<String>,
    /// One JSON document on stdout; what is not known is null
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// A line for each lap
    #[arg(long)]
    csv: bool,
}

fn parse_game(text: &str) -> Result<String, String> {
    find_game(text)
        .map(|game| game.id.to_owned())
        .ok_or_else(|| format!("{text:?} is no game; `gametape games` lists them"))
}

fn parse_phase(text: &str) -> Result<Phase, String> {
    let names = Phase::ALL.iter().map(|phase| phase.as_str()).collect::<Vec<_>>().join(", ");
    Phase::parse(&text.replace('-', "_")).ok_or_else(|| format!("{text:?} is no kind of lap; there are {names}"))
}

fn parse_day(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.split('-').collect();
    let fits = |part: &str, digits: usize, most: u32| {
        part.len() == digits && part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
    };
    match parts.as_slice() {
        [year, month, day] if fits(year, 4, 9999) && fits(month, 2, 12) && fits(day, 2, 31) => Ok(text.to_owned()),
        _ => Err(format!("{text:?} is no day; write it as 2026-01-31")),
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let files = if args.files.is_empty() { vec![open::or_newest(None)?] } else { args.files.clone() };
    let (mut shown, mut found, mut damaged) = (Vec::new(), 0, false);
    for path in &files {
        let tape = open::tape(path)?;
        let tracked = of_lap::tracked(&tape, path)?;
        damaged |= tracked.damaged > 0 || tape.problems().iter().any(open::is_damage);
        found += tracked.sessions.len();
        let sessions = tracked.sessions.iter().map(ReportSession::of).filter_map(|session| filtered(args, session));
        shown.push((path, sessions.collect::<Vec<_>>()));
    }
    let empty = shown.iter().all(|(_, sessions)| sessions.is_empty());
    let mut out = Vec::new();
    if args.json {
        let sessions = shown.into_iter().flat_map(|(_, sessions)| sessions).collect();
        serde_json::to_writer_pretty(&mut out, &Report { sessions }).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else if args.csv {
        write_csv(
            &mut out,
            shown.iter().flat_map(|(path, sessions)| sessions.iter().map(move |session| (path.as_path(), session))),
        )?;
    } else {
        for (path, sessions) in shown.iter().filter(|(_, sessions)| !sessions.is_empty()) {
            if files.len() > 1 {
                writeln!(out, "{}", path.display())?;
            }
            for session in sessions {
                laps_table::write_session(&mut out, session)?;
                writeln!(out)?;
            }
        }
    }
    // Colours go only to terminals that want them.
    let mut stdout = anstream::AutoStream::auto(std::io::stdout().lock());
    stdout.write_all(&out)?;
    stdout.flush()?;
    match (empty, found) {
        (false, _) => Ok(Outcome::damaged_if(damaged)),
        (true, 0) => {
            Err(exit::nothing_found("no session is on the tape; the game was never driven while it was recorded"))
        }
        (true, _) => Err(exit::nothing_found("no session and no lap is as you asked; leave a filter out")),
    }
}

/// What is left of a session; `None` if nothing is.
fn filtered(args: &Args, mut session: ReportSession) -> Option<ReportSession> {
    let has = |wanted: &Option<String>, said: &Option<String>| match (wanted, said) {
        (None, _) => true,
        (Some(wanted), Some(said)) => said.to_lowercase().contains(&wanted.to_lowercase()),
        (Some(_), None) => false,
    };
    let day = session.started_utc.as_deref().and_then(|utc| utc.get(..10));
    let in_time = |limit: &Option<String>, late: bool| match (limit.as_deref(), day) {
        (None, _) => true,
        (Some(limit), Some(day)) => {
            if late {
                day >= limit
            } else {
                day <= limit
            }
        }
        (Some(_), None) => false,
    };
    let wanted = args.game.as_deref().is_none_or(|game| game == session.game)
        && has(&args.track, &session.track)
        && has(&args.car, &session.car)
        && in_time(&args.since, true)
        && in_time(&args.until, false);
    if !wanted {
        return None;
    }
    let by_lap = args.valid || !args.phase.is_empty() || args.driver.is_some();
    session.laps.retain(|lap| {
        let kind = args.phase.is_empty() || args.phase.iter().any(|phase| phase.as_str() == lap.phase);
        let counts = !args.valid || (lap.valid == Some(true) && lap.state == "final");
        kind && counts && has(&args.driver, &lap.driver)
    });
    (!by_lap || !session.laps.is_empty()).then_some(session)
}

const COLUMNS: &str = "tape,session,game,type,track,layout,car,driver,started_utc,tape_lap,number,time_ms,time_source,state,phase,complete,valid,eligible,\
    delta_to_best_ms,stint,start_ns,end_ns,fuel_used_l,reasons,sector_source,sectors_ms";

fn write_csv<'a>(
    out: &mut Vec<u8>,
    sessions: impl Iterator<Item = (&'a std::path::Path, &'a ReportSession)>,
) -> std::io::Result<()> {
    writeln!(out, "{COLUMNS}")?;
    for (path, session) in sessions {
        for lap in &session.laps {
            writeln!(out, "{}", csv_line(&path.display().to_string(), session, lap))?;
        }
    }
    Ok(())
}

fn csv_line(path: &str, session: &ReportSession, lap: &ReportLap) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    fn number<T: ToString>(number: Option<T>) -> String {
        number.map(|number| number.to_string()).unwrap_or_default()
    }
    let sectors: Vec<String> = lap.sectors_ms.iter().map(|ms| number(*ms)).collect();
    let cells = [
        path.to_owned(),
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
