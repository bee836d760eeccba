//! Whole, cut and unfinished files of each format.

use std::path::Path;

use super::*;
use crate::watch::tests::keeping::support;

#[path = "../../../examples/mutate/replay_seeds.rs"]
pub(in crate::watch) mod seeds;

fn judged(name: &str, data: &[u8]) -> Verdict {
    judge(Path::new(name), &Bytes::new(&data, data.len() as u64))
}

#[test]
fn whole_files_are_whole_and_no_cut_file_is() {
    for (name, file) in seeds::replays() {
        assert_eq!(judged(name, &file), Verdict::Whole, "{name}");
        let mut missing = 0;
        for end in 0..file.len() {
            let verdict = judged(name, &file[..end]);
            missing += usize::from(matches!(verdict, Verdict::Missing(_)));
            // Each part of these formats ends like a whole file. Fortnite marks a file that is not finished; see the other tests.
            let between = [".aoe2record", ".mgz", ".rec", "UnsavedReplay.replay"].iter().any(|of| name.ends_with(of));
            // Old files of osu! have an id of 4 bytes instead of 8.
            let between = between || name == "map.osr" && end + 4 == file.len();
            assert!(verdict != Verdict::Whole || between, "{name} cut at {end} of {}", file.len());
        }
        assert!(missing * 2 > file.len(), "{name}: a cut file is recognised in {missing} of {} places", file.len());
    }
}

#[test]
fn a_recorded_game_is_whole_between_operations_only() {
    let file = seeds::aoe2(5, 62.0);
    let ends = |wanted: Verdict| (0..=file.len()).filter(|end| judged("a.aoe2record", &file[..*end]) == wanted).count();
    // Six ends of operations (a sync may end before its checksum), and the end of the header.
    assert_eq!(ends(Verdict::MayGrow), 7);
    assert_eq!(ends(Verdict::Whole), 13, "everything after the operation with the results");
    let older = seeds::aoe2(5, 13.15);
    assert_eq!(judged("a.aoe2record", &[&older[..], &[6, 0, 0, 0]].concat()), Verdict::Unknown, "not in that version");
}

#[test]
fn a_recording_that_is_running_or_was_aborted_is_not_whole() {
    let missing = |name: &str, file: &[u8]| matches!(judged(name, file), Verdict::Missing(_));
    assert!(missing("a.replay", &seeds::fortnite(1)));
    assert!(missing("PUBG.replayinfo", &seeds::pubg(true, false)));
    assert!(missing("PUBG.replayinfo", &seeds::pubg(false, true)));
    assert!(missing("PUBG.replayinfo", b"{}"));
    let zeroed = |name: &str, at: usize, count: usize| {
        let mut file = seeds::replays().into_iter().find(|(seed, _)| *seed == name).unwrap().1;
        file[at..at + count].fill(0);
        missing(name, &file)
    };
    assert!(zeroed("match.dem", 8, 4), "the offset of the facts is written at the end");
    assert!(zeroed("LastReplay.w3g", 32, 4), "the length is written at the end");
    assert!(zeroed("drive.ibt", 140, 4), "the number of rows is written at the end");
    assert!(zeroed("ladder.SC2Replay", 128, 12), "the archive is not written yet");
    assert!(zeroed("stint.ld", 104, 4), "the chain is shorter than the number of channels");
}

#[test]
fn what_is_not_of_a_known_format_is_unknown_not_damaged() {
    for name in ["a.replay", "a.rec", "a.dem", "a.SC2Replay", "a.w3g", "a.rofl", "a.ibt", "a.osr", "a.ld", "a.Gbx", "a"]
    {
        for file in [b"not a real one, but long enough".as_slice(), &[0xff; 300]] {
            assert_eq!(judged(name, file), Verdict::Unknown, "{name}");
        }
    }
    assert_eq!(judged("a.rec", b""), Verdict::Unknown);
    let longer = [seeds::rocket_league(), vec![0; 10]].concat();
    assert_eq!(judged("a.replay", &longer), Verdict::Unknown, "more than its header says");
}

#[test]
fn frames_within_frames_end_the_search() {
    // Each magic number begins a walk to the end of the file.
    let nested = [siege::ZSTD.as_slice(), &[0x20, 0], &[0; 200]].concat().repeat(200);
    assert_ne!(judged("a.rec", &nested), Verdict::Whole);
}

/// The verdicts on real files, and on the same files without their last bytes.
#[test]
fn real_replays_are_whole_and_cut_ones_are_not() {
    let Some(data) = support::real_data("real_replays_are_whole_and_cut_ones_are_not") else { return };
    let mut judged_files = 0;
    for folder in ["rocket-league", "osu", "sc2", "aoe2", "warcraft3", "fortnite", "acc-motec", "motec", "ibt"] {
        for entry in std::fs::read_dir(data.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let file = std::fs::read(&path).unwrap();
            let is_replay = ["replay", "osr", "SC2Replay", "aoe2record", "mgz", "w3g", "ld", "ibt"]
                .iter()
                .any(|extension| path.extension().is_some_and(|of| of == *extension));
            if !is_replay || name.starts_with("bad_") || name == "broken.ibt" {
                continue;
            }
            judged_files += 1;
            assert_eq!(judged(&name, &file), Verdict::Whole, "{name}");
            for part in [1, 5, 9] {
                let cut = &file[..file.len() * part / 10 + 1];
                let verdict = judged(&name, cut);
                let between = name.ends_with(".aoe2record") || name.ends_with(".mgz");
                let cut_between = between && matches!(verdict, Verdict::MayGrow | Verdict::Whole);
                assert!(
                    matches!(verdict, Verdict::Missing(_)) || cut_between,
                    "{name} cut to {}: {verdict:?}",
                    cut.len()
                );
            }
            let verdict = judged(&name, &file[..file.len() - 1]);
            // The results at the end of a recorded game are not walked through.
            assert!(verdict != Verdict::Whole || name.ends_with(".aoe2record"), "{name} without its last byte");
        }
    }
    assert!(judged_files >= 20, "{judged_files}");
}
