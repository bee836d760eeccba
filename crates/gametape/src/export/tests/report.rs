//! The values of a report are those of the tape, peaks are preserved, and its size is bounded.
use std::sync::Arc;

use gametape_analysis::report::*;
use gametape_format::read::Tape;
use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_format::{Channel, ChannelType, StreamSpec, TapeId};

use crate::export::choose;
use crate::laps::tests::tapes::record_simulation;
use crate::laps::{Grid, columns, track_tape};
use gametape_simulator::{Script, Settings, Simulation};

fn report(tape: &Tape, named: &[&str]) -> TapeReport {
    let names: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
    let (tracked, columns) = (track_tape(tape).ok(), choose(tape, &names).unwrap());
    tape_report(tape, tracked.as_ref(), &columns, !named.is_empty(), &mut |_, _| Ok(())).unwrap()
}

/// A tape of an unknown game with 100 frames per second; no frame is stored for `None`.
fn own_tape(frames: u64, value: impl Fn(u64) -> Option<f32>) -> (tempfile::TempDir, Tape) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gtape");
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([3; 16])), false).unwrap();
    let channels = vec![
        Channel::new("wave", ChannelType::F32, 0, 1, "m"),
        Channel::new("count", ChannelType::U16, 4, 1, ""),
        Channel::new("still", ChannelType::U16, 6, 1, ""),
    ];
    let stream = tape.add_stream(StreamSpec::columns("own", 8, channels), 0).unwrap();
    for frame in 0..frames {
        let Some(value) = value(frame) else { continue };
        let count = (frame / 1000) as u16;
        let bytes = [value.to_le_bytes().as_slice(), &count.to_le_bytes(), &[9, 0]].concat();
        tape.append(stream, frame * 10_000_000, &bytes).unwrap();
    }
    tape.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    (folder, tape)
}

/// A tape repeated back to back.
fn repeated(of: &Tape, times: u64) -> (tempfile::TempDir, Tape) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.gtape");
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([5; 16])), false).unwrap();
    let streams = || of.streams().filter(|stream| !stream.spec().role.is_system());
    let ids: Vec<_> =
        streams().map(|stream| (stream.id(), tape.add_stream(stream.spec().clone(), 0).unwrap())).collect();
    let length_ns = streams().filter_map(|stream| stream.totals().last_ns).max().unwrap() + 50_000_000;
    for time in 0..times {
        let mut frames = of.merged(streams());
        while let Some(frame) = frames.next().unwrap() {
            let (_, id) = ids.iter().find(|(stream, _)| *stream == frame.stream).unwrap();
            tape.append(*id, time * length_ns + frame.time_ns, frame.data).unwrap();
        }
    }
    tape.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    (folder, tape)
}

fn wave(frame: u64) -> f32 {
    (frame as f32 * 0.003).sin() * 20.0
}

#[test]
fn a_spike_of_one_frame_survives_and_every_stretch_has_its_extremes() {
    const SPIKE: u64 = 123_457;
    let (_folder, tape) = own_tape(300_000, |frame| Some(if frame == SPIKE { 77.0 } else { wave(frame) }));
    let report = report(&tape, &[]);
    let names: Vec<_> = report.channels.iter().map(|channel| channel.name.as_str()).collect();
    assert_eq!(names, ["wave", "count"], "what never changes is left out");
    let asked_for = self::report(&tape, &["still"]);
    let names: Vec<&str> = asked_for.channels.iter().map(|channel| channel.name.as_str()).collect();
    assert_eq!(names, ["still"], "what was asked for is there, even if it never changes");
    let of = &report.channels[0];
    let values = of.values.unpacked();
    let stretch_ns = report.stretch_ns << of.shift;
    assert!(values.len() < 2 * (OTHER_STRETCHES + 1) && values.len() > OTHER_STRETCHES, "{}", values.len());
    let near = |a: f64, b: f64| (a - b).abs() <= of.values.step / 2.0 + 1e-9;
    let highest = values.iter().position(|value| value.is_some_and(|value| near(value, 77.0))).unwrap();
    assert_eq!((highest / 2) as u64, SPIKE * 10_000_000 / stretch_ns, "it is where it was");
    for (number, pair) in values.chunks(2).enumerate() {
        let inside = |frame: &u64| frame * 10_000_000 / stretch_ns == number as u64 && *frame != SPIKE;
        let first = (number as u64 * stretch_ns / 10_000_000).saturating_sub(2);
        let frames = (first..first + stretch_ns / 10_000_000 + 4).filter(inside);
        let seen: Vec<f64> = frames.filter(|frame| *frame < 300_000).map(|frame| f64::from(wave(frame))).collect();
        let Some(low) = seen.iter().copied().reduce(f64::min) else { continue };
        let high = seen.iter().copied().reduce(f64::max).unwrap();
        let [a, b] = pair else { panic!() };
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!(
            near(a.min(b), low) && (near(a.max(b), high) || highest / 2 == number),
            "{number}: {pair:?} {low} {high}"
        );
        // The order is that of the tape.
        let place = |of: f64| seen.iter().position(|value| *value == of);
        assert!(highest / 2 == number || a == b || (a < b) == (place(low) < place(high)), "{number}: {pair:?}");
    }
    let counts = report.channels[1].values.unpacked();
    assert!(counts.iter().flatten().all(|count| count.fract() == 0.0), "whole numbers stay what they are");
    assert_eq!(counts.last().unwrap(), &Some(299.0));
}

#[test]
fn short_tapes_keep_nearly_every_frame_and_silence_is_not_known() {
    let (_folder, tape) = own_tape(3000, |frame| (!(1000..2000).contains(&frame)).then(|| wave(frame)));
    let report = report(&tape, &["wave"]);
    let of = &report.channels[0];
    let values = of.values.unpacked();
    assert_eq!((of.shift, report.stretches), (0, values.len() / 2));
    let at = |frame: u64| values[(frame * 10_000_000 / report.stretch_ns) as usize * 2];
    assert!(at(1200).is_none() && at(1800).is_none());
    for frame in (0..1000).chain(2000..3000) {
        let stretch = (frame * 10_000_000 / report.stretch_ns) as usize;
        let off = |value: &Option<f64>| value.map_or(f64::INFINITY, |value| (value - f64::from(wave(frame))).abs());
        let nearest = values[2 * stretch..2 * stretch + 2].iter().map(off).fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.07, "{frame}: {nearest}");
    }
}

#[test]
fn laps_have_the_values_of_a_comparison_at_each_place() {
    let (_folder, tape) =
        record_simulation(Simulation::driving(Settings::default(), Script::new().at(140_000).end()), 60, "stopped");
    let tracked = track_tape(&tape).unwrap();
    let report = report(&tape, &[]);
    let laps: Vec<_> = tracked.laps().filter(|lap| lap.end_ns.is_some() && lap.complete).collect();
    assert!(laps.len() >= 2 && report.laps.len() >= laps.len());
    for lap in laps {
        let lines = report.laps.iter().find(|lines| lines.tape_lap == lap.tape_lap).unwrap();
        assert!(lines.channels.len() > 20 && lines.corners.len() >= 3, "{}", lines.channels.len());
        let grid = Grid::Metres { step_m: lines.step_m, length_m: lines.length_m };
        let names: Vec<String> = ["speed_kmh", "gear", "steering", "rpm"].map(str::to_owned).to_vec();
        let right = columns::columns(&tape, lap, &names, grid).unwrap();
        let times = lines.time_ms.unpacked();
        assert_eq!(times.len(), right.time_ms.len());
        for (time, right) in times.iter().zip(&right.time_ms) {
            assert!(Option::zip(*time, *right).is_none_or(|(time, right)| (time - right).abs() < 0.006));
            assert_eq!(time.is_some(), right.is_some());
        }
        for column in &right.columns {
            let (_, packed) = lines.channels.iter().find(|(name, _)| *name == column.name).unwrap();
            let values = packed.unpacked();
            assert_eq!(values.len(), 2 * right.time_ms.len() - 1);
            for (value, right) in values.iter().step_by(2).zip(&column.values) {
                assert_eq!(value.is_some(), right.is_some());
                assert!(Option::zip(*value, *right).is_none_or(|(a, b)| (a - b).abs() <= packed.step / 2.0 + 1e-6));
            }
        }
    }
}

#[test]
fn three_hours_are_below_15_mb_and_so_is_whatever_could_come() {
    // A drive of half an hour repeated six times, because simulating all of it would take longer.
    let drive = Simulation::driving(Settings::default(), Script::new().at(1_800_000).end());
    let (_folder, half_hour) = record_simulation(drive, 20, "stopped");
    let (_folder, tape) = repeated(&half_hour, 6);
    let report = report(&tape, &[]);
    let values = |packed: &Packed| packed.count * packed.width / 2;
    let time: usize = report.channels.iter().map(|channel| values(&channel.values)).sum();
    let of_lap = |lap: &LapLines| values(&lap.time_ms) + lap.channels.iter().map(|(_, one)| values(one)).sum::<usize>();
    let laps: usize = report.laps.iter().map(of_lap).sum();
    let (channels, lap_count) = (report.channels.len(), report.laps.len());
    assert!(lap_count > 200 && report.stretches > CORE_STRETCHES / 2, "{lap_count} {}", report.stretches);
    let bytes = report.into_json().to_string().len();
    println!("3 h: {channels} channels, {lap_count} laps, {time} + {laps} values, {bytes} bytes");
    assert!(bytes < 14_500_000, "{bytes}");
    // Rounding may add one interval per channel.
    assert!(time + laps < MOST_VALUES + 1000, "{time} {laps}");
    // Two bytes per value as base64, if incompressible, without the page itself.
    const { assert!(MOST_VALUES * 2 / 3 * 4 < 13_500_000) };
}
