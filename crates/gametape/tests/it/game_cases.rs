//! Every game's test cases: a small tape in the game's folder, read as its rules and its decoder read it, is what
//! `expected.txt` beside it says. `scripts/rewrite-testcases` makes missing tapes, and the texts anew; look at what changed.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]
use crate::cases;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cases::{Case, cases};
use gametape::format::TapeId;
use gametape::format::read::Tape;
use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape::games::{GAMES, Layout, Sample, Seen, SeenFrame, find_game};
use gametape::layout::layout_of_stream;

/// Nanoseconds from frame to frame.
const STEP_NS: u64 = 50_000_000;

/// A line of `expected.txt` for every so many samples, with what is new since the line before.
const EVERY: usize = 16;

/// The folder of a game's test cases, and what their names begin with: games of a series share a folder.
fn of_game(game: &str) -> (PathBuf, &str) {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/src");
    let (series, _) = game.rsplit_once('-').unwrap_or((game, ""));
    match games.join(game.replace('-', "_")) {
        own if own.is_dir() => (own.join("testcases"), ""),
        _ => (games.join(series.replace('-', "_")).join("testcases"), game),
    }
}

fn write_tape(case: &Case, path: &Path) {
    let options = WriteOptions {
        start_utc_ns: Some(1_767_225_600_000_000_000),
        ..WriteOptions::new(TapeId(*b"gametape testcas"))
    };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), path, &options, true).unwrap();
    for recorded in &case.streams {
        let stream = tape.add_stream(recorded.spec.clone(), 0).unwrap();
        for (index, frame) in recorded.frames.iter().enumerate() {
            tape.append(stream, index as u64 * STEP_NS, frame).unwrap();
        }
    }
    tape.finish().unwrap();
}

/// What the game's code makes of a tape, as text.
fn read_tape(path: &Path) -> String {
    let tape = Tape::open(path).unwrap();
    assert_eq!(tape.problems().len(), 0, "{}", path.display());
    let mut text = String::new();
    let streams: Vec<_> = tape.streams().filter(|stream| !stream.spec().game.is_empty()).collect();
    let game = find_game(&streams[0].spec().game).unwrap();
    writeln!(text, "game {}", game.id).unwrap();
    let mut layouts: BTreeMap<u16, (&str, Layout)> = BTreeMap::new();
    for stream in &streams {
        let spec = stream.spec();
        writeln!(text, "stream {}: {:?}, {} frames", spec.name, spec.layout, stream.totals().frames).unwrap();
        layouts.insert(stream.id().0, (&spec.name, layout_of_stream(spec).unwrap()));
    }

    let (mut decoder, mut sample) = (game.rules.decoder(), Sample::default());
    let mut newest: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
    let (mut hash, mut samples, mut said) = (blake3::Hasher::new(), 0, String::new());
    let mut shown: Vec<String> = Vec::new();
    let mut frames = tape.merged(streams.iter().copied());
    while let Some(frame) = frames.next().unwrap() {
        let (stream, layout) = &layouts[&frame.stream.0];
        decoder.frame(SeenFrame { stream, layout, bytes: frame.data }, &mut sample);
        newest.insert(frame.stream.0, frame.data.to_vec());
        let seen: Vec<SeenFrame<'_>> = newest
            .iter()
            .map(|(id, bytes)| SeenFrame { stream: layouts[id].0, layout: &layouts[id].1, bytes })
            .collect();
        let (seen, rules) = (Seen(&seen), game.rules);
        let now = format!(
            "it {:?}, {:?}, session {}, {:?}",
            rules.is_it(seen),
            rules.presence(seen),
            rules.session_key(seen).map_or("none".into(), |key| format!("{key:016x}")),
            rules.about(seen),
        );
        let seconds = frame.time_ns as f64 / 1e9;
        // Once all streams have shown something.
        if now != said && newest.len() == layouts.len() {
            writeln!(text, "{seconds:.3} {now}").unwrap();
            said = now;
        }
        if samples % EVERY == 0 {
            let parts = parts(&sample);
            let new: Vec<&str> = parts.iter().filter(|part| !shown.contains(part)).map(String::as_str).collect();
            writeln!(text, "{seconds:.3} {}", new.join(" ")).unwrap();
            shown = parts;
        }
        samples += 1;
        let counter = rules.counter(seen);
        hash.update(format!("{} {counter:?} {sample:?}\n", frame.time_ns).as_bytes()).update(frame.data);
    }
    let hash = hash.finalize().to_hex();
    writeln!(text, "{samples} samples, hash of all of them and their frames {}", &hash[..32]).unwrap();
    text
}

/// What a sample says, one part for each field, without what it does not say.
fn parts(sample: &Sample) -> Vec<String> {
    let plain = Sample { flags: None, world_m: None, ..*sample };
    let text = format!("{plain:#?}").replace("Some(\n", "").replace([' ', ',', '{', '['], "");
    let said = text.lines().filter(|line| line.contains(':') && !line.ends_with("None"));
    let mut parts: Vec<String> = said.map(str::to_owned).collect();
    parts.extend(sample.world_m.map(|place| format!("world_m:{place:?}")));
    if let Some(flags) = sample.flags {
        let out = format!("{flags:?}").replace(['{', '}'], ",");
        let out: Vec<&str> = out.split(',').filter_map(|flag| flag.trim().strip_suffix(": true")).collect();
        parts.push(format!("flags:{}", if out.is_empty() { "none".into() } else { out.join("+") }));
    }
    parts
}

/// All test cases of a game: those that are made up here, and tapes that were cut from recordings.
fn folders(game: &str) -> Vec<PathBuf> {
    let (cases, prefix) = of_game(game);
    let listed = std::fs::read_dir(&cases).unwrap_or_else(|error| panic!("{}: {error}", cases.display()));
    let is_own = |path: &PathBuf| path.is_dir() && path.file_name().unwrap().to_string_lossy().starts_with(prefix);
    let mut folders: Vec<_> = listed.map(|entry| entry.unwrap().path()).filter(is_own).collect();
    folders.sort();
    folders
}

#[test]
fn every_game_reads_its_test_cases_as_expected() {
    let rewrite = std::env::var_os("GAMETAPE_REWRITE_TESTCASES").is_some();
    for case in cases() {
        let folder = of_game(case.game.id).0.join(case.name);
        // A tape that is there stays: tapes of earlier versions have to be readable.
        if rewrite && !folder.join("frames.gtape").exists() {
            std::fs::create_dir_all(&folder).unwrap();
            write_tape(&case, &folder.join("frames.gtape"));
        }
        assert!(folder.is_dir(), "{}", folder.display());
    }
    for game in GAMES {
        let folders = folders(game.id);
        assert!(!folders.is_empty(), "{} has no test case", game.id);
        for folder in folders {
            let (tape, expected) = (folder.join("frames.gtape"), folder.join("expected.txt"));
            let actual = read_tape(&tape);
            assert!(actual.starts_with(&format!("game {}\n", game.id)), "{}", tape.display());
            if rewrite {
                std::fs::write(&expected, &actual).unwrap();
            }
            let expected = std::fs::read_to_string(&expected).unwrap();
            assert_eq!(actual.lines().collect::<Vec<_>>(), expected.lines().collect::<Vec<_>>(), "{}", tape.display());
        }
    }
}
