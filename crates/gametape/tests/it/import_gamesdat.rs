//! Imports of GamesDat files: all payloads, and the intact parts of broken files.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::gamesdat;
use crate::importing;
use crate::support;

use gamesdat::{LZ4_HEADER, START_TICKS, datagram, f1_payload, file, header, lz4_blocks, payload, record};
use gametape::format::read::{Tape, Values};
use gametape::import::{GamesDatError, ImportError, Imported, import};
use importing::{differences, frames, import_as};
use tempfile::TempDir;

fn import_bytes(bytes: &[u8]) -> Result<(Imported, Tape, TempDir), ImportError> {
    import_as("a.dat", bytes)
}

/// Records 10 ms apart.
fn records(count: u8, bytes: usize) -> Vec<Vec<u8>> {
    (0..count).map(|number| record(START_TICKS + i64::from(number) * 100_000, &payload(number, bytes))).collect()
}

fn game_and_layout<'a>(tape: &'a Tape, stream: &str) -> (&'a str, &'a str) {
    let spec = tape.stream_named(stream).unwrap().spec();
    (&spec.game, &spec.layout)
}

#[test]
fn every_payload_becomes_the_streams_of_its_game() {
    const ACC: &str = "assetto-corsa-competizione";
    for (game, short_type, bytes, streams) in [
        ("ACC", "ACCPhysics", 496, vec![("physics", ACC, "acc-physics-496", 0, 496)]),
        ("ACC", "ACCGraphics", 1320, vec![("graphics", ACC, "acc-graphics-1320", 0, 1320)]),
        ("ACC", "ACCStatic", 820, vec![("static", ACC, "acc-static-820", 0, 820)]),
        (
            "ACC",
            "ACCCombinedData",
            2660,
            vec![
                ("physics", ACC, "acc-physics-496", 0, 496),
                ("graphics", ACC, "acc-graphics-1320", 496, 1320),
                ("static", ACC, "acc-static-820", 1816, 820),
            ],
        ),
        ("Trackmania", "TrackmaniaDataV3", 1652, vec![("telemetry", "trackmania", "trackmania-telemetry-3", 0, 1652)]),
        ("WarThunder", "StateData", 296, vec![("state", "war-thunder", "war-thunder-state-2", 0, 296)]),
        ("WarThunder", "StateData", 112, vec![("state", "war-thunder", "war-thunder-state-1", 0, 112)]),
    ] {
        for head in [header(game, short_type, bytes as i32), Vec::new()] {
            let (imported, tape, _folder) = import_bytes(&file(&head, &records(5, bytes), 700)).unwrap();
            assert_eq!((imported.frames, imported.problems.len()), (5, 0), "{short_type}: {:?}", imported.problems);
            for (stream, game, layout, at, length) in &streams {
                let expected =
                    |number: u8| (u64::from(number) * 10_000_000, payload(number, bytes)[*at..at + length].to_vec());
                assert_eq!(frames(&tape, stream), (0..5).map(expected).collect::<Vec<_>>());
                assert_eq!(game_and_layout(&tape, stream), (*game, *layout));
            }
            let rows = frames(&tape, "gamesdat.records");
            assert_eq!((rows.len(), &rows[4].1[..8]), (5, &(START_TICKS + 400_000).to_le_bytes()[..]));
            if short_type == "ACCCombinedData" {
                assert_eq!(rows[3].1[12..], payload(3, bytes)[2636..]);
            }
            assert_eq!(frames(&tape, "gamesdat.header").first().map_or(0, |(_, bytes)| bytes.len()), head.len());
            assert_eq!(tape.start_utc_ns(), Some(1_771_502_400_000_000_000));
            assert_eq!(tape.metadata()["time_source"], "recorder_utc");
            if !head.is_empty() {
                assert_eq!(
                    (&*tape.metadata()["payload_type"], &*tape.metadata()["payload_version"]),
                    (short_type, "1.2.3")
                );
            }
        }
    }
}

#[test]
fn competizione_physics_has_the_meaning_that_the_game_gives_its_bytes() {
    let mut page = vec![0; 496];
    page[44..48].copy_from_slice(&1.5f32.to_le_bytes());
    page[364..368].copy_from_slice(&0.25f32.to_le_bytes());
    let head = header("ACC", "ACCPhysics", 496);
    let (_, tape, _folder) = import_bytes(&file(&head, &[record(START_TICKS, &page)], 4096)).unwrap();
    let physics = tape.stream_named("physics").unwrap();
    let block = tape.channels(physics, &["accG", "clutch"]).unwrap().next_block().unwrap().unwrap();
    assert!(matches!(&block.values[0], Values::F32(values) if values[..] == [1.5, 0.0, 0.0]));
    assert!(matches!(&block.values[1], Values::F32(values) if values[..] == [0.25]));
}

#[test]
fn f1_packets_go_to_streams_by_format_and_kind() {
    let datagrams = [
        datagram(2025, 6, 1352, 1),
        datagram(2025, 3, 45, 2),
        datagram(2022, 6, 1347, 3),
        datagram(2025, 6, 1352, 4),
        datagram(2027, 6, 1400, 5),
        datagram(2025, 40, 100, 6),
        datagram(1, 1, 100, 7),
    ];
    let records: Vec<_> = datagrams.iter().map(|datagram| record(START_TICKS, &f1_payload(datagram))).collect();
    let (imported, tape, _folder) =
        import_bytes(&file(&header("F1", "F1TelemetryFrame", 2056), &records, 5000)).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (7, 1), "{:?}", imported.problems);
    assert!(imported.problems[0].contains("record 6") && imported.problems[0].contains("no known format"));
    let bytes = |stream: &str| frames(&tape, stream).into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>();
    assert_eq!(bytes("car-telemetry"), [datagrams[0].clone(), datagrams[3].clone()]);
    assert_eq!(bytes("event"), [datagrams[1].clone()]);
    assert_eq!(bytes("car-telemetry-2022"), [datagrams[2].clone()]);
    assert_eq!(bytes("car-telemetry-2027"), [datagrams[4].clone()]);
    assert_eq!(bytes("packet-40"), [datagrams[5].clone()]);
    assert_eq!(bytes("other-packets"), [datagrams[6].clone()]);
    assert_eq!(game_and_layout(&tape, "car-telemetry"), ("f1-25", "f1-2025-car-telemetry"));
    assert_eq!(game_and_layout(&tape, "car-telemetry-2022"), ("f1-22", "f1-2022-car-telemetry"));
    assert_eq!(game_and_layout(&tape, "car-telemetry-2027"), ("f1-27", ""));
    assert!(tape.stream_named("gamesdat.unread").is_err());
}

#[test]
fn bytes_behind_a_datagram_and_lengths_that_cannot_be_are_kept() {
    let mut behind = f1_payload(&datagram(2025, 3, 45, 2));
    behind[1000] = 7;
    let mut long = f1_payload(&datagram(2025, 3, 45, 2));
    long[2052..].copy_from_slice(&2049i32.to_le_bytes());
    let mut negative = long.clone();
    negative[2052..].copy_from_slice(&(-1i32).to_le_bytes());
    let records = [&behind, &long, &negative].map(|payload| record(START_TICKS, payload));
    let (imported, tape, _folder) =
        import_bytes(&file(&header("F1", "F1TelemetryFrame", 2056), &records, 5000)).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (3, 2));
    assert!(
        imported.problems[0].contains("record 1, in the block at byte") && imported.problems[0].contains("2049 bytes")
    );
    let unread: Vec<_> = frames(&tape, "gamesdat.unread").into_iter().map(|(_, bytes)| bytes).collect();
    assert_eq!(unread, [behind[48..2051].to_vec(), long[3..2051].to_vec(), negative[3..2051].to_vec()]);
}

#[test]
fn payloads_that_nobody_knows_are_kept_as_bytes() {
    let head = header("LeMansUltimate", "LmuFrame", 77);
    let (imported, tape, _folder) = import_bytes(&file(&head, &records(3, 77), 100)).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (3, 1));
    assert_eq!(frames(&tape, "lmu-frame")[2].1, payload(2, 77));
    assert_eq!(game_and_layout(&tape, "lmu-frame"), ("le-mans-ultimate", ""));
}

#[test]
fn a_clock_that_was_set_does_not_turn_time_back() {
    let hour = 36_000_000_000;
    let ticks = [0, 100_000, 100_000 - hour, 200_000 - hour, 300_000 - hour + 900 * hour];
    let records = ticks.map(|ticks| record(START_TICKS + ticks, &payload(1, 496)));
    let (imported, tape, _folder) = import_bytes(&file(&header("ACC", "ACCPhysics", 496), &records, 4096)).unwrap();
    assert_eq!(imported.problems.len(), 0);
    let times: Vec<_> = frames(&tape, "physics").into_iter().map(|(time, _)| time).collect();
    assert_eq!(times, [0, 10_000_000, 10_000_000, 20_000_000, 20_000_000]);
    assert_eq!(tape.metadata()["clock_steps"], "2");
    let kept: Vec<_> = frames(&tape, "gamesdat.records").into_iter().map(|(_, row)| row[..8].to_vec()).collect();
    assert_eq!(kept, ticks.map(|ticks| (START_TICKS + ticks).to_le_bytes().to_vec()));
}

#[test]
fn the_same_bytes_give_the_same_tape_to_the_byte() {
    let read = |folder: &TempDir| std::fs::read(folder.path().join("a.gtape")).unwrap();
    let source = file(&header("ACC", "ACCPhysics", 496), &records(9, 496), 1000);
    let (one, two) = (import_bytes(&source).unwrap().2, import_bytes(&source).unwrap().2);
    assert!(read(&one) == read(&two));
}

#[test]
fn cut_at_any_byte_all_records_of_whole_blocks_are_kept() {
    let head = header("WarThunder", "StateData", 112);
    let raw = records(9, 112).concat();
    let blocks = lz4_blocks(&raw, 300);
    let start = head.len() + LZ4_HEADER.len();
    let mut ends = vec![start];
    blocks.iter().for_each(|block| ends.push(ends[ends.len() - 1] + block.len()));
    let source = file(&head, &records(9, 112), 300);
    for end in 4..source.len() {
        let cut = import_bytes(&source[..end]);
        if end < head.len() {
            assert!(matches!(cut, Err(ImportError::GamesDat(GamesDatError::HeaderCut { .. }))), "{end}");
            continue;
        }
        let (imported, tape, _folder) = cut.unwrap();
        let whole_blocks = ends.iter().filter(|block| **block <= end).count().saturating_sub(1);
        let unpacked = raw.len().min(whole_blocks * 300);
        assert_eq!(imported.frames as usize, unpacked / 124, "{end}");
        let unread: Vec<_> = frames(&tape, "gamesdat.unread").into_iter().flat_map(|(_, bytes)| bytes).collect();
        assert_eq!(unread, raw[unpacked / 124 * 124..unpacked], "{end}");
        let rest: Vec<_> = frames(&tape, "gamesdat.rest").into_iter().flat_map(|(_, bytes)| bytes).collect();
        let from = if end < start { head.len() } else { ends[whole_blocks] };
        assert_eq!(rest, source[from..end], "{end}");
        assert_eq!(imported.problems.is_empty(), end == head.len(), "{end}: {:?}", imported.problems);
    }
}

#[test]
fn a_missing_end_mark_is_said_and_costs_nothing() {
    let source = file(&header("ACC", "ACCPhysics", 496), &records(9, 496), 1000);
    let end = source.len() - 4;
    let (imported, _, _folder) = import_bytes(&source[..end]).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (9, 1));
    assert!(imported.problems[0].starts_with(&format!("byte {end}: the file ends without an end mark")));
}

#[test]
fn behind_a_damaged_block_the_bytes_are_kept_and_before_it_the_records() {
    let head = header("ACC", "ACCPhysics", 496);
    let blocks = lz4_blocks(&records(9, 496).concat(), 1016);
    let mut source = [head.as_slice(), &LZ4_HEADER, &blocks.concat(), &[0; 4]].concat();
    let third = head.len() + 7 + blocks[0].len() + blocks[1].len();
    // A token that announces more literals than there are.
    source[third + 4..third + 7].fill(0xFF);
    let (imported, tape, _folder) = import_bytes(&source).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (4, 1));
    assert_eq!(imported.problems[0], format!("byte {third}: the LZ4 block is damaged"));
    assert_eq!(frames(&tape, "gamesdat.rest"), [(30_000_000, source[third..].to_vec())]);
}

#[test]
fn a_damaged_record_length_costs_its_record() {
    let mut all = records(6, 496);
    all[2][8..12].copy_from_slice(&i32::MAX.to_le_bytes());
    let (imported, tape, _folder) = import_bytes(&file(&header("ACC", "ACCPhysics", 496), &all, 700)).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (5, 1));
    assert!(
        imported.problems[0].contains("record 2, in the block at byte") && imported.problems[0].contains("2147483647")
    );
    assert_eq!(frames(&tape, "gamesdat.unread"), [(10_000_000, all[2].clone())]);
    all[3][8..12].copy_from_slice(&(-5i32).to_le_bytes());
    let (imported, tape, _folder) = import_bytes(&file(&header("ACC", "ACCPhysics", 496), &all, 700)).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (2, 1), "{:?}", imported.problems);
    assert!(imported.problems[0].contains("no records can be made out"));
    let unread: Vec<_> = frames(&tape, "gamesdat.unread").into_iter().flat_map(|(_, bytes)| bytes).collect();
    assert_eq!(unread, all[2..].concat());
}

#[test]
fn lengths_that_cannot_be_take_no_memory() {
    for bytes in [0, -1, i32::MIN, i32::MAX] {
        let head = header("ACC", "ACCPhysics", bytes);
        let (imported, tape, _folder) = import_bytes(&file(&head, &records(3, 496), 4096)).unwrap();
        assert_eq!((imported.frames, imported.problems.len()), (3, 1), "{:?}", imported.problems);
        assert!(imported.problems[0].contains(&format!("payloads have {bytes} bytes")));
        assert_eq!(frames(&tape, "physics").len(), 3);
    }
    let head = header("ACC", "ACCPhysics", 496);
    for length in [65_537u32, 0x7FFF_FFFF, u32::MAX] {
        let source = [head.as_slice(), &LZ4_HEADER, &length.to_le_bytes(), &[0; 70_000]].concat();
        let (imported, tape, _folder) = import_bytes(&source).unwrap();
        assert_eq!(imported.frames, 0);
        assert!(imported.problems[0].contains("at most 65536 can be"), "{:?}", imported.problems);
        assert!(frames(&tape, "gamesdat.rest")[0].1 == source[head.len() + 7..]);
    }
}

#[test]
fn a_bomb_is_unpacked_piece_by_piece() {
    // A match that repeats one byte 65,000 times, in a block of 270 bytes: 300 of them make 20 MB.
    let mut block = vec![0x1F, 0, 1, 0];
    block.extend([255; 254]);
    block.extend([200, 0x50, 0, 0, 0, 0, 0]);
    let block = [&(block.len() as u32).to_le_bytes()[..], &block].concat();
    let source = [header("ACC", "ACCPhysics", 496).as_slice(), &LZ4_HEADER, &block.repeat(300), &[0; 4]].concat();
    let (imported, _, _folder) = import_bytes(&source).unwrap();
    assert_eq!(imported.frames, 0);
    assert!(imported.problems[0].contains("no records can be made out"), "{:?}", imported.problems);
}

#[test]
fn checksums_sizes_and_frames_in_a_row_are_read() {
    let head = header("ACC", "ACCPhysics", 496);
    let raw = records(4, 496).concat();
    let hash = |bytes: &[u8]| twox_hash::XxHash32::oneshot(0, bytes).to_le_bytes();
    // Independent blocks of 256 KiB, block checksums, content size, content checksum.
    let flags = [&[0x7C, 0x50][..], &(raw.len() as u64).to_le_bytes()].concat();
    let stored = [&(raw.len() as u32 | 1 << 31).to_le_bytes()[..], &raw].concat();
    let mut frame =
        [&LZ4_HEADER[..4], &flags, &hash(&flags)[1..2], &stored, &hash(&raw), &[0; 4], &hash(&raw)].concat();
    let twice = [head.as_slice(), &frame, &frame].concat();
    let (imported, _, _folder) = import_bytes(&twice).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (8, 0), "{:?}", imported.problems);
    for (at, says) in [(13, "header"), (30, "block"), (frame.len() - 1, "content")] {
        frame[at] ^= 1;
        let (imported, _, _folder) = import_bytes(&[head.as_slice(), &frame].concat()).unwrap();
        assert_eq!(imported.problems.len(), 1, "{says}");
        assert!(
            imported.problems[0].contains("checksum") && imported.problems[0].contains(says),
            "{:?}",
            imported.problems
        );
        frame[at] ^= 1;
    }
    let garbage = [head.as_slice(), &frame, b"more"].concat();
    let (imported, tape, _folder) = import_bytes(&garbage).unwrap();
    assert!(imported.problems[0].contains("4 bytes stand behind the end"), "{:?}", imported.problems);
    assert_eq!(frames(&tape, "gamesdat.rest")[0].1, b"more");
}

#[test]
fn every_flipped_byte_is_noticed_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let source = file(&header("WarThunder", "StateData", 112), &records(4, 112), 200);
    let whole = support::put(&folder.path().join("whole.dat"), &source);
    import(&whole, &folder.path().join("whole.gtape"), &mut |_| {}).unwrap();
    let tape = Tape::open(folder.path().join("whole.gtape")).unwrap();
    let mut unseen = 0;
    for at in 4..source.len() {
        let mut flipped = source.clone();
        flipped[at] ^= 0x04;
        let Ok((_, of_flipped, one)) = import_bytes(&flipped) else { continue };
        if differences(&tape, &one.path().join("a.dat")).is_empty() {
            // LZ4 may encode the same bytes differently.
            assert!(frames(&of_flipped, "state") == frames(&tape, "state"), "{at}");
            unseen += 1;
        }
    }
    assert!(unseen < 10, "{unseen}");
}

#[test]
fn what_is_no_session_is_an_error() {
    let text = file(&[], &[b"just some text, packed by somebody else".to_vec()], 4096);
    assert!(matches!(import_bytes(&text), Err(ImportError::GamesDat(GamesDatError::NoRecords))));
    let undated = file(&[], &[record(5, &payload(1, 496))], 4096);
    assert!(matches!(import_bytes(&undated), Err(ImportError::GamesDat(GamesDatError::NoRecords))));
    assert!(matches!(import_bytes(&LZ4_HEADER), Err(ImportError::GamesDat(GamesDatError::NoRecords))));
    let mut later = header("ACC", "ACCPhysics", 496);
    later[4] = 2;
    assert!(matches!(import_bytes(&later), Err(ImportError::GamesDat(GamesDatError::Version { found: 2 }))));
    let (imported, tape, _folder) = import_bytes(&header("ACC", "ACCPhysics", 496)).unwrap();
    assert_eq!((imported.frames, imported.problems.len(), frames(&tape, "gamesdat.header").len()), (0, 0, 1));
    let nothing = [header("ACC", "ACCPhysics", 496).as_slice(), b"no LZ4"].concat();
    let (imported, _, _folder) = import_bytes(&nothing).unwrap();
    assert!(imported.problems[0].contains("no LZ4 frame begins here"));
}

#[test]
fn the_real_gamesdat_files_have_the_promised_records() {
    let Some(data) = support::real_data("the_real_gamesdat_files_have_the_promised_records") else { return };
    for (name, records, problems) in [
        ("f1_complete.dat", 220, 0),
        ("f1_no_endmark.dat", 220, 1),
        ("f1_truncated_midblock.dat", 126, 2),
        ("f1_legacy_no_header.dat", 220, 0),
    ] {
        let bytes = std::fs::read(data.join("gamesdat-dat").join(name)).unwrap();
        let (imported, tape, _folder) = import_bytes(&bytes).unwrap();
        assert_eq!((imported.frames, imported.problems.len()), (records, problems), "{name}: {:?}", imported.problems);
        let of_packets = tape.streams().filter(|stream| stream.spec().game.starts_with("f1-"));
        assert_eq!(of_packets.map(|stream| stream.totals().frames).sum::<u64>(), records, "{name}");
        assert_eq!(tape.stream_named("gamesdat.records").unwrap().totals().frames, records);
        // Each datagram is one of those that the files were built from.
        let folder = data.join("f1-udp/gamesdat/2025");
        let telemetry = std::fs::read(folder.join("packet-6.bin")).unwrap();
        let stream = tape.streams().find(|stream| stream.spec().layout == "f1-2025-car-telemetry").unwrap();
        assert!(frames(&tape, &stream.spec().name).iter().all(|(_, bytes)| *bytes == telemetry));
    }
}
