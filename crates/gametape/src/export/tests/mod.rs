//! Table rows: which rows are emitted, and their lap columns.

mod report;

use std::io;

use gametape_format::read::Tape;
use std::sync::Arc;

use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_format::{Channel, ChannelType, StreamSpec, TapeId};

use super::*;
use crate::laps::Tracked;
use crate::laps::tests::tapes::record_simulation;
use crate::laps::track_tape;
use gametape_simulator::{Script, Settings, Simulation};

#[derive(Default)]
struct Lines {
    head: String,
    rows: Vec<String>,
}

impl ExportSink for Lines {
    fn part(&mut self, _: Option<u32>, head: &[u8]) -> io::Result<()> {
        self.head = String::from_utf8(head.to_vec()).unwrap();
        Ok(())
    }

    fn write(&mut self, row: &[u8]) -> io::Result<()> {
        self.rows.push(String::from_utf8(row.to_vec()).unwrap());
        Ok(())
    }
}

fn driven() -> (tempfile::TempDir, Tape) {
    record_simulation(Simulation::driving(Settings::default(), Script::new().at(100_000).end()), 50, "stopped")
}

fn csv(tape: &Tape, names: &[&str], options: &RowOptions, tracked: Option<&Tracked>) -> Lines {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut lines = Lines::default();
    let exported = export_some_rows(tape, &choose(tape, &names).unwrap(), options, tracked, &mut lines).unwrap();
    assert_eq!(exported.rows as usize, lines.rows.len());
    lines
}

#[test]
fn the_first_row_of_a_lap_does_not_have_the_distance_of_the_lap_before() {
    let (_folder, tape) = driven();
    let mut tracked = track_tape(&tape).unwrap();
    // A game that counts the lap five frames before it resets the position.
    let laps = &mut tracked.sessions[0].laps;
    let starts: Vec<u64> = laps.iter().skip(1).map(|lap| lap.start_ns - 100_000_000).collect();
    assert!(!starts.is_empty(), "the control: a lap follows another one");
    for (place, start) in starts.iter().enumerate() {
        laps[place].end_ns = Some(*start);
        laps[place + 1].start_ns = *start;
    }
    let lines = csv(&tape, &["speedKmh"], &RowOptions::all(RowFormat::Csv), Some(&tracked));
    let cells = |row: &String| row.split(',').map(str::to_owned).collect::<Vec<_>>();
    let mut before = None;
    let (mut first_rows, mut empty) = (0, 0);
    for row in lines.rows.iter().map(cells) {
        let (lap, metres) = (row[3].clone(), row[4].parse::<f32>().ok());
        if before
            .replace(lap.clone())
            .is_some_and(|before: String| before != lap && !before.is_empty() && !lap.is_empty())
        {
            assert!(metres.is_none_or(|metres| metres < 100.0), "{row:?}");
            first_rows += 1;
        }
        empty += usize::from(!lap.is_empty() && metres.is_none());
    }
    assert_eq!(first_rows, starts.len());
    assert!(empty < first_rows * 8 + 8, "known distances stay: {empty} are empty");
}

#[test]
fn rows_of_a_part_are_those_of_the_whole() {
    let (_folder, tape) = driven();
    let tracked = track_tape(&tape).unwrap();
    let names = ["speedKmh", "gear", "completedLaps"];
    let all = csv(&tape, &names, &RowOptions::all(RowFormat::Csv), Some(&tracked));
    assert_eq!(all.head, "time_ns,time_s,utc,lap,lap_distance_m,speedKmh,gear,completedLaps\r\n", "no units in names");
    let time = |row: &String| row.split(',').next().unwrap().parse::<u64>().unwrap();
    let times = 5_000_000_000..20_000_000_000;
    let part = RowOptions { times: times.clone(), ..RowOptions::all(RowFormat::Csv) };
    let inside: Vec<String> = all.rows.iter().filter(|row| times.contains(&time(row))).cloned().collect();
    assert!(inside.len() > 500);
    assert_eq!(csv(&tape, &names, &part, Some(&tracked)).rows, inside);
    let few = csv(&tape, &names, &RowOptions { hz: Some(2.0), ..part }, Some(&tracked)).rows;
    assert_eq!(few.len(), 30, "two in each of 15 seconds");
    assert!(few.iter().all(|row| inside.contains(row)), "values are exact, nothing is averaged");
}

#[test]
fn the_usual_columns_are_few_and_a_tape_without_them_gives_all() {
    let (_folder, tape) = driven();
    let names: Vec<String> = choose_usual(&tape).0.into_iter().map(|column| column.name).collect();
    for name in ["speedKmh", "rpms", "gear", "gas", "brake", "steerAngle", "fuel", "normalizedCarPosition"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    let every = choose(&tape, &[]).unwrap().0.len();
    assert!(names.len() < 25 && every > 100, "{} of {every}", names.len());

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gtape");
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([3; 16])), false).unwrap();
    let channels = ["a", "b", "c"].iter().enumerate();
    let channels = channels.map(|(place, name)| Channel::new(*name, ChannelType::U8, place as u32, 1, "m")).collect();
    tape.add_stream(StreamSpec::columns("own", 3, channels), 0).unwrap();
    tape.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    assert_eq!(choose_usual(&tape), choose(&tape, &[]).unwrap());
}
