//! Imports of ksana and shm-debugger files: nothing is lost, damage is reported and affects only the damaged frames.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::importing;
use crate::ksana;
use crate::support;

use gametape::format::read::Tape;
use gametape::import::{ImportError, Imported, KsanaError, import};
use importing::{differences, frames, import_as};
use ksana::{ALL, IRacing, SWAPPED, Version, frame, frame_of, head, pages, zlib};
use tempfile::TempDir;

fn import_bytes(bytes: &[u8]) -> Result<(Imported, Tape, TempDir), ImportError> {
    import_as("a.ksr", bytes)
}

fn channels(tape: &Tape, stream: &str) -> Vec<String> {
    tape.stream_named(stream).unwrap().spec().channels.iter().map(|channel| channel.name.clone()).collect()
}

/// Three frames at 4 Hz: variables only in the first if the container allows that, a text in the second.
fn three_frames(version: Version) -> Vec<u8> {
    let mut file = head(version, 4, b"irac");
    for number in 0..3 {
        let row = [number as u8; 8];
        let mut content = IRacing::new(100 + 15 * number, &row);
        if number == 1 {
            content.text = b"---\nWeekendInfo:\n BuildVersion: 2026.09.01\n Track: Sp\xE0\n";
        }
        if number > 0 && version == Version::V2 {
            content.variables = None;
        }
        file.extend(frame(version, &content.payload(version)));
    }
    file
}

#[test]
fn every_container_gives_the_same_rows_headers_variables_and_text() {
    for version in ALL {
        let (imported, tape, _folder) = import_bytes(&three_frames(version)).unwrap();
        assert_eq!((imported.frames, imported.problems.len()), (3, 0), "{version:?}");
        let row = |number: u64| (number * 250_000_000, vec![number as u8; 8]);
        assert_eq!(frames(&tape, "telemetry"), [row(0), row(1), row(2)]);
        let header = |number: i32| IRacing::new(100 + 15 * number, &[0; 8]).header();
        let headers = frames(&tape, "telemetry.header").into_iter().map(|(_, bytes)| bytes);
        assert_eq!(headers.collect::<Vec<_>>(), [header(0), header(1), header(2)]);
        let variables = IRacing::new(0, &[]).variable_headers();
        assert_eq!(frames(&tape, "telemetry.variables"), [(0, variables)]);
        let text = b"---\nWeekendInfo:\n BuildVersion: 2026.09.01\n Track: Sp\xE0\n".to_vec();
        assert_eq!(frames(&tape, "session-text"), [(250_000_000, text)]);
        assert_eq!(frames(&tape, "ksana.header"), [(0, head(version, 4, b"irac"))]);
        assert_eq!(channels(&tape, "telemetry"), ["Speed", "Lap"]);
        assert!(channels(&tape, "telemetry.header").contains(&"varBuf[2].tickCount".to_owned()));
        let metadata = tape.metadata();
        for (key, value) in
            [("time_source", "nominal"), ("source_kind", "ksr"), ("fps", "4"), ("game_version", "2026.09.01")]
        {
            assert_eq!(metadata[key], value);
        }
        assert_eq!(tape.stream_named("telemetry").unwrap().spec().game, "iracing");
        assert!(tape.stream_named("ksana.rest").is_err());
    }
}

#[test]
fn variables_that_change_on_the_way_begin_a_new_stream() {
    let mut file = head(Version::V2, 10, b"irac");
    for (number, swapped) in [false, true, true, false].into_iter().enumerate() {
        let row = [number as u8; 8];
        let mut content = IRacing::new(number as i32, &row);
        content.variables = match (number, swapped) {
            (2, _) => None,
            (_, true) => Some(SWAPPED),
            (_, false) => content.variables,
        };
        file.extend(frame(Version::V2, &content.payload(Version::V2)));
    }
    let (imported, tape, _folder) = import_bytes(&file).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (4, 0));
    let numbers = |stream: &str| frames(&tape, stream).iter().map(|(_, row)| row[0]).collect::<Vec<_>>();
    assert_eq!((numbers("telemetry"), numbers("telemetry-2")), (vec![0, 3], vec![1, 2]));
    assert_eq!(channels(&tape, "telemetry-2"), ["Lap", "Speed"]);
    assert_eq!((frames(&tape, "telemetry.variables").len(), frames(&tape, "telemetry-2.variables").len()), (1, 1));
}

#[test]
fn variables_that_change_without_end_do_not_make_streams_without_end() {
    let mut file = head(Version::V1, 10, b"irac");
    for number in 0..40 {
        let name = format!("V{number}");
        let variables = [(4, 0, 1, name.as_str(), ""), (4, 4, 1, "Speed", "")];
        let content = IRacing { variables: Some(&variables), ..IRacing::new(number, &[7; 8]) };
        file.extend(frame(Version::V1, &content.payload(Version::V1)));
    }
    let (imported, tape, _folder) = import_bytes(&file).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (40, 1));
    assert!(imported.problems[0].contains("frame 16 at byte") && imported.problems[0].contains("too often"));
    assert_eq!((frames(&tape, "telemetry-other").len(), frames(&tape, "telemetry-other.variables").len()), (24, 24));
    assert_eq!(tape.stream_named("telemetry-16").unwrap().totals().frames, 1);
}

#[test]
fn pages_become_streams_and_the_tape_says_which_game_and_why() {
    for (version, acc, game) in [
        (Version::V0, false, "assetto-corsa-competizione"),
        (Version::V1, true, "assetto-corsa-competizione"),
        (Version::V2, true, "assetto-corsa-competizione"),
        (Version::V1, false, "assetto-corsa"),
        (Version::V2, false, "assetto-corsa"),
    ] {
        let id = if version == Version::V0 { b"accz" } else { b"acsa" };
        let mut file = head(version, 5, id);
        for number in 0..4u8 {
            // Only the last frame distinguishes the games.
            let with_static = version == Version::V0 || number == 0;
            file.extend(frame(version, &pages(version, number, with_static, acc && number == 3)));
        }
        let (imported, tape, _folder) = import_bytes(&file).unwrap();
        assert_eq!((imported.frames, imported.problems.len()), (4, 0), "{:?}", imported.problems);
        let physics = tape.stream_named("physics").unwrap();
        assert_eq!(physics.spec().game, game, "{version:?} {acc}");
        let decided_by = &tape.metadata()["game_decided_by"];
        let because = match (version, acc) {
            (Version::V0, _) => "accz",
            (_, true) => "1 of 4 frames",
            (_, false) => "580 to 799",
        };
        assert!(decided_by.contains(because), "{version:?} {acc}: {decided_by}");
        let bytes = frames(&tape, "physics");
        assert_eq!(bytes.iter().map(|(time, _)| *time).collect::<Vec<_>>(), [0, 200_000_000, 400_000_000, 600_000_000]);
        assert_eq!((bytes[2].1[4], bytes[3].1[579]), (4 ^ 2, 579u16 as u8 ^ 3));
        assert_eq!(frames(&tape, "graphics").len(), 4);
        assert_eq!(frames(&tape, "static").len(), if version == Version::V0 { 4 } else { 1 });
        if game == "assetto-corsa-competizione" {
            assert_eq!((physics.spec().layout.as_str(), bytes[0].1.len()), ("acc-physics-800", 800));
            let slot = if version == Version::V0 { 1000 } else { 1024 };
            assert_eq!(tape.metadata()["zeros_left_off.physics"], (slot - 800).to_string());
        } else {
            assert_eq!((physics.spec().layout.as_str(), bytes[0].1.len()), ("ac-physics-580", 580));
            assert!(channels(&tape, "graphics").contains(&"surfaceGrip".to_owned()));
        }
    }
}

#[test]
fn bytes_behind_a_page_that_are_not_zero_are_kept() {
    let mut raw = pages(Version::V1, 1, true, true);
    raw[2048 + 1023] = 9;
    let file = [head(Version::V1, 5, b"acsa"), frame(Version::V1, &raw)].concat();
    let (_, tape, _folder) = import_bytes(&file).unwrap();
    assert_eq!(frames(&tape, "physics"), [(0, raw[2048..3072].to_vec())]);
    assert_eq!(tape.stream_named("physics").unwrap().spec().layout, "acc-physics-800-in-1024");
    assert!(channels(&tape, "physics").contains(&"speedKmh".to_owned()));
    assert!(!tape.metadata().contains_key("zeros_left_off.physics"));
}

#[test]
fn the_same_bytes_give_the_same_tape_to_the_byte() {
    let read = |folder: &TempDir| std::fs::read(folder.path().join("a.gtape")).unwrap();
    let (_, _, one) = import_bytes(&three_frames(Version::V2)).unwrap();
    let (_, _, two) = import_bytes(&three_frames(Version::V2)).unwrap();
    assert!(read(&one) == read(&two));
}

#[test]
fn cut_at_any_byte_everything_before_the_cut_is_kept() {
    for version in ALL {
        let file = three_frames(version);
        let ends: Vec<usize> = (0..=3).map(|frames| start_of_frame(&file, version, frames)).collect();
        for end in (12..file.len()).step_by(if version == Version::V2 { 1 } else { 7 }) {
            let whole = ends.iter().filter(|frame_end| **frame_end <= end).count();
            let cut = import_bytes(&file[..end]);
            if whole == 0 {
                assert!(matches!(cut, Err(ImportError::Ksana(KsanaError::HeadCut { .. }))), "{version:?} {end}");
                continue;
            }
            let (imported, tape, _folder) = cut.unwrap();
            let broken = usize::from(!ends.contains(&end));
            assert_eq!((imported.frames, imported.problems.len()), (whole as u64 - 1, broken), "{version:?} {end}");
            let rest: Vec<u8> = frames(&tape, "ksana.rest").into_iter().flat_map(|(_, bytes)| bytes).collect();
            assert_eq!(rest, file[ends[whole - 1]..end], "{version:?} {end}");
            if broken > 0 {
                let place = format!("frame {} at byte {}: the file ends inside the frame", whole - 1, ends[whole - 1]);
                assert!(imported.problems[0].starts_with(&place), "{:?}", imported.problems);
            }
        }
    }
}

/// Returns the offset of a frame, by the lengths in the file.
fn start_of_frame(file: &[u8], version: Version, number: usize) -> usize {
    let header = if version == Version::V0 { 8 } else { 12 };
    let mut at = 72;
    for _ in 0..number {
        at += header + u32::from_le_bytes(file[at + header - 8..at + header - 4].try_into().unwrap()) as usize;
    }
    at
}

#[test]
fn a_flipped_byte_is_noticed_and_costs_only_its_frame() {
    for version in ALL {
        let file = three_frames(version);
        let folder = tempfile::tempdir().unwrap();
        let whole = support::put(&folder.path().join("whole.ksr"), &file);
        import(&whole, &folder.path().join("whole.gtape"), &mut |_| {}).unwrap();
        let whole = Tape::open(folder.path().join("whole.gtape")).unwrap();
        let mut unseen = 0;
        for at in (72..file.len()).step_by(if version == Version::V2 { 1 } else { 5 }) {
            let mut flipped = file.clone();
            flipped[at] ^= 0x10;
            let (imported, tape, one) = import_bytes(&flipped).unwrap();
            let differences = differences(&whole, &one.path().join("a.ksr"));
            if imported.problems.is_empty() {
                // zlib ignores the last bits of its last byte: nothing was changed.
                assert_eq!((imported.frames, differences.len()), (3, 0), "{version:?} {at}");
                unseen += 1;
                continue;
            }
            assert!(imported.frames >= 2, "{version:?} {at}: {imported:?}");
            let rows = frames(&tape, "telemetry").len() + frames(&tape, "telemetry-2").len();
            assert_eq!(rows as u64, imported.frames, "{version:?} {at}");
            assert!(!differences.is_empty(), "{version:?} {at}");
        }
        assert!(unseen <= 3, "{version:?}: {unseen}");
    }
}

#[test]
fn behind_damaged_lengths_whole_frames_are_found_again() {
    for version in ALL {
        let mut file = three_frames(version);
        let second = start_of_frame(&file, version, 1);
        let length = second + if version == Version::V0 { 0 } else { 4 };
        for damage in [0u32, 3, 1000, 1 << 20, u32::MAX] {
            file[length..length + 4].copy_from_slice(&damage.to_le_bytes());
            let (imported, tape, _folder) = import_bytes(&file).unwrap();
            assert_eq!(imported.frames, 2, "{version:?} {damage}: {:?}", imported.problems);
            let times: Vec<_> = frames(&tape, "telemetry").into_iter().map(|(time, row)| (time, row[0])).collect();
            assert_eq!(times.len(), 2);
            assert_eq!(times[0], (0, 0));
            assert_eq!(times[1].1, 2, "the third frame is there");
            assert!(imported.problems[0].starts_with(&format!("frame 1 at byte {second}: ")));
        }
    }
}

#[test]
fn a_longer_frame_header_is_skipped_and_kept() {
    let payload = IRacing::new(5, &[1; 8]).payload(Version::V2);
    let packed = zlib(&payload);
    let mut long =
        frame_of(Version::V2, &[b"new!", packed.as_slice()].concat(), packed.len() as u32, payload.len() as u32);
    long[0] = 16;
    let file = [head(Version::V2, 5, b"irac"), long].concat();
    let (imported, tape, _folder) = import_bytes(&file).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (1, 0));
    assert_eq!(frames(&tape, "ksana.rest"), [(0, b"new!".to_vec())]);
}

#[test]
fn a_bomb_is_not_unpacked() {
    let bomb = zlib(&vec![0; 200 << 20]);
    let good = frame(Version::V2, &IRacing::new(5, &[1; 8]).payload(Version::V2));
    let bomb = frame_of(Version::V2, &bomb, bomb.len() as u32, 100);
    let file = [head(Version::V2, 5, b"irac"), good.clone(), bomb, good].concat();
    let (imported, tape, _folder) = import_bytes(&file).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (2, 1));
    assert!(imported.problems[0].contains("frame 1 at byte") && imported.problems[0].contains("unpacks to more than"));
    assert_eq!(frames(&tape, "telemetry").iter().map(|(time, _)| *time).collect::<Vec<_>>(), [0, 400_000_000]);
}

#[test]
fn a_rate_that_cannot_be_is_reported_and_the_frames_are_kept() {
    for fps in [0, -1, i32::MIN, i32::MAX] {
        let mut file = three_frames(Version::V2);
        file[12..16].copy_from_slice(&fps.to_le_bytes());
        let (imported, tape, _folder) = import_bytes(&file).unwrap();
        assert_eq!((imported.frames, imported.problems.len()), (3, 1));
        assert!(imported.problems[0].starts_with(&format!("byte 12: {fps} frames a second cannot be")));
        assert_eq!(frames(&tape, "telemetry")[2].0, 400_000_000);
    }
}

/// A file of one intact frame and this one.
fn with_payload(payload: &[u8]) -> (Imported, Tape, TempDir) {
    let good = frame(Version::V2, &IRacing::new(5, &[1; 8]).payload(Version::V2));
    import_bytes(&[head(Version::V2, 5, b"irac"), good, frame(Version::V2, payload)].concat()).unwrap()
}

#[test]
fn counts_and_lengths_that_cannot_be_cost_their_frame_which_is_kept_as_bytes() {
    let payload = IRacing::new(6, &[2; 8]).payload(Version::V2);
    let text_length = payload.len() - 8 - 8 - 8;
    for (at, bytes, says) in [
        (16 + 24, i32::MAX.to_le_bytes().to_vec(), "2147483647 variables"),
        (16 + 24, (-1i32).to_le_bytes().to_vec(), "-1 variables"),
        (16 + 24, 4000i32.to_le_bytes().to_vec(), "inside its variable headers"),
        (text_length, u64::MAX.to_le_bytes().to_vec(), "session text has 18446744073709551615 bytes, 16 are left"),
        (text_length + 8, (1u64 << 40).to_le_bytes().to_vec(), "row has 1099511627776 bytes, 8 are left"),
        (0, vec![3], "of type 3, known are 1 and 2"),
    ] {
        let mut hostile = payload.clone();
        hostile[at..at + bytes.len()].copy_from_slice(&bytes);
        let (imported, tape, _folder) = with_payload(&hostile);
        assert_eq!((imported.frames, imported.problems.len()), (1, 1), "{:?}", imported.problems);
        assert!(
            imported.problems[0].contains("frame 1 at byte") && imported.problems[0].contains(says),
            "{:?}",
            imported.problems
        );
        assert_eq!(frames(&tape, "ksana.rest"), [(200_000_000, hostile)]);
    }
    let (imported, tape, _folder) = with_payload(b"");
    assert_eq!((imported.frames, frames(&tape, "ksana.rest").len()), (1, 0));
}

#[test]
fn more_buffers_than_a_header_has_room_for_are_reported_and_nothing_is_lost() {
    for buffers in [5, 0, -1, i32::MAX] {
        let row = [2; 8];
        let content = IRacing { buffers, ..IRacing::new(6, &row) };
        let (imported, tape, _folder) = with_payload(&content.payload(Version::V2));
        assert_eq!((imported.frames, imported.problems.len()), (2, 1));
        assert!(imported.problems[0].contains(&format!("{buffers} row buffers")));
        assert_eq!(frames(&tape, "telemetry.header")[1].1, content.header());
    }
}

#[test]
fn rows_longer_than_their_header_says_are_kept_whole() {
    for said in [-1, 0, 7, i32::MAX] {
        let mut payload = IRacing::new(6, &[2; 8]).payload(Version::V2);
        payload[16 + 36..16 + 40].copy_from_slice(&i32::to_le_bytes(said));
        let (imported, tape, _folder) = with_payload(&payload);
        assert_eq!(imported.frames, 2);
        assert!(imported.problems.iter().any(|text| text.contains("the row has 8 bytes, its header says")));
        assert_eq!(frames(&tape, "telemetry-2"), [(200_000_000, vec![2; 8])]);
    }
}

#[test]
fn what_is_no_known_recording_is_an_error() {
    let mut later = three_frames(Version::V2);
    later[8] = 3;
    assert!(matches!(import_bytes(&later), Err(ImportError::Ksana(KsanaError::Version { found: 3 }))));
    let unknown = head(Version::V2, 5, b"lmus");
    let error = import_bytes(&unknown).err().unwrap().to_string();
    assert!(error.contains("lmus") && error.contains("irac, acsa and accz"), "{error}");
    let (imported, tape, _folder) = import_bytes(&head(Version::V1, 5, b"acsa")).unwrap();
    assert_eq!((imported.frames, imported.problems.len(), frames(&tape, "ksana.header").len()), (0, 0, 1));
}

#[test]
fn the_real_ksana_files_have_the_promised_frames() {
    let Some(data) = support::real_data("the_real_ksana_files_have_the_promised_frames") else { return };
    let bytes = |name: &str| std::fs::read(data.join("ksana").join(name)).unwrap();
    let (imported, tape, _folder) = import_bytes(&bytes("ac_v2.ksr")).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (2, 0));
    let counts = ["physics", "graphics", "static"].map(|stream| frames(&tape, stream).len());
    assert_eq!(counts, [2, 2, 1]);
    assert_eq!(tape.stream_named("physics").unwrap().spec().game, "assetto-corsa");
    let (imported, tape, _folder) = import_bytes(&bytes("ir_v2.ksr")).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (3, 0));
    let rows = |tape: &Tape, stream: &str| frames(tape, stream).into_iter().map(|(_, row)| row[0]).collect::<Vec<_>>();
    assert_eq!((rows(&tape, "telemetry"), rows(&tape, "telemetry-2")), (vec![1, 9], vec![7]));
    assert_eq!(frames(&tape, "telemetry-2")[0].0, 33_333_333);
    let (imported, tape, _folder) = import_bytes(&bytes("trunc.ksr")).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (2, 1));
    assert_eq!(
        imported.problems[0],
        "frame 2 at byte 301: the file ends inside the frame: 72 of 92 packed bytes are there"
    );
    assert_eq!(rows(&tape, "telemetry"), [1, 9]);
}
