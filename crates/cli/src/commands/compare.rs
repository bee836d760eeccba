//! `gametape compare`

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use gametape::format::read::Tape;
use gametape::laps::columns::columns;
use gametape::laps::compare::{Comparison, Corner, FineGrid, compare};
use gametape::laps::{Grid, Id, Lap, LapColumns};
use gametape::store::{Audience, Combination, Store, catalogue};
use serde_json::{Value, json};

use super::laps_table::{delta, lap_time};
use super::{laps_store, of_lap};
use crate::exit::{self, Outcome};
use crate::server::is_same_length;
use crate::{human, open};

const TITLE: Style = Style::new().bold();
const SLOWER: Style = AnsiColor::Red.on_default();
const FASTER: Style = AnsiColor::Green.on_default();
/// The number of stretches listed, for losses and for gains.
const LISTED: usize = 5;
/// Stretches with a smaller difference are not listed.
const ALIKE_MS: f64 = 1.0;
/// Channels shown for both laps.
const SHOWN: [&str; 4] = ["speed_kmh", "throttle", "brake", "steering"];

/// Compare two laps by track position
///
/// The first lap is the reference: + means that the second one is slower, - that it is faster. Prints where time was gained and
/// lost, the corners, and a grid of track positions with speed, throttle, brake and steering of both laps.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape compare race.gtape#3 race.gtape#7
  gametape compare monday.gtape#2 friday.gtape#5 --step 25
  gametape compare race.gtape#3 race.gtape#7 --csv > compare.csv

A lap is a tape and the number in the first column of `gametape laps`, or an id from `gametape laps --json`.")]
pub(crate) struct Args {
    /// The reference lap: TAPE#N, or the id of a lap in the store
    a: String,
    /// The lap to compare with it, in the same notation
    b: String,
    /// Store with the laps that are named by id: a file, postgres://… or demo
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Distance between grid positions in metres
    #[arg(long, value_name = "M", default_value_t = 5.0, value_parser = parse_step)]
    step: f64,
    /// Print one JSON document to stdout
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the grid as CSV
    #[arg(long)]
    csv: bool,
}

fn parse_step(text: &str) -> Result<f64, String> {
    let step = text.parse::<f64>().ok().filter(|step| (0.5..=500.0).contains(step));
    step.ok_or_else(|| format!("{text:?} is not a valid step; write metres from 0.5 to 500"))
}

/// A lap to compare.
struct Asked {
    name: String,
    tape: Tape,
    lap: Lap,
    track: Option<String>,
    layout: Option<String>,
    length_m: Option<f32>,
    /// Someone else's lap, from a lap file.
    foreign: bool,
}

/// Both laps at a track position.
struct At {
    distance_m: f64,
    delta_ms: f64,
    times_ms: [f64; 2],
    /// The values of [`SHOWN`] for each lap.
    shown: [[Option<f64>; SHOWN.len()]; 2],
}

/// The comparison to print.
struct ComparisonTable {
    length_m: f64,
    grid: Vec<At>,
    /// Start, end and time lost of each stretch.
    stretches: Vec<(f64, f64, f64)>,
    corners: Vec<Corner>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let store = args.store.as_deref();
    let (a, b) = (read(&args.a, store)?, read(&args.b, store)?);
    let other_place = differ(a.track.as_ref(), b.track.as_ref()) || differ(a.layout.as_ref(), b.layout.as_ref());
    // Lap files name tracks in their own way: the lengths of the laps decide.
    if other_place && !((a.foreign || b.foreign) && is_same_length(a.length_m, b.length_m)) {
        return Err(exit::usage(format!(
            "{} and {} are on different tracks; compare laps of the same track",
            a.name, b.name
        )));
    }
    let Some(length_m) = a.length_m.or(b.length_m).map(f64::from) else {
        return Err(exit::nothing_found(
            "the track length is not known: the game does not provide it, and the tape contains no complete lap",
        ));
    };
    let names = SHOWN.map(str::to_owned);
    let fine = FineGrid::of(args.step, length_m);
    let on_grid = |asked: &Asked| {
        let grid = Grid::Metres { step_m: fine.step_m, length_m };
        columns(&asked.tape, &asked.lap, &names, grid).with_context(|| format!("cannot read {}", asked.name))
    };
    let mut laps = [on_grid(&a)?, on_grid(&b)?];
    let mut compared = compare(&laps, length_m, fine.step_m)?;
    fine.thin(&mut compared, &mut laps);
    let table = ComparisonTable::of(&laps, &compared, length_m);
    if table.grid.is_empty() {
        return Err(exit::nothing_found(
            "the laps have no track position in common: the tapes have too few frames of them",
        ));
    }
    let mut out = Vec::new();
    match (args.json, args.csv) {
        (true, _) => write_json(&mut out, &a, &b, &table)?,
        (_, true) => write_csv(&mut out, &table)?,
        _ => write_human(&mut out, &a, &b, &table)?,
    }
    let mut stdout = if args.json || args.csv { crate::terminal::data() } else { crate::terminal::human() };
    stdout.write_all(&out)?;
    stdout.flush()?;
    Ok(Outcome::Done)
}

fn differ(a: Option<&String>, b: Option<&String>) -> bool {
    Option::zip(a, b).is_some_and(|(a, b)| a != b)
}

impl ComparisonTable {
    /// Skips positions where one of the laps has no frames.
    fn of(laps: &[LapColumns; 2], compared: &Comparison, length_m: f64) -> Self {
        let at = |(row, distance_m): (usize, &f64)| {
            let delta_ms = *compared.delta_ms.last()?.get(row)?;
            let time = |lap: &LapColumns| lap.time_ms.get(row).copied().flatten();
            let shown = |lap: &LapColumns| {
                SHOWN.map(|name| lap.column(name).and_then(|column| column.values.get(row).copied().flatten()))
            };
            let [a, b] = laps;
            Some(At {
                distance_m: *distance_m,
                delta_ms: delta_ms?,
                times_ms: [time(a)?, time(b)?],
                shown: [shown(a), shown(b)],
            })
        };
        let lost = |stretch: &gametape::laps::compare::Stretch| {
            Some((stretch.from_m, stretch.to_m, stretch.lost_ms.last().copied().flatten()?))
        };
        Self {
            length_m,
            grid: compared.distance_m.iter().enumerate().filter_map(at).collect(),
            stretches: compared.stretches.iter().filter_map(lost).collect(),
            corners: compared.corners.clone(),
        }
    }
}

fn read(name: &str, store: Option<&str>) -> anyhow::Result<Asked> {
    if let Some(id) = Id::parse(name) {
        return of_store(id, store);
    }
    let Some((path, number)) = name.rsplit_once('#') else {
        return Err(exit::usage(format!(
            "{name:?} is not a lap; write TAPE#N (`gametape laps TAPE` prints N), or the id of a lap in the store"
        )));
    };
    let number: u32 = number
        .parse()
        .map_err(|_| exit::usage(format!("{name:?} is not a lap; write TAPE#N with a number after #")))?;
    let path = PathBuf::from(path);
    let tape = open::tape(&path)?;
    let tracked = of_lap::tracked(&tape, &path)?;
    let lap = of_lap::lap(&tracked, number, &path)?.clone();
    let session = tracked.sessions.iter().find(|session| session.session.id == lap.session);
    let foreign = session.is_some_and(|found| found.session.foreign);
    let (track, layout) = session.map(|found| (found.session.track.clone(), found.session.layout.clone())).unzip();
    let (track, layout) = (track.flatten(), layout.flatten());
    let facts = tracked.tracks.iter().find(|facts| Some(&facts.track) == track.as_ref() && facts.layout == layout);
    let length_m = facts.and_then(|facts| facts.length_m);
    Ok(Asked { name: short(&path, number), tape, lap, track, layout, length_m, foreign })
}

/// Reads a lap of the store from its tape.
fn of_store(id: Id, named: Option<&str>) -> anyhow::Result<Asked> {
    let store = laps_store::with_laps(named)?;
    let stored = store.lap(id, Audience::Owner)?;
    let stored = stored.ok_or_else(|| exit::nothing_found(format!("lap {id} is not in {}", store.name())))?;
    let path = catalogue::file_of(&store, stored.tape)?.ok_or_else(|| {
        exit::nothing_found(format!(
            "the tape of lap {id} is not on this machine; run `gametape laps rebuild FOLDER` to search a folder for tapes"
        ))
    })?;
    let tape = open::tape(&path)?;
    let Combination { game, track, layout, .. } = stored.combination;
    let facts = match &track {
        Some(track) => store.track_facts(&game, track, layout.as_deref())?,
        None => None,
    };
    let (name, length_m) = (short(&path, stored.lap.tape_lap), facts.and_then(|facts| facts.length_m));
    Ok(Asked { name, tape, lap: stored.lap, track, layout, length_m, foreign: stored.foreign })
}

fn short(path: &Path, number: u32) -> String {
    format!("{}#{number}", human::safe(&path.file_name().unwrap_or_default().to_string_lossy()))
}

fn write_human(out: &mut Vec<u8>, a: &Asked, b: &Asked, table: &ComparisonTable) -> std::io::Result<()> {
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
        writeln!(out, "B is {style}{}{style:#} s on a lap of {:.0} m", delta(ms), table.length_m)?;
    }
    write_stretches(out, "lost", table.stretches.iter().filter(|part| part.2 >= ALIKE_MS), |lost_ms| -lost_ms)?;
    write_stretches(out, "won", table.stretches.iter().filter(|part| part.2 <= -ALIKE_MS), |lost_ms| lost_ms)?;
    write_corners(out, &table.corners)?;
    write_grid(out, table)
}

fn write_corners(out: &mut Vec<u8>, corners: &[Corner]) -> std::io::Result<()> {
    if corners.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{TITLE}corner  from m  apex m    to m     delta  slowest A  slowest B{TITLE:#}")?;
    for corner in corners {
        let lost_ms = corner.lost_ms.last().copied().flatten();
        let style = lost_ms.map(style_of).unwrap_or_default();
        let difference = lost_ms.map_or_else(|| "-".to_owned(), |ms| delta(ms.round() as i64));
        let speed = |lap: usize| number(corner.min_speed_kmh.get(lap).copied().flatten(), 1);
        writeln!(
            out,
            "{:>6} {:>7.0} {:>7.0} {:>7.0} {style}{difference:>9}{style:#} {:>10} {:>10}",
            corner.n,
            corner.from_m,
            corner.apex_m,
            corner.to_m,
            speed(0),
            speed(1)
        )?;
    }
    Ok(())
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

fn write_grid(out: &mut Vec<u8>, table: &ComparisonTable) -> std::io::Result<()> {
    writeln!(
        out,
        "\n{TITLE}    m     delta     km/h A  km/h B   thr A  thr B   brk A  brk B   steer A steer B{TITLE:#}"
    )?;
    for At { distance_m, delta_ms, shown: [a, b], .. } in &table.grid {
        let style = style_of(*delta_ms);
        let difference = delta(delta_ms.round() as i64);
        writeln!(
            out,
            "{distance_m:>6.0} {style}{difference:>9}{style:#}  {:>8} {:>7} {:>7} {:>6} {:>7} {:>6} {:>9} {:>7}",
            number(a[0], 1),
            number(b[0], 1),
            number(a[1], 2),
            number(b[1], 2),
            number(a[2], 2),
            number(b[2], 2),
            number(a[3], 3),
            number(b[3], 3),
        )?;
    }
    Ok(())
}

fn write_stretches<'a>(
    out: &mut Vec<u8>,
    word: &str,
    parts: impl Iterator<Item = &'a (f64, f64, f64)>,
    order: impl Fn(f64) -> f64,
) -> std::io::Result<()> {
    let mut parts: Vec<_> = parts.collect();
    parts.sort_by(|one, other| order(one.2).total_cmp(&order(other.2)));
    for (from_m, to_m, lost_ms) in parts.into_iter().take(LISTED) {
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

fn write_csv(out: &mut Vec<u8>, table: &ComparisonTable) -> std::io::Result<()> {
    writeln!(
        out,
        "distance_m,delta_ms,time_a_ms,time_b_ms,speed_a_kmh,speed_b_kmh,throttle_a,throttle_b,brake_a,brake_b,steering_a,steering_b"
    )?;
    let number = |value: &Option<f64>| value.map(|value| (value as f32).to_string()).unwrap_or_default();
    for At { distance_m, delta_ms, times_ms: [time_a, time_b], shown: [a, b] } in &table.grid {
        let cells: Vec<String> = a.iter().zip(b).flat_map(|(a, b)| [number(a), number(b)]).collect();
        writeln!(out, "{},{delta_ms:.3},{time_a:.3},{time_b:.3},{}", *distance_m as f32, cells.join(","))?;
    }
    Ok(())
}

fn write_json(out: &mut Vec<u8>, a: &Asked, b: &Asked, table: &ComparisonTable) -> anyhow::Result<()> {
    let lap = |asked: &Asked| json!({ "name": asked.name, "id": asked.lap.id.to_string(), "time_ms": asked.lap.time_ms, "valid": asked.lap.valid });
    let point = |time_ms: f64, shown: &[Option<f64>]| {
        let mut point = serde_json::Map::from_iter([("time_ms".to_owned(), json!(time_ms))]);
        point.extend(
            SHOWN.iter().zip(shown).map(|(name, value)| ((*name).to_owned(), json!(value.map(|value| value as f32)))),
        );
        Value::Object(point)
    };
    let at = |at: &At| {
        let [a, b] = [0, 1].map(|lap: usize| point(at.times_ms[lap], &at.shown[lap]));
        json!({ "distance_m": at.distance_m, "delta_ms": at.delta_ms, "a": a, "b": b })
    };
    let grid: Vec<_> = table.grid.iter().map(at).collect();
    let stretch =
        |(from_m, to_m, lost_ms): &(f64, f64, f64)| json!({ "from_m": from_m, "to_m": to_m, "lost_ms": lost_ms });
    let stretches: Vec<_> = table.stretches.iter().map(stretch).collect();
    let pair = |values: &[Option<f64>], lap: usize| values.get(lap).copied().flatten();
    let corner = |corner: &Corner| {
        json!({
            "n": corner.n, "from_m": corner.from_m, "apex_m": corner.apex_m, "to_m": corner.to_m,
            "lost_ms": pair(&corner.lost_ms, 1),
            "min_speed_a_kmh": pair(&corner.min_speed_kmh, 0), "min_speed_b_kmh": pair(&corner.min_speed_kmh, 1),
        })
    };
    let corners: Vec<_> = table.corners.iter().map(corner).collect();
    let document = json!({
        "a": lap(a), "b": lap(b), "length_m": table.length_m, "stretches": stretches, "corners": corners, "grid": grid,
    });
    serde_json::to_writer_pretty(&mut *out, &document).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}
