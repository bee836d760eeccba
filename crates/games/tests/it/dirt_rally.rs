//! The Codemasters "extradata" format: stages and laps, on made-up datagrams and on real ones.
use crate::support;
use crate::udp_frames::{Built, Reader, accepted_by, datagrams, survives_any_bytes};

use gametape_games::dirt_rally::GAME;
use gametape_games::{Game, Kind, Presence, SectorValue, find_game};

const DR1: &str = "dirt-rally1/dr1_stage_264B_a.bin";
const DR2: &str = "dirt-rally2/noorinbee_202.5s_264B.bin";
const TELEMETRY: &str = "telemetry";

fn game() -> &'static Game {
    find_game("dirt").unwrap()
}

/// A car on a stage of 5000 m, as the packets show it.
fn stage(lap_s: f32, progress: f32, more: &[(&str, f32)]) -> Vec<u8> {
    let driven = [("totalTime", 10.0 + lap_s), ("lapTime", lap_s), ("lapDistance", progress * 5_000.0)];
    Built::new(&GAME, TELEMETRY, 264)
        .floats(&driven)
        .floats(&[("progress", progress), ("positionX", 40.0), ("speed", 20.0), ("velocityZ", 20.0)])
        .floats(&[("sidewaysX", 1.0), ("forwardZ", 1.0), ("throttle", 1.0), ("gear", 3.0), ("engineSpeed", 500.0)])
        .floats(&[("totalLaps", 1.0), ("trackLength", 5_000.0), ("gears", 5.0)])
        .floats(&[("maximumEngineSpeed", 837.758_06), ("idleEngineSpeed", 151.843_66)])
        .floats(more)
        .bytes
}

#[test]
fn dirt_values_stand_where_they_are_known_to_be() {
    let layout = GAME.streams[0].layout_of(264).unwrap();
    assert_eq!(layout.channels().len(), 66);
    let at = |name: &str| layout.channel(name).map(|channel| (channel.offset, channel.kind));
    for (name, number) in [("progress", 3), ("throttle", 29), ("gear", 33), ("engineSpeed", 37), ("sector1Time", 49)] {
        assert_eq!(at(name), Some((number * 4, Kind::F32)), "{name}");
    }
    assert_eq!((at("trackLength"), at("gears")), (Some((244, Kind::F32)), Some((260, Kind::F32))));
    let short = GAME.streams[0].layout_of(152).unwrap();
    assert_eq!(short.channels(), &layout.channels()[..38]);
    assert_eq!(short.channels().last().unwrap().name, "engineSpeed");
    assert_eq!(GAME.udp_port(), Some(20_777));
}

#[test]
fn only_plausible_packets_are_accepted_and_so_are_cleared_ones() {
    let good = stage(30.0, 0.1, &[]);
    for length in (152..=264).step_by(4) {
        assert_eq!(accepted_by(&good[..length]), ["dirt-rally"], "{length}");
    }
    for length in [148, 153, 263] {
        assert_eq!(accepted_by(&good[..length]), [""; 0], "{length}");
    }
    assert_eq!(accepted_by(&[0; 264]), ["dirt-rally"]);
    assert_eq!(accepted_by(&[0; 200]), [""; 0]);
    assert_eq!(accepted_by(&[0xFF; 264]), [""; 0]);
    for (name, value) in [("forwardZ", 0.5), ("sidewaysX", 0.0), ("speed", 40.0), ("steering", 2.0), ("gear", 11.0)] {
        assert_eq!(accepted_by(&stage(30.0, 0.1, &[(name, value)])), [""; 0], "{name}");
    }
    assert_eq!(accepted_by(&stage(f32::NAN, 0.1, &[])), [""; 0]);
}

#[test]
fn reverse_is_minus_one_or_ten_and_the_engine_turns_in_radians() {
    let mut reader = Reader::new(game());
    for (sent, shown) in [(-1.0, -1), (10.0, -1), (0.0, 0), (5.0, 5)] {
        reader.read(&stage(30.0 + sent, 0.1, &[("gear", sent)]));
        assert_eq!(reader.sample.gear, Some(shown));
    }
    assert_eq!(reader.sample.rpm.map(f32::round), Some(4_775.0));
    assert_eq!(reader.identity().car.as_deref(), Some("8000 rpm, idle 1450 rpm, 5 gears"));
}

#[test]
fn a_stage_is_finished_at_its_end_or_by_the_cleared_packet_behind_it() {
    let mut reader = Reader::new(game());
    for step in 0..=100 {
        reader.read(&stage(100.0 + step as f32 / 10.0, 0.98 + step as f32 / 5_000.0, &[]));
    }
    // 0.0002 of the stage in a tenth of a second: at 1 after ten seconds.
    assert_eq!((reader.laps.laps_completed, reader.laps.last_ms), (Some(1), Some(110_000)));
    reader.read(&[0; 264]);
    assert_eq!((reader.laps.presence, reader.sample.presence), (Presence::Off, Some(Presence::Off)));
    assert_eq!(reader.sample.lap_time_ms, None);

    let mut reader = Reader::new(game());
    reader.read(&stage(109.0, 0.998_5, &[]));
    reader.read(&stage(109.6, 0.999_1, &[]));
    assert_eq!(reader.laps.laps_completed, Some(0));
    reader.read(&[0; 264]);
    assert_eq!(
        (reader.laps.laps_completed, reader.laps.last_ms, reader.laps.running_ms),
        (Some(1), Some(110_500), Some(0))
    );
    assert_eq!(reader.laps.presence, Presence::Live, "there may be no other packet");
    reader.read(&[0; 264]);
    assert_eq!(reader.laps.presence, Presence::Off);
    // The next stage.
    reader.read(&stage(0.0, 0.0, &[]));
    assert_eq!((reader.laps.laps_completed, reader.laps.last_ms), (Some(0), None));
}

#[test]
fn a_stage_that_is_left_is_not_finished() {
    let mut reader = Reader::new(game());
    reader.read(&stage(60.0, 0.5, &[]));
    reader.read(&stage(60.1, 0.501, &[]));
    reader.read(&[0; 264]);
    assert_eq!((reader.laps.presence, reader.laps.laps_completed), (Presence::Off, Some(0)));
    let mut restarted = Reader::new(game());
    restarted.read(&stage(60.0, 0.5, &[]));
    restarted.read(&stage(0.0, 0.0, &[]));
    assert_eq!((restarted.laps.laps_completed, restarted.laps.running_ms), (Some(0), Some(0)));
}

#[test]
fn a_packet_that_repeats_while_the_total_time_runs_is_a_pause() {
    let mut reader = Reader::new(game());
    for (total_s, presence) in
        [(70.0, Presence::Live), (70.1, Presence::Live), (70.3, Presence::Paused), (400.0, Presence::Paused)]
    {
        reader.read(&stage(60.0, 0.5, &[("totalTime", total_s)]));
        assert_eq!((reader.laps.presence, reader.sample.presence), (presence, Some(presence)), "{total_s}");
        assert_eq!(reader.laps.running_ms, Some(60_000));
    }
    reader.read(&stage(60.02, 0.5, &[("totalTime", 400.02)]));
    assert_eq!(reader.laps.presence, Presence::Live);
}

#[test]
fn events_with_laps_report_their_times() {
    let circuit = |lap_s, laps: f32, last_s, progress| {
        stage(
            lap_s,
            progress,
            &[("totalLaps", 4.0), ("lapsCompleted", laps), ("currentLap", laps), ("lastLapTime", last_s)],
        )
    };
    let mut reader = Reader::new(game());
    reader.read(&circuit(44.9, 0.0, 0.0, 0.999_5));
    assert_eq!((reader.laps.laps_completed, reader.laps.last_ms), (Some(0), None));
    reader.read(&circuit(0.1, 1.0, 45.011, 1.002));
    assert_eq!(
        (reader.laps.laps_completed, reader.laps.last_ms, reader.laps.running_ms),
        (Some(1), Some(45_011), Some(100))
    );
    let position = reader.laps.position.unwrap();
    assert!((position - 0.002).abs() < 1e-6, "{position}");
    assert_eq!((reader.identity().sector_count, reader.sample.last_lap_ms), (None, Some(45_011)));
}

#[test]
fn dirt_survives_any_bytes() {
    survives_any_bytes(game(), &stage(30.0, 0.1, &[]));
}

#[test]
fn the_real_stage_of_dirt_rally_2_takes_202_5_seconds() {
    let Some(data) = support::real_data("the_real_stage_of_dirt_rally_2_takes_202_5_seconds") else { return };
    let frames = datagrams(&data, DR2, 264);
    assert_eq!(frames.len(), 12_151);
    let mut reader = Reader::new(game());
    let mut sectors = Vec::new();
    for (index, frame) in frames.iter().enumerate() {
        assert_eq!(accepted_by(frame), ["dirt-rally"], "{index}");
        let laps = *reader.read(frame);
        assert_eq!(laps.presence, Presence::Live, "{index}");
        assert_eq!(laps.laps_completed, Some(u32::from(index == 12_150)), "{index}");
        if sectors.last() != Some(&(laps.sector, laps.sector_value)) {
            sectors.push((laps.sector, laps.sector_value));
        }
    }
    assert_eq!((reader.laps.last_ms, reader.laps.running_ms), (Some(202_528), Some(202_525)));
    let ends = [
        SectorValue::None,
        SectorValue::Cumulative(53_278),
        SectorValue::Cumulative(109_070),
        SectorValue::Cumulative(152_044),
    ];
    let expected: Vec<_> = ends.into_iter().zip(0..).map(|(end, sector)| (Some(sector), end)).collect();
    assert_eq!(sectors, expected);
    let identity = reader.identity();
    assert_eq!((identity.track.as_deref(), identity.length_m), (Some("5236.91 m"), Some(5_236.91)));
    assert_eq!((identity.car.as_deref(), identity.revision), (Some("8000 rpm, idle 1450 rpm, 5 gears"), 1));
    let sample = &reader.sample;
    assert_eq!((sample.gear, sample.rpm.map(f32::round), sample.race_position), (Some(2), Some(7_738.0), Some(3)));
    assert_eq!(sample.wheels.map(|wheel| wheel.brake_celsius.unwrap().round()), [60.0, 58.0, 68.0, 69.0]);
}

#[test]
fn a_cleared_packet_ends_the_real_stage_wherever_its_last_packet_was() {
    let test = "a_cleared_packet_ends_the_real_stage_wherever_its_last_packet_was";
    let Some(data) = support::real_data(test) else { return };
    let frames = datagrams(&data, DR2, 264);
    for (lost, finished) in [(0, 1), (1, 1), (8, 1), (60, 0), (6_000, 0)] {
        let mut reader = Reader::new(game());
        frames[..frames.len() - lost].iter().for_each(|frame| {
            reader.read(frame);
        });
        reader.read(&[0; 264]);
        assert_eq!(reader.laps.laps_completed, Some(finished), "{lost} packets lost");
        if finished > 0 {
            let time_ms = reader.laps.last_ms.unwrap();
            assert!(time_ms.abs_diff(202_528) <= 10, "{time_ms} ms, {lost} packets lost");
        }
    }
}

#[test]
fn the_real_stage_of_dirt_rally_has_a_rolling_start_and_a_penalty() {
    let Some(data) = support::real_data("the_real_stage_of_dirt_rally_has_a_rolling_start_and_a_penalty") else {
        return;
    };
    let frames = datagrams(&data, DR1, 264);
    assert_eq!(frames.len(), 1_300);
    let mut reader = Reader::new(game());
    let mut before_ms = 0;
    for (index, frame) in frames.iter().enumerate() {
        assert_eq!(accepted_by(frame), ["dirt-rally"], "{index}");
        let laps = *reader.read(frame);
        assert_eq!((laps.presence, laps.laps_completed, laps.last_ms), (Presence::Live, Some(0), None), "{index}");
        let now_ms = laps.running_ms.unwrap();
        assert_eq!(now_ms > 0, index >= 262, "{index}");
        assert!(now_ms - before_ms < 100 || index == 1_190, "{index}: {before_ms} to {now_ms}");
        if index == 1_190 {
            assert_eq!((before_ms, now_ms), (25_649, 40_666));
        }
        before_ms = now_ms;
    }
    assert_eq!(reader.laps.distance_m.map(f32::round), Some(436.0));
    assert_eq!(reader.identity().track.as_deref(), Some("6456.36 m"));
}
