//! `gametape compare`

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use gametape::laps::compare::{Comparison, GridPoint, Stretch, compare};
use gametape::laps::{Id, Lap, TracePoint, trace};
use gametape::paths::this_machine;
use gametape::store::{Audience, Combination, Store};
use serde_json::json;

use super::laps_table::{delta, lap_time};
use super::{laps_store, of_lap};
use crate::exit::{self, Outcome};
use crate::{human, open};

const TITLE: Style = Style::new().bold();
const SLOWER: Style = AnsiColor::Red.on_default();
const FASTER: Style = AnsiColor::Green.on_default();
/// Stretches that are told, each way.
const TOLD: usize = 5;
/// A stretch with less than this was driven alike.
const ALIKE_MS: f64 = 1.0;

/// Two laps side by side, by the place on the track
///
/// The first lap is the reference: + means that the second one is slower, - that it is faster. Prints a grid of places with speed, throttle, brake and
/// steering of both, and then where time was won and lost.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape compare race.gtape#3 race.gtape#7
  gametape compare monday.gtape#2 friday.gtape#5 --step 25
  gametape compare race.gtape#3 race.gtape#7 --csv > compare.csv

A lap is the tape and the number that `gametape laps` prints first, or its id (`gametape laps --json`).")]
pub(crate) struct Args {
    /// The lap to compare with: TAPE#N, or the id of a lap of the store
    a: String,
    /// The lap that is compared, named in the same ways
    b: String,
    /// Store of laps that are named by their id: a file, postgres://…, or demo
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Metres from place to place
    #[arg(long, value_name = "M", default_value_t = 5.0, value_parser = parse_step)]
    step: f32,
    /// One JSON document on stdout
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// The grid as lines with commas
    #[arg(long)]
    csv: bool,
}

fn parse_step(text: &str) -> Result<f32, String> {
    let step = text.parse::<f32>().ok().filter(|step| (0.5..=500.0).contains(step));
    step.ok_or_else(|| format!("{text:?} is no step; write metres from 0.5 to 500"))
}

/// A lap that was asked for.
struct Asked {
    name: String,
    lap: Lap,
    track: Option<String>,
    length_m: Option<f32>,
    points: Vec<TracePoint>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let store = args.store.as_deref();
    let (a, b) = (read(&args.a, store)?, read(&args.b, store)?);
    if Option::zip(a.track.as_ref(), b.track.as_ref()).is_some_and(|(a, b)| a != b) {
        return Err(exit::usage(format!(
            "{} and {} are on different tracks; compare laps of one track",
            a.name, b.name
        )));
    }
    let length_m = a.length_m.or(b.length_m);
    let Some(length_m) = length_m else {
        return Err(exit::nothing_found(
            "the length of the track is not known: the game does not say it, and no whole lap is on the tape",
        ));
    };
    let compared = compare(&a.points, &b.points, length_m, args.step);
    if compared.grid.is_empty() {
        return Err(exit::nothing_found("the laps have no place in common: the tapes hold too few frames of them"));
    }
    let mut out = Vec::new();
    match (args.json, args.csv) {
        (true, _) => write_json(&mut out, &a, &b, length_m, &compared)?,
        (_, true) => write_csv(&mut out, &compared)?,
        _ => write_human(&mut out, &a, &b, length_m, &compared)?,
    }
    let mut stdout = anstream::AutoStream::auto(std::io::stdout().lock());
    stdout.write_all(&out)?;
    stdout.flush()?;
    Ok(Outcome::Done)
}

fn read(name: &str, store: Option<&str>) -> anyhow::Result<Asked> {
    if let Some(id) = Id::parse(name) {
        return of_store(id, store);
    }
    let Some((path, number)) = name.rsplit_once('#') else {
        return Err(exit::usage(format!(
            "{name:?} is no lap; write TAPE#N, `gametape laps TAPE` prints N, or the id of a lap of the store"
        )));
    };
    let number: u32 =
        number.parse().map_err(|_| exit::usage(format!("{name:?} is no lap; write TAPE#N with a number behind #")))?;
    let path = PathBuf::from(path);
    let tape = open::tape(&path)?;
    let tracked = of_lap::tracked(&tape, &path)?;
    let lap = of_lap::lap(&tracked, number, &path)?.clone();
    let points = trace(&tape, &lap).with_context(|| format!("cannot read lap {number} of {}", path.display()))?;
    let session = tracked.sessions.iter().find(|session| session.session.id == lap.session);
    let track = session.and_then(|session| session.session.track.clone());
    let facts = tracked.tracks.iter().find(|facts| Some(&facts.track) == track.as_ref());
    Ok(Asked { name: short(&path, number), lap, track, length_m: facts.and_then(|facts| facts.length_m), points })
}

/// A lap of the store, with what its tape has of it.
fn of_store(id: Id, named: Option<&str>) -> anyhow::Result<Asked> {
    let store = laps_store::with_laps(named)?;
    let stored = store.lap(id, Audience::Owner)?;
    let stored = stored.ok_or_else(|| exit::nothing_found(format!("lap {id} is not in {}", store.name())))?;
    let tape = store.tape(stored.tape)?.filter(|tape| tape.place == this_machine());
    let Some(tape) = tape else {
        return Err(exit::nothing_found(format!(
            "the tape of lap {id} is not known on this machine; `gametape laps rebuild FOLDER` looks for tapes"
        )));
    };
    let path = PathBuf::from(tape.path);
    let points = trace(&open::tape(&path)?, &stored.lap).with_context(|| format!("cannot read {}", path.display()))?;
    let Combination { game, track, layout, .. } = stored.combination;
    let facts = match &track {
        Some(track) => store.track_facts(&game, track, layout.as_deref())?,
        None => None,
    };
    let (name, length_m) = (short(&path, stored.lap.tape_lap), facts.and_then(|facts| facts.length_m));
    Ok(Asked { name, lap: stored.lap, track, length_m, points })
}

fn short(path: &Path, number: u32) -> String {
    format!("{}#{number}", human::safe(&path.file_name().unwrap_or_default().to_string_lossy()))
}

fn write_human(out: &mut Vec<u8>, a: &Asked, b: &Asked, length_m: f32, compared: &Comparison) -> std::io::Result<()> {
    writeln!(
        out,
        "{TITLE}    m     delta     km/h A  km/h B   thr A  thr B   brk A  brk B   steer A steer B{TITLE:#}"
    )?;
    let number =
        |value: Option<f32>, digits: usize| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"));
    for GridPoint { distance_m, a, b, delta_ms } in &compared.grid {
        let style = style_of(*delta_ms);
        let difference = delta(delta_ms.round() as i64);
        writeln!(
            out,
            "{distance_m:>6.0} {style}{difference:>9}{style:#}  {:>8} {:>7} {:>7} {:>6} {:>7} {:>6} {:>9} {:>7}",
            number(a.speed_kmh, 1),
            number(b.speed_kmh, 1),
            number(a.throttle, 2),
            number(b.throttle, 2),
            number(a.brake, 2),
            number(b.brake, 2),
            number(a.steering, 3),
            number(b.steering, 3),
        )?;
    }
    writeln!(out)?;
    for (letter, asked) in [('A', a), ('B', b)] {
        let valid = if asked.lap.valid == Some(false) { ", invalid" } else { "" };
        writeln!(
            out,
            "{letter}  {}  {}, {}{valid}",
            lap_time(asked.lap.time_ms),
            asked.name,
            asked.lap.phase.as_str()
        )?;
    }
    if let (Some(a), Some(b)) = (a.lap.time_ms, b.lap.time_ms) {
        let ms = i64::from(b) - i64::from(a);
        let style = style_of(ms as f64);
        writeln!(out, "B is {style}{}{style:#} s on a lap of {length_m:.0} m", delta(ms))?;
    }
    write_stretches(out, "lost", compared.stretches.iter().filter(|part| part.lost_ms >= ALIKE_MS), |part| {
        -part.lost_ms
    })?;
    write_stretches(out, "won", compared.stretches.iter().filter(|part| part.lost_ms <= -ALIKE_MS), |part| part.lost_ms)
}

fn write_stretches<'a>(
    out: &mut Vec<u8>,
    word: &str,
    parts: impl Iterator<Item = &'a Stretch>,
    order: impl Fn(&Stretch) -> f64,
) -> std::io::Result<()> {
    let mut parts: Vec<&Stretch> = parts.collect();
    parts.sort_by(|one, other| order(one).total_cmp(&order(other)));
    for Stretch { from_m, to_m, lost_ms } in parts.into_iter().take(TOLD) {
        let style = style_of(*lost_ms);
        writeln!(
            out,
            "{word:>5} {style}{:>8}{style:#} from {from_m:.0} m to {to_m:.0} m",
            delta(lost_ms.round() as i64)
        )?;
    }
    Ok(())
}

fn style_of(ms: f64) -> Style {
    match ms {
        ms if ms >= ALIKE_MS => SLOWER,
        ms if ms <= -ALIKE_MS => FASTER,
        _ => Style::new(),
    }
}

fn write_csv(out: &mut Vec<u8>, compared: &Comparison) -> std::io::Result<()> {
    writeln!(
        out,
        "distance_m,delta_ms,time_a_ms,time_b_ms,speed_a_kmh,speed_b_kmh,throttle_a,throttle_b,brake_a,brake_b,steering_a,steering_b"
    )?;
    let number = |value: Option<f32>| value.map(|value| value.to_string()).unwrap_or_default();
    for GridPoint { distance_m, a, b, delta_ms } in &compared.grid {
        let pairs =
            [(a.speed_kmh, b.speed_kmh), (a.throttle, b.throttle), (a.brake, b.brake), (a.steering, b.steering)];
        let cells: Vec<String> = pairs.iter().flat_map(|(a, b)| [number(*a), number(*b)]).collect();
        writeln!(out, "{distance_m},{delta_ms:.3},{:.3},{:.3},{}", a.time_ms, b.time_ms, cells.join(","))?;
    }
    Ok(())
}

fn write_json(out: &mut Vec<u8>, a: &Asked, b: &Asked, length_m: f32, compared: &Comparison) -> anyhow::Result<()> {
    let lap = |asked: &Asked| json!({ "name": asked.name, "id": asked.lap.id.to_string(), "time_ms": asked.lap.time_ms, "valid": asked.lap.valid });
    let point = |point: &TracePoint| json!({ "time_ms": point.time_ms, "speed_kmh": point.speed_kmh, "throttle": point.throttle, "brake": point.brake, "steering": point.steering });
    let grid: Vec<_> = compared
        .grid
        .iter()
        .map(|at| json!({ "distance_m": at.distance_m, "delta_ms": at.delta_ms, "a": point(&at.a), "b": point(&at.b) }))
        .collect();
    let stretches: Vec<_> = compared
        .stretches
        .iter()
        .map(|part| json!({ "from_m": part.from_m, "to_m": part.to_m, "lost_ms": part.lost_ms }))
        .collect();
    let document = json!({ "a": lap(a), "b": lap(b), "length_m": length_m, "grid": grid, "stretches": stretches });
    serde_json::to_writer_pretty(&mut *out, &document).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}
