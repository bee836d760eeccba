//! The program on Linux with a game in Wine: recorded and diagnosed without a bridge.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::in_wine;
use crate::support;

use std::process::{Child, Stdio};

use gametape_simulator::{Settings, Simulation};
use in_wine::{Script, wine};
use support::{Bench, Ran, text};
use zerocopy::IntoBytes as _;

const FRAMES: usize = 900;

/// A car for nine seconds, in steps of a hundredth of a second.
fn car(names: &str) -> (Script, Vec<Vec<u8>>) {
    let (mut script, mut written) = (Script::default(), Vec::new());
    for (name, bytes) in [("acpmf_physics", 800), ("acpmf_graphics", 1588), ("acpmf_static", 820)] {
        script.section(&format!("{names}{name}"), bytes);
    }
    let drive = Simulation::driving(Settings::default(), gametape_simulator::Script::new());
    for (_, pages) in drive.sample(100).skip(500).take(FRAMES) {
        script.write(2, 0, pages.static_page.as_bytes());
        script.write(1, 0, pages.graphics.as_bytes());
        script.write(0, 0, pages.physics.as_bytes());
        written.push(pages.physics.as_bytes().to_vec());
        script.step();
    }
    (script, written)
}

#[test]
fn a_game_in_wine_is_recorded_and_explained_without_a_bridge() {
    let Some(wine) = wine("a_game_in_wine_is_recorded_without_a_bridge") else { return };
    let (bench, program) = (Bench::new(), wine.program());
    let names = format!("test-{}-", std::process::id());
    let (script, written) = car(&names);
    let tape = bench.path("wine.gtape");
    let mut record = bench.command(&[
        "record",
        "--names",
        &names,
        "--hz",
        "500",
        "-o",
        text(&tape),
        "--max-duration",
        "3",
        "--json",
    ]);
    record.env("GAMETAPE_WINE", &program).stdout(Stdio::piped()).stderr(Stdio::piped());
    let recorder: Child = record.spawn().unwrap();
    let game = wine.start(&program, &script, Some(10));
    let doctor = |wine: &str| {
        let mut command = bench.command(&["doctor", "--names", &names, "--game", "acc", "--json"]);
        Ran::of(&command.env("GAMETAPE_WINE", wine).output().unwrap())
    };
    // Once the recorder has found it, the doctor finds it too.
    let recorded = Ran::of(&recorder.wait_with_output().unwrap());
    let (seen, blind) = (doctor(&program), doctor("off"));
    drop(game);
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    assert_eq!((seen.code, blind.code), (0, 4), "{}\n{}", seen.out, blind.err);
    let found = seen.json()["findings"].to_string();
    assert!(found.contains("acpmf_physics in Wine, without a bridge, through /proc/"), "{found}");
    assert!(seen.json()["settings"].to_string().contains("GAMETAPE_WINE"), "{}", seen.out);

    bench.expect(0, &["verify", text(&tape)]);
    let raw = bench.expect(0, &["cat", text(&tape), "--stream", "physics", "--format", "raw"]).raw;
    let got: Vec<&[u8]> = raw.chunks(800).collect();
    let place = |frame: &[u8]| written.iter().position(|written| written == frame).expect("nobody wrote this frame");
    let places: Vec<usize> = got.iter().map(|frame| place(frame)).collect();
    assert!(places.len() > 100 && places.windows(2).all(|pair| pair[0] < pair[1]), "{} frames", places.len());
    let info = bench.expect(0, &["info", text(&tape), "--json"]).json();
    assert_eq!(info["game"], "assetto-corsa-competizione");
    let lost = places[places.len() - 1] + 1 - places[0] - places.len();
    let missed = info["loss"]["missed"].as_u64().unwrap();
    assert!(lost == 0 || missed >= lost as u64, "{lost} of {} lost, {missed} counted", places.len());
}
